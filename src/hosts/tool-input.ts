import {
  CALL_VALUE_LIMIT,
  FIELD_NAMES,
  type InputWarning,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  ownValue,
  PAYLOAD_DEPTH_LIMIT,
  readField,
  readJson,
} from "../protocol/index.ts";
import { quoteWord } from "../system/index.ts";
import { COMMAND_NAMES, FILE_TOOLS, PATH_NAMES, type ToolFacts } from "./facts.ts";
import type { HostDescriptor } from "./host.ts";

// A tool's input with its members under the names of Claude Code, whatever host sent it, and the way back.

const PATHS = [...PATH_NAMES, "absolute_path", "target_file"];
const PATCH_NAMES = ["patch", "patchText", "input", ...COMMAND_NAMES];
const PATCH_OPENING = "*** Begin Patch";

type Spellings = Readonly<Record<string, readonly string[]>>;

/** Canonical member → how hosts spell it, by canonical tool. */
const SPELLINGS: Readonly<Record<string, Spellings>> = {
  Bash: { command: COMMAND_NAMES, run_in_background: ["run_in_background", "background", "is_background"] },
  Read: { file_path: PATHS },
  Write: {
    file_path: PATHS,
    content: ["content", "file_text", "fileText", "contents", "CodeContent", "file_content"],
  },
  Edit: {
    file_path: PATHS,
    old_string: ["old_string", "oldString", "old_str", "oldText"],
    new_string: ["new_string", "newString", "new_str", "newText"],
    replace_all: ["replace_all", "replaceAll"],
    patch: PATCH_NAMES,
  },
  NotebookEdit: { notebook_path: ["notebook_path", "notebookPath"] },
  Glob: { pattern: ["pattern", "glob", "filePattern"] },
  Grep: { pattern: ["pattern", "query", "regex"] },
  WebSearch: { query: ["query", "search_term", "q"] },
  Agent: { prompt: ["prompt", "message", "task"] },
};

function findSpellings(tool: string): Spellings {
  return Object.hasOwn(SPELLINGS, tool) ? (SPELLINGS[tool] ?? {}) : {};
}

/** Which member of a host's input holds a canonical one. */
function nativeNames(tool: string, input: JsonObject): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [canonical, names] of Object.entries(findSpellings(tool))) {
    const native = names.find(name => {
      if (!Object.hasOwn(input, name)) return false;
      return canonical !== "patch" || isPatchText(input[name]);
    });
    if (native !== undefined) found.set(canonical, native);
  }
  return found;
}

function isPatchText(value: Json | undefined): boolean {
  return typeof value === "string" && value.trimStart().startsWith(PATCH_OPENING);
}

/**
 * The input under canonical names: `command` of a shell, `file_path`, `content`, `old_string` and so on of file
 * tools, which also get `paths`, every file that the call names. Members that only the host knows stay.
 */
export function canonicalInput(tool: string, input: Json, facts: ToolFacts): JsonObject {
  const given: JsonObject = isJsonObject(input) ? input : typeof input === "string" ? { patch: input } : {};
  const names = nativeNames(tool, given);
  const isRenamed = new Set(names.values());
  const members: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) if (!isRenamed.has(name)) members[name] = value;
  for (const [canonical, native] of names) members[canonical] = given[native] ?? null;
  if (tool === "Bash") {
    const { command, commands } = members;
    if (facts.command !== null) members["command"] = facts.command;
    else if (isWords(command)) members["command"] = command.map(quoteWord).join(" ");
    if (command === undefined && commands !== undefined) delete members["commands"];
  }
  if (!FILE_TOOLS.has(tool)) return members;
  const [first] = facts.paths;
  if (typeof members["file_path"] !== "string" && first !== undefined) members["file_path"] = first;
  return { ...members, paths: facts.paths };
}

/**
 * The host's own input for one that was changed under canonical names. What was not changed stays exactly as the host
 * wrote it; a member that is gone from `changed` is gone. Undefined when the host's form cannot hold the change.
 */
export function nativeInput(
  tool: string,
  original: Json,
  facts: ToolFacts,
  changed: JsonObject,
): JsonObject | undefined {
  if (!isJsonObject(original)) return undefined;
  const before = canonicalInput(tool, original, facts);
  const names = nativeNames(tool, original);
  const result: Record<string, Json> = {};
  for (const [name, value] of Object.entries(changed)) {
    const isDerived = name === "paths" || !Object.hasOwn(original, names.get(name) ?? name);
    const isSame = Object.hasOwn(before, name) && isSameJson(before[name] ?? null, value);
    if (isSame && isDerived) continue;
    if (name === "paths") return undefined;
    const native = names.get(name) ?? name;
    result[native] = isSame ? (original[native] ?? null) : value;
  }
  return tool === "Bash" ? withListedCommand(original, result) : result;
}

/** A command that the host keeps as a list of lines, or of words. */
function withListedCommand(original: JsonObject, result: JsonObject): JsonObject {
  const { command, ...rest } = result;
  if (isWords(original["command"]) && typeof command === "string")
    return { ...rest, command: ["sh", "-c", command] };
  const { commands } = original;
  if (commands === undefined || Object.hasOwn(original, "command")) return result;
  return { ...rest, commands: typeof command === "string" ? [command] : commands };
}

function isWords(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every(word => typeof word === "string");
}

/** The value at a dotted path; a number indexes an array. Undefined when a step is missing. */
export function readPath(payload: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = payload;
  for (const step of path.split(".")) {
    if (Array.isArray(value)) value = (value as readonly Json[])[Number(step)];
    else value = isJsonObject(value) ? ownValue(value, step) : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** The first of several paths that leads to something other than null, with its path. */
export function readFirst(
  payload: JsonObject,
  paths: readonly string[],
): { readonly name: string; readonly value: Json } | undefined {
  for (const name of paths) {
    const value = readPath(payload, name);
    if (value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/** Members copied under other names, leaving out what is not there. */
export function rename(payload: JsonObject, sources: Readonly<Record<string, string>>): JsonObject {
  const found: [string, Json][] = [];
  for (const [name, path] of Object.entries(sources)) {
    const value = readPath(payload, path);
    if (value !== undefined && value !== null) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

/** Shell tools are recognised whatever their case: a guard that misses `bash` guards nothing. */
const SHELL_NAMES: ReadonlySet<string> = new Set(["bash", "shell"]);

/** The name our rules use for a host's tool; a name that is not listed stays as it is. */
export function canonicalToolName(host: HostDescriptor, toolName: string, payload: JsonObject): string {
  const special = host.input?.canonicalTool?.(toolName, payload);
  if (special !== undefined) return special;
  if (Object.hasOwn(host.tools, toolName)) return host.tools[toolName] ?? toolName;
  return SHELL_NAMES.has(toolName.toLowerCase()) ? "Bash" : toolName;
}

/** The host's own name for a canonical tool, where it has one. */
export function nativeToolName(host: HostDescriptor, canonical: string): string {
  return Object.entries(host.tools).find(([, name]) => name === canonical)?.[0] ?? canonical;
}

export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

export function isMcpTool(payload: JsonObject): boolean {
  const name = readField(payload, FIELD_NAMES.toolName)?.value;
  return typeof name === "string" && name.startsWith("mcp__");
}

/**
 * An object, except for plain text that is no JSON and JSON text that holds something else. Undefined where it has more
 * values than are read.
 */
export function readToolInput(
  host: HostDescriptor,
  raw: JsonObject,
  nativeEvent: string,
  warnings: InputWarning[],
): Json | undefined {
  const paths = [...FIELD_NAMES.toolInput, "toolUse.input", ...(host.input?.toolInput ?? [])];
  const field = readFirst(raw, paths) ?? assembleInput(host, raw, nativeEvent);
  if (field === undefined) {
    const empty = paths.find(path => readPath(raw, path) === null);
    warnings.push({ code: "missing-tool-input", ...(empty === undefined ? {} : { field: empty }) });
    return {};
  }
  if (isJsonObject(field.value)) return field.value;
  if (typeof field.value === "string") {
    const limits = { maxDepth: PAYLOAD_DEPTH_LIMIT, maxValues: CALL_VALUE_LIMIT };
    const read = readJson(field.value, { recover: false, ...limits });
    if (read.ok) return read.value;
    if (read.problem === "too-many") return undefined;
    warnings.push({ code: "tool-input-not-json", field: field.name });
    return field.value;
  }
  warnings.push({ code: "tool-input-wrong-type", field: field.name });
  return {};
}

/** Specialised events spread the tool input over the payload. */
function assembleInput(
  host: HostDescriptor,
  raw: JsonObject,
  nativeEvent: string,
): { readonly name: string; readonly value: Json } | undefined {
  const plan = host.input?.assembledInput;
  const sources = plan && ownValue(plan, nativeEvent);
  if (sources === undefined) return undefined;
  if (typeof sources === "string") return readFirst(raw, [sources]);
  const value = rename(raw, sources);
  return Object.keys(value).length === 0 ? undefined : { name: nativeEvent, value };
}
