/** `amplihack/hooks/testing`: runs a hook on a machine in memory, for tests of hooks. */
import { isWanted, runHere, toWants, type UserHook } from "../hooks/index.ts";
import { HOSTS, type HostId, nativeEventName, normalise, resolveHost } from "../hosts/index.ts";
import { checkInput, type Effect, FIELD_NAMES, type JsonObject, readField } from "../protocol/index.ts";
import { createMemorySystem, type MemorySystem, type MemorySystemOptions } from "../system/memory.ts";

export interface TestOptions extends Pick<MemorySystemOptions, "files" | "env" | "nowMs" | "run" | "cwd"> {
  /** id or short name; Claude Code when left out */
  readonly host?: string;
  /** the event, of a hook with several; the first when left out */
  readonly event?: string;
  /** the tool, of a hook for several; the first when left out */
  readonly tool?: string;
  /** more of the payload: `session_id`, `transcript_path`, `tool_response` … */
  readonly payload?: JsonObject;
  /** a machine that was made before, to run several hooks on one */
  readonly system?: MemorySystem;
}

/**
 * What a hook says to one input: its effect, the empty object for silence, undefined when the hook is not for this
 * call. `input` is a tool's input, the text of a prompt, or a whole payload of any host. Rejects when the hook breaks.
 */
export async function runHook(
  hook: UserHook,
  input: JsonObject | string,
  options: TestOptions = {},
): Promise<Effect | undefined> {
  const system = options.system ?? createMemorySystem(options);
  const hookInput = toInput(hook, input, options, system);
  if (!isWanted(toWants(hook), hookInput)) return undefined;
  const result = await runHere(hook, hookInput, system);
  if (!result.ok) throw new Error(`hook ${hook.name}: ${result.problem}`);
  return result.effect;
}

/** The same, in the words of a host: what a payload of that host becomes. */
export function toInput(
  hook: UserHook,
  input: JsonObject | string,
  options: TestOptions,
  system: MemorySystem,
) {
  const host = options.host === undefined ? undefined : resolveHost(options.host);
  if (options.host !== undefined && host === undefined) throw new TypeError(`unknown host '${options.host}'`);
  const event = options.event ?? hook.events[0] ?? "PreToolUse";
  const payload = isPayload(input)
    ? { ...input, ...options.payload }
    : toPayload(hook, event, input, host, options);
  const read = normalise(JSON.stringify(payload), {
    ...(host === undefined ? {} : { host }),
    event: host === undefined ? event : nativeEventName(HOSTS[host], event),
    env: system.env,
  });
  if (!read.ok) throw new TypeError(`the input is no payload of a hook: ${read.message}`);
  const checked = checkInput(read.value);
  if (!checked.ok) throw new TypeError(checked.problem);
  return checked.input;
}

function isPayload(input: JsonObject | string): input is JsonObject {
  if (typeof input === "string") return false;
  return readField(input, [...FIELD_NAMES.event, ...FIELD_NAMES.toolName]) !== undefined;
}

function toPayload(
  hook: UserHook,
  event: string,
  input: JsonObject | string,
  host: HostId | undefined,
  options: TestOptions,
): JsonObject {
  const base = {
    hook_event_name: host === undefined ? event : nativeEventName(HOSTS[host], event),
    session_id: "test",
    cwd: options.cwd ?? "/home/user/project",
  };
  if (typeof input === "string") return { ...base, prompt: input, ...options.payload };
  const tool = options.tool ?? hook.tools[0] ?? hook.hostTools[0];
  if (tool === undefined) return { ...base, ...input, ...options.payload };
  return { ...base, tool_name: tool, tool_input: input, ...options.payload };
}
