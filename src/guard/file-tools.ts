import { patchedPaths } from "../hosts/facts.ts";
import { isJsonObject, isPatchTool, type Json, type ToolUse } from "../protocol/index.ts";
import { memberAt } from "../protocol/members.ts";
import type { ShellFacts } from "../shell/facts.ts";
import { words } from "../shell/options.ts";
import { text } from "../shell/value.ts";
import { expandHome, isAbsolute, join } from "../system/paths.ts";
import { collectFindings } from "./collect-findings.ts";
import { footprintOfEffects } from "./collect-footprint.ts";
import { conclude } from "./conclude.ts";
import type { Workspace } from "./context.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { ALLOWED, type Judgement } from "./judgement.ts";
import { secretByName } from "./paths/secrets.ts";

/** What a file tool does to the paths it is given, by its name. Those of servers go by the last part of it. */
const ACTIONS = [
  ["read", /^(Notebook)?Read$/],
  ["read", /^mcp__.+__read_(text_|media_|multiple_)?files?$/i],
  ["write", /^(Write|(Multi|Notebook)?Edit|ApplyPatch|apply_patch)$/],
  ["write", /^mcp__.+__((write|edit|create|append|append_to|delete|remove|move)_(text_)?files?)$/i],
  ["search", /^(Grep|Glob)$/],
] as const;

const PATH_FIELDS = words(`
  file_path filePath path notebook_path notebookPath absolute_path target_file TargetFile AbsolutePath paths file_paths
`);
const MAX_PATHS = 256;

/** The effects of a file tool, so that the same rules judge it as judge `cat` and `tee`. */
function effectsOfTool(
  name: string,
  input: Json,
  knownPaths: readonly string[],
  { cwd, home, disk }: Workspace,
): readonly CommandEffect[] {
  const action = ACTIONS.find(([, pattern]) => pattern.test(name))?.[0];
  if (action === undefined) return [];
  const by: Actor = {
    cwd: text(cwd),
    place: { kind: "local" },
    program: name,
    invocation: undefined,
    span: { start: 0, end: 0 },
    isTool: true,
  };
  // The paths of servers count when they are absolute: the others are not paths of this machine.
  const named = name.startsWith("mcp__")
    ? stringsIn(input, [...PATH_FIELDS, "source", "destination"]).filter(path => /^[/~]/.test(path))
    : stringsIn(input, PATH_FIELDS);
  const patched = isPatchTool(name) ? textsIn(input).flatMap(patchedPaths) : [];
  const paths = [...new Set([...knownPaths, ...named, ...patched])].slice(0, MAX_PATHS).map(path => {
    const expanded = expandHome(path, home);
    return isAbsolute(expanded) ? expanded : join(cwd, expanded);
  });
  // What is deleted or moved may be a directory.
  const isInto = /__(delete|remove|move)_/i.test(name);
  if (action === "write")
    return paths.map(path => ({ kind: "write", by, path: text(path), how: "replace", isInto }));
  // Searching a directory is ordinary, also one that has a secret somewhere in it.
  const isRead = (path: string) => action === "read" || disk.kind(disk.resolve(path, true)) !== "directory";
  const filters = action === "read" ? [] : secretFilters(name, input).map(file => join(cwd, file));
  return [...paths.filter(isRead), ...filters].map(path => ({
    kind: "read",
    by,
    path: text(path),
    isCopy: false,
  }));
}

/** File filters that can only mean a secret: `.env`, `**` + `/id_rsa`. The text searched for is data. */
function secretFilters(toolName: string, input: Json): readonly string[] {
  return stringsIn(input, toolName === "Glob" ? ["glob", "include", "pattern"] : ["glob", "include"])
    .map(pattern => pattern.slice(pattern.lastIndexOf("/") + 1).replace(/[*]+$/, ""))
    .filter(name => secretByName(name, { added: [], removed: [] }) !== undefined);
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

/** Judges a file tool by its paths. */
export function judgeFileTool(
  { canonicalName, input }: Pick<ToolUse, "canonicalName" | "input">,
  knownPaths: readonly string[],
  workspace: Workspace,
): Judgement {
  const effects = effectsOfTool(canonicalName, input, knownPaths, workspace);
  if (effects.length === 0) return ALLOWED;
  const paths = effects.map(effect => ("path" in effect ? effect.path.pieces : []));
  return conclude(collectFindings(workspace, EMPTY_FACTS, "", effects), {
    workspace,
    notes: [],
    subject: () => ({
      source: JSON.stringify(input) ?? "",
      tree: [canonicalName, paths],
      cwd: workspace.cwd,
    }),
    explain: () => [],
    footprint: () => footprintOfEffects(effects, workspace),
  });
}

/** Of a tool call that has no command. */
const EMPTY_FACTS: ShellFacts = {
  invocations: [],
  effects: [],
  redirections: [],
  codeRuns: [],
  codeEffects: [],
  writtenFiles: [],
  functions: [],
  assignments: [],
  links: [],
  unexamined: [],
  steps: 0,
};
