/** The messages of MCP that `mcp guard` knows: everything else is refused, in both directions. */
import { isJsonObject, type JsonObject, stringAt } from "../../protocol/index.ts";

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

/** A request or notification, written anew from what is known of it; undefined for a method that is not. */
export function knownMessage(from: "client" | "server", message: JsonObject): JsonObject | undefined {
  const methods = from === "client" ? CLIENT_METHODS : SERVER_METHODS;
  const method = stringAt(message, "method") ?? "";
  const names = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (names === undefined) return undefined;
  const { params } = message;
  return {
    ...pick(message, "jsonrpc id method"),
    ...(isJsonObject(params) ? { params: pick(params, names) } : {}),
  };
}

/** An answer, written anew. */
export function knownAnswer(message: JsonObject): JsonObject {
  const { error } = message;
  return isJsonObject(error)
    ? { ...pick(message, "jsonrpc id"), error: pick(error, "code message data") }
    : pick(message, "jsonrpc id result");
}

function pick(from: JsonObject, names: string): JsonObject {
  return Object.fromEntries(
    names.split(" ").flatMap(name => {
      const value = Object.hasOwn(from, name) ? from[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The path that an address names on this machine: a `file:` address surely, one of a scheme of the server's own perhaps. */
export function uriToPath(uri: string): { readonly path: string; readonly isFile: boolean } | undefined {
  // As servers read it, for whom blanks around it and control characters inside are nothing.
  if (!URL.canParse(uri)) return undefined;
  const { host, protocol, pathname } = new URL(uri);
  if (ELSEWHERE.test(protocol)) return undefined;
  const isFile = protocol === "file:";
  const path = isFile || host === "" ? pathname : `/${host}${pathname}`;
  try {
    return { path: decodeURIComponent(path), isFile };
  } catch {
    return { path, isFile };
  }
}

/** What lies on another machine. */
const ELSEWHERE = /^(?:https?|wss?|ftp):$/;
