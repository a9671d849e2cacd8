import { FIXTURES } from "../../hosts-protocol/fixtures.ts";

export type Member =
  | string
  | number
  | boolean
  | null
  | readonly Member[]
  | { readonly [name: string]: Member };
export type Members = { readonly [name: string]: Member };

/** A tool call in one host's own words. */
export interface ToolCall {
  /** the host, and the recorded payloads that are filled with this call */
  readonly as: PayloadName;
  /** the host's name of the tool; the recorded one when absent */
  readonly tool?: string;
  /** paths in it are relative to the project, after `@/` where the host sends absolute ones */
  readonly input: Members | string;
}

export function bash(command: string, as: PayloadName = "claude bash"): ToolCall {
  return { as, input: { command } };
}

interface Shape {
  readonly host: string;
  readonly pre: string;
  readonly post: string;
}

/** Payloads that were recorded in the real hosts, by the tool that was called. */
const SHAPES = {
  "claude bash": { host: "claude-code", pre: "claude/PreToolUse-1", post: "claude/PostToolUse-1" },
  "claude write": { host: "claude-code", pre: "claude/PreToolUse-3", post: "claude/PostToolUse-3" },
  "claude edit": { host: "claude-code", pre: "claude/PreToolUse-4", post: "claude/PostToolUse-4" },
  "codex bash": { host: "codex", pre: "codex/PreToolUse-1", post: "codex/PostToolUse-1" },
  "codex patch": { host: "codex", pre: "codex/PreToolUse-2", post: "codex/PostToolUse-2" },
  "copilot bash": { host: "copilot-cli", pre: "copilot/preToolUse-1", post: "copilot/postToolUse-1" },
  "copilot create": { host: "copilot-cli", pre: "copilot/preToolUse-3", post: "copilot/postToolUse-3" },
  "copilot edit": { host: "copilot-cli", pre: "copilot/preToolUse-4", post: "copilot/postToolUse-4" },
  "gemini bash": { host: "gemini-cli", pre: "gemini/BeforeTool-1", post: "gemini/AfterTool-1" },
  "gemini write": { host: "gemini-cli", pre: "gemini/BeforeTool-3", post: "gemini/AfterTool-3" },
  "gemini replace": { host: "gemini-cli", pre: "gemini/BeforeTool-4", post: "gemini/AfterTool-4" },
  "opencode bash": {
    host: "opencode",
    pre: "opencode/tool.execute.before-1",
    post: "opencode/tool.execute.after-1",
  },
  "opencode write": {
    host: "opencode",
    pre: "opencode/tool.execute.before-3",
    post: "opencode/tool.execute.after-3",
  },
  "opencode edit": {
    host: "opencode",
    pre: "opencode/tool.execute.before-4",
    post: "opencode/tool.execute.after-4",
  },
  "pi bash": { host: "pi", pre: "pi/tool_call-1", post: "pi/tool_result-1" },
  "pi write": { host: "pi", pre: "pi/tool_call-3", post: "pi/tool_result-3" },
  "pi edit": { host: "pi", pre: "pi/tool_call-4", post: "pi/tool_result-4" },
  "cursor shell": { host: "cursor", pre: "cursor/preToolUse", post: "cursor/postToolUse" },
  "cursor write": { host: "cursor", pre: "cursor/preToolUse", post: "cursor/postToolUse" },
} as const satisfies Record<string, Shape>;

export type PayloadName = keyof typeof SHAPES;

/** Nothing was recorded in Cursor; the members are those of its documentation. */
const CURSOR: Readonly<Record<string, Members>> = {
  "cursor/preToolUse": { hook_event_name: "preToolUse", tool_use_id: "tool_1" },
  "cursor/postToolUse": {
    hook_event_name: "postToolUse",
    tool_use_id: "tool_1",
    tool_output: "{}",
    duration: 9,
  },
};
const CURSOR_COMMON: Members = {
  conversation_id: "c-1",
  generation_id: "g-1",
  model: "gpt-5",
  cursor_version: "3.12.0",
  workspace_roots: ["/home/dev/project"],
  transcript_path: null,
  cwd: "/home/dev/project",
  tool_name: "Shell",
  tool_input: {},
};

export interface HookCall {
  readonly words: readonly string[];
  readonly payload: Members;
  readonly env: Readonly<Record<string, string>>;
}

export interface CallPlace {
  readonly project: string;
  /** where the host's session stands */
  readonly cwd: string;
  readonly session: string;
  readonly useId: string;
}

/** The two payloads of a call; hosts differ in where they put name, input, session and id. */
export function hookCalls(
  call: ToolCall,
  place: CallPlace,
): { readonly pre: HookCall; readonly post: HookCall } {
  const shape: Shape = SHAPES[call.as];
  return {
    pre: fill("pre-tool-use", shape.host, shape.pre, call, place),
    post: fill("post-tool-use", shape.host, shape.post, call, place),
  };
}

function fill(subcommand: string, host: string, name: string, call: ToolCall, place: CallPlace): HookCall {
  const { text, event, env } = recorded(name);
  const placed = JSON.parse(text.replaceAll("/home/dev/project", place.cwd)) as Members;
  const input = inputOf(call, place.project);
  const tool = call.tool === undefined ? {} : { tool_name: call.tool };
  const { session, useId } = place;
  const payload = ((): Members => {
    switch (host) {
      case "copilot-cli":
        return {
          ...placed,
          sessionId: session,
          toolArgs: input,
          ...(call.tool === undefined ? {} : { toolName: call.tool }),
        };
      case "opencode": {
        const inner = placed["input"] as Members;
        const named = {
          ...inner,
          sessionID: session,
          callID: useId,
          ...(call.tool === undefined ? {} : { tool: call.tool }),
        };
        const common = { hook_event_name: event, cwd: place.cwd };
        return subcommand === "pre-tool-use"
          ? { ...placed, ...common, input: named, output: { args: input } }
          : { ...placed, ...common, input: { ...named, args: input } };
      }
      case "pi":
        return {
          ...placed,
          hook_event_name: event,
          cwd: place.cwd,
          toolCallId: useId,
          input,
          ...(call.tool === undefined ? {} : { toolName: call.tool }),
        };
      case "gemini-cli":
        return { ...placed, session_id: session, tool_input: input, ...tool };
      default:
        return { ...placed, session_id: session, tool_use_id: useId, tool_input: input, ...tool };
    }
  })();
  return { words: [subcommand, "--host", host, "--event", event], payload, env: hostOnly(env) };
}

function recorded(name: string): { readonly text: string; readonly event: string; readonly env: object } {
  const cursor = CURSOR[name];
  if (cursor !== undefined) {
    const text = JSON.stringify({ ...CURSOR_COMMON, ...cursor });
    return { text, event: String(cursor["hook_event_name"]), env: {} };
  }
  const fixture = FIXTURES.find(one => one.name === name);
  if (fixture === undefined) throw new Error(`no recorded payload ${name}`);
  return fixture;
}

/** Of the recorded environment only what names the host: directories are those of another machine. */
function hostOnly(env: object): Readonly<Record<string, string>> {
  const entries = Object.entries(env as Readonly<Record<string, string>>);
  return Object.fromEntries(entries.filter(([name, value]) => !value.includes("/") && !/GIT_/.test(name)));
}

/** `@/src/a.ts` stands for the absolute path in the project. */
export function inputOf({ input }: ToolCall, project: string): Member {
  return placeAll(input, project);
}

function placeAll(value: Member, project: string): Member {
  if (typeof value === "string") return value.startsWith("@/") ? `${project}/${value.slice(2)}` : value;
  if (Array.isArray(value)) return (value as readonly Member[]).map(each => placeAll(each, project));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, placeAll(each, project)]));
}
