import { getNodeValue } from "jsonc-parser";
import {
  findMember,
  type InvalidText,
  insertMember,
  type JsonNode,
  listProperties,
  openJson,
  removeChild,
  replaceNode,
  toPlace,
} from "../config/index.ts";
import { BOM, type HostId, type InstallScope, type McpServers } from "../hosts/index.ts";
import { isJsonObject, isSameJson, type Json, type JsonObject, memberAt } from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { basename, dirname, isAbsolute, join, type System } from "../system/index.ts";
import type { Computed } from "./file-edit.ts";
import { programFolder } from "./package.ts";
import { hostSetup, INSTALLABLE_HOSTS } from "./targets.ts";
import { appendTable, readToml, removeTableTree } from "./trust.ts";

/** Where one host reads its MCP servers in one scope. */
export interface ServerFile {
  readonly host: HostId;
  readonly scope: InstallScope;
  readonly path: string;
  readonly servers: McpServers;
}

/** Undefined for a host without MCP, or without a file of its own in that scope. */
export function serverFile(
  system: Pick<System, "env" | "files">,
  places: UserDirectories,
  host: HostId,
  scope: InstallScope,
): ServerFile | undefined {
  const { mcp } = hostSetup(host);
  if (mcp === undefined) return undefined;
  const { project } = mcp;
  if (scope === "project")
    return project === undefined
      ? undefined
      : { host, scope, path: join(places.projectRoot, project), servers: mcp };
  return { host, scope, path: userFile(system, places, mcp), servers: mcp };
}

function userFile(
  { env, files }: Pick<System, "env" | "files">,
  { home }: UserDirectories,
  { user, moved }: McpServers,
): string {
  const folder = moved === undefined ? "" : (env.get(moved.variable) ?? "");
  if (moved !== undefined && isAbsolute(folder) && !folder.split("/").includes(".."))
    return join(folder, moved.file);
  const paths = user.map(name => join(home, name));
  const isThere = (path: string) => files.follow(path) !== undefined;
  return paths.find(isThere) ?? paths.find(path => isThere(dirname(path))) ?? join(home, user[0]);
}

/** The files of all hosts that have MCP. */
export function allServerFiles(
  system: Pick<System, "env" | "files">,
  places: UserDirectories,
): readonly ServerFile[] {
  return INSTALLABLE_HOSTS.flatMap(host =>
    (["user", "project"] as const).flatMap(scope => serverFile(system, places, host, scope) ?? []),
  );
}

/** What hosts are told to start. */
export function serverProgram(places: Pick<UserDirectories, "stateHome">): string {
  return join(programFolder(places), "amplihack");
}

// One entry among the MCP servers of a host, as text: every other byte of the file stays.

/** What hosts call our server, and its name in rules: `mcp__amplihack__memory_search`. */
const MCP_SERVER = "amplihack";
const ARGUMENTS = ["mcp", "serve"] as const;

/** The text of the list of servers where it was there and empty; `removeServer` puts it back. */
type EmptyBefore = Readonly<Record<string, string>>;

function serversKey({ key = "mcpServers" }: McpServers): string {
  return key;
}

function entryFor({ members = {}, isCommandList }: McpServers, program: string): JsonObject {
  return isCommandList === true
    ? { ...members, command: [program, ...ARGUMENTS] }
    : { ...members, command: program, args: [...ARGUMENTS] };
}

/** Ours is what starts `amplihack mcp`, wherever that program lies; a guarded server of others is theirs. */
function isOurs(entry: Json | undefined): boolean {
  const command = memberAt(entry, "command");
  const args = memberAt(entry, "args");
  const words = [...(Array.isArray(command) ? command : [command]), ...(Array.isArray(args) ? args : [])];
  const [program, family, subcommand = "serve"] = words;
  const isProgram = typeof program === "string" && basename(program) === "amplihack";
  return isProgram && family === "mcp" && subcommand !== "guard";
}

/** Whether a file of that form starts our server; undefined for one that cannot be read. */
export function findServer(text: string, servers: McpServers): JsonObject | undefined {
  const entry = memberAt(readServers(text, servers), serversKey(servers), MCP_SERVER);
  return isJsonObject(entry) && isOurs(entry) ? entry : undefined;
}

function readServers(text: string, { format }: McpServers): Json | undefined {
  if (format === "toml") return readToml(text);
  const opened = openJson(text.replace(BOM, ""));
  return opened.ok ? (getNodeValue(opened.root) as Json) : undefined;
}

/** The file with our server in it. What a person added to the entry stays. */
export function addServer(current: string | undefined, servers: McpServers, program: string): Computed {
  const wanted = entryFor(servers, program);
  if (servers.format === "toml") return addTable(current ?? "", servers, wanted);
  if (current === undefined || current.replace(BOM, "").trim() === "")
    return done(`${JSON.stringify({ [serversKey(servers)]: { [MCP_SERVER]: wanted } }, null, 2)}\n`);
  const opened = openServers(current, servers);
  if (!opened.ok) return opened;
  const { bom, body, root, list } = opened;
  if (list === undefined)
    return done(bom + insertMember(body, root, serversKey(servers), { [MCP_SERVER]: wanted }));
  const known = findMember(list, MCP_SERVER);
  if (known === undefined) return done(bom + insertMember(body, list, MCP_SERVER, wanted));
  const present = getNodeValue(known) as Json;
  if (!isOurs(present)) return refuse(body, known.offset, TAKEN);
  const merged = { ...(isJsonObject(present) ? present : {}), ...wanted };
  if (isSameJson(present, merged)) return done(current);
  return done(bom + replaceNode(body, known, JSON.stringify(merged)));
}

/** The file without our server. `isBare` tells that nothing is left of it. */
export function removeServer(
  current: string,
  servers: McpServers,
  emptyBefore: EmptyBefore,
): InvalidText | { readonly ok: true; readonly text: string; readonly isBare: boolean } {
  if (servers.format === "toml") return removeTable(current, servers);
  const unchanged = { ok: true, text: current, isBare: false } as const;
  if (current.replace(BOM, "").trim() === "") return unchanged;
  const opened = openServers(current, servers);
  if (!opened.ok) return opened;
  const { bom, body, list } = opened;
  const known = list === undefined ? undefined : findMember(list, MCP_SERVER);
  if (list === undefined || known === undefined || !isOurs(getNodeValue(known) as Json)) return unchanged;
  const names = listProperties(list).map(([name]) => name);
  const text = removeChild(body, list, names.indexOf(MCP_SERVER));
  const cleaned = names.length > 1 ? text : removeEmptyList(text, servers, emptyBefore);
  const left = openJson(cleaned);
  const isBare = left.ok && (left.root.children ?? []).length === 0;
  return { ok: true, text: bom + cleaned, isBare };
}

/** The list as it was before, or away with it where there was none. */
function removeEmptyList(text: string, servers: McpServers, emptyBefore: EmptyBefore): string {
  const opened = openJson(text);
  const list = opened.ok ? findMember(opened.root, serversKey(servers)) : undefined;
  if (!opened.ok || list === undefined) return text;
  const before = emptyBefore[serversKey(servers)];
  if (before !== undefined) return replaceNode(text, list, before);
  const index = listProperties(opened.root).findIndex(([name]) => name === serversKey(servers));
  return removeChild(text, opened.root, index);
}

export function findEmptyList(before: string | undefined, servers: McpServers): EmptyBefore {
  if (before === undefined || servers.format === "toml") return {};
  const opened = openServers(before, servers);
  const list = opened.ok ? opened.list : undefined;
  if (!opened.ok || list === undefined || (list.children ?? []).length > 0) return {};
  return { [serversKey(servers)]: opened.body.slice(list.offset, list.offset + list.length) };
}

interface OpenedServers {
  readonly ok: true;
  readonly bom: string;
  readonly body: string;
  readonly root: JsonNode;
  readonly list: JsonNode | undefined;
}

function openServers(text: string, servers: McpServers): InvalidText | OpenedServers {
  const bom = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(bom.length);
  const opened = openJson(body);
  if (!opened.ok) return opened;
  const { root } = opened;
  if (root.type !== "object") return refuse(body, root.offset, "it is not an object");
  const list = findMember(root, serversKey(servers));
  if (list !== undefined && list.type !== "object")
    return refuse(body, list.offset, `${serversKey(servers)} is not an object`);
  return { ok: true, bom, body, root, list };
}

const TAKEN = `it has another MCP server of the name ${MCP_SERVER}`;

function refuse(text: string, offset: number, problem: string): InvalidText {
  return { ok: false, problem, ...toPlace(text, offset) };
}

function done(text: string): Computed {
  return { ok: true, text };
}

function addTable(text: string, servers: McpServers, wanted: JsonObject): Computed {
  const document = readToml(text);
  if (document === undefined) return refuse(text, 0, "it is not valid TOML");
  const present = memberAt(document, serversKey(servers), MCP_SERVER);
  if (present !== undefined && !isOurs(present)) return refuse(text, 0, TAKEN);
  const isThere =
    isJsonObject(present) &&
    Object.entries(wanted).every(([name, value]) => isSameJson(present[name] ?? null, value));
  if (isThere) return done(text);
  const members = wanted as Readonly<Record<string, string | readonly string[]>>;
  const cleared = removeTableTree(text, serversKey(servers), MCP_SERVER);
  const edited = appendTable(cleared, serversKey(servers), MCP_SERVER, members);
  return checkTable(text, edited, servers, wanted);
}

function removeTable(text: string, servers: McpServers): ReturnType<typeof removeServer> {
  const document = readToml(text);
  if (document === undefined) return refuse(text, 0, "it is not valid TOML");
  if (!isOurs(memberAt(document, serversKey(servers), MCP_SERVER))) return { ok: true, text, isBare: false };
  const edited = removeTableTree(text, serversKey(servers), MCP_SERVER);
  const checked = checkTable(text, edited, servers, undefined);
  return checked.ok ? { ok: true, text: edited, isBare: edited.trim() === "" } : checked;
}

/** Text that means anything else than wanted is not written. */
function checkTable(
  before: string,
  after: string,
  servers: McpServers,
  wanted: JsonObject | undefined,
): Computed {
  const result = readToml(after);
  const isRight =
    result !== undefined &&
    isSameJson(memberAt(result, serversKey(servers), MCP_SERVER) ?? null, wanted ?? null) &&
    isSameJson(others(result, servers), others(readToml(before) ?? {}, servers));
  return isRight
    ? done(after)
    : refuse(before, 0, `its ${serversKey(servers)} is written in a form that cannot be edited safely`);
}

function others(document: JsonObject, servers: McpServers): JsonObject {
  const { [serversKey(servers)]: list, ...rest } = document;
  if (!isJsonObject(list)) return document;
  const { [MCP_SERVER]: _, ...foreign } = list;
  return Object.keys(foreign).length === 0 ? rest : { ...rest, [serversKey(servers)]: foreign };
}
