import { readJsonc } from "../../config/index.ts";
import { type HookSource, type LoadReport, loadSources } from "../../engine/index.ts";
import {
  type BuiltHandler,
  digestFiles,
  listActions,
  listFilesThatRun,
  type SourceFile,
} from "../../hooks/index.ts";
import { HOST_LIST, ownedCommand, resolveHost, settingsPath } from "../../hosts/index.ts";
import {
  defined,
  describeEvent,
  errorText,
  findEvent,
  isJsonObject,
  type Json,
  type JsonRead,
  memberAt,
  objectAt,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { contentHash, sourceFile } from "./bundle.ts";
import { findServerEntry, readServer, readSettingsFile } from "./compiled.ts";
import type { HookPlaces, TrustedHooks, TrustState } from "./sources.ts";

/** A file in Claude's shape, and what is to be done with it. */
interface HandlerFile {
  readonly path: string;
  readonly kind: "user" | "project" | "local" | "plugin";
  readonly isImported: boolean;
  readonly plugin?: { readonly pluginRoot: string; readonly pluginId: string };
  /** the host whose file it is, where its hooks are not written as Claude's are */
  readonly writtenFor?: BuiltHandler["writtenFor"];
}

/** An entry of a kind that we cannot run. */
export interface SkippedHandler {
  readonly id: string;
  readonly path: string;
  readonly event: string;
  readonly scope: "user" | "project";
  readonly why: string;
}

interface CompiledHandlers {
  readonly handlers: readonly BuiltHandler[];
  readonly skipped: readonly SkippedHandler[];
  readonly report: LoadReport;
}

type LoadedHandler = ReturnType<typeof loadSources>["handlers"][number];

/** The engine is to take every kind of handler for possible: which of them we can run is decided below. */
const ALL_KINDS = { mcpTool: notCalled, prompt: notCalled, agent: notCalled };
async function notCalled(): Promise<string> {
  return "";
}

function compileHandlers(
  found: readonly { readonly file: HandlerFile; readonly data: Json }[],
  places: HookPlaces,
  system: System,
): CompiledHandlers {
  const files = new Map<HookSource, { readonly file: HandlerFile; readonly data: Json }>();
  for (const { file, data } of found) {
    const { path, kind, plugin, writtenFor } = file;
    files.set({ kind, dialect: writtenFor?.dialect ?? "claude", data, path, ...plugin }, { file, data });
  }
  const loaded = loadSources([...files.keys()], {
    projectDir: places.projectRoot,
    files: system.files,
    findEvent,
    describeEvent,
    failurePolicy: () => undefined,
    // Untrusted files were filtered out earlier.
    trust: { state: () => "trusted" },
    delegates: ALL_KINDS,
    pinsScripts: false,
    isStrict: false,
  });
  const handlers: BuiltHandler[] = [];
  const skipped: SkippedHandler[] = [];
  for (const handler of loaded.handlers) {
    const { spec } = handler;
    const from = files.get(spec.source);
    if (from === undefined || spec.problem !== undefined || isOurOwn(spec)) continue;
    const { file, data } = from;
    const action = toAction(spec.action, file, data, places, system);
    const id = file.isImported ? `${file.writtenFor?.host ?? "claude"}:${spec.id}` : spec.id;
    if (typeof action !== "string") handlers.push(toBuilt(handler, id, action, file, places));
    else skipped.push({ id, path: file.path, event: spec.event, scope: handlerScope(file), why: action });
  }
  return { handlers, skipped, report: loaded.report };
}

/** Our own program is called by the hosts themselves. */
function isOurOwn({ action }: LoadedHandler["spec"]): boolean {
  if (action.kind !== "command") return false;
  return ownedCommand([action.command, ...(action.args ?? [])].join(" ")) !== undefined;
}

/** What a run does for an entry, or why it can do nothing. */
function toAction(
  action: LoadedHandler["spec"]["action"],
  file: HandlerFile,
  data: Json,
  { home, projectRoot }: HookPlaces,
  system: System,
): BuiltHandler["action"] | string {
  if (action.kind === "command" || action.kind === "http") return action;
  if (action.kind !== "mcp_tool")
    return file.isImported
      ? `hooks of type "${action.kind}" need the model of Claude Code: it runs there and in no other host`
      : `hooks of type "${action.kind}" need a model, which only Claude Code gives to hooks: put it into its settings`;
  const description = findServerEntry(data, action.server, projectRoot);
  const describedIn = join(
    file.plugin?.pluginRoot ?? home,
    file.plugin === undefined ? ".claude.json" : ".mcp.json",
  );
  const entry =
    description ?? findServerEntry(readSettingsFile(system, describedIn), action.server, projectRoot);
  if (entry === undefined)
    return `the MCP server "${action.server}" is described neither under "mcpServers" of this file nor in ${describedIn}`;
  const read = readServer(entry, name => system.env.get(name));
  if (!read.ok) return `MCP server "${action.server}": ${read.problem}`;
  return isJsonObject(description) ? { ...action, description } : { ...action, describedIn };
}

function handlerScope({ kind }: HandlerFile): "user" | "project" {
  return kind === "project" || kind === "local" ? "project" : "user";
}

function toBuilt(
  { spec, onFailure }: LoadedHandler,
  id: string,
  action: BuiltHandler["action"],
  file: HandlerFile,
  { projectRoot }: HookPlaces,
): BuiltHandler {
  const scope = handlerScope(file);
  return {
    id,
    path: file.path,
    project: scope === "project" ? projectRoot : undefined,
    event: spec.event,
    matcher: spec.matcher,
    condition: spec.condition,
    action,
    timeoutMs: spec.timeoutMs,
    onFailure,
    isOnce: spec.isOnce,
    exceptHosts: exceptHosts(file, scope),
    source: file.plugin ?? {},
    ...defined({ writtenFor: file.writtenFor ?? writtenAs(spec) }),
  };
}

function exceptHosts({ isImported, writtenFor }: HandlerFile, scope: "user" | "project"): readonly string[] {
  if (!isImported) return [];
  return writtenFor === undefined ? hostsReading(scope) : [writtenFor.host];
}

/** Entries of another host's shape that stand in our own file. */
function writtenAs({ dialect }: LoadedHandler["spec"]): BuiltHandler["writtenFor"] {
  const host = HOST_LIST.find(({ setup }) => setup?.().importable === dialect);
  return host === undefined || dialect !== "atomcode-json" ? undefined : { host: host.id, dialect };
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

export function userHandlersFile(stateHome: string): string {
  return join(stateHome, "hooks.jsonc");
}

function projectHandlersFile(projectRoot: string): string {
  return join(projectRoot, ".amplihack", "hooks.jsonc");
}

/** A file of hooks whose current content is not trusted yet. */
export interface RefusedHandlers {
  readonly path: string;
  readonly state: Exclude<TrustState, "trusted">;
  readonly sha256: string;
  /** what it would do, one line each: commands, addresses, and the files that run */
  readonly actions: readonly string[];
}

interface CollectedHandlers {
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
    if (system.files.inspect(file.path) === undefined) return undefined;
    const project = handlerScope(file) === "project" ? places.projectRoot : undefined;
    // Of a project only what can be compared with what was agreed to runs.
    const fail = (why: string): undefined => {
      if (project === undefined) broken.add(file.path);
      const what = project === undefined ? "its hooks of the last build stay in force" : "no hook of it runs";
      return void problems.push(`${file.path} ${why}; ${what}`);
    };
    const loaded = load(system, file.path);
    if ("unreadable" in loaded) return fail(`cannot be read (${loaded.unreadable})`);
    configurations.push({ ...loaded.facts, project });
    const { read } = loaded;
    if (file.kind === "project" || file.kind === "local") {
      const named = read.ok ? listFilesThatRun(system, places.projectRoot, read.value) : [];
      runs.set(file.path, named);
      const untrusted = whyUntrusted(system, file.path, named, read.ok ? read.value : null, trusted);
      if (untrusted !== undefined) return void refused.push(untrusted);
    }
    if (!read.ok) {
      // One that never had a hook may be empty.
      const isNew = read.problem === "empty" && !previous.some(({ path }) => path === file.path);
      return isNew ? undefined : fail(`is not valid JSON (${read.problem})`);
    }
    found.push({ file, data: read.value });
    return read.value;
  };
  const mine = userHandlersFile(places.stateHome);
  const own = consider({ path: mine, kind: "user", isImported: false });
  const ofProject = projectHandlersFile(places.projectRoot);
  if (ofProject !== mine) consider({ path: ofProject, kind: "project", isImported: false });
  const imports = stringsAt(own, "import");
  for (const name of imports.filter(name => !IMPORTABLE.includes(name)))
    problems.push(`${mine}: "import" knows ${IMPORTABLE.join(", ")}, not "${name.slice(0, 40)}"`);
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
  // The imports of an unreadable file are unknown.
  const isKept = ({ path, exceptHosts }: BuiltHandler): boolean =>
    broken.has(path) || (exceptHosts.length > 0 && broken.has(mine));
  const built = [...(ours?.handlers ?? []), ...(theirs?.handlers ?? [])];
  return {
    handlers: [...previous.filter(isKept), ...built.map(one => withFiles(one, runs, system))],
    configurations,
    refused,
    skipped: [...(ours?.skipped ?? []), ...(theirs?.skipped ?? [])],
    problems: [...problems, ...listProblems(ours?.report), ...listProblems(theirs?.report)],
  };
}

function load(
  system: System,
  path: string,
): { readonly facts: SourceFile; readonly read: JsonRead } | { readonly unreadable: string } {
  const { files, text } = system;
  try {
    if (files.follow(path)?.kind !== "file") return { unreadable: "it is not a file" };
    const read = readJsonc(text.decode(files.read(path, MAX_FILE_BYTES)).text);
    return { facts: sourceFile(system, path), read };
  } catch (error) {
    return { unreadable: errorText(error) };
  }
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
  const state = trusted.findState(path, sha256);
  const actions = [...listActions(data), ...runs.map(file => `with ${file}`)];
  return state === "trusted" ? undefined : { path, state, sha256, actions };
}

/** What a person trusts: the file and the project's scripts that it runs, with their current content. */
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

function listProblems(report: LoadReport | undefined): readonly string[] {
  return [...(report?.errors ?? []), ...(report?.warnings ?? [])].map(({ detail }) => detail);
}
