import { type HookSource, type LoadReport, loadSources } from "../../engine/index.ts";
import type { BuiltHandler } from "../../hooks/index.ts";
import { HOST_LIST, ownedCommand, resolveHost } from "../../hosts/index.ts";
import { defined, describeEvent, findEvent, isJsonObject, type Json } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { findServerEntry, readServer } from "./mcp-servers.ts";
import { readSettingsFile } from "./settings-file.ts";
import type { HookPlaces } from "./sources.ts";

/** A file in Claude's shape, and what is to be done with it. */
export interface HandlerFile {
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

export interface CompiledHandlers {
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

export function compileHandlers(
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
    // Files that nobody trusts were left out before.
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
    else skipped.push({ id, path: file.path, event: spec.event, scope: scopeOf(file), why: action });
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

function scopeOf({ kind }: HandlerFile): "user" | "project" {
  return kind === "project" || kind === "local" ? "project" : "user";
}

function toBuilt(
  { spec, onFailure }: LoadedHandler,
  id: string,
  action: BuiltHandler["action"],
  file: HandlerFile,
  { projectRoot }: HookPlaces,
): BuiltHandler {
  const scope = scopeOf(file);
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
