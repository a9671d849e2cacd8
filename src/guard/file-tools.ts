import { patchedPaths } from "../hosts/facts.ts";
import { isJsonObject, isPatchTool, type Json, ownValue } from "../protocol/index.ts";
import { text } from "../shell/value.ts";
import { expandHome, isAbsolute, join } from "../system/paths.ts";
import type { Workspace } from "./context.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { lookUp } from "./look-up.ts";
import { secretByName } from "./paths/secrets.ts";

/** What a file tool does to the paths it is given. */
type ToolAction = "read" | "write" | "search";

const ACTIONS: Readonly<Record<string, ToolAction>> = {
  Read: "read",
  NotebookRead: "read",
  Write: "write",
  Edit: "write",
  MultiEdit: "write",
  NotebookEdit: "write",
  ApplyPatch: "write",
  apply_patch: "write",
  Grep: "search",
  Glob: "search",
};

const PATH_FIELDS = [
  "file_path",
  "filePath",
  "path",
  "notebook_path",
  "notebookPath",
  "absolute_path",
  "target_file",
  "TargetFile",
  "AbsolutePath",
  "paths",
  "file_paths",
];
/** Tools of servers for files, by the last part of their name. Their paths count when they are absolute. */
const SERVED: readonly (readonly [name: RegExp, action: ToolAction])[] = [
  [/^mcp__.+__read_(text_|media_|multiple_)?files?$/i, "read"],
  [/^mcp__.+__((write|edit|create|append|append_to|delete|remove|move)_(text_)?files?)$/i, "write"],
];
const SERVED_FIELDS = [...PATH_FIELDS, "source", "destination"];
const NAME_FIELDS = ["glob", "include", "pattern"];
const MOST_PATHS = 256;

export function actionOf(canonicalName: string): ToolAction | undefined {
  return lookUp(ACTIONS, canonicalName) ?? SERVED.find(([name]) => name.test(canonicalName))?.[1];
}

/** The effects of a file tool, so that the same rules judge it as judge `cat` and `tee`. */
export function effectsOfTool(
  canonicalName: string,
  input: Json,
  knownPaths: readonly string[],
  workspace: Workspace,
): readonly CommandEffect[] {
  const action = actionOf(canonicalName);
  if (action === undefined) return [];
  const by: Actor = {
    cwd: text(workspace.cwd),
    place: { kind: "local" },
    program: canonicalName,
    invocation: undefined,
    span: { start: 0, end: 0 },
    isTool: true,
  };
  const named = canonicalName.startsWith("mcp__")
    ? fieldsOf(input, SERVED_FIELDS).filter(path => /^[/~]/.test(path))
    : fieldsOf(input, PATH_FIELDS);
  const patched = isPatchTool(canonicalName) ? textsIn(input).flatMap(patchedPaths) : [];
  const paths = [...new Set([...knownPaths, ...named, ...patched])].slice(0, MOST_PATHS);
  const absolute = paths.map(path => text(toAbsolute(path, workspace)));
  if (action === "write") return absolute.map(path => ({ kind: "write", by, path, how: "replace" }));
  const reads: CommandEffect[] = absolute.map(path => ({ kind: "read", by, path, isCopy: false }));
  return action === "read"
    ? reads
    : [
        ...reads.filter(effect => !isDirectoryRead(effect, workspace)),
        ...namedFiles(canonicalName, input, by, workspace),
      ];
}

/** Searching a directory is ordinary, also one that has a secret somewhere in it. */
function isDirectoryRead(effect: CommandEffect, workspace: Workspace): boolean {
  if (effect.kind !== "read") return false;
  const [piece] = effect.path.pieces;
  const path = piece?.kind === "text" ? piece.text : "/";
  return workspace.disk.kind(workspace.disk.resolve(path, true)) === "directory";
}

/** A file filter that can only mean a secret: `.env`, `**` + `/id_rsa`. The text searched for is data. */
function namedFiles(
  canonicalName: string,
  input: Json,
  by: Actor,
  workspace: Workspace,
): readonly CommandEffect[] {
  const fields = canonicalName === "Glob" ? NAME_FIELDS : NAME_FIELDS.filter(field => field !== "pattern");
  return fieldsOf(input, fields).flatMap((pattern): CommandEffect[] => {
    const name = pattern.slice(pattern.lastIndexOf("/") + 1).replace(/[*]+$/, "");
    if (secretByName(name, { added: [], removed: [] }) === undefined) return [];
    return [{ kind: "read", by, path: text(join(workspace.cwd, name)), isCopy: false }];
  });
}

function toAbsolute(path: string, workspace: Workspace): string {
  const expanded = expandHome(path, workspace.home);
  return isAbsolute(expanded) ? expanded : join(workspace.cwd, expanded);
}

/** A patch is the whole input, a member of it, or a word of a command. */
function textsIn(input: Json): readonly string[] {
  if (typeof input === "string") return [input];
  const members = isJsonObject(input) ? Object.values(input) : [];
  return members.flat().filter(member => typeof member === "string");
}

function fieldsOf(input: Json, names: readonly string[]): readonly string[] {
  if (!isJsonObject(input)) return [];
  return names.flatMap(name => {
    const value = ownValue(input, name);
    if (typeof value === "string") return value === "" ? [] : [value];
    return Array.isArray(value) ? value.filter(item => typeof item === "string") : [];
  });
}
