import { readText } from "../state/index.ts";
import { type Files, hasErrorCode, type System } from "../system/index.ts";
import type { Repository } from "../workspace/index.ts";
import type { Stash } from "./change.ts";
import { type IndexEntry, readIndex } from "./git-status.ts";
import type { Keeper } from "./keeper.ts";
import { factsAt, type Seen } from "./path-state.ts";
import { openSeenCache } from "./seen-cache.ts";
import type { Listed, Store } from "./store.ts";
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

export function captureGit(keeper: Keeper, repository: Repository): GitSnapshot {
  const { gitDirectory, commonDirectory, top } = repository;
  const { store } = keeper;
  const { system } = store;
  const cache = openSeenCache(store, gitDirectory);
  const seen: Seen[] = [];
  const capture = (path: string) => seen.push(keeper.capture(path, undefined, cache.find(path)));
  const captureTree = (path: string) => {
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
    refs: store.list(readRefs(system, commonDirectory)),
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
): readonly (readonly [string, string])[] {
  const refs = new Map<string, string>();
  const packed = readText(system, `${commonDirectory}/packed-refs`, MAX_PACKED_REFS) ?? "";
  for (const line of packed.split("\n")) {
    const [id = "", name = ""] = line.split(" ");
    if (/^[0-9a-f]{40,}$/.test(id) && name.startsWith("refs/")) refs.set(name, id);
  }
  const top = `${commonDirectory}/refs`;
  walkTree(system.files, top, {
    visit(path, { kind }) {
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
