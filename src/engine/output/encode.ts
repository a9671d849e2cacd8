import { extraMembers } from "../../handlers/index.ts";
import {
  defined,
  type Effect,
  type EventDescriptor,
  type Json,
  type JsonObject,
  type Outcome,
} from "../../protocol/index.ts";
import type { Dialect } from "../options.ts";

/** What a command hook of a dialect would print to say an effect. */
export interface Encoded {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** members of the effect that the dialect has no words for on this event */
  readonly lost: readonly (keyof Effect)[];
}

const ENCODE: Readonly<Record<Dialect, (effect: Effect, event: EventDescriptor) => Encoded>> = {
  claude: encodeClaude,
  batuta: encodeBatuta,
  atomcode: encodeAtomcode,
  "atomcode-json": encodeAtomcodeJson,
};

export function encodeEffect(dialect: Dialect, event: EventDescriptor, effect: Effect): Encoded {
  return ENCODE[dialect](effect, event);
}

type Members = Record<string, Json>;

function encodeClaude(effect: Effect, event: EventDescriptor): Encoded {
  const { answer, lost } = claudeAnswer(effect, event);
  const stdout = Object.keys(answer).length === 0 ? "" : JSON.stringify(answer);
  return { stdout, stderr: "", exitCode: 0, lost };
}

/** An effect as a hook of the claude dialect says it, as a value. */
export function claudeAnswer(
  effect: Effect,
  event: EventDescriptor,
): { readonly answer: JsonObject; readonly lost: readonly (keyof Effect)[] } {
  const top: Members = {};
  const specific: Members = {};
  const lost: (keyof Effect)[] = [];
  const { decision, halt, input, output, context, message } = effect;
  if (decision !== undefined) placeDecision(decision, event, top, specific);
  if (halt !== undefined) {
    top["continue"] = false;
    if (halt.reason !== undefined) top["stopReason"] = halt.reason;
  }
  if (input !== undefined && event.rewrites.includes("input")) specific["updatedInput"] = input;
  else if (input !== undefined) lost.push("input");
  if (output !== undefined && event.name === "PostToolUse") specific["updatedToolOutput"] = output;
  else if (output !== undefined) lost.push("output");
  if (context !== undefined) specific["additionalContext"] = context;
  if (message !== undefined) top["systemMessage"] = message.text;
  if (effect.suppress === true) top["suppressOutput"] = true;
  for (const [name, value] of Object.entries(effect.extras ?? {})) {
    if (extraMembers(event.name).includes(name)) specific[name] = value;
    else if (!lost.includes("extras")) lost.push("extras");
  }
  const hasSpecific = Object.keys(specific).length > 0;
  const answer = {
    ...top,
    ...(hasSpecific ? { hookSpecificOutput: { hookEventName: event.name, ...specific } } : {}),
  };
  return { answer, lost };
}

/** Tool and model permissions have a field of their own; elsewhere the older words say it, except for defer. */
function placeDecision(
  { kind, reason }: NonNullable<Effect["decision"]>,
  event: EventDescriptor,
  top: Members,
  specific: Members,
): void {
  if (event.name === "PreToolUse" || event.name === "PreModelSwitch" || kind === "defer") {
    specific["permissionDecision"] = kind;
    if (reason !== undefined) specific["permissionDecisionReason"] = reason;
    return;
  }
  if (event.name === "PermissionRequest" && kind !== "ask") {
    specific["decision"] = { behavior: kind, ...defined({ message: reason }) };
    return;
  }
  top["decision"] = { allow: "approve", ask: "ask", deny: "block" }[kind];
  if (reason !== undefined) top["reason"] = reason;
}

/** Exit codes say a deny and a warning; nothing else can be said. */
function encodeBatuta(effect: Effect): Encoded {
  const { decision, message, ...rest } = effect;
  const isDeny = decision?.kind === "deny";
  const lost = (Object.keys(rest) as (keyof Effect)[]).filter(name => name !== "diagnostics");
  if (decision !== undefined && !isDeny) lost.push("decision");
  if (isDeny) {
    if (message !== undefined) lost.push("message");
    return { stdout: "", stderr: decision.reason ?? "", exitCode: 2, lost };
  }
  return { stdout: "", stderr: message?.text ?? "", exitCode: message === undefined ? 0 : 1, lost };
}

/** Claude's words as far as AtomCode reads them: no halt, no message, and nothing at the end of a turn. */
function encodeAtomcodeJson(effect: Effect, event: EventDescriptor): Encoded {
  const isTool = event.name === "PreToolUse";
  const isAfter = event.name === "PostToolUse";
  const isPrompt = event.name === "UserPromptSubmit";
  const { decision, input, output, context } = effect;
  const isDeny = decision?.kind === "deny";
  const heard: Effect = {
    ...((isTool && decision?.kind !== "defer") || (isDeny && (isAfter || isPrompt))
      ? defined({ decision })
      : {}),
    ...(isTool ? defined({ input }) : {}),
    ...(isAfter && typeof output === "string" ? { output } : {}),
    ...(isPrompt || event.name === "SessionStart" ? defined({ context }) : {}),
  };
  const lost = (Object.keys(effect) as (keyof Effect)[]).filter(
    name => name !== "diagnostics" && !Object.hasOwn(heard, name),
  );
  return { ...encodeClaude(heard, event), lost };
}

function encodeAtomcode(effect: Effect, event: EventDescriptor): Encoded {
  const isTool = event.name === "PreToolUse";
  const isPrompt = event.name === "UserPromptSubmit";
  const { decision, input, context } = effect;
  const said = new Set<keyof Effect>(["diagnostics"]);
  let answer: Members | undefined;
  if ((isTool || isPrompt) && decision?.kind === "deny") {
    said.add("decision");
    const reason = defined({ reason: decision.reason });
    answer = isTool ? { action: "block", ...reason } : { decision: "block", ...reason };
  } else if (isTool && input !== undefined) {
    said.add("input");
    answer = { action: "modify", args: input };
  } else if (isTool) {
    answer = { action: "allow" };
  } else if (isPrompt && context !== undefined) {
    said.add("context");
    answer = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: context } };
  }
  const lost = (Object.keys(effect) as (keyof Effect)[]).filter(name => !said.has(name));
  return { stdout: answer === undefined ? "" : JSON.stringify(answer), stderr: "", exitCode: 0, lost };
}

/** What all hooks of a dispatch said, as the effect of one: for a fold that goes on elsewhere. */
export function toEffect({ decision, halt, input, output, context, messages }: Outcome): Effect {
  const { kind, ...said } = decision;
  const reason = "reason" in said && said.reason !== undefined ? { reason: said.reason } : {};
  const texts = "texts" in said && said.texts !== undefined ? { texts: said.texts } : {};
  const [first] = messages;
  return {
    ...(kind === "none" ? {} : { decision: { kind, ...reason, ...texts } }),
    ...(halt === undefined ? {} : { halt: halt.reason === undefined ? {} : { reason: halt.reason } }),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(context.length === 0 ? {} : { context: context.map(({ text }) => text).join("\n\n") }),
    ...(first === undefined
      ? {}
      : { message: { text: messages.map(({ text }) => text).join("\n"), level: first.level } }),
  };
}
