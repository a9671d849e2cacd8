import { describe, hasGlob, knownText, type Value } from "../../shell/index.ts";
import { join } from "../../system/index.ts";
import { hasBranch, hasCommitName, type Workspace } from "../../workspace/index.ts";
import type { GitRun } from "./invocation.ts";

/** What a checkout does: go to a branch, make one, or bring files back over what is there. */
export type Checkout =
  | { readonly kind: "branch"; readonly name: string | undefined }
  | { readonly kind: "paths"; readonly shown: string }
  | { readonly kind: "forced"; readonly shown: string }
  | { readonly kind: "nothing" };

export function readCheckout(run: GitRun, workspace: Workspace): Checkout {
  const { options } = run;
  const operands = options.operands.map(operand => operand.value);
  if (options.isOn("help")) return { kind: "nothing" };
  if (options.has("pathspec-from-file")) return { kind: "paths", shown: "the listed files" };
  const made = nameOf(options.valueOf("b", "B", "orphan"));
  if (options.mayBeOn("f")) return { kind: "forced", shown: made ?? shownFiles(operands) };
  if (options.has("b", "orphan")) return { kind: "branch", name: made };
  if (options.has("B")) return branchMade(run, workspace, made);
  if (options.endOfOptions !== undefined) {
    const paths = options.operands.filter(operand => operand.index > (options.endOfOptions ?? 0));
    return paths.length > 0
      ? { kind: "paths", shown: shownFiles(paths.map(path => path.value)) }
      : branchOf(operands);
  }
  if (operands.length === 0)
    return options.has("p") ? { kind: "paths", shown: "chosen changes" } : { kind: "nothing" };
  if (options.has("ours", "theirs", "2", "3")) return { kind: "paths", shown: shownFiles(operands) };
  const [first, second] = operands;
  if (second !== undefined)
    return options.has("t") ? branchOf(operands) : { kind: "paths", shown: shownFiles(operands.slice(1)) };
  if (first !== undefined && isPathspec(run, workspace, first))
    return { kind: "paths", shown: describe(first) };
  return branchOf(operands);
}

export function readSwitch(run: GitRun, workspace: Workspace): Checkout {
  const { options } = run;
  const operands = options.operands.map(operand => operand.value);
  if (options.isOn("help")) return { kind: "nothing" };
  if (options.mayBeOn("f")) return { kind: "forced", shown: shownFiles(operands) };
  const forced = nameOf(options.valueOf("C"));
  if (forced !== undefined) return branchMade(run, workspace, forced);
  if (options.has("c", "orphan")) return { kind: "branch", name: nameOf(options.valueOf("c", "orphan")) };
  return branchOf(operands);
}

/** `-B` and `-C` make a branch, or move the one that is there. */
function branchMade({ repository, branch }: GitRun, { disk }: Workspace, name: string | undefined): Checkout {
  const isMoved =
    name !== undefined && name !== branch && repository !== undefined && hasBranch(disk, repository, name);
  return isMoved ? { kind: "forced", shown: name } : { kind: "branch", name };
}

function branchOf(operands: readonly Value[]): Checkout {
  const name = nameOf(operands[0]);
  if (name === undefined) return { kind: "branch", name: undefined };
  const isDetached = name === "-" || /^(HEAD|[0-9a-f]{7,40}$)|[~^@:]/.test(name);
  return { kind: "branch", name: isDetached ? undefined : name };
}

function nameOf(value: Value | undefined): string | undefined {
  return value === undefined ? undefined : knownText(value);
}

function shownFiles(paths: readonly Value[]): string {
  return paths.length === 0 ? "all changed files" : paths.slice(0, 3).map(describe).join(" ");
}

const FILE_EXTENSION =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|md|txt|json|ya?ml|toml|lock|html?|s?css|vue|svelte|sql|xml|cfg|ini|env|proto|gradle|tf)$/i;

/** A single argument is a path when it can be nothing else, or is one on disk and no commit has that name. */
function isPathspec(run: GitRun, workspace: Workspace, operand: Value): boolean {
  if (hasGlob(operand)) return true;
  const name = knownText(operand);
  if (name === undefined) return false;
  if (/^(\.{1,2}(\/|$)|\/|:[/(!^])/.test(name) || name.endsWith("/")) return true;
  const { repository } = run;
  if (repository !== undefined && hasCommitName(workspace.disk, repository, name)) return false;
  const directory = knownText(run.directory);
  if (directory !== undefined && workspace.disk.kind(join(directory, name)) !== undefined) return true;
  return FILE_EXTENSION.test(name);
}
