import { type ExactFacts, type Files, SystemError } from "../system/index.ts";
import { isChangedSince, type Seen, toState } from "./path-state.ts";
import { isGitEntry } from "./walk.ts";

/** What was seen of the directories of a tree. One whose stamp is the same still has the same directories in it. */
export interface KnownFolders {
  readonly seen: ReadonlyMap<string, Seen>;
  /** when they were looked at, or earlier */
  readonly timeMs: number;
}

export const NO_FOLDERS: KnownFolders = { seen: new Map(), timeMs: 0 };

export function foldersIn(seen: Iterable<Seen>): KnownFolders["seen"] {
  const found = new Map<string, Seen>();
  for (const one of seen) if (one.state.kind === "directory") found.set(one.path, one);
  return found;
}

interface FolderWalk {
  /** not looked at, nor what is in it */
  isLeftOut(directory: string): boolean;
  /** a directory that cannot be listed, or that there was no time for */
  fail(directory: string, why: string): void;
  isLate(): boolean;
}

/** All directories of a tree, its top first. Only those that were touched since `known` are listed. */
export function findFolders(
  files: Pick<Files, "exactFacts" | "listFacts" | "readLink" | "stampsOf">,
  top: string,
  known: KnownFolders,
  { isLeftOut, fail, isLate }: FolderWalk,
): readonly Seen[] {
  const untouched = findUntouched(files, known);
  const inner = innerFolders(untouched.size === 0 ? [] : known.seen.keys());
  const found: Seen[] = [];
  const see = (path: string, facts: ExactFacts | undefined) => {
    if (facts?.kind !== "directory") return;
    const state = toState(files, path, facts, () => ({ in: "nowhere", why: "" }));
    found.push({ path, state, stamp: facts.stamp });
    waiting.push(path);
  };
  const waiting: string[] = [];
  see(top, files.exactFacts(top));
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (untouched.has(directory)) {
      for (const path of inner.get(directory) ?? []) {
        const same = untouched.get(path);
        if (same === undefined) see(path, files.exactFacts(path));
        else {
          found.push(same);
          waiting.push(path);
        }
      }
      continue;
    }
    if (isLate()) {
      fail(directory, "there was no time to look at it (history.budgetMs)");
      break;
    }
    try {
      for (const { name, ...facts } of files.listFacts(directory)) {
        const path = `${directory === "/" ? "" : directory}/${name}`;
        if (facts.kind === "directory" && !isGitEntry(path) && !isLeftOut(path)) see(path, facts);
      }
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
        fail(directory, `it cannot be listed: ${error.code}`);
    }
  }
  return found;
}

function findUntouched(
  files: Pick<Files, "stampsOf">,
  { seen, timeMs }: KnownFolders,
): ReadonlyMap<string, Seen> {
  const same = new Map<string, Seen>();
  if (seen.size === 0) return same;
  const stamps = files.stampsOf([...seen.keys()].join("\0")).split("\n");
  let at = 0;
  for (const [path, one] of seen)
    if (stamps[at++] === one.stamp && !isChangedSince(one.stamp, timeMs)) same.set(path, one);
  return same;
}

function innerFolders(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const inner = new Map<string, string[]>();
  for (const path of paths) {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    const list = inner.get(parent);
    if (list === undefined) inner.set(parent, [path]);
    else list.push(path);
  }
  return inner;
}
