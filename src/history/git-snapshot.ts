import { readText } from "../state/index.ts";
import { basename, type Files, hasErrorCode, isInside, type System } from "../system/index.ts";
import type { Repository } from "../workspace/index.ts";
import type { GitChange, PathChange, PathState, RefChange, Stash } from "./change.ts";
import { type IndexEntry, readIndex } from "./git-status.ts";
import { projectKey } from "./journal.ts";
import type { Keeper } from "./keeper.ts";
import { compareStates, factsAt, isSameContent, type Seen } from "./path-state.ts";
import { type Listed, recallWhile, rememberWhile, type Store } from "./store.ts";
import { openSeenCache } from "./sweep-cache.ts";
import { walkTree } from "./walk.ts";

/** The state of a repository beside the files of its working tree, as read from its files. */
export interface GitSnapshot {
  readonly gitDirectory: string;
  readonly commonDirectory: string;
  readonly top: string | undefined;
  /** as `HEAD` has it: `ref: refs/heads/main`, or an object id */
  readonly head: string;
  /** name and object id, or `ref: …` */
  readonly refs: Listed<readonly [string, string]>;
  /** newest first */
  readonly stashes: Listed<Stash>;
  /** the index and the small files of operations under way */
  readonly files: Listed<Seen>;
}

const MAX_SMALL = 64 * 1024;
const MAX_PACKED_REFS = 32 * 1024 * 1024;
/** Files of one working tree that tell of a merge, rebase or bisect. */
const OPERATION_FILES = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "SQUASH_MSG",
  "AUTO_MERGE",
  "ORIG_HEAD",
  "BISECT_LOG",
  "BISECT_NAMES",
  "BISECT_START",
  "BISECT_TERMS",
  "BISECT_EXPECTED_REV",
  "BISECT_ANCESTORS_OK",
  "config.worktree",
  "info/sparse-checkout",
];
const OPERATION_TREES = ["rebase-merge", "rebase-apply", "sequencer"];
const SHARED_FILES = ["config", "info/exclude", "info/attributes", "shallow"];
/** Every git command may rewrite these; they are brought back where nothing else did since. */
export const PASSING_FILES: ReadonlySet<string> = new Set(["ORIG_HEAD", "AUTO_MERGE"]);

/** Where git notes what branches pointed to; the note of a branch goes with it. */
export function branchLogs(commonDirectory: string): string {
  return `${commonDirectory}/logs/refs/heads`;
}

/** What was captured is captured again only where something of it was touched. */
export function captureGit(keeper: Keeper, repository: Repository): GitSnapshot {
  const { store, rules } = keeper;
  const path = store.path("seen", `${projectKey(store, repository.gitDirectory)}.git`);
  const known = recallWhile<KnownGit>(store, path);
  const isSame = known?.rules === rules.key && known.top === (repository.top ?? "");
  if (isSame && keeper.countKept(known.files, known.bytes)) return { ...known.snapshot, top: repository.top };
  const { files, bytes } = keeper;
  const lost = keeper.lost.length;
  const sinceMs = store.system.clock.nowMs();
  const watched = new Set<string>();
  const snapshot = captureAll(keeper, repository, watched);
  if (keeper.lost.length === lost && watched.size <= MAX_WATCHED)
    rememberWhile<KnownGit>(
      store,
      path,
      {
        snapshot,
        rules: rules.key,
        top: repository.top ?? "",
        files: keeper.files - files,
        bytes: keeper.bytes - bytes,
      },
      [...watched, ...snapshotObjects(store, snapshot)],
      sinceMs,
    );
  return snapshot;
}

interface KnownGit {
  readonly snapshot: GitSnapshot;
  readonly rules: string;
  readonly top: string;
  readonly files: number;
  readonly bytes: number;
}

const MAX_WATCHED = 500;

/** The copies that were made must still be there. */
function snapshotObjects(store: Store, { refs, stashes, files }: GitSnapshot): readonly string[] {
  const lists = [refs, stashes, files].flatMap(list => ("object" in list ? list.object : []));
  const kept = (store.readList(files) ?? []).flatMap(({ state }) =>
    state.kind === "file" && state.content.in === "store" ? state.content.id : [],
  );
  return [...lists, ...kept].map(id => store.objectPath(id));
}

/** `watched` gets every path that was looked at. */
function captureAll(keeper: Keeper, repository: Repository, watched: Set<string>): GitSnapshot {
  const { gitDirectory, commonDirectory, top } = repository;
  const { store } = keeper;
  const { system } = store;
  const cache = openSeenCache(store, gitDirectory);
  const seen: Seen[] = [];
  const capture = (path: string) => {
    watched.add(path);
    return seen.push(keeper.capture(path, undefined, cache.find(path)));
  };
  const captureTree = (path: string) => {
    watched.add(path);
    if (factsAt(system.files, path)?.kind !== "directory") return;
    capture(path);
    walkTree(system.files, path, {
      visit: inner => capture(inner) > 0,
      fail: (inner, why) => keeper.lose(inner, why),
      isLate: () => keeper.isLateInWalk(),
    });
  };
  const places = [
    ...(top === undefined ? [] : [`${gitDirectory}/index`]),
    ...OPERATION_FILES.map(name => `${gitDirectory}/${name}`),
    ...SHARED_FILES.map(name => `${commonDirectory}/${name}`),
  ];
  for (const path of places) watched.add(path);
  for (const name of ["HEAD", "packed-refs", "refs/stash", "logs/refs/stash"])
    watched.add(`${name === "HEAD" ? gitDirectory : commonDirectory}/${name}`);
  // Few of them are there at a time.
  const stamps = system.files.stampsOf(places.join("\0")).split("\n");
  for (const [at, path] of places.entries()) if (stamps[at] !== "") capture(path);
  for (const name of OPERATION_TREES) captureTree(`${gitDirectory}/${name}`);
  captureTree(`${commonDirectory}/worktrees`);
  captureTree(branchLogs(commonDirectory));
  const isThere = ({ state }: Seen) => state.kind !== "absent";
  return {
    gitDirectory,
    commonDirectory,
    top,
    head: readText(system, `${gitDirectory}/HEAD`, MAX_SMALL)?.trim() ?? "",
    refs: store.list(readRefs(system, commonDirectory, watched)),
    stashes: store.list(readStashes(system, commonDirectory)),
    files: cache.save(seen.filter(isThere)),
  };
}

/** A format of refs that only git reads. */
export function hasReftable({ files }: Pick<System, "files">, commonDirectory: string): boolean {
  return files.inspect(`${commonDirectory}/reftable`)?.kind === "directory";
}

/** All refs but stashes, sorted by name: loose ones hide packed ones. */
export function readRefs(
  system: Pick<System, "files" | "text">,
  commonDirectory: string,
  watched: Set<string> = new Set(),
): readonly (readonly [string, string])[] {
  const refs = new Map<string, string>();
  const packed = readText(system, `${commonDirectory}/packed-refs`, MAX_PACKED_REFS) ?? "";
  for (const line of packed.split("\n")) {
    const [id = "", name = ""] = line.split(" ");
    if (/^[0-9a-f]{40,}$/.test(id) && name.startsWith("refs/")) refs.set(name, id);
  }
  const top = `${commonDirectory}/refs`;
  watched.add(top);
  walkTree(system.files, top, {
    visit(path, { kind }) {
      watched.add(path);
      if (kind === "file") {
        const value = readRef(system.files, system, path);
        if (value !== undefined) refs.set(path.slice(commonDirectory.length + 1), value);
      }
      return true;
    },
    fail() {
      // A directory of refs that cannot be listed holds none that git could use.
    },
    isLate: () => false,
  });
  refs.delete("refs/stash");
  return [...refs].sort(([one], [other]) => (one < other ? -1 : 1));
}

function readRef(files: Files, { text }: Pick<System, "text">, path: string): string | undefined {
  try {
    const value = text.decode(files.read(path, MAX_SMALL)).text.trim();
    return /^([0-9a-f]{40,}|ref: .+)$/.test(value) ? value : undefined;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "EFBIG", "EACCES")) return undefined;
    throw error;
  }
}

/** Newest first, as the log of `refs/stash` has them. */
export function readStashes(
  system: Pick<System, "files" | "text">,
  commonDirectory: string,
): readonly Stash[] {
  if (factsAt(system.files, `${commonDirectory}/refs/stash`) === undefined) {
    const packed = readText(system, `${commonDirectory}/packed-refs`, MAX_PACKED_REFS) ?? "";
    if (!/ refs\/stash$/m.test(packed)) return [];
  }
  const log = readText(system, `${commonDirectory}/logs/refs/stash`, MAX_PACKED_REFS) ?? "";
  return log
    .split("\n")
    .flatMap(line => {
      const found = /^[0-9a-f]+ ([0-9a-f]+) [^\t]*(?:\t(.*))?$/.exec(line);
      return found === null ? [] : [{ id: found[1] ?? "", message: found[2] ?? "" }];
    })
    .reverse();
}

/**
 * A digest of what an index says, whatever git noted beside it about files on the disk. The repository's own when no
 * file is given.
 */
export async function digestIndex(
  store: Store,
  { top, gitDirectory }: { readonly top: string; readonly gitDirectory: string },
  timeoutMs: number,
  indexFile?: string,
): Promise<{ readonly digest: string; readonly entries: readonly IndexEntry[] } | undefined> {
  const { system } = store;
  const isThere = factsAt(system.files, `${top}/.git`) !== undefined;
  const entries = await readIndex(system, top, timeoutMs, {
    ...(indexFile === undefined ? {} : { indexFile }),
    ...(isThere ? {} : { gitDirectory }),
  });
  if (entries === undefined) return undefined;
  const text = entries
    .map(({ path, mode, id, stage, isHidden }) => `${mode} ${id} ${stage} ${isHidden} ${path}`)
    .join("\0");
  return { digest: store.digest(text), entries };
}

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
  const old = await readIndexEntries(store, { top, gitDirectory }, before, timeoutMs);
  const now = await readIndexEntries(store, { top, gitDirectory }, after, timeoutMs);
  if (old?.digest === now?.digest) return SAME;
  const file = before?.state.kind === "file" ? before.state : undefined;
  const id = file !== undefined && "id" in file.content ? file.content.id : undefined;
  const hidden = new Map((old?.entries ?? []).map(entry => [entry.path, entry.isSkipped]));
  const flipped = (now?.entries ?? []).filter(
    ({ path, isSkipped }) => hidden.has(path) && hidden.get(path) !== isSkipped,
  );
  return {
    change: {
      before: id,
      ...(file === undefined ? {} : { modifiedNs: file.modifiedNs }),
      after: now?.digest,
    },
    leftOut: flipped.filter(({ isSkipped }) => isSkipped),
    putThere: flipped.filter(({ isSkipped }) => !isSkipped),
  };
}

function isSameFile(before: Seen | undefined, after: Seen | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return isSameContent(before.state, after.state);
}

async function readIndexEntries(
  store: Store,
  repository: { readonly top: string; readonly gitDirectory: string },
  seen: Seen | undefined,
  timeoutMs: number,
) {
  if (seen?.state.kind !== "file" || seen.state.content.in !== "store") return undefined;
  return digestIndex(store, repository, timeoutMs, store.objectPath(seen.state.content.id));
}
