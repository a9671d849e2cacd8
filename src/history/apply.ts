import { errorText } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { type Files, SystemError } from "../system/index.ts";
import { createDisk, openRepository } from "../workspace/index.ts";
import { ABSENT, type PathState } from "./change.ts";
import { completeChange } from "./complete.ts";
import { digestOf, type HistoryContext } from "./context.ts";
import { findLinkAbove, withoutLinks } from "./folders.ts";
import { captureGit, compareGit, type GitSnapshot } from "./git-snapshot.ts";
import { isNameOf, isShared } from "./hard-links.ts";
import { claimId } from "./ids.ts";
import type { ApplyOptions, PathStep, UndoPlan, UndoResult } from "./interface.ts";
import { projectKey } from "./journal.ts";
import { Keeper, NO_LIMITS } from "./keeper.ts";
import { callKey, findAllOpen, type OpenFile, removeOpen, writeOpen } from "./open-changes.ts";
import { isSameState, presentState, type Seen } from "./path-state.ts";
import { beginWriting, performAll, type Restoration, removeLeftovers } from "./perform.ts";
import { restoreGit } from "./restore-git.ts";
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
  const count = (action: PathStep["action"]) => plan.steps.filter(step => step.action === action).length;
  checkUnchanged({ ...context, system: withoutLinks(context.system) }, steps);
  for (const change of plan.changes) await closeOpen(context, change.id);
  const begun = await beginUndo(context, plan, steps);
  try {
    const total = steps.length;
    performAll(
      store,
      begun.mark,
      steps.map(({ path, target, movedTo, action, isInPlace, linkTo }) => ({
        path,
        target,
        movedTo,
        isInPlace,
        linkTo,
        isAttributesOnly: action === "attributes",
      })),
      done => options.onProgress?.(done, total),
    );
    for (const { change } of plan.git) await restoreGit(context, begun.mark, change);
  } catch (error) {
    throw isFailure(error) ? await takeBack(context, begun, error) : error;
  }
  const { id, problems } = await record(context, begun.file);
  return {
    id,
    restored: count("restore") + count("attributes"),
    removed: count("remove"),
    kept: count("keep"),
    problems: [...plan.gone.map(({ path, why }) => `${path}: ${why}`), ...problems],
  };
}

/** The files are as they shall be: what cannot be written down now stays open, and is no failure. */
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

function isFailure(error: unknown): boolean {
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
    const now = presentState(system.files, path, at => (isUnread ? undefined : digestOf(system, at)));
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

interface BegunUndo {
  readonly file: OpenFile;
  readonly mark: string;
  readonly seen: readonly Seen[];
  readonly git: readonly GitSnapshot[];
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
  const captured = await captureTargets(keeper, targets);
  const linkAbove = findLinkAbove(system.files);
  const asFound = (one: Seen): Seen =>
    linkAbove(one.path) === undefined ? one : { path: one.path, state: ABSENT, stamp: "" };
  const named = { ...captured, seen: captured.seen.map(asFound) };
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
  const writing = beginWriting(store, [...steps.map(({ path }) => path), ...ofGit]);
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
async function takeBack(context: HistoryContext, begun: BegunUndo, cause: unknown): Promise<Problem> {
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
  if (problems.length === 0) removeOpen(store, begun.file);
  const told =
    problems.length === 0
      ? "everything is as it was before"
      : `not everything could be taken back; amplihack redo ${begun.file.id} tries again`;
  return new Problem(`the undo failed and was taken back: ${errorText(cause)}`, {
    kind: "failed",
    causes: [told, ...problems],
  });
}

/** A file that has, or had, other names stays or becomes one of them. */
function asItWas(files: Files, seen: readonly Seen[], path: string, target: PathState): Restoration {
  if (!isShared(target)) return { path, target };
  const { inode } = target.names;
  if (isNameOf(files, path, inode)) return { path, target, isInPlace: true };
  const other = seen.find(one => one.path !== path && isNameOf(files, one.path, inode));
  return { path, target, linkTo: other?.path };
}

const GIT_MS = 60_000;
