import { readJsonc } from "../../config/index.ts";
import type { LoadReport } from "../../engine/index.ts";
import { type BuiltHandler, digestFiles, type SourceFile } from "../../hooks/index.ts";
import { HOST_LIST, settingsPath } from "../../hosts/index.ts";
import { type Json, memberAt, objectAt, stringAt, stringsAt } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { compileHandlers, type HandlerFile, type SkippedHandler } from "./compile-handlers.ts";
import { contentHash } from "./compile-source.ts";
import { readSettingsFile } from "./settings-file.ts";
import type { HookPlaces } from "./sources.ts";
import type { TrustedHooks, TrustState } from "./trust.ts";
import { listActions, listFilesThatRun } from "./what-runs.ts";

export function userHandlersFile(stateHome: string): string {
  return join(stateHome, "hooks.jsonc");
}

export function projectHandlersFile(projectRoot: string): string {
  return join(projectRoot, ".amplihack", "hooks.jsonc");
}

/** A file of hooks that nobody agreed to as it is now. */
export interface RefusedHandlers {
  readonly path: string;
  readonly state: Exclude<TrustState, "trusted">;
  readonly sha256: string;
  /** what it would do, one line each: commands, addresses, and the files that run */
  readonly actions: readonly string[];
}

export interface CollectedHandlers {
  readonly handlers: readonly BuiltHandler[];
  readonly configurations: readonly SourceFile[];
  readonly refused: readonly RefusedHandlers[];
  /** sound entries that run in no host by us, or in none but the one they were written for */
  readonly skipped: readonly SkippedHandler[];
  /** other entries that do not run, and why */
  readonly problems: readonly string[];
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const OTHERS = HOST_LIST.flatMap(({ id, registration, setup }) => {
  const dialect = setup?.().importable;
  return dialect === undefined || registration === undefined
    ? []
    : [{ registration, writtenFor: { host: id, dialect } }];
});
/** Names of hosts whose settings can be imported. */
export const IMPORTABLE: readonly string[] = ["claude", ...OTHERS.map(({ writtenFor }) => writtenFor.host)];

/** All handlers of `hooks.jsonc`, the user's and the project's, and of the settings that they import. */
export function collectHandlers(
  system: System,
  places: HookPlaces,
  trusted: TrustedHooks,
  previous: readonly BuiltHandler[] = [],
): CollectedHandlers {
  const refused: RefusedHandlers[] = [];
  const runs = new Map<string, readonly string[]>();
  const found: { file: HandlerFile; data: Json }[] = [];
  const configurations: SourceFile[] = [];
  const problems: string[] = [];
  const broken = new Set<string>();
  const consider = (file: HandlerFile): Json | undefined => {
    const facts = system.files.follow(file.path);
    if (facts?.kind !== "file") return undefined;
    configurations.push({ path: file.path, size: facts.size, modifiedMs: facts.modifiedMs });
    const read = readJsonc(system.text.decode(system.files.read(file.path, MAX_FILE_BYTES)).text);
    if (file.kind === "project" || file.kind === "local") {
      const named = read.ok ? listFilesThatRun(system, places.projectRoot, read.value) : [];
      runs.set(file.path, named);
      const untrusted = whyUntrusted(system, file.path, named, read.ok ? read.value : null, trusted);
      if (untrusted !== undefined) return void refused.push(untrusted);
    }
    if (!read.ok) {
      if (read.problem === "empty") return undefined;
      broken.add(file.path);
      problems.push(
        `${file.path} is not valid JSON (${read.problem}); its hooks of the last build stay in force`,
      );
      return undefined;
    }
    found.push({ file, data: read.value });
    return read.value;
  };
  const own = consider({ path: userHandlersFile(places.stateHome), kind: "user", isImported: false });
  const ofProject = projectHandlersFile(places.projectRoot);
  if (ofProject !== userHandlersFile(places.stateHome))
    consider({ path: ofProject, kind: "project", isImported: false });
  const imports = stringsAt(own, "import");
  for (const name of imports)
    if (!IMPORTABLE.some(known => known === name))
      problems.push(
        `${userHandlersFile(places.stateHome)}: "import" knows ${IMPORTABLE.join(", ")}, not "${name.slice(0, 40)}"`,
      );
  if (imports.includes("claude")) for (const file of claudeFiles(system, places)) consider(file);
  for (const { registration, writtenFor } of OTHERS)
    for (const kind of ["user", "project"] as const) {
      const path = settingsPath(registration, kind, places, system.env);
      if (imports.includes(writtenFor.host) && path !== undefined)
        consider({ path, kind, isImported: true, writtenFor });
    }
  // Apart: what switches all hooks of Claude Code off does not concern ours.
  const [ours, theirs] = [false, true].map(isImported =>
    compileHandlers(
      found.filter(({ file }) => file.isImported === isImported),
      places,
      system,
    ),
  );
  // Of a file of ours that cannot be read nobody knows what it imports.
  const isKept = ({ path, exceptHosts }: BuiltHandler): boolean =>
    broken.has(path) || (exceptHosts.length > 0 && broken.has(userHandlersFile(places.stateHome)));
  const built = [...(ours?.handlers ?? []), ...(theirs?.handlers ?? [])];
  return {
    handlers: [...previous.filter(isKept), ...built.map(one => withFiles(one, runs, system))],
    configurations,
    refused,
    skipped: [...(ours?.skipped ?? []), ...(theirs?.skipped ?? [])],
    problems: [...problems, ...problemsOf(ours?.report), ...problemsOf(theirs?.report)],
  };
}

/** Undefined for a file of the project that is what was agreed to, with all that it runs. */
function whyUntrusted(
  system: System,
  path: string,
  runs: readonly string[],
  data: Json,
  trusted: TrustedHooks,
): RefusedHandlers | undefined {
  const sha256 = contentHash(system, [path, ...runs]);
  const state = trusted.stateOf(path, sha256);
  const actions = [...listActions(data), ...runs.map(file => `with ${file}`)];
  return state === "trusted" ? undefined : { path, state, sha256, actions };
}

/** With what it runs of the project, as it is now: what is trusted. */
function withFiles(
  handler: BuiltHandler,
  runs: ReadonlyMap<string, readonly string[]>,
  system: System,
): BuiltHandler {
  const paths = handler.project === undefined ? [] : (runs.get(handler.path) ?? []);
  return paths.length === 0 ? handler : { ...handler, runs: { paths, sha256: digestFiles(system, paths) } };
}

/** The settings of Claude Code that hold hooks: the user's, the project's, and those of plugins that are switched on. */
function claudeFiles(system: System, { home, projectRoot }: HookPlaces): readonly HandlerFile[] {
  const user = join(home, ".claude", "settings.json");
  const ofProject = join(projectRoot, ".claude", "settings.json");
  const local = join(projectRoot, ".claude", "settings.local.json");
  const isSame = ofProject === user;
  return [
    { path: user, kind: "user", isImported: true },
    ...(isSame
      ? []
      : [
          { path: ofProject, kind: "project", isImported: true } as const,
          { path: local, kind: "local", isImported: true } as const,
        ]),
    ...pluginFiles(system, home, user),
  ];
}

function pluginFiles(system: System, home: string, settings: string): readonly HandlerFile[] {
  const enabled = objectAt(readSettingsFile(system, settings), "enabledPlugins");
  const installed = objectAt(
    readSettingsFile(system, join(home, ".claude", "plugins", "installed_plugins.json")),
    "plugins",
  );
  return Object.entries(enabled).flatMap(([pluginId, isOn]) => {
    const entry = memberAt(installed, pluginId);
    const pluginRoot = stringAt(Array.isArray(entry) ? (entry[0] as Json) : entry, "installPath");
    if (isOn !== true || pluginRoot === undefined) return [];
    const plugin = { pluginRoot, pluginId };
    return [{ path: join(pluginRoot, "hooks", "hooks.json"), kind: "plugin", isImported: true, plugin }];
  });
}

function problemsOf(report: LoadReport | undefined): readonly string[] {
  return [...(report?.errors ?? []), ...(report?.warnings ?? [])].map(({ detail }) => detail);
}
