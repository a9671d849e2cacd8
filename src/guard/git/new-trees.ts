import { baseName, describe, joinPath, text, type Value } from "../../shell/index.ts";
import type { GitRun } from "./invocation.ts";

/** The directory that `clone`, `init` or `worktree add` fills; undefined for every other run of git. */
export function newTreeOf(run: GitRun): Value | undefined {
  const name = nameOfTree(run);
  return name === undefined ? undefined : joinPath(run.directory, name);
}

function nameOfTree({ subcommand, options }: GitRun): Value | undefined {
  const [first, second] = options.operands.map(operand => operand.value);
  if (subcommand === "clone") return second ?? nameOf(first);
  if (subcommand === "init") return first ?? text(".");
  return subcommand === "worktree" && first !== undefined && describe(first) === "add" ? second : undefined;
}

/** `https://host/acme/app.git` becomes `app`. */
function nameOf(address: Value | undefined): Value | undefined {
  if (address === undefined) return undefined;
  const name = baseName(describe(address))
    .replace(/\.git$/, "")
    .replace(/^.*:/, "");
  return name === "" ? undefined : text(name);
}
