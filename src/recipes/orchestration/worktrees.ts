import { runGit } from "../../history/index.ts";
import { dirname, type System } from "../../system/index.ts";
import { isDirectory } from "../find/look.ts";

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

const GIT_MS = 120_000;

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
