import {
  type HookInput,
  isJsonObject,
  isPatchTool,
  type Json,
  type JsonObject,
  readJson,
} from "../../protocol/index.ts";
import { executedShapes, isExecutedName } from "./command-shapes.ts";
import { fileShapes, isPathMember } from "./named-files.ts";
import {
  hasWord,
  isDirectoryName,
  isListed,
  type Level,
  nameWords,
  type ShapedCall,
  type ToolShape,
  type ToolWords,
  toolWords,
} from "./tool-words.ts";

const MAX_DEPTH = 40;
const MAX_OBJECTS = 1_000;
/** Members and items of lists in all. Every one of them is compared with many words. */
const MAX_VALUES = 3_000;
const MAX_SHAPES = 500;

/** Tools that hosts have for files: none of their members is run. */
const FILE_TOOLS = /^((Notebook)?Read|Write|(Multi|Notebook)?Edit|ApplyPatch|Grep|Glob|LS)$/;

/**
 * Reads the arguments of any tool by their shape: commands, SQL, code, files. Names of tools and of servers are what
 * people chose when they set them up; the arguments are the agent's.
 */
export function readShapes(toolName: string, input: Json): ShapedCall {
  const shapes: ToolShape[] = [];
  let directory: string | undefined;
  let seen = 0;
  let left = MAX_VALUES;
  let isComplete = true;
  /** The same members as far as there is work left, with lists cut where it ends. */
  const bounded = (members: JsonObject): JsonObject => {
    const kept: Record<string, Json> = {};
    for (const name in members) {
      const value = members[name] ?? null;
      if (left <= 0) break;
      left -= Array.isArray(value) ? 1 + value.length : 1;
      kept[name] = Array.isArray(value) && left < 0 ? value.slice(0, left) : value;
    }
    if (left <= 0) isComplete = false;
    return kept;
  };
  const isOfFiles = FILE_TOOLS.test(toolName) || isPatchTool(toolName);
  const visit = ({ members: given, ...place }: Level): void => {
    const level = { ...place, members: bounded(given) };
    seen += 1;
    if (seen > MAX_OBJECTS || shapes.length > MAX_SHAPES || level.place.length > MAX_DEPTH) {
      isComplete = false;
      return;
    }
    const found = isOfFiles ? [] : executedShapes(level);
    const isCommand = found.some(({ as }) => as === "shell" || as === "program" || as === "code");
    for (const [name, value] of Object.entries(level.members))
      if (typeof value === "string" && value !== "" && isDirectoryName(name, isCommand)) directory ??= value;
    shapes.push(...found, ...fileShapes(level, isCommand));
    for (const [name, value] of Object.entries(level.members)) descend(level, name, value);
  };
  const descend = (level: Level, name: string, value: Json): void => {
    const place = [...level.place, name];
    const around = [...level.around, level.members];
    const opened = openText(name, value);
    const tool = isNestedInput(name) ? innerTool(level) : level.tool;
    for (const [index, item] of (Array.isArray(opened) ? (opened as readonly Json[]) : [opened]).entries())
      if (isJsonObject(item))
        visit({
          tool,
          members: item,
          place: Array.isArray(opened) ? [...place, String(index)] : place,
          around,
        });
  };
  if (isJsonObject(input)) visit({ tool: toolWords(toolName), members: input, place: [], around: [] });
  return { shapes, directory, isComplete };
}

const NESTED = /^(arguments|args|params|parameters|input|payload|tool_?input|toolargs)$/i;

function isNestedInput(name: string): boolean {
  return NESTED.test(name);
}

const GATEWAYS = "mcp tool tools gateway call calls invoke proxy batch parallel router dispatch multi";

/** Tools that call tools name the inner one beside its arguments: `use_mcp_tool`, batches. To others it is a word. */
function innerTool({ tool, members }: Level): ToolWords {
  if (!hasWord([...tool.server, ...tool.tool], GATEWAYS)) return tool;
  for (const name of ["tool_name", "toolName", "tool", "name", "function"]) {
    const inner = members[name];
    if (typeof inner !== "string" || inner === "") continue;
    const { server, tool: words } = toolWords(inner);
    const outer = members["server_name"] ?? members["serverName"] ?? members["server"];
    const named = typeof outer === "string" ? nameWords(outer) : [];
    return { server: [...named, ...server], tool: words };
  }
  return tool;
}

/** Objects and lists that come as JSON text. */
function openText(name: string, value: Json): Json {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const isOpened =
    isNestedInput(name) || isPathMember(name) || isExecutedName(name) || /^calls?$/i.test(name);
  const read = isOpened ? readJson(value, { recover: false, maxDepth: MAX_DEPTH }) : undefined;
  return read?.ok === true ? read.value : value;
}

type Facts = HookInput["facts"];

/**
 * What a call is about, for people. Of a tool that is none of the host's own the shape of its arguments tells it: what
 * runs there is the command, also when it is SQL or code.
 */
export function factsOfCall(canonicalName: string, toolInput: Json, facts: Facts): Facts {
  if (facts.command !== null || facts.paths.length > 0) return facts;
  const { shapes, directory } = readShapes(canonicalName, toolInput);
  const texts = shapes.flatMap(shape => {
    if (shape.as === "file") return [];
    if (shape.as === "shell") return [shape.command];
    return [shape.as === "program" ? shape.argv.join(" ") : shape.text];
  });
  const paths = shapes.flatMap(shape =>
    shape.as === "file" ? [shape.path, ...(shape.to === undefined ? [] : [shape.to])] : [],
  );
  return {
    command: texts.length === 0 ? null : texts.join("\n"),
    paths: [...new Set(paths)],
    ...(directory === undefined ? {} : { directory }),
  };
}

/** A tool called by nothing but these words runs what it is given on a machine. */
const SHELL_WORDS = `
  run runs exec execute shell bash sh zsh terminal console command commands cmd commandline powershell pwsh tty pty
  process spawn subprocess system ssh
`;
/** Words that may stand beside them without making it something else. */
const FILLERS = "a an the in on my user local remote tool new any line do call invoke and async start";

/** The members of a call whose tool looks like a shell by its name, and of which none can be read as something to run. */
export function unreadShell(toolName: string, canonicalName: string, input: Json): readonly string[] {
  if (!isJsonObject(input) || typeof input["command"] === "string" || !looksLikeShell(toolName)) return [];
  if (readShapes(canonicalName, input).shapes.some(({ as }) => as !== "file")) return [];
  return Object.entries(input).flatMap(([name, value]) => (holdsText(value) ? [name] : []));
}

function looksLikeShell(toolName: string): boolean {
  const { tool } = toolWords(toolName);
  const isPlain = (word: string) => isListed(SHELL_WORDS, word) || isListed(FILLERS, word);
  return hasWord(tool, SHELL_WORDS) && tool.every(isPlain);
}

function holdsText(value: Json): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (Array.isArray(value)) return value.some(holdsText);
  return isJsonObject(value) && Object.values(value).some(holdsText);
}
