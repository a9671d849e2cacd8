import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { baseName, joinPath } from "../../shell/paths.ts";
import { describe, text, type Value } from "../../shell/value.ts";
import type { GitRun } from "./invocation.ts";

const CLONE: OptionGrammar = {
  values:
    "-bocju branch depth origin config jobs reference filter template shallow-since separate-git-dir upload-pack",
  flags: "-qvnsl bare mirror quiet recursive single-branch no-checkout shared local",
};
const INIT: OptionGrammar = {
  values: "-b initial-branch template separate-git-dir object-format ref-format",
  flags: "-q quiet bare",
  optional: "shared",
};
const ADD_WORKTREE: OptionGrammar = {
  values: "-bB reason",
  flags: "-fdq force detach checkout no-checkout lock orphan quiet track no-track guess-remote",
};

/** The directory that `clone`, `init` or `worktree add` fills; undefined for every other run of git. */
export function newTreeOf(run: GitRun): Value | undefined {
  const name = nameOfTree(run);
  return name === undefined ? undefined : joinPath(run.directory, name);
}

function nameOfTree({ subcommand, argv }: GitRun): Value | undefined {
  const operandsFor = (spec: OptionGrammar) =>
    parseOptions(argv, spec).operands.map(operand => operand.value);
  if (subcommand === "clone") {
    const [address, directory] = operandsFor(CLONE);
    return directory ?? nameOf(address);
  }
  if (subcommand === "init") return operandsFor(INIT)[0] ?? text(".");
  if (subcommand !== "worktree") return undefined;
  const [verb, directory] = operandsFor(ADD_WORKTREE);
  return verb !== undefined && describe(verb) === "add" ? directory : undefined;
}

/** `https://host/acme/app.git` becomes `app`. */
function nameOf(address: Value | undefined): Value | undefined {
  if (address === undefined) return undefined;
  const name = baseName(describe(address))
    .replace(/\.git$/, "")
    .replace(/^.*:/, "");
  return name === "" ? undefined : text(name);
}
