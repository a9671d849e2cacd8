import { actionOf, type FileAction, patchedPaths, type ToolShape, toolWords } from "../hosts/index.ts";
import { isJsonObject, isPatchTool, type Json, memberAt, type ToolUse } from "../protocol/index.ts";
import { type Piece, text, type Value } from "../shell/index.ts";
import { expandHome, join, resolve } from "../system/index.ts";
import { secretByName, type Workspace } from "../workspace/index.ts";
import type { Actor, CommandEffect } from "./effects.ts";

type FileShape = Extract<ToolShape, { readonly as: "file" }>;
type FileUse = Pick<FileShape, "action" | "path" | "to" | "isGuess">;

/** What a tool does to the files it names, so that the same rules judge it as judge `cat`, `tee` and `rm`. */
export function effectsOfTool(
  { canonicalName, input }: Pick<ToolUse, "canonicalName" | "input">,
  shapes: readonly FileShape[],
  knownPaths: readonly string[],
  workspace: Workspace,
): readonly CommandEffect[] {
  const told = new Set(shapes.flatMap(({ path, to }) => [path, to]));
  const patched = isPatchTool(canonicalName) ? textsIn(input).flatMap(patchedPaths) : [];
  const untold = [...new Set([...knownPaths, ...patched])].filter(path => !told.has(path));
  const uses: readonly FileUse[] = [
    ...shapes,
    ...untold.map(path => ({ action: untoldAction(canonicalName), path })),
    ...secretFilters(canonicalName, input).map(path => ({ action: "read" as const, path })),
  ];
  const by: Actor = {
    cwd: text(workspace.directory),
    place: { kind: "local" },
    program: canonicalName,
    invocation: undefined,
    span: { start: 0, end: 0 },
    isTool: true,
  };
  const how = /append/i.test(canonicalName) ? "append" : "replace";
  return uses.flatMap(use => effectsOfUse(use, by, how, workspace));
}

function untoldAction(canonicalName: string): FileAction {
  const action = actionOf(toolWords(canonicalName).tool) ?? "write";
  return action === "move" || action === "copy" ? "write" : action;
}

function effectsOfUse(
  { action, path: written, to: target, isGuess }: FileUse,
  by: Actor,
  how: "append" | "replace",
  { directory, home, disk }: Workspace,
): readonly CommandEffect[] {
  const place = (path: string) => resolve(directory, expandHome(path, home));
  const path = place(written);
  const isDirectory = disk.kind(disk.resolve(path, true)) === "directory";
  switch (action) {
    case "look":
      return [];
    case "search":
      // Searching a directory is ordinary, also one that has a secret somewhere in it.
      return isDirectory ? [] : [{ kind: "read", by, path: text(path), isCopy: false }];
    case "read":
      return [{ kind: "read", by, path: text(path), isCopy: false }];
    case "write":
      // `/` alone is the address of a page as often as the top of a disk.
      if (isGuess === true && path === "/") return [];
      return [{ kind: "write", by, path: text(path), how, isInto: isDirectory }];
    case "delete":
      return [{ kind: "delete", by, path: patternValue(path), isRecursive: isDeletedWhole(path, disk) }];
    case "move":
    case "copy": {
      const from = text(path);
      const first: CommandEffect =
        action === "copy"
          ? { kind: "read", by, path: from, isCopy: true }
          : { kind: "move", by, from, to: target === undefined ? undefined : text(place(target)) };
      if (target === undefined) return [first];
      const to = place(target);
      const isInto = disk.kind(disk.resolve(to, true)) === "directory";
      return [first, { kind: "write", by, path: text(to), how: "replace", from, isInto }];
    }
  }
}

function isDeletedWhole(path: string, disk: Workspace["disk"]): boolean {
  return disk.kind(path) === "directory" || /[*?]/.test(path);
}

/** Tools that delete may take patterns; a file of that very name is not lost sight of. */
function patternValue(path: string): Value {
  const pieces = [...path.matchAll(/[*?]+|[^*?]+/g)].map(
    ([part]): Piece => (/^[*?]/.test(part) ? { kind: "glob", pattern: part } : { kind: "text", text: part }),
  );
  return { pieces, origins: [] };
}

/** File filters that can only mean a secret: `.env`, `**` + `/id_rsa`. The text searched for is data. */
function secretFilters(toolName: string, input: Json): readonly string[] {
  if (toolName !== "Glob" && toolName !== "Grep") return [];
  return stringsIn(input, toolName === "Glob" ? ["glob", "include", "pattern"] : ["glob", "include"])
    .map(pattern => pattern.slice(pattern.lastIndexOf("/") + 1).replace(/[*]+$/, ""))
    .filter(name => secretByName(name, { added: [], removed: [] }) !== undefined)
    .map(name => join(".", name));
}

/** A patch is the whole input, a member of it, or a word of a command. */
function textsIn(input: Json): readonly string[] {
  if (typeof input === "string") return [input];
  const members = isJsonObject(input) ? Object.values(input) : [];
  return members.flat().filter(member => typeof member === "string");
}

function stringsIn(input: Json, names: readonly string[]): readonly string[] {
  return names
    .flatMap(name => memberAt(input, name) ?? [])
    .filter((value): value is string => typeof value === "string" && value !== "");
}
