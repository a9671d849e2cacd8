import { errorText } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { type ExactFacts, type Files, SystemError } from "../system/index.ts";
import { createDisk, openRepository } from "../workspace/index.ts";
import { ABSENT, type FileState, type NotKept, type PathState } from "./change.ts";
import { completeChange } from "./complete.ts";
import {
  checkOutBeside,
  differFromGit,
  type FormerAttributes,
  formerAttributes,
  type InGit,
  removeFolder,
} from "./content.ts";
import { type HistoryContext, tryDigest } from "./context.ts";
import { findLinkAbove, withoutLinks } from "./folders.ts";
import { captureGit, compareGit, type GitSnapshot } from "./git-snapshot.ts";
import { hasInode, isShared, stillHasInode } from "./hard-links.ts";
import { claimId } from "./ids.ts";
import type { ApplyOptions, PathStep, UndoPlan, UndoResult } from "./interface.ts";
import { projectKey } from "./journal.ts";
import { Keeper, NO_LIMITS } from "./keeper.ts";
import { callKey, findAllOpen, type OpenFile, readOpen, removeOpen, writeOpen } from "./open-changes.ts";
import { contentId, factsAt, isSameState, presentState, type Seen } from "./path-state.ts";
import {
  beginWriting,
  performAll,
  type Restoration,
  removeChangeLeftovers,
  removeLeftovers,
} from "./perform.ts";
import { restoreGit, restoreSettings } from "./restore-git.ts";
import type { Store } from "./store.ts";
import { captureTargets } from "./targets.ts";

/** Does what was planned, as one change of its own. A failure takes back what was done. */
export async function applyPlan(
  context: HistoryContext,
  plan: UndoPlan,
  options: ApplyOptions = {},
): Promise<UndoResult> {
  const { store } = context;
  refuseConflicts(plan, options.force === true);
  removeLeftovers(store);
  const steps = plan.steps.filter(({ action }) => action !== "keep");
  checkUnchanged({ ...context, system: withoutLinks(context.system) }, steps);
  for (const change of plan.changes) await closeOpen(context, change.id);
  const begun = await beginUndo(context, plan, steps);
  const former = formerAttributes(plan.changes);
  let wrong: readonly NotKept[];
  try {
    for (const { change } of plan.git) restoreSettings(context, begun.mark, change);
    await restoreFiles(store, begun.mark, steps, former, options.onProgress);
    for (const { change } of plan.git) await restoreGit(context, begun.mark, change);
    wrong = await findWrong({ ...context, system: withoutLinks(context.system) }, steps, former);
  } catch (error) {
    throw isFailure(error) ? await takeBack(context, begun, error) : error;
  }
  const { id, problems } = await record(context, begun.file);
  const isWrong = new Set(wrong.map(({ path }) => path));
  const done = plan.steps.filter(({ path }) => !isWrong.has(path));
  const count = (action: PathStep["action"]) => done.filter(step => step.action === action).length;
  return {
    id,
    restored: count("restore") + count("attributes"),
    removed: count("remove"),
    kept: count("keep"),
    missing: [...plan.gone, ...wrong],
    problems,
  };
}

/** Files of git are checked out beside their places first, all at once. */
async function restoreFiles(
  store: Store,
  mark: string,
  steps: readonly PathStep[],
  former: FormerAttributes,
  onProgress: ApplyOptions["onProgress"],
): Promise<void> {
  const { sources, directories } = await checkOutBeside(store, mark, inGit(steps), former);
  const total = steps.length;
  try {
    performAll(
      store,
      mark,
      steps.map(({ path, target, movedTo, action, isInPlace, linkTo }) => ({
        path,
        target,
        movedTo,
        isInPlace,
        linkTo,
        source: sources.get(path),
        isAttributesOnly: action === "attributes",
      })),
      done => onProgress?.(done, total),
    );
  } finally {
    for (const directory of directories) removeFolder(store.system.files, directory);
  }
}

function inGit(steps: readonly PathStep[]): readonly InGit[] {
  return steps.flatMap(({ path, action, target }) =>
    action === "restore" && target.kind === "file" && target.content.in === "git"
      ? [{ path, state: target }]
      : [],
  );
}

/** What does not stand as it should: what was written is read again. A directory that somebody uses may stay. */
async function findWrong(
  { store, system }: Pick<HistoryContext, "store" | "system">,
  steps: readonly PathStep[],
  former: FormerAttributes,
): Promise<readonly NotKept[]> {
  const { files } = system;
  const wrong: NotKept[] = [];
  const standing: PathStep[] = [];
  for (const step of steps) {
    const { path, target, action, present } = step;
    const facts = factsAt(files, path);
    const isRight =
      target.kind === "file"
        ? facts?.kind === "file" &&
          facts.mode === target.mode &&
          (action !== "restore" || !hasSizeOfFile(target) || facts.size === target.size)
        : target.kind === "link"
          ? facts?.kind === "symlink" && files.readLink(path) === target.target
          : target.kind === "directory"
            ? facts?.kind === "directory"
            : target.kind === "other"
              ? facts?.kind === "other" && (target.mode ?? facts.mode) === facts.mode
              : facts === undefined || present.kind === "directory";
    if (isRight) standing.push(step);
    else wrong.push({ path, why: whyWrong(target, facts) });
  }
  const different = new Set(await differFromGit(store, inGit(standing), former));
  for (const { path, target, action } of standing) {
    const id = action === "restore" ? contentId(target) : undefined;
    if (different.has(path) || (id !== undefined && tryDigest(system, path) !== id))
      wrong.push({ path, why: "it was written, but its content is not what was kept" });
  }
  return wrong;
}

/** What git noted of its object may have another size than the file, by its line endings. */
function hasSizeOfFile({ content }: FileState): boolean {
  return content.in !== "git" || content.hasSizeOfFile === true;
}

function whyWrong(target: PathState, facts: ExactFacts | undefined): string {
  if (target.kind === "absent") return "it is still there";
  if (target.kind !== "file" || facts?.kind !== "file" || facts.size === target.size)
    return "it is not there";
  return "git had it with other line endings, and no copy was made; it has those of git now";
}

/** The files are restored by now: if the record cannot be written, the change stays open and the undo still counts. */
async function record(
  context: HistoryContext,
  file: OpenFile,
): Promise<{ readonly id: string | undefined; readonly problems: readonly string[] }> {
  try {
    return { id: (await completeChange(context, file, { exit: "ok" }))?.id, problems: [] };
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return {
      id: file.id,
      problems: [`it is done, but the history could not be completed: ${errorText(error)}`],
    };
  }
}

export function isFailure(error: unknown): boolean {
  return error instanceof SystemError || error instanceof Problem;
}

function refuseConflicts({ conflicts }: UndoPlan, isForced: boolean): void {
  if (conflicts.length === 0 || isForced) return;
  throw new Problem(`nothing was written: ${conflicts.length} in conflict`, {
    kind: "conflict",
    causes: conflicts.map(({ subject, why, advice }) => `${subject}: ${why}; ${advice}`),
    exitCode: 3,
  });
}

/** A person may have taken a while to say yes. */
function checkUnchanged({ system }: HistoryContext, steps: readonly PathStep[]): void {
  const changed = steps.filter(({ path, present }) => {
    const isUnread = present.kind === "file" && present.content.in === "nowhere";
    const now = presentState(system.files, path, at => (isUnread ? undefined : tryDigest(system, at)));
    return !isSameState(now, present);
  });
  if (changed.length === 0) return;
  throw new Problem("nothing was written: files were changed while this was being looked at", {
    kind: "conflict",
    causes: changed.map(({ path }) => path),
    fix: "run the same command again",
    exitCode: 3,
  });
}

async function closeOpen(context: HistoryContext, id: string): Promise<void> {
  const file = findAllOpen(context.store).find(open => open.id === id);
  if (file !== undefined) await completeChange(context, file);
}

export interface BegunUndo {
  readonly file: OpenFile;
  readonly mark: string;
  readonly seen: readonly Seen[];
  readonly git: readonly GitSnapshot[];
}

/** What was found behind a link is none of the undo's. */
function notBehindLinks<T extends { readonly seen: readonly Seen[] }>(files: Files, captured: T): T {
  const linkAbove = findLinkAbove(files);
  const asFound = (one: Seen): Seen =>
    linkAbove(one.path) === undefined ? one : { path: one.path, state: ABSENT, stamp: "" };
  return { ...captured, seen: captured.seen.map(asFound) };
}

/** Records the present state of everything that will be written, whatever its size. */
async function beginUndo(
  context: HistoryContext,
  plan: UndoPlan,
  steps: readonly PathStep[],
): Promise<BegunUndo> {
  const { store, system, rules, places } = context;
  const keeper = new Keeper(
    store,
    { ...rules, isExcluded: () => false, isOutOfReach: () => false },
    NO_LIMITS,
  );
  const targets = steps.map(({ path }) => ({ path, how: "write", isTree: false }) as const);
  const named = notBehindLinks(system.files, await captureTargets(keeper, targets));
  const disk = createDisk(system);
  const git = plan.git.map(({ change }) =>
    captureGit(keeper, openRepository(disk, change.gitDirectory, change.top)),
  );
  const [lost] = keeper.lost;
  if (lost !== undefined)
    throw new Problem(`nothing was written: the present state of ${lost.path} cannot be kept: ${lost.why}`, {
      kind: "failed",
    });
  const [newest] = plan.changes;
  const project = newest?.project ?? places.project;
  const id = claimId(store, projectKey(store, project));
  const key = callKey(store, id, plan.kind, "");
  const ids = plan.changes.map(change => change.id);
  const ofGit = plan.git.flatMap(({ change }) => [
    `${change.gitDirectory}/index`,
    ...change.files.map(({ path }) => path),
  ]);
  const repositories = new Set(
    inGit(steps).flatMap(({ state }) => (state.content.in === "git" ? state.content.repository : [])),
  );
  const writing = beginWriting(store, [...steps.map(({ path }) => path), ...ofGit], [...repositories]);
  writeOpen(store, key, {
    change: {
      id,
      kind: plan.kind,
      timeMs: system.clock.nowMs(),
      host: "terminal",
      session: undefined,
      turn: 0,
      tool: plan.kind,
      toolUseId: id,
      command: `${plan.kind} ${ids.join(" ")}`,
      project,
      verdict: "allow",
      rules: [],
      of: ids,
      only: plan.paths,
    },
    targets: store.list(named.targets),
    seen: store.list(named.seen),
    sweeps: [],
    git,
    isComplete: true,
    notKept: [],
    files: keeper.files,
    bytes: keeper.bytes,
    writing,
  });
  const file = findAllOpen(store).find(open => open.id === id);
  if (file === undefined)
    throw new Problem("nothing was written: the history cannot be read", { kind: "failed" });
  return { file, mark: writing.mark, seen: named.seen, git };
}

/** Restores what stood there before the undo began, and tells how far that came. */
export async function takeBack(
  context: HistoryContext,
  begun: BegunUndo,
  cause: unknown,
  what = "the undo",
): Promise<Problem> {
  const { store, system } = context;
  const problems: string[] = [];
  const attempt = async (action: () => void | Promise<void>) => {
    try {
      await action();
    } catch (error) {
      if (!isFailure(error)) throw error;
      problems.push(errorText(error));
    }
  };
  const disk = createDisk(system);
  for (const before of begun.git)
    await attempt(async () => {
      const keeper = new Keeper(store, context.rules, NO_LIMITS);
      const now = captureGit(keeper, openRepository(disk, before.gitDirectory, before.top));
      const { change } = await compareGit(store, before, now, GIT_MS);
      if (change !== undefined) await restoreGit(context, begun.mark, change);
    });
  for (const { path, state } of begun.seen)
    if (state.kind !== "absent")
      await attempt(() => performAll(store, begun.mark, [asItWas(system.files, begun.seen, path, state)]));
  const absent = begun.seen.filter(({ state }) => state.kind === "absent");
  await attempt(() =>
    performAll(
      store,
      begun.mark,
      absent.map(({ path, state }) => ({ path, target: state })),
    ),
  );
  await attempt(() => {
    const open = readOpen(store, begun.file);
    if (open !== undefined) removeChangeLeftovers(store, open);
  });
  if (problems.length === 0) removeOpen(store, begun.file);
  const told =
    problems.length === 0
      ? "everything is as it was before"
      : `not everything could be taken back; amplihack redo ${begun.file.id} tries again`;
  return new Problem(`${what} failed and was taken back: ${errorText(cause)}`, {
    kind: "failed",
    causes: [told, ...problems],
  });
}

/** A file that has, or had, other names stays or becomes one of them. */
function asItWas(files: Files, seen: readonly Seen[], path: string, target: PathState): Restoration {
  if (!isShared(target)) return { path, target };
  const { inode } = target.names;
  if (hasInode(files, path, inode)) return { path, target, isInPlace: true };
  const other = seen.find(one => one.path !== path && stillHasInode(files, one.path, one.state, inode));
  return { path, target, linkTo: other?.path };
}

const GIT_MS = 60_000;
