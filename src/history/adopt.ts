import { hasEnded, removeIfThere } from "../state/index.ts";
import { ancestors, isInside } from "../system/index.ts";
import { createDisk, findRepository, openRepository, type Repository } from "../workspace/index.ts";
import { isFailure, takeBack } from "./apply.ts";
import type { AdoptedPath, Change, NotKept, PathState } from "./change.ts";
import { completeChange } from "./complete.ts";
import type { HistoryContext } from "./context.ts";
import { captureGit } from "./git-snapshot.ts";
import { claimId } from "./ids.ts";
import { projectKey } from "./journal.ts";
import { cachedRegenerable, Keeper, NO_LIMITS } from "./keeper.ts";
import { callKey, type OpenChange, type OpenFile, openPath, readOpen, writeOpen } from "./open-changes.ts";
import { factsAt } from "./path-state.ts";
import { beginWriting, performAll, removeChangeLeftovers } from "./perform.ts";
import { readSession } from "./sessions.ts";
import type { Store } from "./store.ts";
import { captureTargets } from "./targets.ts";

/** Changes that were made elsewhere and become real: those of a try. */
type Adoption = Pick<Change, "host" | "session" | "command" | "verdict" | "rules" | "project"> & {
  /** by which the change is found again */
  readonly toolUseId: string;
  readonly paths: readonly AdoptedPath[];
};

interface Adopted {
  /** the change that an undo takes back; undefined when nothing changed */
  readonly id: string | undefined;
  /** what no undo brings back, or somebody else changed meanwhile */
  readonly notKept: readonly NotKept[];
}

const MARKS = "adopting";

/** What would be lost by it for good, found without keeping or writing anything. */
export function findExcluded({ rules }: HistoryContext, paths: readonly string[]): readonly NotKept[] {
  return paths.filter(rules.isExcluded).map(path => ({ path, why: "history.exclude names it" }));
}

/**
 * Makes changes real as one change of the history. What it takes to finish is written down first: killed at any point
 * it is finished by `finishAdoptions`. A failure takes back what was done.
 */
export async function adopt(
  context: HistoryContext,
  adoption: Adoption,
  onProgress: (done: number) => void,
): Promise<Adopted> {
  const { file, open } = await begin(context, adoption);
  return carryOut(context, file, open, adoption.paths, onProgress);
}

/** Finishes what a killed process began. One look at the disk when there is none. */
export async function finishAdoptions(context: HistoryContext): Promise<void> {
  const { store, system } = context;
  for (const name of store.names(MARKS)) {
    const path = store.readSealed<string>(store.path(MARKS, name));
    const file = { path: path ?? "", id: name };
    const open = path === undefined ? undefined : readOpen(store, file);
    if (open?.adopting === undefined) removeIfThere(system.files, store.path(MARKS, name));
    else if (open.writing === undefined || hasEnded(system.processes, open.writing.writer)) {
      removeChangeLeftovers(store, open);
      await carryOut(context, file, open, store.readList(open.adopting) ?? []);
    }
  }
}

async function begin(
  context: HistoryContext,
  { paths, toolUseId, ...described }: Adoption,
): Promise<{ readonly file: OpenFile; readonly open: OpenChange }> {
  const { store, system, rules } = context;
  const { project, session } = described;
  const keeper = new Keeper(store, { ...rules, isOutOfReach: () => false }, NO_LIMITS);
  const repositories = findRepositories(context, paths);
  const isOfGit = (path: string) =>
    repositories.some(({ commonDirectory }) => isInside(commonDirectory, path));
  const output = cachedRegenerable(context, project);
  const isKept = ({ path }: AdoptedPath) => !isOfGit(path) && output(path) === undefined;
  const named = await captureTargets(
    keeper,
    paths.filter(isKept).map(({ path }) => ({ path, how: "write", isTree: false }) as const),
  );
  const git = repositories.map(repository => captureGit(keeper, repository));
  const id = claimId(store, projectKey(store, project));
  const open: OpenChange = {
    change: {
      ...described,
      id,
      kind: "call",
      timeMs: system.clock.nowMs(),
      turn: readSession(store, session, project).turn,
      tool: "try",
      toolUseId,
      of: [],
      only: undefined,
    },
    targets: store.list(named.targets),
    seen: store.list(named.seen),
    sweeps: [],
    git,
    isComplete: keeper.lost.length === 0,
    notKept: keeper.lost,
    files: keeper.files,
    bytes: keeper.bytes,
    writing: beginWriting(
      store,
      paths.map(({ path }) => path),
      [],
    ),
    adopting: store.list(paths),
  };
  const key = callKey(store, toolUseId, "try", "");
  const file = { path: openPath(store, session, key, id), id };
  store.writeSealed(store.path(MARKS, id), file.path);
  writeOpen(store, key, open);
  return { file, open };
}

/** Repositories that stay ones: their state goes back as git's, their other files do with the tree. */
function findRepositories({ system }: HistoryContext, paths: readonly AdoptedPath[]): readonly Repository[] {
  const disk = createDisk(system);
  const gone = new Set(paths.flatMap(({ path, target }) => (target.kind === "absent" ? path : [])));
  const known = new Map<string, boolean>();
  const isGit = (folder: string): boolean => {
    const found =
      known.get(folder) ??
      (disk.kind(`${folder}/HEAD`) === "file" &&
        disk.kind(`${folder}/objects`) === "directory" &&
        !gone.has(`${folder}/HEAD`));
    known.set(folder, found);
    return found;
  };
  const folders = new Set(paths.flatMap(({ path }) => [...ancestors(path)].find(isGit) ?? []));
  return [...folders].map(folder => {
    const top = folder.endsWith("/.git") ? folder.slice(0, -"/.git".length) : undefined;
    const around = top === undefined ? undefined : findRepository(disk, top);
    return around?.commonDirectory === folder ? around : openRepository(disk, folder, top);
  });
}

async function carryOut(
  context: HistoryContext,
  file: OpenFile,
  open: OpenChange,
  paths: readonly AdoptedPath[],
  onProgress?: (done: number) => void,
): Promise<Adopted> {
  const { store } = context;
  const seen = store.readList(open.seen) ?? [];
  const stamps = new Map(seen.map(({ path, stamp }) => [path, stamp]));
  const progress = paths.map(one => ({ one, state: adoptionProgress(store, one, stamps.get(one.path)) }));
  const isForeign = progress.filter(({ state }) => state === "foreign");
  const mark = open.writing?.mark ?? file.id;
  try {
    const left = progress.flatMap(({ one, state }) => (state === "left" ? [one] : []));
    performAll(store, mark, left, onProgress);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const problem = await takeBack(context, { file, mark, seen, git: open.git }, error, "applying it");
    removeIfThere(store.system.files, store.path(MARKS, file.id));
    throw problem;
  }
  const change = await completeChange(context, file, { exit: "ok" });
  removeIfThere(store.system.files, store.path(MARKS, file.id));
  const foreign = isForeign.map(({ one }) => ({ path: one.path, why: "somebody else changed it meanwhile" }));
  return { id: change?.id, notKept: [...open.notKept, ...foreign] };
}

/** `foreign`: neither as it was when it began nor as it is to be, nor half-way. */
function adoptionProgress(
  { system: { files } }: Store,
  { path, target }: AdoptedPath,
  stamp: string | undefined,
): "done" | "left" | "foreign" {
  const facts = factsAt(files, path);
  if (facts === undefined) return target.kind === "absent" ? "done" : "left";
  if (stamp === undefined || stamp === facts.stamp || facts.kind === "directory") return "left";
  return isReached(target, facts) ? "done" : "foreign";
}

function isReached(target: PathState, facts: NonNullable<ReturnType<typeof factsAt>>): boolean {
  if (target.kind === "link") return facts.kind === "symlink";
  if (target.kind !== "file" || facts.kind !== "file") return false;
  const { size, mode, modifiedNs } = target;
  return facts.size === size && facts.mode === mode && isSameTime(facts.modifiedNs, modifiedNs);
}

/** Times are set to the microsecond. */
function isSameTime(one: string, other: string): boolean {
  return one.slice(0, -3) === other.slice(0, -3);
}
