import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { Change, NotKept, PathChange, PathState } from "./change.ts";
import {
  bringFromGit,
  type FormerAttributes,
  formerAttributes,
  type InGit,
  missingInGit,
} from "./content.ts";
import { type HistoryContext, tryDigest } from "./context.ts";
import { findLinkAbove, findReplaced, withoutLinks } from "./folders.ts";
import { isShared, linkSteps, shareTargets } from "./hard-links.ts";
import type { Conflict, PathStep, UndoPlan, UndoSelection } from "./interface.ts";
import { contentId, factsAt, isSameContent, isSameState, presentState } from "./path-state.ts";
import { findLeftovers } from "./perform.ts";
import { planGit } from "./plan-git.ts";
import { isWithin, listChanges, readChange, selectChanges } from "./select.ts";
import type { Store } from "./store.ts";

export async function planUndo(context: HistoryContext, selection: UndoSelection): Promise<UndoPlan> {
  const changes = await selectChanges(context, selection);
  if (changes.length === 0)
    throw new Problem("there is nothing to undo", { kind: "nothing", fix: "amplihack history" });
  return plan(context, "undo", changes, selection.paths);
}

export async function planRedo(
  context: HistoryContext,
  id?: string,
  paths?: readonly string[],
): Promise<UndoPlan> {
  const isAbout = ({ files, undonePaths }: Change) =>
    paths === undefined || files.some(({ path }) => isWithin(paths, path) && !undonePaths.includes(path));
  const undo =
    id === undefined
      ? listChanges(context, { project: context.places.project }).changes.find(
          change => change.kind === "undo" && change.undoneBy === undefined && isAbout(change),
        )
      : readChange(context, id);
  if (undo === undefined || (id === undefined && undo.kind !== "undo"))
    throw new Problem(id === undefined ? "there is nothing to redo" : `there is no undo ${id}`, {
      kind: id === undefined ? "nothing" : "not-found",
      fix: "amplihack history",
    });
  if (undo.kind !== "undo")
    throw new Problem(`${undo.id} is not an undo`, {
      kind: "usage",
      fix: `amplihack undo ${undo.id}`,
      exitCode: 2,
    });
  if (undo.undoneBy !== undefined)
    throw new Problem(`${undo.id} was taken back already, by ${undo.undoneBy}`, { kind: "nothing" });
  if (!isAbout(undo))
    throw new Problem(`${undo.id} took nothing back there, or it was redone`, {
      kind: "nothing",
      fix: `amplihack history show ${undo.id}`,
    });
  return plan(context, "redo", [undo], paths);
}

/** What one path has to become, over all changes: newest first, each has to begin where the next one ended. */
interface Chain {
  /** what the newest change left behind */
  readonly expected: PathState;
  readonly target: PathState;
  /** where its content went, when the newest change moved it away */
  readonly movedTo: string | undefined;
  /** the oldest of the changes */
  readonly since: string;
  /** the change behind which somebody else changed the path */
  readonly gap: string | undefined;
}

async function plan(
  given: HistoryContext,
  kind: UndoPlan["kind"],
  changes: readonly Change[],
  paths: readonly string[] | undefined,
): Promise<UndoPlan> {
  const system = withoutLinks(given.system);
  const context = { ...given, system };
  const { store, rules } = context;
  const linkAbove = findLinkAbove(given.system.files);
  const former = formerAttributes(changes);
  const inSeveral = await bringFromGit(store, filesOfSeveral(changes), former);
  const presentAs = lookOnce(system);
  const chains = followChains(changes, paths, inSeveral, presentAs);
  await locateInGit(context, chains, presentAs, former);
  const conflicts: Conflict[] = [];
  const gone: NotKept[] = [];
  const steps: PathStep[] = [];
  const made = new Set(
    [...chains].flatMap(([path, { target }]) => (target.kind === "directory" ? path : [])),
  );
  const held = new Set(kind === "redo" ? [] : changes.flatMap(({ inEditors = [] }) => inEditors));
  for (const [path, chain] of chains) {
    // Older versions recorded paths of the history itself.
    if (rules.isOutOfReach(path)) continue;
    const found = planPath(presentAs, path, chain);
    const isHeld = held.has(path) && !("advice" in found) && found.action !== "keep";
    const step = isHeld ? conflict(path, IN_EDITOR, found.present) : found;
    if ("advice" in step) conflicts.push(step);
    const planned = "advice" in step ? forcedStep(presentAs, path, chain) : step;
    const link = planned.action === "restore" ? linkAbove(path) : undefined;
    const isInTheWay = link !== undefined && !made.has(link);
    const damage = whyDamaged(store, planned);
    if (damage !== undefined)
      conflicts.push({ subject: path, why: damage, advice: "add --force to restore the rest" });
    const why = isInTheWay
      ? `${link} is not a folder any more; move it away first`
      : whyGone(store, planned, damage);
    if (why === undefined) steps.push(planned);
    else gone.push({ path, why });
  }
  const used = findUsed(context, steps);
  const possible: PathStep[] = [];
  for (const step of steps) {
    // A directory that the agent made stays when something is left in it.
    if (!used.has(step.path)) possible.push(step);
    else if (step.action === "remove") possible.push({ ...step, action: "keep", target: step.present });
    else {
      const why = "a folder is there now, with things in it that the change did not make";
      conflicts.push({ subject: step.path, why, advice: "move it away first; --force restores the rest" });
      gone.push({ path: step.path, why });
    }
  }
  const written = possible.filter(({ action }) => action !== "keep").map(({ path }) => path);
  conflicts.push(...findReplaced(context, changes, written));
  const git = paths === undefined ? await planGit(context, changes) : { steps: [], conflicts: [], gone: [] };
  return {
    kind,
    changes,
    steps: linkSteps(context, possible),
    git: git.steps,
    conflicts: [...conflicts, ...git.conflicts],
    gone: [...gone, ...git.gone],
    paths,
  };
}

const IN_EDITOR = "an editor had it open or saved it while the call ran, so this may be what you saved";

/** What git has of paths that several of the changes are about: their contents are compared. */
function filesOfSeveral(changes: readonly Change[]): readonly InGit[] {
  const counts = new Map<string, number>();
  const files = changes.length < 2 ? [] : changes.flatMap(change => change.files);
  for (const { path } of files) counts.set(path, (counts.get(path) ?? 0) + 1);
  return files.flatMap(({ path, before: state }) =>
    state.kind === "file" && (counts.get(path) ?? 0) > 1 ? [{ path, state }] : [],
  );
}

/**
 * Most files of git are written from its objects, all at once. Where something else stands now, or a file has several
 * names, the content must be known beforehand.
 */
async function locateInGit(
  { store }: HistoryContext,
  chains: Map<string, Chain>,
  presentAs: PresentAs,
  former: FormerAttributes,
): Promise<void> {
  const compared: InGit[] = [];
  const written: InGit[] = [];
  for (const [path, { target: state, expected }] of chains) {
    if (state.kind !== "file" || state.content.in !== "git") continue;
    const present = presentAs(path, expected);
    const isPlain =
      state.names === undefined && (present.kind === "absent" || isSameState(present, expected));
    (isPlain ? written : compared).push({ path, state });
  }
  const missing = await missingInGit(store, written, former);
  const bring = await bringFromGit(store, compared, former);
  for (const { path, state } of written) {
    const why = missing.get(path);
    if (why !== undefined) setTarget(chains, path, { ...state, content: { in: "nowhere", why } });
  }
  for (const { path, state } of compared) setTarget(chains, path, bring(path, state));
}

function setTarget(chains: Map<string, Chain>, path: string, target: PathState): void {
  const chain = chains.get(path);
  if (chain !== undefined) chains.set(path, { ...chain, target });
}

/** What one change did to one path. */
interface Link extends PathChange {
  readonly change: Change;
}

function followChains(
  changes: readonly Change[],
  paths: readonly string[] | undefined,
  fromStore: (path: string, state: PathState) => PathState,
  presentAs: PresentAs,
): Map<string, Chain> {
  const links = new Map<string, Link[]>();
  const several = new Set(filesOfSeveral(changes).map(({ path }) => path));
  for (const change of changes) {
    const undone = new Set(change.undonePaths);
    for (const file of change.files) {
      const { path, before } = file;
      if (undone.has(path) || !isWithin(paths, path)) continue;
      const link = { ...file, change, before: several.has(path) ? fromStore(path, before) : before };
      const others = links.get(path);
      if (others === undefined) links.set(path, [link]);
      else others.push(link);
    }
  }
  const chains = new Map<string, Chain>();
  for (const [path, list] of links) {
    let chain: Chain | undefined;
    for (const group of atOnce(list)) chain = extend(chain, group, state => presentAs(path, state));
    if (chain !== undefined) chains.set(path, chain);
  }
  shareTargets(chains);
  return chains;
}

/** Calls that ran at the same time are one step: which of them came first to a path is not known. Newest first. */
function atOnce(links: readonly Link[]): readonly (readonly Link[])[] {
  const groups: Link[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const link of [...links].reverse()) {
    const last = groups.at(-1);
    if (last !== undefined && link.change.timeMs < endMs) last.unshift(link);
    else groups.push([link]);
    endMs = Math.max(endMs, link.change.endMs ?? Number.POSITIVE_INFINITY);
  }
  return groups.reverse();
}

function extend(
  newer: Chain | undefined,
  group: readonly Link[],
  presentAs: (expected: PathState) => PathState,
): Chain | undefined {
  // Some call went on from what another one had left: that is not what stood there first.
  const first = [...group].reverse().find(({ wentOn }) => wentOn !== true) ?? group.at(-1);
  const [newest] = group;
  if (first === undefined || newest === undefined) return newer;
  const { before: target, change } = first;
  const since = change.id;
  if (newer === undefined) {
    const isLast = ({ after }: Link) => isSameState(presentAs(after), after);
    const last = (group.length > 1 ? group.find(isLast) : undefined) ?? newest;
    return { expected: last.after, target, movedTo: last.to, since, gap: undefined };
  }
  const isGap = !group.some(({ after }) => isSameState(after, newer.target));
  return { ...newer, target, since, gap: isGap ? since : newer.gap };
}

function planPath(presentAs: PresentAs, path: string, chain: Chain): PathStep | Conflict {
  const { expected, target, gap } = chain;
  const present = presentAs(path, expected);
  if (isSameState(present, target)) return { path, action: sameAction(present, target), present, target };
  // A directory is shared: whoever uses it keeps it, and its absence loses nothing.
  if (present.kind === "directory" && target.kind === "absent")
    return { path, action: "remove", present, target };
  if (gap !== undefined) return conflict(path, `it was changed by somebody else after ${gap}`, present);
  if (!isSameState(present, expected)) return conflict(path, describeConflict(present, expected), present);
  return forcedStep(presentAs, path, chain);
}

function sameAction(present: PathState, target: PathState): PathStep["action"] {
  const isTimeOnly =
    ((present.kind === "file" && target.kind === "file") ||
      (present.kind === "link" && target.kind === "link")) &&
    target.modifiedNs !== "0" &&
    present.modifiedNs !== target.modifiedNs;
  return isTimeOnly ? "attributes" : "keep";
}

/** What stands at a path of which a change left that behind. */
type PresentAs = (path: string, expected: PathState) => PathState;

/** A path is looked at, and its file read, once. What was too large to be read after the call is not read now. */
function lookOnce(system: System): PresentAs {
  const looked = new Map<string, PathState>();
  return (path, expected) => {
    const isUnread = expected.kind === "file" && expected.content.in === "nowhere";
    const found =
      looked.get(path) ??
      presentState(system.files, path, at => (isUnread ? undefined : tryDigest(system, at)));
    looked.set(path, found);
    return found;
  };
}

function forcedStep(presentAs: PresentAs, path: string, { expected, target, movedTo }: Chain): PathStep {
  const present = presentAs(path, expected);
  const isModeOnly = isSameContent(present, target);
  const action =
    target.kind === "absent"
      ? present.kind === "absent"
        ? "keep"
        : "remove"
      : isModeOnly || (["directory", "other"].includes(target.kind) && present.kind === target.kind)
        ? "attributes"
        : "restore";
  const isMovedBack = movedTo !== undefined && target.kind === "file" && target.content.in === "nowhere";
  const isInPlace = action === "restore" && staysInPlace(present, expected, target);
  return {
    path,
    action,
    present,
    target,
    ...(isMovedBack ? { movedTo } : {}),
    ...(isInPlace ? { isInPlace } : {}),
  };
}

/** The changes wrote into a file that has other names: they have the content too, wherever they are. */
function staysInPlace(present: PathState, expected: PathState, target: PathState): boolean {
  if (!isShared(present) || target.kind !== "file" || target.names === undefined) return false;
  const { inode } = target.names;
  const isOneFile = expected.kind === "file" && expected.names?.inode === inode;
  return isOneFile || present.names.inode === inode;
}

function conflict(path: string, why: string, present: PathState): Conflict {
  const advice =
    present.kind === "absent"
      ? "add --force to bring it back anyway"
      : "look at it, then undo with --force, which keeps the present state first, or undo other paths only";
  return { subject: path, why, advice };
}

function describeConflict(present: PathState, expected: PathState): string {
  if (present.kind === "absent") return "it was removed since";
  if (expected.kind === "absent") return "something else was put there since";
  if (present.kind !== expected.kind) return `it is a ${present.kind} now, and was a ${expected.kind}`;
  if (present.kind === "file" && expected.kind === "file" && contentId(present) === contentId(expected))
    return "its permissions were changed since";
  return "it was changed since";
}

/** Why the former content cannot come back; undefined when it can. */
function whyGone(store: Store, step: PathStep, damage: string | undefined): string | undefined {
  const { action, target, movedTo } = step;
  if (action !== "restore") return undefined;
  if (target.kind === "other") return "only files, directories and links are kept";
  if (target.kind !== "file") return undefined;
  if (target.content.in === "nowhere") return movedTo === undefined ? target.content.why : undefined;
  if (target.content.in === "git") return undefined;
  return store.hasObject(target.content.id) ? damage : "the history no longer has its content";
}

/** Nothing is restored that is not what was kept. */
function whyDamaged(store: Store, { action, target }: PathStep): string | undefined {
  if (action !== "restore" || target.kind !== "file" || target.content.in !== "store") return undefined;
  if (!store.hasObject(target.content.id)) return undefined;
  const isWhole = tryDigest(store.system, store.objectPath(target.content.id)) === target.content.id;
  return isWhole ? undefined : "the copy of it in the history is damaged";
}

/** Directories that are to go and in which something stays. */
function findUsed(
  { store, system: { files } }: HistoryContext,
  steps: readonly PathStep[],
): ReadonlySet<string> {
  const goes = new Set<string>(findLeftovers(store));
  const innermost = [...steps].sort((one, other) => other.path.length - one.path.length);
  const used = new Set<string>();
  for (const { path, action, present, target } of innermost) {
    const isReplaced = action === "restore" && present.kind === "directory" && target.kind !== "directory";
    if (action !== "remove" && !isReplaced) continue;
    const isUsed =
      present.kind === "directory" &&
      factsAt(files, path)?.kind === "directory" &&
      files.list(path).some(name => !goes.has(`${path}/${name}`));
    if (isUsed) used.add(path);
    else goes.add(path);
  }
  return used;
}
