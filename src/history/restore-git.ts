import { Problem } from "../state/index.ts";
import { basename, hasErrorCode, isInside } from "../system/index.ts";
import type { GitChange, PathChange, Stash } from "./change.ts";
import type { HistoryContext } from "./context.ts";
import { branchLogs } from "./git-snapshot.ts";
import { performAll, temporaryBeside } from "./perform.ts";
import { type GitRun, runGit } from "./run-git.ts";
import type { Store } from "./store.ts";

const GIT_MS = 60_000;

/** What git's line endings depend on: it is as it was before files are written as git has them. */
const isSetting = ({ path }: PathChange) => /^(?:config|config\.worktree|attributes)$/.test(basename(path));

export function restoreSettings({ store }: HistoryContext, mark: string, { files }: GitChange): void {
  restoreAll(store, mark, files.filter(isSetting));
}

function restoreAll(store: Store, mark: string, files: readonly PathChange[]): void {
  performAll(
    store,
    mark,
    files.map(({ path, before }) => ({ path, target: before })),
  );
}

/**
 * Puts a repository where the change began. Every ref is set only if it stands where it was seen last; git refuses
 * otherwise. Throws at the first failure.
 */
export async function restoreGit(
  { system, store }: HistoryContext,
  mark: string,
  change: GitChange,
): Promise<void> {
  const { gitDirectory, commonDirectory, top, head, refs, stashes, index, files } = change;
  const hasTop = top !== undefined && system.files.follow(top)?.kind === "directory";
  const git = async (args: readonly string[], input = ""): Promise<GitRun> => {
    const cwd = hasTop ? top : gitDirectory;
    const run = await runGit(system, args, { cwd, timeoutMs: GIT_MS, input });
    if (!run.isOk) throw new Problem(`git state was not restored: ${run.problem}`, { kind: "failed" });
    return run;
  };
  const isLog = ({ path }: PathChange) => isInside(branchLogs(commonDirectory), path);
  restoreAll(
    store,
    mark,
    files.filter(file => !isLog(file)),
  );
  const commands = refs.flatMap(({ name, before, after }) => {
    if (before?.startsWith("ref: ") === true || after?.startsWith("ref: ") === true) return [];
    if (before === undefined) return after === undefined ? [] : [`delete ${name} ${after}`];
    return [after === undefined ? `create ${name} ${before}` : `update ${name} ${before} ${after}`];
  });
  // The branch that is checked out changes before HEAD leaves it, so that no commit is without a name meanwhile.
  if (commands.length > 0) await git(["update-ref", "--stdin"], `${commands.join("\n")}\n`);
  if (head !== undefined) {
    if (head.before.startsWith("ref: ")) await git(["symbolic-ref", "HEAD", head.before.slice(5)]);
    else await git(["update-ref", "--no-deref", "HEAD", head.before]);
  }
  if (stashes !== undefined) await restoreStashes(git, stashes.before, stashes.after);
  // Setting a branch adds to its log, which is to be what it was.
  restoreAll(store, mark, files.filter(isLog));
  if (index !== undefined) restoreIndex(store, mark, gitDirectory, index);
}

/** Keeps the oldest that are the same, drops what lies above, and stores the rest again in its order. */
async function restoreStashes(
  git: (args: readonly string[]) => Promise<GitRun>,
  wanted: readonly Stash[],
  present: readonly Stash[],
): Promise<void> {
  const old = [...wanted].reverse();
  const now = [...present].reverse();
  let shared = 0;
  while (shared < old.length && shared < now.length && old[shared]?.id === now[shared]?.id) shared++;
  for (let extra = now.length; extra > shared; extra--)
    await git(["reflog", "delete", "--updateref", "--rewrite", "refs/stash@{0}"]);
  if (shared === 0 && now.length > 0) await git(["update-ref", "-d", "refs/stash"]);
  for (const { id, message } of old.slice(shared)) await git(["stash", "store", "-m", message, id]);
}

/**
 * Under git's own lock, so that no git command is in between. The lock appears with all of its content: one that has
 * the content to be restored was left by an undo that was killed here. Its time comes back too: git takes a file that
 * was touched before the index was written, and has the size that the index says, for unchanged.
 */
function restoreIndex(
  store: Store,
  mark: string,
  gitDirectory: string,
  { before: object, modifiedNs }: NonNullable<GitChange["index"]>,
): void {
  const { files } = store.system;
  const path = `${gitDirectory}/index`;
  const lock = `${path}.lock`;
  if (object === undefined) {
    if (files.inspect(path) !== undefined) files.remove(path);
    return;
  }
  const temporary = temporaryBeside(path, mark);
  files.copy(store.objectPath(object), temporary, files.inspect(path)?.mode ?? 0o644);
  try {
    if (modifiedNs !== undefined) files.setModified(temporary, modifiedNs);
    files.link(temporary, lock);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST") || files.digest(lock) !== object) throw error;
  } finally {
    files.remove(temporary);
  }
  files.rename(lock, path);
}
