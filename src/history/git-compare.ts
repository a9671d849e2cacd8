import { basename, isInside } from "../system/index.ts";
import type { GitChange, PathChange, PathState, RefChange } from "./change.ts";
import { branchLogs, digestIndex, type GitSnapshot } from "./git-snapshot.ts";
import type { IndexEntry } from "./git-status.ts";
import { compareStates, isSameContent, type Seen } from "./path-state.ts";
import type { Store } from "./store.ts";

/** What became of a repository, and which files of its working tree git took out or put there. */
export interface GitComparison {
  readonly change: GitChange | undefined;
  /** tracked before and left out since (sparse checkouts), with what the index had */
  readonly leftOut: readonly IndexEntry[];
  /** left out before and put there since */
  readonly putThere: readonly IndexEntry[];
}

export async function compareGit(
  store: Store,
  before: GitSnapshot,
  after: GitSnapshot,
  timeoutMs: number,
): Promise<GitComparison> {
  const { gitDirectory, commonDirectory, top } = before;
  const indexPath = `${gitDirectory}/index`;
  const filesBefore = toMap(store.readList(before.files));
  const filesAfter = toMap(store.readList(after.files));
  const index = await compareIndex(
    store,
    before,
    filesBefore.get(indexPath),
    filesAfter.get(indexPath),
    timeoutMs,
  );
  filesBefore.delete(indexPath);
  filesAfter.delete(indexPath);
  const logs = branchLogs(commonDirectory);
  // Every commit adds to them; only one that is gone is brought back.
  const files = compareFiles(filesBefore, filesAfter, `${commonDirectory}/worktrees`).filter(
    ({ path, what, before: former }) =>
      !isInside(logs, path) || (what === "deleted" && former.kind === "file"),
  );
  const stashesBefore = store.readList(before.stashes) ?? [];
  const stashesAfter = store.readList(after.stashes) ?? [];
  const hasStashChange = JSON.stringify(stashesBefore) !== JSON.stringify(stashesAfter);
  const refs = compareRefs(store.readList(before.refs) ?? [], store.readList(after.refs) ?? []);
  const change: GitChange = {
    gitDirectory,
    commonDirectory,
    top,
    ...(before.head === after.head ? {} : { head: { before: before.head, after: after.head } }),
    refs,
    ...(hasStashChange ? { stashes: { before: stashesBefore, after: stashesAfter } } : {}),
    ...(index.change === undefined ? {} : { index: index.change }),
    files,
  };
  const isMore = files.some(({ path }) => !isPassing(path));
  const hasChanged =
    change.head !== undefined || refs.length > 0 || hasStashChange || change.index !== undefined || isMore;
  return { change: hasChanged ? change : undefined, leftOut: index.leftOut, putThere: index.putThere };
}

function isPassing(path: string): boolean {
  return /^(ORIG_HEAD|AUTO_MERGE)$/.test(basename(path));
}

function toMap(seen: readonly Seen[] | undefined): Map<string, Seen> {
  return new Map((seen ?? []).map(one => [one.path, one]));
}

function compareRefs(
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[],
): readonly RefChange[] {
  const old = new Map(before);
  const now = new Map(after);
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names
    .filter(name => old.get(name) !== now.get(name))
    .map(name => ({ name, before: old.get(name), after: now.get(name) }));
}

/** Of linked worktrees only their coming, going, moving and locking counts: each has sessions of its own. */
function compareFiles(
  before: ReadonlyMap<string, Seen>,
  after: ReadonlyMap<string, Seen>,
  worktrees: string,
): readonly PathChange[] {
  const absent: PathState = { kind: "absent" };
  const stateIn = (map: ReadonlyMap<string, Seen>, path: string) => map.get(path)?.state ?? absent;
  const worktreeOf = (path: string) => {
    const rest = path.slice(worktrees.length + 1);
    return `${worktrees}/${rest.split("/")[0] ?? ""}`;
  };
  const changes: PathChange[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const isOfWorktree = isInside(worktrees, path) && path !== worktrees;
    const name = isOfWorktree ? worktreeOf(path) : path;
    if (isOfWorktree && before.has(name) === after.has(name) && !/\/(gitdir|locked)$/.test(path)) continue;
    const change = compareStates(path, stateIn(before, path), stateIn(after, path));
    if (change !== undefined && change.what !== "time") changes.push(change);
  }
  return changes;
}

type IndexComparison = Pick<GitComparison, "leftOut" | "putThere"> & { readonly change: GitChange["index"] };

const SAME: IndexComparison = { change: undefined, leftOut: [], putThere: [] };

async function compareIndex(
  store: Store,
  { top, gitDirectory }: GitSnapshot,
  before: Seen | undefined,
  after: Seen | undefined,
  timeoutMs: number,
): Promise<IndexComparison> {
  if (top === undefined || isSameFile(before, after)) return SAME;
  const old = await entriesOf(store, { top, gitDirectory }, before, timeoutMs);
  const now = await entriesOf(store, { top, gitDirectory }, after, timeoutMs);
  if (old?.digest === now?.digest) return SAME;
  const id =
    before?.state.kind === "file" && "id" in before.state.content ? before.state.content.id : undefined;
  const hidden = new Map((old?.entries ?? []).map(entry => [entry.path, entry.isSkipped]));
  const flipped = (now?.entries ?? []).filter(
    ({ path, isSkipped }) => hidden.has(path) && hidden.get(path) !== isSkipped,
  );
  return {
    change: { before: id, after: now?.digest },
    leftOut: flipped.filter(({ isSkipped }) => isSkipped),
    putThere: flipped.filter(({ isSkipped }) => !isSkipped),
  };
}

function isSameFile(before: Seen | undefined, after: Seen | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return before.stamp === after.stamp || isSameContent(before.state, after.state);
}

async function entriesOf(
  store: Store,
  repository: { readonly top: string; readonly gitDirectory: string },
  seen: Seen | undefined,
  timeoutMs: number,
) {
  if (seen?.state.kind !== "file" || seen.state.content.in !== "store") return undefined;
  return digestIndex(store, repository, timeoutMs, store.objectPath(seen.state.content.id));
}
