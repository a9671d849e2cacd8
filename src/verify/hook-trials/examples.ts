import { type Effect, isJsonObject, type Json, type JsonObject } from "../../protocol/index.ts";

/** One entry of `export const examples` beside a hook. */
export interface HookExample {
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
export function wordOf(effect: Effect | undefined): string {
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
  if (typeof expected === "string") return wordOf(effect) === expected;
  return effect !== undefined && holds(effect as unknown as Json, expected);
}

function holds(value: Json | undefined, expected: Json): boolean {
  if (!isJsonObject(expected)) return JSON.stringify(value) === JSON.stringify(expected);
  return (
    isJsonObject(value) && Object.entries(expected).every(([name, member]) => holds(value[name], member))
  );
}
