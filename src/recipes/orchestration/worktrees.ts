import { runGit } from "../../history/index.ts";
import { findStateHome, Problem, WORKSTREAMS } from "../../state/index.ts";
import { basename, dirname, join, type System } from "../../system/index.ts";
import { hashText, isDirectory } from "../find/find-recipe.ts";

/** A working tree of a branch beside the repository's own. */
export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** where the branch stood when the worktree was opened */
  readonly start: string;
  /** made for this run; one that was there before is never removed */
  readonly isNew: boolean;
  readonly isNewBranch: boolean;
}

export const GIT_MS = 120_000;

/** Makes the worktree, or takes the one that an earlier run left on the same branch. */
export async function openWorktree(
  system: System,
  top: string,
  path: string,
  branch: string,
): Promise<Worktree> {
  const git = (args: readonly string[], cwd: string) => runGit(system, args, { cwd, timeoutMs: GIT_MS });
  const must = async (args: readonly string[], cwd: string): Promise<string> => {
    const { isOk, text, problem } = await git(args, cwd);
    if (!isOk) throw new Error(problem);
    return text.trim();
  };
  if (isDirectory(system.files, path)) {
    const current = await git(["symbolic-ref", "--short", "HEAD"], path);
    if (!current.isOk || current.text.trim() !== branch)
      throw new Error(`${path} is there and is not a worktree of ${branch}: move it away`);
    const start = await must(["rev-parse", "HEAD"], path);
    return { path, branch, start, isNew: false, isNewBranch: false };
  }
  const isNewBranch = !(await git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], top)).isOk;
  system.files.makeDirectory(dirname(path), 0o700);
  await must(["worktree", "add", "--quiet", ...(isNewBranch ? ["-b", branch, path] : [path, branch])], top);
  const start = await must(["rev-parse", "HEAD"], path);
  return { path, branch, start, isNew: true, isNewBranch };
}

/** Removes a worktree in which nothing was done; says what was kept. */
export async function keepOrRemove(system: System, top: string, worktree: Worktree): Promise<string> {
  const { path, branch, start, isNew, isNewBranch } = worktree;
  const git = (args: readonly string[], cwd: string) => runGit(system, args, { cwd, timeoutMs: GIT_MS });
  const [head, status] = [
    await git(["rev-parse", "HEAD"], path),
    await git(["status", "--porcelain", "--ignored"], path),
  ];
  if (!head.isOk || !status.isOk) return `${path} is kept`;
  if (head.text.trim() !== start) return `commits on ${branch}, kept in ${path}`;
  if (status.text !== "") return `changes that are not committed, kept in ${path}`;
  if (!isNew) return `nothing changed in ${path}`;
  // Without --force git itself refuses to remove what came there meanwhile.
  const removed = await git(["worktree", "remove", path], top);
  if (!removed.isOk) return `${path} is kept: ${removed.problem}`;
  if (isNewBranch) await git(["branch", "-d", branch], top);
  return "nothing was changed";
}

export async function findTop(system: System, directory: string): Promise<string> {
  const { isOk, text, problem } = await runGit(system, ["rev-parse", "--show-toplevel"], {
    cwd: directory,
    timeoutMs: 10_000,
  });
  if (isOk) return text.trim();
  throw new Problem(`${directory} is in no git repository`, {
    kind: "invalid",
    causes: [problem],
    fix: "run it in the repository that is worked on, or set AMPLIHACK_REPO_PATH",
  });
}

/** Below the state of amplihack: a worktree inside the repository could be committed by mistake. */
export function worktreeDirectory(system: System, top: string, branch: string): string {
  return join(repositoryDirectory(system, WORKSTREAMS, top), branch.replace(/[^\w.-]/g, "-"));
}

/** A folder of this repository's in the state of amplihack. */
export function repositoryDirectory(system: System, kind: string, top: string): string {
  const home = findStateHome(system);
  if (home === undefined) throw new Error("HOME is not set");
  return join(home, kind, `${basename(top)}-${hashText(top).slice(0, 8)}`);
}
