/** The messages of MCP that `mcp guard` knows: everything else is refused, in both directions. */
import { isJsonObject, type Json, type JsonObject, ownValue, stringAt } from "../../protocol/index.ts";
import { clipMiddle } from "../../text/index.ts";
import { textPart } from "./mcp-definitions.ts";

/** By method, the members of its parameters. What is not listed is left out: a server may read `Name` as well. */
type Methods = Readonly<Record<string, string>>;

const LISTS = "cursor _meta";
/** Whoever asked for a task may ask how it is. */
const TASKS: Methods = {
  "tasks/get": "taskId _meta",
  "tasks/result": "taskId _meta",
  "tasks/list": LISTS,
  "tasks/cancel": "taskId _meta",
  "notifications/tasks/status": "taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval _meta",
};
const CLIENT_METHODS: Methods = {
  initialize: "protocolVersion capabilities clientInfo _meta",
  ping: "_meta",
  "tools/list": LISTS,
  "tools/call": "name arguments task _meta",
  "resources/list": LISTS,
  "resources/templates/list": LISTS,
  "resources/read": "uri _meta",
  "resources/subscribe": "uri _meta",
  "resources/unsubscribe": "uri _meta",
  "prompts/list": LISTS,
  "prompts/get": "name arguments _meta",
  "completion/complete": "ref argument context _meta",
  "logging/setLevel": "level _meta",
  "notifications/initialized": "_meta",
  "notifications/cancelled": "requestId reason _meta",
  "notifications/progress": "progressToken progress total message _meta",
  "notifications/roots/list_changed": "_meta",
  ...TASKS,
};
const SERVER_METHODS: Methods = {
  ping: "_meta",
  "roots/list": "_meta",
  "elicitation/create": "message requestedSchema mode url elicitationId task _meta",
  "sampling/createMessage":
    "messages modelPreferences systemPrompt includeContext temperature maxTokens stopSequences metadata tools toolChoice task _meta",
  "notifications/cancelled": "requestId reason _meta",
  "notifications/progress": "progressToken progress total message _meta",
  "notifications/message": "level logger data _meta",
  "notifications/resources/updated": "uri _meta",
  "notifications/resources/list_changed": "_meta",
  "notifications/tools/list_changed": "_meta",
  "notifications/prompts/list_changed": "_meta",
  "notifications/elicitation/complete": "elicitationId _meta",
  ...TASKS,
};

/** What says which tool, text or task is meant. A server that takes a list of one text for the text would run another. */
const NAMING = ["name", "uri", "taskId", "cursor"];

/**
 * A request or notification, written anew from what is known of it; undefined for a method that is not, for an id that
 * is no text and no number that stays itself, and for a name that is no text.
 */
export function knownMessage(from: "client" | "server", message: JsonObject): JsonObject | undefined {
  const methods = from === "client" ? CLIENT_METHODS : SERVER_METHODS;
  const method = stringAt(message, "method") ?? "";
  const names = ownValue(methods, method);
  const { params, id } = message;
  if (names === undefined || !(id === undefined || typeof id === "string" || Number.isSafeInteger(id)))
    return undefined;
  const known = isJsonObject(params) ? pick(params, names) : undefined;
  if (NAMING.some(name => known?.[name] !== undefined && typeof known[name] !== "string")) return undefined;
  return { ...pick(message, "jsonrpc id method"), ...(known === undefined ? {} : { params: known }) };
}

/** An answer, written anew. Results are bounded where hooks have seen them. */
export function knownAnswer(message: JsonObject): JsonObject {
  const { error = null } = message;
  if (error === null) return pick(message, "jsonrpc id result");
  const { code = 0, data } = isJsonObject(error) ? error : {};
  const said = stringAt(error, "message") ?? "the MCP server told no reason";
  const isSmall = data !== undefined && JSON.stringify(data).length <= MAX_ERROR;
  return {
    ...pick(message, "jsonrpc id"),
    error: { code, message: clipMiddle(said, MAX_ERROR), ...(isSmall ? { data } : {}) },
  };
}

const MAX_ERROR = 20_000;

function pick(from: JsonObject, names: string): JsonObject {
  return Object.fromEntries(
    names.split(" ").flatMap(name => {
      const value = ownValue(from, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

interface NamedFile {
  readonly path: string;
  readonly isFile: boolean;
  /** what stands in its query and behind its hash, by which servers may find a file as well */
  readonly paths?: readonly string[];
}

/**
 * Methods that ask the server for texts of its own. What it completes is a text from it as well: the `{path}` of a
 * template may be any file, and one that it is told to watch is one that it reads.
 */
export const FETCHED: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "prompts/get",
  "completion/complete",
]);

/** What such a request asks for, in words, and the file that it names. What was typed so far may be a path. */
export function readFetched(
  method: string,
  params: JsonObject,
): { readonly what: string; readonly named: NamedFile | undefined } {
  const typed = stringAt(params["argument"], "value") ?? "";
  const what = stringAt(params, "uri", "name", "taskId") ?? typed;
  const address = method.startsWith("resources/") ? what : typed;
  return { what, named: address === "" ? undefined : uriToPath(address) };
}

/** The path that an address names on this machine: a `file:` address surely, one of a scheme of the server's own perhaps. */
export function uriToPath(uri: string): NamedFile | undefined {
  // As servers read it, for whom blanks around it and control characters inside are nothing.
  if (!URL.canParse(uri)) {
    // No address: servers take it for a path.
    const [path = "", whole] = [uri.replace(/[?#].*$/s, ""), uri].map(decoded);
    return { path, isFile: false, ...(whole === path || whole === undefined ? {} : { paths: [whole] }) };
  }
  const { host, protocol, pathname, searchParams, hash } = new URL(uri);
  if (ELSEWHERE.test(protocol)) return undefined;
  if (protocol === "file:" && host === "" && /^\s*file:[/\\]/i.test(uri.replace(/[\t\r\n]/g, "")))
    return { path: decoded(pathname), isFile: true };
  if (protocol === "file:") {
    // `file://.env`, `file:.env`: by the rules a machine or the root, for many a server a path from where it runs.
    const literal = decoded(uri.replace(/^[^:]*:(?:[/\\]{2})?/, "").replace(/[?#].*$/s, ""));
    return { path: literal, isFile: false, paths: [decoded(pathname)] };
  }
  const paths = [...searchParams.values(), decoded(hash.slice(1))].map(untilZero).filter(path => path !== "");
  const path = decoded(host === "" ? pathname : `/${host}${pathname}`);
  return { path, isFile: false, ...(paths.length === 0 ? {} : { paths }) };
}

function decoded(path: string): string {
  try {
    return untilZero(decodeURIComponent(path));
  } catch {
    return path;
  }
}

/** Systems end a path there. */
function untilZero(path: string): string {
  return path.split("\0", 1)[0] ?? path;
}

/** What lies on another machine. */
const ELSEWHERE = /^(?:https?|wss?|ftp):$/;

/** One line for every reader: some end a line at more than a line feed, and would read a text in it as a message. */
export function toLine(message: JsonObject): string {
  return JSON.stringify(message).replace(
    /[\u0085\u2028\u2029]/g,
    sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Of a line that it could not read a server knows no id, and has nothing but an error to tell. */
export function isAnswerToNobody({ id, result }: JsonObject): boolean {
  return id === null && result === undefined;
}

/** What hooks say of an error stands in its words, which are what is read of it. */
export function withErrorNotes(error: Json, notes: readonly string[]): Json {
  if (notes.length === 0) return error;
  const given = isJsonObject(error) ? error : { code: -32_000 };
  return { ...given, message: [stringAt(given, "message") ?? "", ...notes].join("\n") };
}

/** Notes of hooks stand where the texts of this answer stand. */
export function withNotes(result: unknown, uri: string, notes: readonly string[]): Json {
  const given = isJsonObject(result as Json) ? (result as JsonObject) : {};
  if (notes.length === 0) return given;
  const lists: Readonly<Record<string, (text: string) => JsonObject>> = {
    messages: (text: string) => ({ role: "user", content: { type: "text", text } }),
    content: textPart,
    contents: (text: string) => ({ uri, mimeType: "text/plain", text }),
  };
  const name = Object.keys(lists).find(each => Array.isArray(given[each])) ?? "contents";
  const parts = given[name];
  const toPart = lists[name] ?? textPart;
  return { ...given, [name]: [...(Array.isArray(parts) ? parts : []), ...notes.map(toPart)] };
}

const ID = /"id"\s*:\s*("(?:\\.|[^"\\])*"|-?\d+)/g;
const ENDS = 4_096;

/** Ids that a line may be the answer to, where it is too much to be read: members stand at its beginning or its end. */
export function idsIn(line: string): readonly string[] {
  if (!line.trimStart().startsWith("{")) return [];
  const ends = [line.slice(0, ENDS), line.slice(-ENDS)];
  return ends.flatMap(text => [...text.matchAll(ID)].map(([, id = ""]) => id));
}

/** Which request a notice of cancellation is about. */
export function cancelledKey({ params }: JsonObject): string {
  return idKey({ id: (isJsonObject(params) ? params["requestId"] : undefined) ?? null });
}

/** Numbers and texts are different ids. */
export function idKey(message: JsonObject): string {
  return JSON.stringify(message["id"] ?? null);
}
