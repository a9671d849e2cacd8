import { type OptionSpec, parseOptions } from "../../shell/options.ts";
import { describe, hasGlob, knownText, type Value } from "../../shell/value.ts";
import { join } from "../../system/paths.ts";
import type { Workspace } from "../context.ts";
import { words } from "../words.ts";
import type { GitRun } from "./invocation.ts";
import { hasBranch, hasCommitName } from "./repository.ts";

export const CHECKOUT: OptionSpec = {
  flags: words(`
    f force q quiet progress no-progress ours theirs 2 3 detach d t track no-track l m merge p patch
    ignore-other-worktrees overwrite-ignore no-overlay overlay guess no-guess recurse-submodules pathspec-file-nul help
  `),
  values: words("b B orphan conflict pathspec-from-file U unified inter-hunk-context"),
  as: { force: "f", patch: "p", track: "t", detach: "d" },
};

export const SWITCH: OptionSpec = {
  flags: words(`
    f force discard-changes q quiet progress no-progress detach d t track no-track m merge guess no-guess
    ignore-other-worktrees recurse-submodules help
  `),
  values: words("c create C force-create orphan conflict"),
  as: { force: "f", "discard-changes": "f", create: "c", "force-create": "C", track: "t", detach: "d" },
};

/** What a checkout does: go to a branch, make one, or bring files back over what is there. */
export type Checkout =
  | { readonly kind: "branch"; readonly name: string | undefined; readonly isNew: boolean }
  | { readonly kind: "paths"; readonly shown: string }
  | { readonly kind: "forced"; readonly shown: string }
  | { readonly kind: "nothing" };

export function readCheckout(run: GitRun, workspace: Workspace): Checkout {
  const options = parseOptions(run.argv, CHECKOUT);
  const operands = options.operands.map(operand => operand.value);
  const made = options.valueOf("b", "B", "orphan");
  if (options.has("help")) return { kind: "nothing" };
  if (options.has("pathspec-from-file")) return { kind: "paths", shown: "the listed files" };
  if (options.has("b", "orphan")) return { kind: "branch", name: nameOf(made), isNew: true };
  if (options.has("B")) {
    const name = nameOf(made);
    const isThere =
      name !== undefined && run.repository !== undefined && hasBranch(workspace.disk, run.repository, name);
    return isThere && name !== run.branch
      ? { kind: "forced", shown: name }
      : { kind: "branch", name, isNew: true };
  }
  if (options.has("f")) return { kind: "forced", shown: shownFiles(operands) };
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
  const options = parseOptions(run.argv, SWITCH);
  const operands = options.operands.map(operand => operand.value);
  if (options.has("help")) return { kind: "nothing" };
  if (options.has("f")) return { kind: "forced", shown: shownFiles(operands) };
  const forced = nameOf(options.valueOf("C"));
  if (forced !== undefined) {
    const isThere = run.repository !== undefined && hasBranch(workspace.disk, run.repository, forced);
    return isThere && forced !== run.branch
      ? { kind: "forced", shown: forced }
      : { kind: "branch", name: forced, isNew: true };
  }
  if (options.has("c", "orphan"))
    return { kind: "branch", name: nameOf(options.valueOf("c", "orphan")), isNew: true };
  return branchOf(operands);
}

function branchOf(operands: readonly Value[]): Checkout {
  const name = nameOf(operands[0]);
  if (name === undefined) return { kind: "branch", name: undefined, isNew: false };
  const isDetached = name === "-" || /^(HEAD|[0-9a-f]{7,40}$)|[~^@:]/.test(name);
  return { kind: "branch", name: isDetached ? undefined : name, isNew: false };
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
