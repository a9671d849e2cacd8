import { type OptionSpec, parseOptions } from "../../shell/options.ts";
import { baseName, joinPath } from "../../shell/paths.ts";
import { describe, text, type Value } from "../../shell/value.ts";
import { words } from "../words.ts";
import type { GitRun } from "./invocation.ts";

const CLONE: OptionSpec = {
  values: words(
    "b branch depth o origin c config j jobs reference filter template shallow-since separate-git-dir u upload-pack",
  ),
  flags: words("bare mirror q quiet v recursive single-branch no-checkout n s shared l local"),
};
const INIT: OptionSpec = {
  values: words("b initial-branch template separate-git-dir object-format ref-format"),
  flags: words("q quiet bare"),
  optional: ["shared"],
};
const ADD_WORKTREE: OptionSpec = {
  values: words("b B reason"),
  flags: words("f force d detach checkout no-checkout lock orphan q quiet track no-track guess-remote"),
};

/** The directory that `clone`, `init` or `worktree add` fills; undefined for every other run of git. */
export function newTreeOf(run: GitRun): Value | undefined {
  const name = nameOfTree(run);
  return name === undefined ? undefined : joinPath(run.directory, name);
}

function nameOfTree({ subcommand, argv }: GitRun): Value | undefined {
  const operandsFor = (spec: OptionSpec) => parseOptions(argv, spec).operands.map(operand => operand.value);
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
