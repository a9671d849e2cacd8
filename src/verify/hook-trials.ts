import { isWanted, runHere, toWants, type UserHook } from "../hooks/index.ts";
import {
  DEFAULT_HOST,
  HOST_LIST,
  HOSTS,
  type HostId,
  mapEvent,
  nativeToolName,
  normalise,
  registeredEvents,
  render,
  resolveHost,
} from "../hosts/index.ts";
import {
  checkInput,
  defined,
  describeEvent,
  type Effect,
  errorText,
  FIELD_NAMES,
  fold,
  type HookInput,
  isJsonObject,
  type Json,
  type JsonObject,
  powerOf,
  readField,
} from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { RECORDED_PAYLOADS } from "./recorded-payloads.ts";

/** One entry of `export const examples` beside a hook. */
interface HookExample {
  /** a tool's input, the text of a prompt, or a whole payload */
  readonly input: JsonObject | string;
  /** a decision, `none` for silence, `skipped` where the hook is not for it; or members that the effect must have */
  readonly expect: string | JsonObject;
  /** of a file with several hooks; all that want the input when left out */
  readonly hook?: string;
  readonly event?: string;
  readonly tool?: string;
  readonly host?: string;
}

const EXPECTED = [
  "allow",
  "ask",
  "deny",
  "none",
  "skipped",
  "rewrite",
  "context",
  "message",
  "halt",
  "output",
];

/** The examples of a file; what is wrong with one is an error that names its place. */
export function readExamples(value: unknown): readonly HookExample[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError(`"examples" must be a list`);
  return value.map((entry: unknown, index) => {
    const place = `examples[${index}]`;
    if (!isJsonObject(entry)) throw new TypeError(`${place} must be an object with "input" and "expect"`);
    const { input, expect } = entry;
    if (typeof input !== "string" && !isJsonObject(input))
      throw new TypeError(`${place}.input must be a tool's input, a payload, or the text of a prompt`);
    if (!isJsonObject(expect) && !EXPECTED.some(word => word === expect))
      throw new TypeError(`${place}.expect must be one of ${EXPECTED.join(", ")}, or members of an effect`);
    return entry as unknown as HookExample;
  });
}

/** What a hook said, in one word; the words of `expect`. */
export function describeEffect(effect: Effect | undefined): string {
  if (effect === undefined) return "skipped";
  if (effect.decision !== undefined) return effect.decision.kind;
  if (effect.halt !== undefined) return "halt";
  if (effect.input !== undefined) return "rewrite";
  if (effect.output !== undefined) return "output";
  if (effect.context !== undefined) return "context";
  return effect.message === undefined ? "none" : "message";
}

/** Whether an effect is as expected: by its word, or by the members that are named. */
export function isExpected(effect: Effect | undefined, expected: HookExample["expect"]): boolean {
  if (typeof expected === "string") return describeEffect(effect) === expected;
  return effect !== undefined && holds(effect as unknown as Json, expected);
}

function holds(value: Json | undefined, expected: Json): boolean {
  if (!isJsonObject(expected)) return JSON.stringify(value) === JSON.stringify(expected);
  return (
    isJsonObject(value) && Object.entries(expected).every(([name, member]) => holds(value[name], member))
  );
}

/** A call that a real host made. */
interface RecordedInput {
  readonly host: HostId;
  readonly input: HookInput;
}

/** Where the hosts were recorded. */
const RECORDED_IN = "/home/dev/project";

interface RecordedCall {
  readonly host: HostId;
  readonly event: string;
  readonly payload: JsonObject;
}

/** What hosts sent, as if they had run in `cwd`. */
export function readRecordedCalls(cwd: string): readonly RecordedCall[] {
  const here = JSON.stringify(cwd).slice(1, -1);
  return RECORDED_PAYLOADS.map(line => JSON.parse(line.replaceAll(RECORDED_IN, () => here)) as RecordedCall);
}

/** The recorded calls of all hosts, normalised. */
export function readRecorded(cwd: string): readonly RecordedInput[] {
  return readRecordedCalls(cwd).flatMap(({ host, event, payload }) => {
    const read = normalise(JSON.stringify(payload), { host, event, env: { get: () => undefined } });
    const checked = read.ok ? checkInput(read.value) : undefined;
    return checked?.ok === true ? [{ host, input: checked.input }] : [];
  });
}

/** Those that a hook is for by event, tool and host; whether it wants their text is for the table to tell. */
function recordedFor(hook: UserHook, recorded: readonly RecordedInput[]): readonly RecordedInput[] {
  const wants = { ...toWants(hook), when: undefined };
  return recorded.filter(({ input }) => isWanted(wants, input));
}

/** One hook on one payload of one host. */
export interface Trial {
  readonly hook: string;
  readonly host: string;
  /** `recorded`: a real host sent it */
  readonly source: "recorded" | "example";
  readonly payload: string;
  /** in one word; `skipped` when the hook is not for it, `failed` when it broke */
  readonly said: string;
  /** what the host would hear, or why the hook broke */
  readonly words: string;
  readonly ms: number;
}

export interface ExampleResult {
  readonly place: string;
  readonly hook: string;
  readonly expected: HookExample["expect"];
  readonly said: string;
  readonly isMet: boolean;
  /** what it said, or why it broke */
  readonly detail: string;
}

/** Inputs to try a hook with that brings no examples, by tool. */
const SAMPLES: Readonly<Record<string, JsonObject>> = {
  Bash: { command: "echo hello" },
  Read: { file_path: "README.md" },
  Write: { file_path: "notes.txt", content: "hello" },
  Edit: { file_path: "notes.txt", old_string: "hello", new_string: "goodbye" },
  NotebookEdit: { notebook_path: "a.ipynb", new_source: "1" },
  Glob: { pattern: "**/*.ts" },
  Grep: { pattern: "TODO" },
  WebFetch: { url: "https://example.org", prompt: "what is it?" },
  WebSearch: { query: "weather" },
  Agent: { prompt: "look into it", description: "look" },
};

interface TrialPlace {
  readonly system: System;
  readonly cwd: string;
}

/**
 * Runs hooks on payloads of every host that calls hooks: on what real hosts sent, and on their examples, else on a
 * sample; with `payloads` on these alone.
 */
export async function runTrials(
  hooks: readonly UserHook[],
  examples: readonly HookExample[],
  payloads: readonly JsonObject[],
  place: TrialPlace,
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  const recorded = payloads.length > 0 ? [] : readRecorded(place.cwd);
  for (const hook of hooks) {
    for (const { host, input } of recordedFor(hook, recorded))
      trials.push(
        await runTrial(
          hook,
          host,
          place.system,
          { source: "recorded", payload: describeInput(input) },
          () => input,
        ),
      );
    for (const { id, registration } of HOST_LIST) {
      const isMeant = hook.options.hosts === undefined || hook.options.hosts.includes(id);
      if (registration === undefined || !isMeant) continue;
      for (const example of inputsFor(hook, examples, payloads))
        if (findNativeEvent(id, hook, example) !== undefined)
          trials.push(
            await runTrial(
              hook,
              id,
              place.system,
              { source: "example", payload: summary(example.input) },
              () => toHookInput(hook, id, example, place),
            ),
          );
    }
  }
  return trials;
}

function inputsFor(
  hook: UserHook,
  examples: readonly HookExample[],
  payloads: readonly JsonObject[],
): readonly TrialInput[] {
  if (payloads.length > 0) return payloads.map(input => ({ input }));
  const own = examples.filter(
    ({ hook: name, host }) => (name ?? hook.name) === hook.name && host === undefined,
  );
  if (own.length > 0) return own;
  const tool = hook.tools[0] ?? "Bash";
  return [
    { input: hook.events.some(event => describeEvent(event).requiresTool) ? (SAMPLES[tool] ?? {}) : "hello" },
  ];
}

type TrialInput = Pick<HookExample, "input" | "event" | "tool">;

/** The host's own event for a call; some have one for each kind of tool. Undefined where a host has none. */
function findNativeEvent(host: HostId, hook: UserHook, example: TrialInput): string | undefined {
  const event = example.event ?? hook.events[0] ?? "PreToolUse";
  const { events } = HOSTS[host];
  const tool = example.tool ?? hook.tools[0] ?? "Bash";
  const special = Object.keys(events).find(native => events[native] === `${event}:${tool}`);
  if (special !== undefined) return special;
  return registeredEvents(HOSTS[host], event).find(
    native => mapEvent(HOSTS[host], native)?.tool === undefined,
  );
}

async function runTrial(
  hook: UserHook,
  host: HostId,
  system: System,
  shown: Pick<Trial, "source" | "payload">,
  open: () => HookInput,
): Promise<Trial> {
  const { clock } = system;
  const base = { hook: hook.name, host, ...shown };
  const beganMs = clock.monotonicMs();
  try {
    const input = open();
    const effect = await ask(hook, input, system);
    const ms = clock.monotonicMs() - beganMs;
    return {
      ...base,
      said: describeEffect(effect),
      words: effect === undefined ? "" : wordsFor(host, input, hook, effect),
      ms,
    };
  } catch (error) {
    return { ...base, said: "failed", words: errorText(error), ms: clock.monotonicMs() - beganMs };
  }
}

async function ask(hook: UserHook, input: HookInput, system: System): Promise<Effect | undefined> {
  if (!isWanted(toWants(hook), input)) return undefined;
  const result = await runHere(hook, input, system);
  if (!result.ok) throw new Error(result.problem);
  return result.effect;
}

/** An input as a payload of a host, and back as hooks see it. */
function toHookInput(
  hook: UserHook,
  host: HostId,
  { input, event = hook.events[0] ?? "PreToolUse", tool = hook.tools[0] ?? hook.hostTools[0] }: TrialInput,
  { system, cwd }: TrialPlace,
): HookInput {
  const nativeEvent = findNativeEvent(host, hook, { input, event, ...defined({ tool }) }) ?? event;
  const payload = trialPayload(
    input,
    { hook_event_name: nativeEvent, session_id: "trial", cwd },
    host,
    event,
    tool,
  );
  const read = normalise(JSON.stringify(payload), { host, event: nativeEvent, env: system.env });
  if (!read.ok) throw new Error(`the payload is not understood: ${read.message}`);
  const checked = checkInput(read.value);
  if (!checked.ok) throw new Error(checked.problem);
  return checked.input;
}

function trialPayload(
  input: JsonObject | string,
  base: JsonObject,
  host: HostId,
  event: string,
  tool: string | undefined,
): JsonObject {
  if (typeof input === "string") return { ...base, prompt: input };
  if (readField(input, [...FIELD_NAMES.event, ...FIELD_NAMES.toolName]) !== undefined)
    return { ...base, ...input };
  if (!describeEvent(event).requiresTool) return { ...base, ...input };
  return { ...base, tool_name: nativeToolName(HOSTS[host], tool ?? "Bash"), tool_input: input };
}

/** Exactly what the host would read. */
function wordsFor(host: HostId, input: HookInput, hook: UserHook, effect: Effect): string {
  const { event, nativeEvent, raw: payload } = input;
  const outcome = fold([{ hook: hook.name, effect }], { power: powerOf(describeEvent(event), payload) });
  const answer = render(host, { event, nativeEvent, outcome, payload });
  const lost = answer.unsupported === undefined ? "" : `  (cannot say: ${answer.unsupported.join(", ")})`;
  return `${answer.stdout.trim() || `exit ${answer.exitCode}`}${lost}`;
}

/** Checks the examples beside a hook: in the host that they name, else in Claude Code. */
export async function checkExamples(
  hooks: readonly UserHook[],
  examples: readonly HookExample[],
  place: TrialPlace,
): Promise<readonly ExampleResult[]> {
  const results: ExampleResult[] = [];
  for (const [index, example] of examples.entries()) {
    const host = (example.host === undefined ? undefined : resolveHost(example.host)) ?? DEFAULT_HOST;
    const asked = hooks.filter(hook => example.hook === undefined || example.hook === hook.name);
    for (const hook of asked) {
      const base = { place: `examples[${index}]`, hook: hook.name, expected: example.expect };
      try {
        const effect = await ask(hook, toHookInput(hook, host, example, place), place.system);
        const said = describeEffect(effect);
        // A hook that its words keep from running says nothing.
        const isSilence = said === "skipped" && example.expect === "none";
        const isMet = isSilence || isExpected(effect, example.expect);
        results.push({ ...base, said, isMet, detail: JSON.stringify(effect ?? null) });
      } catch (error) {
        results.push({ ...base, said: "failed", isMet: false, detail: errorText(error) });
      }
    }
    if (asked.length === 0)
      results.push({
        place: `examples[${index}]`,
        hook: example.hook ?? "",
        expected: example.expect,
        said: "failed",
        isMet: false,
        detail: "there is no such hook in the file",
      });
  }
  return results;
}

const SUMMARY_LENGTH = 40;

function describeInput(input: HookInput): string {
  if (input.kind !== "tool") return input.kind === "prompt" ? summary(input.prompt ?? "") : input.event;
  const { command, paths } = input.facts;
  return summary(`${input.tool.name} ${command ?? paths.join(" ")}`);
}

function summary(input: JsonObject | string): string {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH - 1)}…` : text;
}
