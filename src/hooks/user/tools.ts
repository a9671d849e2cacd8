import type { Json } from "../../protocol/index.ts";

interface FileInput {
  /** the first of `paths` */
  readonly file_path: string;
  /** every file that the call names; several for a patch */
  readonly paths: readonly string[];
}

/** Canonical tools and their inputs, under the names of Claude Code whatever host sent them. */
export interface ToolInputs {
  Bash: {
    readonly command: string;
    readonly description?: string;
    readonly timeout?: number;
    readonly run_in_background?: boolean;
  };
  Read: FileInput & { readonly offset?: number; readonly limit?: number };
  Write: FileInput & { readonly content: string };
  /** Either strings or, from hosts that patch, the text of the patch. */
  Edit: FileInput & {
    readonly old_string?: string;
    readonly new_string?: string;
    readonly replace_all?: boolean;
    readonly patch?: string;
  };
  NotebookEdit: { readonly notebook_path: string; readonly new_source?: string; readonly cell_id?: string };
  Glob: { readonly pattern: string; readonly path?: string };
  Grep: { readonly pattern: string; readonly path?: string; readonly glob?: string };
  LS: { readonly path?: string };
  WebFetch: { readonly url?: string; readonly prompt?: string };
  WebSearch: { readonly query: string };
  Agent: { readonly prompt: string; readonly description?: string; readonly subagent_type?: string };
  TodoWrite: { readonly todos?: readonly Json[] };
}

export type ToolName = keyof ToolInputs;
/** `mcp__server__tool`; a `*` stands for any part of the name. */
export type McpTool = `mcp__${string}`;
export type ToolSelector = ToolName | McpTool;

/** What a hook must be able to rely on; other members are checked where they are there. */
const REQUIRED: { readonly [T in ToolName]: readonly string[] } = {
  Bash: ["command"],
  Read: ["file_path"],
  Write: ["file_path", "content"],
  Edit: ["file_path"],
  NotebookEdit: ["notebook_path"],
  Glob: ["pattern"],
  Grep: ["pattern"],
  LS: [],
  WebFetch: [],
  WebSearch: ["query"],
  Agent: ["prompt"],
  TodoWrite: [],
};

/** The types of members that may be missing; others of them are text. */
const OTHER_TYPES: Readonly<Record<string, "number" | "boolean" | "list">> = {
  timeout: "number",
  run_in_background: "boolean",
  offset: "number",
  limit: "number",
  replace_all: "boolean",
  todos: "list",
};
const OPTIONAL: { readonly [T in ToolName]: readonly string[] } = {
  Bash: ["description", "timeout", "run_in_background"],
  Read: ["offset", "limit"],
  Write: [],
  Edit: ["old_string", "new_string", "replace_all", "patch"],
  NotebookEdit: ["new_source", "cell_id"],
  Glob: ["path"],
  Grep: ["path", "glob"],
  LS: ["path"],
  WebFetch: ["url", "prompt"],
  WebSearch: [],
  Agent: ["description", "subagent_type"],
  TodoWrite: ["todos"],
};

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(REQUIRED, name);
}

/** Whether a member is one of Claude Code's own tool; of tools that it does not have none is known, so all are. */
export function isClaudeMember(tool: string, member: string): boolean {
  return !isToolName(tool) || [...REQUIRED[tool], ...OPTIONAL[tool]].includes(member);
}

/**
 * The input as its type promises it, or what is missing. A member that may be missing and has another type is left out:
 * hosts differ in them, and a hook that reads a number must not meet a text.
 */
export function fitInput(
  tool: ToolName,
  input: Readonly<Record<string, Json>>,
):
  | { readonly ok: true; readonly input: Readonly<Record<string, Json>> }
  | { readonly ok: false; readonly missing: string } {
  for (const name of REQUIRED[tool]) if (typeof input[name] !== "string") return { ok: false, missing: name };
  const odd = OPTIONAL[tool].filter(
    name => Object.hasOwn(input, name) && typeName(input[name]) !== (OTHER_TYPES[name] ?? "string"),
  );
  if (odd.length === 0) return { ok: true, input };
  return {
    ok: true,
    input: Object.fromEntries(Object.entries(input).filter(([name]) => !odd.includes(name))),
  };
}

function typeName(value: Json | undefined): string {
  return Array.isArray(value) ? "list" : typeof value;
}
