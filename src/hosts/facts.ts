import {
  CALL_VALUE_LIMIT,
  isJsonObject,
  isPatchTool,
  JSON_DEPTH_LIMIT,
  type Json,
  type JsonObject,
  ownValue,
  readJson,
} from "../protocol/index.ts";
import type { HostDescriptor } from "./host.ts";
import { directoryOfCommand } from "./tools/tool-words.ts";

/** What a tool call is about, as far as its input says: the command line, or the files. */
export interface ToolFacts {
  readonly command: string | null;
  readonly paths: readonly string[];
  /** the directory that the call works in, where it names one; relative to the session's */
  readonly directory?: string;
}

export const NO_FACTS: ToolFacts = Object.freeze({ command: null, paths: Object.freeze([]) });

export const COMMAND_NAMES = ["command", "command_line", "CommandLine", "cmd"];
export const PATH_NAMES: ReadonlySet<string> = new Set([
  "file_path",
  "filePath",
  "path",
  "TargetFile",
  "AbsolutePath",
]);
const PATCH_NAMES: ReadonlySet<string> = new Set(["patchText", "patch"]);
export const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);
const PATCH_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to):(.*)$/gm;

/** Facts of a tool input in any host's spelling; `toolName` is the host's own. */
export function deriveFacts(
  host: HostDescriptor,
  toolName: string,
  canonicalName: string,
  toolInput: Json,
): ToolFacts {
  if (canonicalName === "Bash") {
    const directory = directoryOfCommand(toolInput);
    return { command: readCommand(toolInput), paths: [], ...(directory === undefined ? {} : { directory }) };
  }
  if (!FILE_TOOLS.has(canonicalName)) return NO_FACTS;
  if (typeof toolInput === "string") return { command: null, paths: unique(patchedPaths(toolInput)) };
  if (!isJsonObject(toolInput)) return NO_FACTS;
  const own = host.input?.paths?.(toolInput) ?? [];
  return { command: null, paths: unique([...listPaths(toolInput, isPatchTool(toolName)), ...own]) };
}

function readCommand(toolInput: Json): string | null {
  if (!isJsonObject(toolInput)) return null;
  for (const name of COMMAND_NAMES) {
    const value = ownValue(toolInput, name);
    if (typeof value === "string") return value;
  }
  return joinedCommands(ownValue(toolInput, "commands"));
}

/** A list of command lines; some hosts send it as JSON text. */
function joinedCommands(value: Json | undefined): string | null {
  if (typeof value === "string") {
    const limits = { maxDepth: JSON_DEPTH_LIMIT, maxValues: CALL_VALUE_LIMIT };
    const read = readJson(value, { recover: true, ...limits });
    return read.ok && Array.isArray(read.value) ? joinedCommands(read.value) : value;
  }
  if (!Array.isArray(value)) return null;
  return (value as readonly Json[]).filter(line => typeof line === "string").join("\n");
}

function listPaths(toolInput: JsonObject, isPatch: boolean): string[] {
  return Object.entries(toolInput).flatMap(([name, value]) => {
    if (typeof value !== "string" || value === "") return [];
    if (PATH_NAMES.has(name)) return [value];
    return isPatch || PATCH_NAMES.has(name) ? patchedPaths(value) : [];
  });
}

/** The files that a patch of agents names. */
export function patchedPaths(patch: string): string[] {
  // Trimmed here: blanks in the pattern would be tried in every division of a line that is full of them.
  return [...patch.matchAll(PATCH_LINE)].map(([, path = ""]) => path.trim()).filter(path => path !== "");
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
