import type { CommandAction, HttpAction, McpToolAction } from "../../handlers/index.ts";
import {
  type FailurePolicy,
  type Json,
  type JsonObject,
  objectAt,
  readJson,
  StrictMembers,
} from "../../protocol/index.ts";
import { ifPresent } from "../../state/index.ts";
import { join, type System, sha256Hex } from "../../system/index.ts";

/** One hook of a compiled file. */
export interface BuiltHook extends Wants {
  readonly name: string;
  /** the name under which the file exports it */
  readonly exportName: string;
  readonly order: number;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy;
}

/** A file that went into a compiled one, as it was then. */
export interface SourceFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** of its content; a manifest of an earlier version has none */
  readonly sha256: string;
  /** the project of a configuration that is not the user's own */
  readonly project?: string | undefined;
}

/** One source file and what became of it. */
export interface BuiltFile {
  readonly source: string;
  /** the project that it belongs to and is trusted for; undefined for the user's own */
  readonly project: string | undefined;
  /** the source and everything that it imports */
  readonly inputs: readonly SourceFile[];
  /** of the contents of all of them */
  readonly sha256: string;
  /** the compiled file, in the build folder; undefined when it could not be built */
  readonly code: string | undefined;
  /** uses the language and what it is given, nothing else */
  readonly isPortable: boolean;
  /** mentions the facts of a command, which are expensive to find */
  readonly usesFacts: boolean;
  /** why it could not be built; `hooks` are then those of the last build that succeeded */
  readonly problem: string | undefined;
  readonly hooks: readonly BuiltHook[];
}

/** A tool of an MCP server. The server is described here, or in a file that is read when it is called. */
export interface BuiltMcpAction extends McpToolAction {
  readonly description?: JsonObject;
  readonly describedIn?: string;
}

/** One handler in Claude's shape, from `hooks.jsonc` or from settings of Claude Code that are imported. */
export interface BuiltHandler {
  readonly id: string;
  /** the file it stands in */
  readonly path: string;
  /** undefined for the user's own */
  readonly project: string | undefined;
  readonly event: string;
  readonly matcher: string | undefined;
  /** the permission rule of `if` */
  readonly condition: string | undefined;
  readonly action: CommandAction | HttpAction | BuiltMcpAction;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy;
  readonly isOnce: boolean;
  /** hosts that run it themselves */
  readonly exceptHosts: readonly string[];
  /** files of the project that it runs, as they were when they were trusted */
  readonly runs?: { readonly paths: readonly string[]; readonly sha256: string } | undefined;
  readonly source: { readonly pluginRoot?: string; readonly pluginId?: string };
  /** the host it was written for and how it is written there; absent: Claude's */
  readonly writtenFor?: { readonly host: string; readonly dialect: "atomcode-json" } | undefined;
}

/** All that a run must know about users' hooks before it loads any: one small file. */
export interface Manifest {
  /** Node and the script that runs hooks which need Node */
  readonly runner: readonly string[];
  /** how `amplihack hooks build` is started */
  readonly builder: readonly string[];
  readonly files: readonly BuiltFile[];
  readonly handlers: readonly BuiltHandler[];
  /** files in Claude's shape as they were */
  readonly configurations: readonly SourceFile[];
}

export const MANIFEST_VERSION = 1;
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_MANIFEST_DEPTH = 40;

/** Compiled hooks and their manifest, where no project can write and no agent may. */
export function buildFolder(stateHome: string): string {
  return join(stateHome, "hooks", ".build");
}

export function manifestFile(stateHome: string): string {
  return join(buildFolder(stateHome), "manifest.json");
}

/**
 * Undefined when there is none: no hook was ever built. Throws for one that cannot be read. One of `knownLength` is the
 * one that the build wrote, and is taken as it is: a run has no time to check every member.
 */
export function readManifest(
  system: Pick<System, "files" | "text">,
  stateHome: string,
  knownLength?: number,
): Manifest | undefined {
  const bytes = ifPresent(() => system.files.read(manifestFile(stateHome), MAX_MANIFEST_BYTES));
  if (bytes === undefined) return undefined;
  const { text } = system.text.decode(bytes);
  if (text.length === knownLength) return JSON.parse(text) as Manifest;
  const read = readJson(text, { recover: false, maxDepth: MAX_MANIFEST_DEPTH });
  if (!read.ok) throw new Error(`it is ${read.problem}`);
  return parseManifest(read.value);
}

function parseManifest(value: Json): Manifest {
  const members = new StrictMembers(value);
  if (members.number("version") !== MANIFEST_VERSION) throw new Error("it was made by another version");
  return {
    runner: members.strings("runner"),
    builder: members.strings("builder"),
    files: members.list("files").map((file, index) => parseFile(file, `files[${index}]`)),
    handlers: members.list("handlers").map((one, index) => parseHandler(one, `handlers[${index}]`)),
    configurations: members
      .list("configurations")
      .map((one, index) => parseSource(one, `configurations[${index}]`)),
  };
}

const REQUIRED_MEMBER = { command: "command", http: "url", mcp_tool: "tool" } as const;

function parseHandler(value: Json, place: string): BuiltHandler {
  const members = new StrictMembers(value, place);
  const action = new StrictMembers(objectAt(value, "action"), `${place}.action`);
  action.string(REQUIRED_MEMBER[action.oneOf("kind", ["command", "http", "mcp_tool"])]);
  return {
    id: members.string("id"),
    path: members.string("path"),
    project: members.optional("project", members.string),
    event: members.string("event"),
    matcher: members.optional("matcher", members.string),
    condition: members.optional("condition", members.string),
    // We wrote it ourselves, from a handler that was checked member by member.
    action: objectAt(value, "action") as unknown as BuiltHandler["action"],
    timeoutMs: members.number("timeoutMs"),
    onFailure: members.oneOf("onFailure", ["open", "ask", "closed"]),
    isOnce: members.boolean("isOnce"),
    exceptHosts: members.strings("exceptHosts"),
    runs: members.optional("runs", name => {
      const runs = new StrictMembers(objectAt(value, name), `${place}.${name}`);
      return { paths: runs.strings("paths"), sha256: runs.string("sha256") };
    }),
    source: objectAt(value, "source") as BuiltHandler["source"],
    writtenFor: members.optional("writtenFor", name => {
      const written = new StrictMembers(objectAt(value, name), `${place}.${name}`);
      return { host: written.string("host"), dialect: written.oneOf("dialect", ["atomcode-json"]) };
    }),
  };
}

function parseFile(value: Json, place: string): BuiltFile {
  const members = new StrictMembers(value, place);
  return {
    source: members.string("source"),
    project: members.optional("project", members.string),
    inputs: members.list("inputs").map((input, index) => parseSource(input, `${place}.inputs[${index}]`)),
    sha256: members.string("sha256"),
    code: members.optional("code", members.string),
    isPortable: members.boolean("isPortable"),
    usesFacts: members.boolean("usesFacts"),
    problem: members.optional("problem", members.string),
    hooks: members.list("hooks").map((hook, index) => parseHook(hook, `${place}.hooks[${index}]`)),
  };
}

function parseSource(value: Json, place: string): SourceFile {
  const members = new StrictMembers(value, place);
  return {
    path: members.string("path"),
    size: members.count("size"),
    modifiedMs: members.number("modifiedMs"),
    sha256: members.optional("sha256", members.string) ?? "",
    project: members.optional("project", members.string),
  };
}

export function parseHook(value: Json, place: string): BuiltHook {
  const members = new StrictMembers(value, place);
  return {
    name: members.string("name"),
    exportName: members.string("exportName"),
    events: members.strings("events"),
    tools: members.strings("tools"),
    hostTools: members.strings("hostTools"),
    hosts: members.strings("hosts"),
    when: parseWhen((value as JsonObject)["when"] ?? null, `${place}.when`),
    order: members.number("order"),
    timeoutMs: members.number("timeoutMs"),
    onFailure: members.oneOf("onFailure", ["open", "ask", "closed"]),
  };
}

function parseWhen(value: Json, place: string): When | undefined {
  if (value === null) return undefined;
  const members = new StrictMembers(value, place);
  const words = members.optional("words", members.strings);
  return words === undefined
    ? { pattern: members.string("pattern"), flags: members.string("flags") }
    : { words };
}

const MAX_RUN_FILE_BYTES = 16 * 1024 * 1024;

/** Of the contents of files, in the order given; one that cannot be read counts by what the disk says of it. */
export function digestFiles(
  { files, text }: Pick<System, "files" | "text">,
  paths: readonly string[],
): string {
  const lines = paths.map(path => {
    try {
      return `${path}\0${sha256Hex(files.read(path, MAX_RUN_FILE_BYTES))}`;
    } catch {
      return `${path}\0${readStamp(files, path)}`;
    }
  });
  return sha256Hex(text.encode(lines.join("\n")));
}

/** A stamp ends with the time of its last change, which nobody can set. */
function readStamp(files: System["files"], path: string): string {
  try {
    return files.exactFacts(files.realPath(path))?.stamp ?? "missing";
  } catch {
    return "missing";
  }
}

/** Which calls a hook is for, as plain data: what `defineHook` was told and what the manifest holds. */
export interface Wants {
  readonly events: readonly string[];
  readonly tools: readonly string[];
  readonly hostTools: readonly string[];
  readonly hosts: readonly string[];
  readonly when: When | undefined;
}

/** A pattern, or words of which one must stand in the text. */
export type When =
  | { readonly pattern: string; readonly flags: string }
  | { readonly words: readonly string[] };
