import type { Footprint, FootprintRepository, FootprintTarget } from "../guard/index.ts";
import { FILE_TOOLS } from "../hosts/index.ts";
import { dirname, isInside, SystemError } from "../system/index.ts";
import { createDisk, findRepository, openRepository, type Repository } from "../workspace/index.ts";
import { detaches, finishCall, isLeftToService, newestProcess } from "./background.ts";
import type { Captured, Change, GitWork, NotKept } from "./change.ts";
import type { HistoryContext } from "./context.ts";
import { captureGit, type GitSnapshot, hasReftable } from "./git-snapshot.ts";
import { claimCall, claimId } from "./ids.ts";
import { projectKey } from "./journal.ts";
import { Keeper, keeperLimits } from "./keeper.ts";
import { callKey, callName, findOpen, type OpenChange, readOpen, writeOpen } from "./open-changes.ts";
import type { Seen } from "./path-state.ts";
import { noteUsage } from "./prune.ts";
import { readSession } from "./sessions.ts";
import type { Store } from "./store.ts";
import { sweepAround, sweepRepository } from "./sweep.ts";
import type { Sweep } from "./sweep-cache.ts";
import { captureTargets } from "./targets.ts";

/** A call that is about to run. */
export type CallRequest = Pick<
  Change,
  "host" | "session" | "tool" | "toolUseId" | "command" | "verdict" | "rules"
> & {
  /** the host does not wait for its end */
  readonly isBackground?: boolean;
  /** all of the command, of which `command` may be the beginning */
  readonly wholeCommand?: string | undefined;
};

const MAX_NAMED = 100;
const NOTHING: Captured = {
  change: undefined,
  files: 0,
  bytes: 0,
  isComplete: true,
  lost: [],
  keptIn: () => [],
};

/** Keeps what a call may change. Never throws for a store that cannot be written: then everything counts as lost. */
export async function beginCall(
  context: HistoryContext,
  request: CallRequest,
  footprint: Footprint,
): Promise<Captured> {
  const { store, settings } = context;
  const key = callKey(store, request.toolUseId, request.tool, request.command);
  const keeper = new Keeper(store, context.rules, keeperLimits(settings));
  try {
    return (
      (await knownCapture(context, request, key)) ?? (await capture(context, keeper, request, footprint, key))
    );
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    const why = `the history cannot be written: ${error.code}`;
    return {
      ...NOTHING,
      isComplete: false,
      lost: [...keeper.lost, ...everything(footprint, why, error.code)],
    };
  }
}

/**
 * A host that reads two of our registrations asks twice for one call. Under one id a hook of the user's may have made
 * another call of it, of which nothing is kept yet; a text that was cut does not tell.
 */
async function knownCapture(
  context: HistoryContext,
  { toolUseId, session, tool, command }: CallRequest,
  key: string,
): Promise<Captured | undefined> {
  const { store } = context;
  const known = findOpen(store, session, key);
  if (toolUseId === undefined) {
    // Without an id of its own, a call with the same words was refused, or has ended.
    for (const file of known) await finishCall(context, file);
    return undefined;
  }
  const isSame = (open: OpenChange | undefined) =>
    open?.change.tool === tool && open.change.command === command && !command.endsWith("…");
  const open = known.map(file => readOpen(store, file)).find(isSame);
  if (open === undefined) return undefined;
  const { change, files, bytes, isComplete, notKept } = open;
  return { change: change.id, files, bytes, isComplete, lost: notKept, keptIn: keptFiles(store, open) };
}

function everything(
  { targets, repositories, unknownIn }: Footprint,
  why: string,
  code: string,
): readonly NotKept[] {
  const paths = [
    ...targets.map(({ path }) => path),
    ...repositories.map(({ top, gitDirectory }) => top ?? gitDirectory),
    ...unknownIn,
  ];
  return paths.map(path => ({ path, why, code }));
}

async function capture(
  context: HistoryContext,
  keeper: Keeper,
  request: CallRequest,
  footprint: Footprint,
  key: string,
): Promise<Captured> {
  const { store, system, places } = context;
  const { isBackground = false, wholeCommand = request.command, ...described } = request;
  // The host itself writes files: nothing of that goes on, whatever the name of one looks like.
  const isOfHost = FILE_TOOLS.has(request.tool);
  const since = isOfHost ? undefined : newestProcess(system);
  // What ends from here on may be seen as a difference later.
  const timeMs = system.clock.nowMs();
  const { project, turn } = readSession(store, request.session, places.project);
  const { nested, ...trees } = await captureTrees(context, keeper, footprint, project);
  const named = await captureTargets(keeper, [...footprint.targets, ...nested]);
  if (named.targets.length + trees.sweeps.length + trees.git.length === 0)
    return { ...NOTHING, isComplete: keeper.lost.length === 0, lost: keeper.lost };
  const id = idOfCall(store, request, key, projectKey(store, project));
  const { files, bytes, lost } = keeper;
  const isComplete = lost.length === 0;
  const open: OpenChange = {
    change: {
      ...described,
      id,
      kind: "call",
      timeMs,
      turn,
      project,
      of: [],
      only: undefined,
    },
    targets: store.list(named.targets),
    seen: store.list(named.seen),
    ...trees,
    ...(keeper.leftOut.length > 0 ? { leftOut: keeper.leftOut.slice(0, MAX_NAMED) } : {}),
    lookedMs: system.clock.nowMs(),
    isComplete,
    notKept: shorten(lost),
    files,
    bytes,
    ...(isOfHost
      ? {}
      : {
          background: {
            since,
            isDetached: isBackground || detaches(wholeCommand),
            isLeftToService: isLeftToService(wholeCommand),
          },
        }),
  };
  writeOpen(store, key, open);
  noteUsage(store);
  return { change: id, files, bytes, isComplete, lost, keptIn: keptFiles(store, open) };
}

/** What the call may lose is told, not all that a sweep holds. */
function keptFiles(store: Store, { seen, sweeps }: OpenChange): Captured["keptIn"] {
  return (paths, work) => {
    const found = new Map<string, number>();
    const add = (list: readonly Seen[]) => {
      for (const { path, state } of list)
        if (state.kind === "file" && state.content.in !== "nowhere" && paths.some(one => isInside(one, path)))
          found.set(path, state.size);
    };
    add(store.readList(seen) ?? []);
    for (const sweep of sweeps) {
      const all = store.readList(sweep.seen) ?? [];
      const { changed = all.length, converted = 0 } = sweep;
      const isOnly = (kind: GitWork) => work !== undefined && !work.includes(kind);
      add(
        all.slice(
          isOnly("changed") ? changed : 0,
          isOnly("untracked") && isOnly("ignored")
            ? changed
            : all.length - (work === undefined ? 0 : converted),
        ),
      );
    }
    return [...found].map(([path, size]) => ({ path, size }));
  };
}

/** The rest of a long list is named by the directory that all of it is in: nothing there counts as kept. */
function shorten(lost: readonly NotKept[]): readonly NotKept[] {
  if (lost.length <= MAX_NAMED) return lost;
  const rest = lost.slice(MAX_NAMED).map(({ path }) => path);
  let directory = dirname(rest[0] ?? "/");
  while (!rest.every(path => isInside(directory, path))) directory = dirname(directory);
  return [
    ...lost.slice(0, MAX_NAMED),
    { path: directory, why: `${rest.length} more paths in it were not kept` },
  ];
}

function idOfCall(store: Store, request: CallRequest, key: string, project: string): string {
  const { toolUseId, session, tool, command } = request;
  const claim = () => claimId(store, project);
  // A text that was cut may be that of another call.
  if (toolUseId === undefined || command.endsWith("…")) return claim();
  return claimCall(store, callName(store, session, key, tool, command), claim);
}

interface Trees {
  readonly sweeps: readonly Sweep[];
  readonly git: readonly GitSnapshot[];
  /** repositories inside that may go as a whole */
  readonly nested: readonly FootprintTarget[];
}

/** The working trees and repositories around, each once. */
async function captureTrees(
  { system, places, rules }: HistoryContext,
  keeper: Keeper,
  { repositories, unknownIn }: Footprint,
  project: string,
): Promise<Trees> {
  const disk = createDisk(system);
  const sweeps = new Map<string, Sweep>();
  const git = new Map<string, GitSnapshot>();
  const nested: FootprintTarget[] = [];
  const add = (found: readonly Sweep[]) => {
    for (const sweep of found) if (!sweeps.has(sweep.root)) sweeps.set(sweep.root, sweep);
  };
  const addState = (repository: Repository) => {
    const { gitDirectory, commonDirectory, top } = repository;
    if (git.has(gitDirectory)) return;
    git.set(gitDirectory, captureGit(keeper, repository));
    if (hasReftable(system, commonDirectory))
      keeper.lose(top ?? gitDirectory, "its branches and stashes are in a reftable, which is not read");
  };
  for (const given of repositories) {
    const repository = openRepository(disk, given.gitDirectory, given.top);
    if (rules.isOutOfReach(given.top ?? given.gitDirectory)) continue;
    if (given.changesFiles) {
      const options = {
        isOfGit: true,
        withIgnored: given.changesIgnored === true,
        commits: given.commits,
      };
      const swept = await sweepRepository(keeper, repository, options);
      const isTaken = ({ root }: Sweep) =>
        given.changesNested === true && root !== given.top && disk.kind(`${root}/.git`) === "directory";
      for (const { root } of swept.filter(isTaken)) nested.push({ path: root, how: "delete", isTree: true });
      const found = swept.filter(sweep => !isTaken(sweep));
      add(found);
      for (const { root, gitDirectory } of found)
        if (gitDirectory !== undefined) addState(openRepository(disk, gitDirectory, root));
    }
    if (changesGit(given)) addState(repository);
  }
  for (const directory of unknownIn) {
    if (rules.isOutOfReach(directory) || [...sweeps.keys()].some(root => isInside(root, directory))) continue;
    if (isInside(directory, places.home)) {
      keeper.lose(directory, "a whole home directory, or a directory above it, is not kept");
      continue;
    }
    add(await sweepAround(keeper, directory, project, { isOfGit: false, withIgnored: false }));
    const repository = findRepository(disk, directory);
    if (repository !== undefined) addState(repository);
  }
  return { sweeps: [...sweeps.values()], git: [...git.values()], nested };
}

/** Files that git changes are restored together with what git knows about them. */
function changesGit({ changesFiles, changesState }: FootprintRepository): boolean {
  return changesFiles || changesState;
}
