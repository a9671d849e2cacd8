import { readJsonc } from "../../config/jsonc.ts";
import type { HookSource, LoadReport } from "../../engine/options.ts";
import { loadSources } from "../../engine/source/load.ts";
import type { BuiltHandler, SourceFile } from "../../hooks/user/manifest.ts";
import { HOST_LIST, resolveHost } from "../../hosts/descriptors.ts";
import { ownedCommand } from "../../hosts/owned-command.ts";
import { describeEvent, findEvent, type Json } from "../../protocol/index.ts";
import { memberAt, objectAt, stringAt, stringsAt } from "../../protocol/members.ts";
import { join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import { contentHash } from "./compile-source.ts";
import type { HookPlaces } from "./sources.ts";
import type { TrustedHooks, TrustState } from "./trust.ts";

export function userHandlersFile(stateHome: string): string {
  return join(stateHome, "hooks.jsonc");
}

export function projectHandlersFile(projectRoot: string): string {
  return join(projectRoot, ".amplihack", "hooks.jsonc");
}

/** A file in Claude's shape, and what is to be done with it. */
interface HandlerFile {
  readonly path: string;
  readonly kind: "user" | "project" | "local" | "plugin";
  readonly isImported: boolean;
  readonly plugin?: { readonly pluginRoot: string; readonly pluginId: string };
}

export interface CollectedHandlers {
  readonly handlers: readonly BuiltHandler[];
  readonly configurations: readonly SourceFile[];
  readonly refused: readonly {
    readonly path: string;
    readonly state: Exclude<TrustState, "trusted">;
    readonly sha256: string;
  }[];
  /** entries that do not run, and why */
  readonly problems: readonly string[];
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Names of hosts whose settings can be imported. */
export const IMPORTABLE = ["claude"] as const;

/** All handlers of `hooks.jsonc`, the user's and the project's, and of the settings that they import. */
export function collectHandlers(
  system: System,
  places: HookPlaces,
  trusted: TrustedHooks,
): CollectedHandlers {
  const refused: { path: string; state: Exclude<TrustState, "trusted">; sha256: string }[] = [];
  const found: { file: HandlerFile; data: Json }[] = [];
  const configurations: SourceFile[] = [];
  const problems: string[] = [];
  const consider = (file: HandlerFile): Json | undefined => {
    const facts = system.files.follow(file.path);
    if (facts?.kind !== "file") return undefined;
    const { size, modifiedMs } = facts;
    configurations.push({ path: file.path, size, modifiedMs });
    const needsTrust = file.kind === "project" || file.kind === "local";
    const sha256 = contentHash(system, [file.path]);
    const state = needsTrust ? trusted.stateOf(file.path, sha256) : "trusted";
    if (state !== "trusted") {
      refused.push({ path: file.path, state, sha256 });
      return undefined;
    }
    const read = readJsonc(system.text.decode(system.files.read(file.path, MAX_FILE_BYTES)).text);
    if (!read.ok) {
      if (read.problem !== "empty")
        problems.push(`${file.path} is not valid JSON (${read.problem}); none of its hooks run`);
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
  // Apart: what switches all hooks of Claude Code off does not concern ours.
  const [ours, theirs] = [false, true].map(isImported =>
    compile(
      found.filter(({ file }) => file.isImported === isImported),
      places,
      system,
    ),
  );
  return {
    handlers: [...(ours?.handlers ?? []), ...(theirs?.handlers ?? [])],
    configurations,
    refused,
    problems: [...problems, ...problemsOf(ours?.report), ...problemsOf(theirs?.report)],
  };
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
  const enabled = objectAt(readFile(system, settings), "enabledPlugins");
  const installed = objectAt(
    readFile(system, join(home, ".claude", "plugins", "installed_plugins.json")),
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

function readFile(system: System, path: string): Json | undefined {
  if (system.files.follow(path)?.kind !== "file") return undefined;
  const read = readJsonc(system.text.decode(system.files.read(path, MAX_FILE_BYTES)).text);
  return read.ok ? read.value : undefined;
}

function compile(
  found: readonly { readonly file: HandlerFile; readonly data: Json }[],
  { projectRoot }: HookPlaces,
  system: System,
): { readonly handlers: readonly BuiltHandler[]; readonly report: LoadReport } {
  const files = new Map<HookSource, HandlerFile>();
  for (const { file, data } of found) {
    const { path, kind, plugin } = file;
    files.set({ kind, dialect: "claude", data, path, ...plugin }, file);
  }
  const loaded = loadSources([...files.keys()], {
    projectDir: projectRoot,
    files: system.files,
    findEvent,
    describeEvent,
    failurePolicy: () => undefined,
    trust: undefined,
    delegates: {},
    pinsScripts: false,
    isStrict: false,
  });
  const handlers = loaded.handlers.flatMap(({ spec, onFailure }): readonly BuiltHandler[] => {
    const file = files.get(spec.source);
    const { action } = spec;
    if (file === undefined || (action.kind !== "command" && action.kind !== "http")) return [];
    // Our own program is called by the hosts themselves.
    if (
      action.kind === "command" &&
      ownedCommand([action.command, ...(action.args ?? [])].join(" ")) !== undefined
    )
      return [];
    return [
      {
        id: file.isImported ? `claude:${spec.id}` : spec.id,
        path: file.path,
        project: file.kind === "project" || file.kind === "local" ? projectRoot : undefined,
        event: spec.event,
        matcher: spec.matcher,
        condition: spec.condition,
        action,
        timeoutMs: spec.timeoutMs,
        onFailure,
        isOnce: spec.isOnce,
        exceptHosts: file.isImported
          ? hostsReading(file.kind === "project" || file.kind === "local" ? "project" : "user")
          : [],
        source: file.plugin ?? {},
      },
    ];
  });
  return { handlers, report: loaded.report };
}

const CLAUDE = resolveHost("claude");

/** Hosts that run the hooks of Claude's settings by themselves. */
function hostsReading(scope: "user" | "project"): readonly string[] {
  return HOST_LIST.filter(({ id, setup }) => {
    if (id === CLAUDE) return true;
    const { registeredBy, alsoReads = [] } = setup?.() ?? {};
    return registeredBy === CLAUDE || alsoReads.some(one => one.host === CLAUDE && one.scope === scope);
  }).map(({ id }) => id);
}

function problemsOf(report: LoadReport | undefined): readonly string[] {
  return [...(report?.errors ?? []), ...(report?.warnings ?? [])].map(({ detail }) => detail);
}
