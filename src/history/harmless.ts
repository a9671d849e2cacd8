import { basename, dirname, isInside, join, leftMs } from "../system/index.ts";
import { createDisk, findRepository, type Repository } from "../workspace/index.ts";
import type { GitWork, PathState } from "./change.ts";
import { type HistoryContext, tryDigest } from "./context.ts";
import { type IndexEntry, parseStatus, readIndex, readStatus, type WorkTreeStatus } from "./git-status.ts";
import { projectKey, readJournals, toChange } from "./journal.ts";
import { factsAt, isSameState, presentState } from "./path-state.ts";
import { readSession } from "./sessions.ts";
import { walkTree } from "./walk.ts";

/** What a session left behind, path by path, as its changes record it. */
export interface SessionLedger {
  /** this session made it, and it is still what the session left there */
  isMadeAndUnchanged(path: string): boolean;
  hasWritten(isWanted: (path: string) => boolean): boolean;
}

/** Without a history nothing is known of the session. */
const NO_LEDGER: SessionLedger = { isMadeAndUnchanged: () => false, hasWritten: () => false };

function openLedger(
  { store, system, settings, places }: HistoryContext,
  session: string | undefined,
): SessionLedger {
  if (session === undefined || !settings.enabled) return NO_LEDGER;
  const { project } = readSession(store, session, places.project);
  const { entries } = readJournals(store, [projectKey(store, project)], { session });
  const left = new Map<string, { readonly isMade: boolean; readonly after: PathState }>();
  // What was closed without its end may hold what a person did after a refusal.
  for (const entry of entries.filter(({ exit }) => exit !== undefined))
    for (const { path, before, after } of toChange(store, entry).files) {
      const isMade = before.kind === "absent" || left.get(path)?.isMade === true;
      left.set(path, { isMade, after });
    }
  return {
    isMadeAndUnchanged(path) {
      const known = left.get(path);
      if (known?.isMade !== true) return false;
      return isSameState(
        known.after,
        presentState(system.files, path, at => tryDigest(system, at)),
      );
    },
    hasWritten: isWanted => [...left.keys()].some(isWanted),
  };
}

/** Looks at paths before they are lost. Each repository is asked once. */
export function examineLosses(context: HistoryContext, session: string | undefined) {
  const { system } = context;
  const disk = createDisk(system);
  let ledger: SessionLedger | undefined;
  const trees = new Map<string, Promise<WorkTree | undefined>>();
  const treeOf = (repository: Repository | undefined) => {
    const top = repository?.top;
    if (top === undefined) return undefined;
    const known = trees.get(top) ?? readTree(context, top);
    trees.set(top, known);
    return known;
  };
  return {
    /** Git changes only the files of a working tree that are of these kinds; is none of them work? */
    async isHarmlessForGit(top: string, kinds: readonly GitWork[]): Promise<boolean> {
      const tree = await treeOf(findRepository(disk, top));
      ledger ??= openLedger(context, session);
      return tree !== undefined && losesNothingInGit(context, tree, top, ledger, kinds);
    },
    /** Its loss is none: absent, empty, a link, clean in HEAD, made by this session, or ignored and regenerable. */
    async isHarmless(path: string): Promise<boolean> {
      const facts = factsAt(system.files, path);
      if (facts === undefined) return true;
      if (facts.kind === "symlink") return true;
      ledger ??= openLedger(context, session);
      const repository = findRepository(disk, facts.kind === "directory" ? path : dirname(path));
      const tree = await treeOf(repository);
      if (tree !== undefined && isInside(tree.top, path) && !isInside(path, repository?.gitDirectory ?? path))
        return losesNothingInGit(context, tree, path, ledger, ["changed", "untracked", "ignored"]);
      return isMadeHere(context, path, ledger);
    },
  };
}

interface WorkTree {
  readonly top: string;
  readonly status: WorkTreeStatus;
  readonly entries: readonly IndexEntry[];
}

async function readTree({ system }: HistoryContext, top: string): Promise<WorkTree | undefined> {
  const result = await readStatus(system, top, leftMs(system.clock));
  const entries = await readIndex(system, top, leftMs(system.clock));
  return result.ok && entries !== undefined ? { top, status: parseStatus(result.text), entries } : undefined;
}

/** Everything that is not tracked and clean is listed; each of these must be harmless by itself. */
function losesNothingInGit(
  context: HistoryContext,
  { top, status, entries }: WorkTree,
  path: string,
  ledger: SessionLedger,
  kinds: readonly GitWork[],
): boolean {
  const { system, rules } = context;
  const below = (names: readonly string[]) =>
    names.map(name => join(top, name)).filter(name => isInside(path, name) || isInside(name, path));
  if (status.head === undefined && entries.length > 0) return false;
  const isLost = (file: string) =>
    factsAt(system.files, file)?.kind !== "symlink" && !ledger.isMadeAndUnchanged(file);
  const hidden = entries.filter(({ isHidden }) => isHidden).map(entry => entry.path);
  const isThere = (file: string) => factsAt(system.files, file) !== undefined;
  if (below(status.changed.map(entry => entry.path)).some(isLost)) return false;
  if (
    kinds.includes("untracked") &&
    (below(status.untracked).some(isLost) || below(status.nested).length > 0)
  )
    return false;
  if (
    below(hidden).some(isThere) ||
    entries.some(entry => entry.mode === "160000" && isInside(path, join(top, entry.path)))
  )
    return false;
  if (!kinds.includes("ignored")) return true;
  const isRule = (file: string) => basename(file) === ".gitignore" || file.endsWith("/info/exclude");
  const isTracked = (directory: string) => entries.some(entry => isInside(directory, join(top, entry.path)));
  return below(status.ignored).every(name => {
    const isOutput = rules.isRegenerable(name) || parts(top, name).some(rules.isRegenerable);
    if (isOutput && !ledger.hasWritten(isRule)) return !isTracked(name);
    return isMadeHere(context, name, ledger);
  });
}

function parts(top: string, path: string): readonly string[] {
  const found: string[] = [];
  for (
    let directory = dirname(path);
    directory !== top && isInside(top, directory);
    directory = dirname(directory)
  )
    found.push(directory);
  return found;
}

/** Every file in it was made by this session and is as the session left it. Directories and links hold nothing. */
function isMadeHere({ system }: HistoryContext, path: string, ledger: SessionLedger): boolean {
  const facts = factsAt(system.files, path);
  if (facts === undefined) return true;
  if (facts.kind !== "directory") return ledger.isMadeAndUnchanged(path);
  let isAll = true;
  walkTree(system.files, path, {
    visit(inner, { kind }) {
      if (kind !== "directory" && kind !== "symlink") isAll &&= ledger.isMadeAndUnchanged(inner);
      return isAll;
    },
    fail() {
      isAll = false;
    },
    isLate: () => !isAll,
  });
  return isAll;
}
