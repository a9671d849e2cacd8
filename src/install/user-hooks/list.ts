import {
  type BuiltFile,
  type BuiltHandler,
  hasChanged,
  listSources,
  readManifest,
} from "../../hooks/index.ts";
import { errorText, type Json, listAt, numberAt, readJson, stringAt } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { hostsWithout } from "./build.ts";
import { collectHandlers } from "./handlers.ts";
import { type HookPlaces, projectHooksFolder, TrustedHooks, userHooksFolder } from "./sources.ts";

const LAST_BYTES = 4 * 1024 * 1024;

/** The newest part of the log of all runs, a line each, the newest last. Lines that cannot be read are left out. */
export function readLastRuns(system: System, stateHome: string): readonly Json[] {
  const path = join(stateHome, "logs", "runs.jsonl");
  const size = system.files.follow(path)?.size ?? 0;
  if (size === 0) return [];
  const from = Math.max(0, size - LAST_BYTES);
  const { text } = system.text.decode(system.files.readRange(path, from, LAST_BYTES));
  return text.split("\n").flatMap(line => {
    const read = readJson(line, { recover: false, maxDepth: 10 });
    return read.ok ? [read.value] : [];
  });
}

/** One hook of the user's, or one file that holds none that runs. */
export interface ListedUserHook {
  readonly name: string | null;
  readonly source: string;
  readonly scope: "user" | "project";
  readonly events: readonly string[];
  readonly tools: readonly string[];
  /** where it runs and what that costs */
  readonly runs: "in the hook program" | "in a start of Node" | "as a program" | "not";
  /** null when it has not run lately */
  readonly cost: HookCost | null;
  readonly timeoutMs: number | null;
  readonly onFailure: string | null;
  /** hosts that do not call hooks on one of its events */
  readonly missingIn: readonly string[];
  readonly problem: string | null;
}

/** What a hook took lately. */
interface HookCost {
  readonly runs: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

/** Everything that was built, and everything that lies where hooks are found and was not. */
export function listUserHooks(system: System, places: HookPlaces): readonly ListedUserHook[] {
  const { stateHome, projectRoot } = places;
  let files: readonly BuiltFile[] = [];
  let handlers: readonly BuiltHandler[] = [];
  let broken: string | undefined;
  try {
    ({ files, handlers } = readManifest(system, stateHome) ?? { files: [], handlers: [] });
  } catch (error) {
    broken = `the manifest cannot be used (${errorText(error)}); run amplihack hooks build`;
  }
  const isHere = ({ project }: BuiltFile | BuiltHandler) => project === undefined || project === projectRoot;
  const here = files.filter(isHere);
  const costs = readCosts(system, stateHome);
  const { skipped } = collectHandlers(system, places, new TrustedHooks(system, stateHome));
  return [
    ...here.flatMap(file => hooksOfFile(file, system, costs)),
    ...handlers.filter(isHere).map(handler => toListedUserHook(handler, costs)),
    ...skipped.map(({ id, path, event, scope, why }) => ({
      ...notRunning(path, scope, `${id}: ${why}`),
      name: id,
      events: [event],
    })),
    ...notBuilt(system, places, new Set(here.map(({ source }) => source)), broken),
  ];
}

/** By name of the hook, from the newest part of the log of all runs. */
function readCosts(system: System, stateHome: string): ReadonlyMap<string, HookCost> {
  const taken = new Map<string, number[]>();
  for (const run of readLastRuns(system, stateHome))
    for (const one of listAt(run, "own")) {
      const [hook, microseconds] = [stringAt(one, "hook"), numberAt(one, "duration_us")];
      if (hook === undefined || microseconds === undefined) continue;
      taken.set(hook, [...(taken.get(hook) ?? []).slice(1 - MAX_RUNS), microseconds / 1_000]);
    }
  return new Map(
    [...taken].map(([hook, ms]) => {
      const medianMs = [...ms].sort((one, other) => one - other)[ms.length >> 1] ?? 0;
      return [hook, { runs: ms.length, medianMs, lastMs: ms.at(-1) ?? 0 }];
    }),
  );
}

/** A median of more would say nothing about how it is now. */
const MAX_RUNS = 100;

type Costs = ReadonlyMap<string, HookCost>;

function hooksOfFile(file: BuiltFile, system: System, costs: Costs): readonly ListedUserHook[] {
  const scope = file.project === undefined ? "user" : "project";
  const problem =
    file.problem ??
    (hasChanged(file, system) ? "it changed since it was built; run amplihack hooks build" : null);
  if (file.hooks.length === 0) return [notRunning(file.source, scope, problem)];
  return file.hooks.map(hook => ({
    name: hook.name,
    source: file.source,
    scope,
    events: hook.events,
    tools: [...hook.tools, ...hook.hostTools],
    runs: file.problem !== undefined ? "not" : file.isPortable ? "in the hook program" : "in a start of Node",
    cost: costs.get(hook.name) ?? null,
    timeoutMs: hook.timeoutMs,
    onFailure: hook.onFailure,
    missingIn: hostsWithout(hook.events, hook.hosts),
    problem,
  }));
}

function toListedUserHook(handler: BuiltHandler, costs: Costs): ListedUserHook {
  const { id, event, matcher, exceptHosts } = handler;
  return {
    name: id,
    source: handler.path,
    scope: handler.project === undefined ? "user" : "project",
    events: [event],
    tools: matcher === undefined ? [] : [matcher],
    runs: handler.action.kind === "command" ? "as a program" : "in a start of Node",
    cost: costs.get(id) ?? null,
    timeoutMs: handler.timeoutMs,
    onFailure: handler.onFailure,
    missingIn: hostsWithout([event], []).filter(host => !exceptHosts.includes(host)),
    problem: null,
  };
}

function notBuilt(
  system: System,
  { stateHome, projectRoot }: HookPlaces,
  known: ReadonlySet<string>,
  broken: string | undefined,
): readonly ListedUserHook[] {
  const isNew = (path: string) => !known.has(path);
  return [
    ...listSources(system, userHooksFolder(stateHome))
      .filter(isNew)
      .map(path => notRunning(path, "user", broken ?? "it is not built; run amplihack hooks build")),
    ...listSources(system, projectHooksFolder(projectRoot))
      .filter(path => isNew(path) && !path.startsWith(`${stateHome}/`))
      .map(path =>
        notRunning(path, "project", "it is not trusted; look at it, then run amplihack hooks trust"),
      ),
  ];
}

function notRunning(source: string, scope: "user" | "project", problem: string | null): ListedUserHook {
  const nothing = {
    name: null,
    events: [],
    tools: [],
    cost: null,
    timeoutMs: null,
    onFailure: null,
    missingIn: [],
  };
  return { ...nothing, source, scope, runs: "not", problem };
}
