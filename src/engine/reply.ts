import { describeType, diagnose, type HandlerFailure } from "../handlers/index.ts";
import { type Effect, errorText, isJsonObject, type Json } from "../protocol/index.ts";
import { isPlain } from "./calls/describe-value.ts";

/** What a function returned, read with suspicion. A rewrite still has to be checked against the tool's schema. */
export interface Reply {
  readonly effect: Effect;
  readonly failure?: HandlerFailure;
  /** the new input before a call, or the new output after it */
  readonly rewrite?: { readonly of: "input" | "output"; readonly value: Json };
  readonly isError?: boolean;
}

/** Of a hook that has nothing to say. */
const NO_REPLY: Reply = Object.freeze({ effect: Object.freeze({}) });

export function refuse(code: HandlerFailure["code"], detail: string): Reply {
  return { effect: {}, failure: { code, detail } };
}

type Members = Readonly<Record<string, unknown>>;

/** A misspelt member would mean nothing, and nothing means yes: the hook could not be understood. */
function unknownMember(returned: Members, known: readonly string[]): string | undefined {
  const name = Object.keys(returned).find(key => returned[key] !== undefined && !known.includes(key));
  return name === undefined ? undefined : `"${name}" is not known here; a hook says ${known.join(", ")}`;
}

const BEFORE_MEMBERS = ["block", "decision", "reason", "args", "context", "message", "halt"];
const AFTER_MEMBERS = ["result", "isError", "context", "feedback", "message", "halt"];
const EFFECT_MEMBERS = [
  "decision",
  "halt",
  "input",
  "output",
  "context",
  "message",
  "suppress",
  "extras",
  "diagnostics",
];

/** What every hook may say besides its decision: a text for the person, and that the turn ends. */
function readAside({ message, halt }: Members): { readonly effect: Effect } | { readonly problem: string } {
  const problem = mistyped("message", message, "string");
  if (problem !== undefined) return { problem };
  const isHalt = halt === undefined || typeof halt === "boolean" || typeof halt === "string";
  if (!isHalt) return { problem: `"halt" must be true or a reason, not ${describeType(halt)}` };
  return {
    effect: {
      ...(typeof message === "string" && message !== "" ? { message: { text: message, level: "info" } } : {}),
      ...(halt === true ? { halt: {} } : {}),
      ...(typeof halt === "string" ? { halt: { reason: halt } } : {}),
    },
  };
}

/** Nothing, or an object; any other value (what `push` returns, say) is no opinion, with a diagnostic. */
function readReturned(returned: unknown, read: (members: Members) => Reply): Reply {
  if (returned === undefined || returned === null) return NO_REPLY;
  if (isJsonObject(returned)) return read(returned);
  const detail = `a hook returns nothing or an object, not ${describeType(returned)}; it is ignored`;
  return { effect: { diagnostics: [diagnose("field-type", detail)] } };
}

const DECISIONS = ["allow", "ask", "defer", "deny"] as const;

/** `Before`: a member of a wrong type is a failure, because its meaning is not known. */
export function readBefore(returned: unknown): Reply {
  return readReturned(returned, members => {
    const { block, decision, reason, args, context } = members;
    const aside = readAside(members);
    if ("problem" in aside) return refuse("field-type", aside.problem);
    const wrong =
      unknownMember(members, BEFORE_MEMBERS) ??
      mistyped("block", block, "boolean") ??
      mistyped("reason", reason, "string") ??
      mistyped("context", context, "string");
    if (wrong !== undefined) return refuse("field-type", wrong);
    const kind = DECISIONS.find(known => known === decision);
    if (decision !== undefined && kind === undefined)
      return refuse("field-type", `"decision" must be ${DECISIONS.join(", ")}`);
    const stated = block === true ? "deny" : kind;
    const hasReason = typeof reason === "string" && reason !== "";
    const effect: Effect = {
      ...aside.effect,
      ...(stated === undefined ? {} : { decision: { kind: stated, ...(hasReason ? { reason } : {}) } }),
      ...(typeof context === "string" && context !== "" ? { context } : {}),
      ...(stated === "deny" && !hasReason
        ? { diagnostics: [diagnose("reason-missing", "the hook refused without a reason")] }
        : {}),
    };
    return args === undefined || stated === "deny" ? { effect } : withRewrite({ effect }, "input", args);
  });
}

/** `After`: feedback is a message to the model about what has already happened. */
export function readAfter(returned: unknown): Reply {
  return readReturned(returned, members => {
    const { result, isError, context, feedback } = members;
    const aside = readAside(members);
    if ("problem" in aside) return refuse("field-type", aside.problem);
    const wrong =
      unknownMember(members, AFTER_MEMBERS) ??
      mistyped("isError", isError, "boolean") ??
      mistyped("context", context, "string") ??
      mistyped("feedback", feedback, "string");
    if (wrong !== undefined) return refuse("field-type", wrong);
    const effect: Effect = {
      ...aside.effect,
      ...(typeof feedback === "string" && feedback !== ""
        ? { decision: { kind: "deny", reason: feedback } }
        : {}),
      ...(typeof context === "string" && context !== "" ? { context } : {}),
    };
    const reply: Reply = { effect, ...(typeof isError === "boolean" ? { isError } : {}) };
    return result === undefined ? reply : withRewrite(reply, "output", result);
  });
}

/** What a hook of the `Hook` type returned is an effect already. */
export function readEffect(returned: unknown): Reply {
  return readReturned(returned, (effect: Effect) => {
    const wrong = unknownMember({ ...effect }, EFFECT_MEMBERS);
    if (wrong !== undefined) return refuse("field-type", wrong);
    if (effect.decision !== undefined && !DECISIONS.some(kind => kind === effect.decision?.kind))
      return refuse("field-type", `"decision.kind" must be ${DECISIONS.join(", ")}`);
    const { input, output, ...rest } = effect;
    if (input !== undefined) return withRewrite({ effect: rest }, "input", input);
    return output === undefined ? { effect: rest } : withRewrite({ effect: rest }, "output", output);
  });
}

function withRewrite(reply: Reply, of: "input" | "output", value: unknown): Reply {
  try {
    return { ...reply, rewrite: { of, value: freezeJson(value) } };
  } catch (error) {
    return { effect: reply.effect, failure: { code: "rewrite-invalid", detail: errorText(error) } };
  }
}

function mistyped(name: string, value: unknown, type: "boolean" | "string"): string | undefined {
  if (value === undefined || typeof value === type) return undefined;
  return `"${name}" must be a ${type}, not ${describeType(value)}`;
}

/**
 * A frozen copy: what one hook sees, no other can change, and the host's own objects stay as they are. Values
 * that JSON does not know are handed on as they are when `isLenient`, and refused otherwise.
 */
export function freezeCopy(value: unknown, isLenient: boolean): unknown {
  if (typeof value !== "object" || value === null) {
    if (isLenient || isJsonScalar(value)) return value;
    throw new TypeError(`a ${typeof value} is not JSON`);
  }
  if (Array.isArray(value)) return Object.freeze(value.map(item => freezeCopy(item, isLenient)));
  if (!isPlain(value)) {
    if (isLenient) return value;
    throw new TypeError(`an instance of ${value.constructor?.name ?? "a class"} is not JSON`);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  // Faster than `Object.keys`, and this runs before every tool call.
  for (const key in members) {
    if (!Object.hasOwn(members, key)) continue;
    const member = members[key];
    if (typeof member === "string") {
      if (key !== "__proto__") copy[key] = member;
    } else if (member !== undefined && key !== "__proto__") copy[key] = freezeCopy(member, isLenient);
  }
  return Object.freeze(copy);
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** A value from a hook as JSON, frozen; throws when it is something else. */
export function freezeJson(value: unknown): Json {
  return freezeCopy(value, false) as Json;
}

export function describeError(error: unknown): string {
  // Errors of another realm have a class of their own.
  const isError = error instanceof Error || Object.prototype.toString.call(error) === "[object Error]";
  return isError ? `${(error as Error).name}: ${(error as Error).message}` : `threw ${typeof error}`;
}
