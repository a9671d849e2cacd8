import { ancestors, dirname, type Files, type System } from "../system/index.ts";
import type { Change } from "./change.ts";
import type { HistoryContext } from "./context.ts";
import type { Conflict } from "./interface.ts";
import { projectKey, readJournals } from "./journal.ts";
import { factsAt } from "./path-state.ts";

/**
 * Recorded paths have no links in front. What is found behind a directory that became a link, or another directory,
 * is not what a change was about.
 */

/** What is on the way to a name: directories, all of which are there, or not. */
interface Way {
  /** the nearest to the root that is something else */
  readonly link: string | undefined;
  readonly isThere: boolean;
}

const FREE: Way = { link: undefined, isThere: true };

function findWay(files: Pick<Files, "exactFacts">): (path: string) => Way {
  const known = new Map<string, Way>([["/", FREE]]);
  const look = (directory: string): Way => {
    const found = known.get(directory) ?? next(look(dirname(directory)), directory);
    known.set(directory, found);
    return found;
  };
  const next = (above: Way, directory: string): Way => {
    if (!above.isThere) return above;
    const kind = factsAt(files, directory)?.kind;
    if (kind === "directory") return above;
    return { link: kind === undefined ? undefined : directory, isThere: false };
  };
  return path => look(dirname(path));
}

/** By path, the nearest to the root of the directories on the way that is none now; undefined when all are. */
export function findLinkAbove(files: Pick<Files, "exactFacts">): (path: string) => string | undefined {
  const wayTo = findWay(files);
  return path => wayTo(path).link;
}

/** The same system, in which nothing is found behind a link. What it saw of directories is not looked at again. */
export function withoutLinks(system: System): System {
  const { files } = system;
  const wayTo = findWay(files);
  const seen = Object.create(files) as Files;
  const exactFacts: Files["exactFacts"] = path => (wayTo(path).isThere ? files.exactFacts(path) : undefined);
  return { ...system, files: Object.assign(seen, { exactFacts }), processes: system.processes };
}

/** Directories on the way to these paths that are others than the history saw last. */
export function findReplaced(
  { store, system }: HistoryContext,
  changes: readonly Change[],
  paths: Iterable<string>,
): readonly Conflict[] {
  const expected = lastSeen(store, changes);
  if (expected.size === 0) return [];
  // A directory that a change made or removed is made anew by an undo, also by one that was taken back halfway.
  const remade = new Set(
    changes.flatMap(({ files }) =>
      files.filter(({ before, after }) => before.kind !== after.kind).map(({ path }) => path),
    ),
  );
  const devices = new Map<string, string>();
  const conflicts = new Map<string, Conflict>();
  const looked = new Set<string>();
  for (const path of paths)
    for (const directory of ancestors(dirname(path))) {
      if (looked.has(directory)) break;
      looked.add(directory);
      const [device = "", inode = ""] = (expected.get(directory) ?? "").split(":");
      const facts = inode === "" || remade.has(directory) ? undefined : factsAt(system.files, directory);
      if (facts?.kind !== "directory") continue;
      const [deviceNow = "", inodeNow = ""] = facts.identity.split(":");
      // A device may get another number when it is mounted again, all directories on it alike.
      const isSame = inodeNow === inode && (devices.get(device) ?? deviceNow) === deviceNow;
      devices.set(device, devices.get(device) ?? deviceNow);
      if (!isSame)
        conflicts.set(directory, {
          subject: directory,
          why: "this folder is another one than it was then",
          advice: "look at it, then undo with --force",
        });
    }
  return [...conflicts.values()];
}

function lastSeen(store: HistoryContext["store"], changes: readonly Change[]): ReadonlyMap<string, string> {
  const oldest = changes.at(-1)?.id ?? "";
  const projects = new Set(changes.map(({ project }) => projectKey(store, project)));
  const seen = new Map<string, string>();
  for (const { id, folders } of readJournals(store, [...projects]).entries)
    if (id >= oldest && folders !== undefined)
      for (const [path, identity] of store.readList(folders) ?? []) seen.set(path, identity);
  return seen;
}
