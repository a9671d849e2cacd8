import {
  checkInput,
  type Effect,
  type Hook,
  type HookInput,
  type JsonObject,
} from "../../src/protocol/index.ts";
import { createMemorySystem, type MemorySystem, type MemorySystemOptions } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";

export const ROOT = "/home/user/project";
export const RUNTIME = `${ROOT}/.claude/runtime`;

const CANONICAL: Record<string, string> = { bash: "Bash", shell: "Bash", Task: "Agent", MultiEdit: "Edit" };

/** A payload in Claude Code's words as the hooks see it. */
export function inputOf(event: string, payload: JsonObject = {}, host = "claude-code"): HookInput {
  const text = (key: string) => (typeof payload[key] === "string" ? (payload[key] as string) : null);
  const toolName = text("tool_name");
  const toolInput = payload["tool_input"] ?? null;
  const isObject = typeof toolInput === "object" && toolInput !== null && !Array.isArray(toolInput);
  const member = (key: string) => (isObject ? (toolInput as JsonObject)[key] : undefined);
  const canonical = toolName === null ? null : (CANONICAL[toolName] ?? toolName);
  const command = canonical === "Bash" ? member("command") : undefined;
  const path = member("file_path");
  const checked = checkInput({
    host,
    event,
    nativeEvent: event,
    toolName,
    canonicalToolName: canonical,
    toolInput,
    cwd: text("cwd"),
    sessionId: text("session_id"),
    transcriptPath: text("transcript_path"),
    facts: {
      command: typeof command === "string" ? command : null,
      paths: typeof path === "string" ? [path] : [],
    },
    warnings: [],
    raw: payload,
  });
  if (!checked.ok) throw new Error(checked.problem);
  return checked.input;
}

/** A project with a `.claude` folder, on a machine of its own. */
export function projectSystem(options: MemorySystemOptions = {}): MemorySystem {
  const files = { [`${ROOT}/.claude`]: { kind: "directory" as const }, ...options.files };
  return createMemorySystem({ ...options, files });
}

export async function runHook(
  hook: Hook<System>,
  system: System,
  payload: JsonObject = {},
  host?: string,
): Promise<Effect | undefined> {
  return hook.run(inputOf(hook.event, payload, host), system);
}

/** The metrics a hook wrote, as `name=value`. */
export function metricsOf(system: MemorySystem, hookName: string): readonly string[] {
  const text = system.peek(`${RUNTIME}/metrics/${hookName}_metrics.jsonl`) ?? "";
  return text
    .split("\n")
    .filter(line => line !== "")
    .map(line => {
      const { metric, value } = JSON.parse(line) as { metric: string; value: unknown };
      return `${metric}=${String(value)}`;
    });
}

export function jsonAt(system: MemorySystem, path: string): unknown {
  const text = system.peek(path);
  return text === undefined ? undefined : JSON.parse(text);
}
