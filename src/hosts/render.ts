import { type Decision, describeEvent, isJsonObject, type Outcome } from "../protocol/index.ts";
import { type Draft, say, unlessBlank } from "./answer-draft.ts";
import { settleHalt, settleInput, settleOutput, settleQuestion, settleRefusal } from "./degrade.ts";
import { HOSTS } from "./descriptors.ts";
import type { Answer, AnswerRequest, HostDescriptor, HostId, Occasion, Speech } from "./host.ts";
import { occasionOf, powerAt, silenceOf, speechFor } from "./occasion.ts";

/**
 * The outcome in the host's own words. What the host cannot say is said by the nearest stricter word it has
 * (`degraded`) or, where nothing stricter makes sense, left out and named (`unsupported`): never silently.
 */
export function render(hostId: HostId, request: AnswerRequest): Answer {
  const host = HOSTS[hostId];
  const on = occasionOf(host, request, request.outcome.extras);
  return finish(host, on, draftAnswer(host, on, request.outcome));
}

function draftAnswer(host: HostDescriptor, on: Occasion, outcome: Outcome): Draft {
  const speech = speechFor(host, on);
  const power = powerAt(on);
  const draft: Draft = {
    verdict: outcome.decision.kind,
    reason: reasonOf(outcome.decision),
    input: undefined,
    context: outcome.context.map(({ text }) => text).join("\n\n"),
    words: {},
    stderr: [],
    degraded: [],
    unsupported: [],
  };
  settleHalt(draft, speech, on, power, outcome.halt);
  settleQuestion(draft, speech, on, power);
  settleInput(draft, speech, on, power, outcome.input);
  if (outcome.output !== undefined) settleOutput(draft, speech, on, outcome.output);
  settleRefusal(draft, speech, power);
  sayVerdict(draft, speech, on);
  if (draft.input !== undefined) say(draft, speech.input?.(draft.input, on, draft.verdict) ?? {});
  if (draft.verdict === "allow" && !isAllowSaid(draft, speech, on)) draft.unsupported.push("allow");
  sayContext(draft, speech, on, host.contextLimit);
  sayMessages(draft, speech, on, outcome.messages);
  if (outcome.suppressOutput) {
    if (speech.suppress === undefined) draft.unsupported.push("suppressOutput");
    else say(draft, speech.suppress());
  }
  sayExtras(draft, speech, on, host);
  return draft;
}

function reasonOf(decision: Decision): string | undefined {
  return decision.kind === "none" ? undefined : unlessBlank(decision.reason);
}

function sayVerdict(draft: Draft, speech: Speech, on: Occasion): void {
  const { verdict, reason } = draft;
  if (verdict === "deny" && speech.deny !== undefined) {
    const isContextLost = draft.context !== "" && speech.context === undefined;
    if (isContextLost) draft.degraded.push("context → reason");
    const base = reason ?? "refused by a hook, which gave no reason";
    const full = isContextLost ? `${base}\n\n${draft.context}` : base;
    if (isContextLost) draft.context = "";
    say(draft, speech.deny(full, on));
    draft.stderr.push(full);
    if (speech.caveats?.deny !== undefined) draft.degraded.push(speech.caveats.deny);
    if (speech.unproven?.includes("deny") === true) draft.unsupported.push("deny");
  } else if (verdict === "ask" || verdict === "defer") {
    say(draft, speech[verdict]?.(reason, on) ?? {});
  } else if (verdict === "allow") {
    say(draft, speech.allow?.(reason, on) ?? {});
  }
}

/** An allow means something only where the host would otherwise put a question; Codex takes one with a rewrite. */
function isAllowSaid(draft: Draft, speech: Speech, on: Occasion): boolean {
  if (speech.unproven?.includes("allow") === true) return false;
  if (speech.allow !== undefined || !describeEvent(on.event).rewrites.includes("input")) return true;
  const { hookSpecificOutput: nested } = draft.words;
  return isJsonObject(nested) && nested["permissionDecision"] === "allow";
}

function sayContext(draft: Draft, speech: Speech, on: Occasion, limit: number | undefined): void {
  if (draft.context === "") return;
  if (speech.context === undefined) {
    draft.unsupported.push("context");
    return;
  }
  let text = draft.context;
  if (limit !== undefined && text.length > limit) {
    text = cut(text, limit);
    draft.degraded.push(`context → its first ${limit} characters`);
  }
  if (speech.unproven?.includes("context") === true) draft.unsupported.push("context");
  say(draft, speech.context(text, on));
}

/** At most `limit` characters, with a mark at the end and no half surrogate pair before it. */
function cut(text: string, limit: number): string {
  const mark = "\n[cut]";
  return text.slice(0, limit - mark.length).replace(/[\uD800-\uDBFF]$/, "") + mark;
}

function sayMessages(draft: Draft, speech: Speech, on: Occasion, messages: Outcome["messages"]): void {
  if (messages.length === 0) return;
  const text = messages.map(message => message.text).join("\n");
  if (speech.message !== undefined) {
    say(draft, speech.message(text, on));
    return;
  }
  draft.degraded.push("message → stderr");
  draft.stderr.push(text);
}

/** Members only Claude Code knows on this event, and below everything else those of our own form. */
function sayExtras(draft: Draft, speech: Speech, on: Occasion, host: HostDescriptor): void {
  const nestedMembers = Object.entries(on.extras).filter(([name]) => speech.extras?.includes(name));
  if (nestedMembers.length > 0 && draft.verdict !== "deny") {
    const members = Object.fromEntries(nestedMembers);
    say(draft, { hookSpecificOutput: { hookEventName: on.spoken, ...members } });
  }
  if (host.id !== "claude-code") return;
  const { claude } = on.extras;
  if (!isJsonObject(claude)) return;
  const own = Object.entries(claude).filter(([name, value]) => isOwnMember(name, value));
  draft.words = { ...Object.fromEntries(own), ...draft.words };
}

/** Decisions come from the outcome alone; `approve` is what our stop hook says when it has no objection. */
function isOwnMember(name: string, value: unknown): boolean {
  if (name === "decision") return value === "approve";
  return !["hookSpecificOutput", "continue", "permissionDecision", "reason"].includes(name);
}

function finish(host: HostDescriptor, on: Occasion, draft: Draft): Answer {
  const speech = speechFor(host, on);
  const isRefusal = draft.verdict === "deny";
  return {
    stdout: stdoutOf(host, on, speech, draft),
    stderr: lines(draft.stderr),
    exitCode: isRefusal ? (speech.denyExitCode ?? 0) : 0,
    ...(draft.unsupported.length === 0 ? {} : { unsupported: draft.unsupported }),
    ...(draft.degraded.length === 0 ? {} : { degraded: draft.degraded }),
  };
}

function stdoutOf(host: HostDescriptor, on: Occasion, speech: Speech, draft: Draft): string {
  if (draft.verdict === "deny" && speech.denyExitCode !== undefined && host.encode === undefined) return "";
  const plain = speech.plainExtra === undefined ? undefined : on.extras[speech.plainExtra];
  if (typeof plain === "string") return lines([plain]);
  if (Object.keys(draft.words).length === 0) return silenceOf(host, on);
  return lines([host.encode?.(draft.words) ?? JSON.stringify(draft.words)]);
}

/** Each text on lines of its own, the last one ended. */
export function lines(texts: readonly string[]): string {
  return texts.map(text => (text.endsWith("\n") ? text : `${text}\n`)).join("");
}
