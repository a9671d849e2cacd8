import { canonicalInput, nativeInput } from "../../hosts/index.ts";
import {
  type Effect,
  type HookInput,
  isJsonObject,
  isStricter,
  type Json,
  type JsonObject,
  VERDICTS,
} from "../../protocol/index.ts";

/** What a hook said, or why that cannot be told. */
export type HookResult =
  | { readonly ok: true; readonly effect: Effect }
  | { readonly ok: false; readonly problem: string };

type Members = Readonly<Record<string, unknown>>;

/** Reads what `run` returned with suspicion: JavaScript has no types, and a deny must not be lost to a slip. */
export function readAnswer(returned: unknown, input: HookInput): HookResult {
  const list = Array.isArray(returned) ? returned : [returned];
  const effects: Effect[] = [];
  for (const item of list) {
    if (item === undefined || item === null) continue;
    if (!isJsonObject(item)) return { ok: false, problem: `it returned ${typeof item}, not an effect` };
    const read = readEffect(item, input);
    if (typeof read === "string") return { ok: false, problem: read };
    effects.push(read);
  }
  return { ok: true, effect: effects.reduce(mergeEffects, {}) };
}

const KNOWN = new Set(["decision", "halt", "input", "output", "context", "message", "suppress", "extras"]);

function readEffect(item: Members, input: HookInput): Effect | string {
  const unknown = Object.keys(item).find(name => !KNOWN.has(name));
  if (unknown !== undefined) return `it returned an effect with the unknown member "${unknown.slice(0, 40)}"`;
  const { decision, halt, context, message, output } = item;
  const wrong =
    problemOfDecision(decision) ??
    (halt === undefined || isJsonObject(halt) ? undefined : `"halt" must be an object`) ??
    (context === undefined || typeof context === "string" ? undefined : `"context" must be text`) ??
    (message === undefined || isMessage(message) ? undefined : `"message" must have a text and a level`);
  if (wrong !== undefined) return `it returned an effect whose ${wrong}`;
  const { input: changes, ...rest } = item as Effect;
  if (changes === undefined) return output === undefined ? rest : { ...rest, output: output as Json };
  if (!isJsonObject(changes)) return `it returned an effect whose "input" must be an object`;
  const rewritten = rewriteInput(input, changes);
  return rewritten === undefined
    ? "its rewrite cannot be expressed in the form that this host uses"
    : { ...rest, input: rewritten };
}

function problemOfDecision(decision: unknown): string | undefined {
  if (decision === undefined) return undefined;
  const kinds = VERDICTS.filter(kind => kind !== "none");
  if (!isJsonObject(decision) || !kinds.some(kind => kind === decision["kind"]))
    return `"decision" must have a kind: ${kinds.join(", ")}`;
  const { reason } = decision;
  return reason === undefined || typeof reason === "string" ? undefined : `"reason" must be text`;
}

function isMessage(value: unknown): boolean {
  return isJsonObject(value) && typeof value["text"] === "string" && typeof value["level"] === "string";
}

/** The host's own input with what a hook changed under canonical names; the members that it did not name stay. */
function rewriteInput(input: HookInput, changes: JsonObject): JsonObject | undefined {
  if (input.kind !== "tool") return undefined;
  const { canonicalName, input: original } = input.tool;
  const before = canonicalInput(canonicalName, original, input.facts);
  return nativeInput(canonicalName, original, input.facts, { ...before, ...changes });
}

/** Two effects of one hook as one: the strictest decision, all texts, the last change. */
function mergeEffects(left: Effect, right: Effect): Effect {
  const texts = [left.context, right.context].filter(text => text !== undefined);
  const messages = [left.message, right.message].filter(message => message !== undefined);
  const decision = strictest(left.decision, right.decision);
  return {
    ...left,
    ...right,
    ...(decision === undefined ? {} : { decision }),
    ...(left.halt === undefined ? {} : { halt: left.halt }),
    ...(texts.length === 0 ? {} : { context: texts.join("\n\n") }),
    ...(messages.length < 2
      ? {}
      : {
          message: { text: messages.map(({ text }) => text).join("\n"), level: messages[1]?.level ?? "info" },
        }),
  };
}

function strictest(left: Effect["decision"], right: Effect["decision"]): Effect["decision"] {
  if (left === undefined || right === undefined) return left ?? right;
  if (left.kind !== right.kind) return isStricter(left.kind, right.kind) ? left : right;
  const reasons = [left.reason, right.reason].filter(reason => reason !== undefined);
  return reasons.length === 0 ? left : { kind: left.kind, reason: reasons.join("\n") };
}
