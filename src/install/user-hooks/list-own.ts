import { hasChanged } from "../../hooks/user/changed-sources.ts";
import { type BuiltFile, type BuiltHandler, readManifest } from "../../hooks/user/manifest.ts";
import { listSources } from "../../hooks/user/source-files.ts";
import { HOST_LIST } from "../../hosts/descriptors.ts";
import { registeredEvents } from "../../hosts/native-events.ts";
import { HOOK_REGISTRY } from "../../hosts/registry-rows.ts";
import { errorText } from "../../protocol/error-text.ts";
import type { System } from "../../system/system.ts";
import { type HookPlaces, projectHooksFolder, userHooksFolder } from "./sources.ts";

/** One hook of the user's, or one file that holds none that runs. */
export interface OwnHook {
  readonly name: string | null;
  readonly source: string;
  readonly scope: "user" | "project";
  readonly events: readonly string[];
  readonly tools: readonly string[];
  /** where it runs and what that costs */
  readonly runs: "in the hook program" | "in a start of Node" | "as a program" | "not";
  readonly timeoutMs: number | null;
  readonly onFailure: string | null;
  /** hosts that do not call hooks on one of its events */
  readonly missingIn: readonly string[];
  readonly problem: string | null;
}

/** Everything that was built, and everything that lies where hooks are found and was not. */
export function listOwnHooks(system: System, places: HookPlaces): readonly OwnHook[] {
  const { stateHome, projectRoot } = places;
  let files: readonly BuiltFile[] = [];
  let handlers: readonly BuiltHandler[] = [];
  let broken: string | undefined;
  try {
    ({ files, handlers } = readManifest(system, stateHome) ?? { files: [], handlers: [] });
  } catch (error) {
    broken = `the manifest cannot be used (${errorText(error)}); run amplihack hooks build`;
  }
  const here = files.filter(({ project }) => project === undefined || project === projectRoot);
  const known = new Set(here.map(({ source }) => source));
  const built = here.flatMap((file): readonly OwnHook[] => {
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
      runs:
        file.problem !== undefined ? "not" : file.isPortable ? "in the hook program" : "in a start of Node",
      timeoutMs: hook.timeoutMs,
      onFailure: hook.onFailure,
      missingIn: hostsWithout(hook.events, hook.hosts),
      problem,
    }));
  });
  const configured = handlers
    .filter(({ project }) => project === undefined || project === projectRoot)
    .map((handler): OwnHook => {
      const { exceptHosts } = handler;
      const missing = hostsWithout([handler.event], []).filter(host => !exceptHosts.includes(host));
      return {
        name: handler.id,
        source: handler.path,
        scope: handler.project === undefined ? "user" : "project",
        events: [handler.event],
        tools: handler.matcher === undefined ? [] : [handler.matcher],
        runs: handler.action.kind === "command" ? "as a program" : "in a start of Node",
        timeoutMs: handler.timeoutMs,
        onFailure: handler.onFailure,
        missingIn: missing,
        problem: null,
      };
    });
  const isNew = (path: string) => !known.has(path);
  return [
    ...built,
    ...configured,
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

function notRunning(source: string, scope: "user" | "project", problem: string | null): OwnHook {
  const nothing = { name: null, events: [], tools: [], timeoutMs: null, onFailure: null, missingIn: [] };
  return { ...nothing, source, scope, runs: "not", problem };
}

/** A host calls us on the events that an installation registers, and has not all of them. */
function hostsWithout(events: readonly string[], hosts: readonly string[]): readonly string[] {
  const registered = new Set(HOOK_REGISTRY.map(row => row.event));
  return HOST_LIST.filter(
    ({ id, registration }) => registration !== undefined && (hosts.length === 0 || hosts.includes(id)),
  )
    .filter(host =>
      events.some(event => !registered.has(event) || registeredEvents(host, event).length === 0),
    )
    .map(({ id }) => id);
}
