import {
  describeEvent,
  type FailurePolicy,
  isJsonObject,
  type Json,
  type JsonObject,
  NO_OUTCOME,
  type Outcome,
  type Power,
  type VerdictKind,
} from "../protocol/index.ts";
import { asText, nested, refusalInsteadOfAsk } from "./claude-encoders.ts";
import { HOSTS, type HostId } from "./descriptors.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder } from "./host.ts";
import { encoderFor, powerAt, renderContext, renderNoOpinion } from "./render-context.ts";
import { readFirst } from "./tool-input.ts";

/** Exactly what a host gets. */
export interface HostResponse {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** what the host cannot express, or does not honour on this event */
  readonly unsupported?: readonly string[];
  /** what was replaced because the host lacks the ability, for instance `ask → deny` */
  readonly degraded?: readonly string[];
}

/**
 * What is rendered for every host. Members of `outcome.extras` that are known here:
 * - `claude`: top-level members of our own form (`metadata`, `status`, `decision: "approve"` …). They go out in
 *   the Claude form alone, never replace a rendered member, and cannot carry a decision other than `approve`.
 * - `allowOnce`: the code of `amplihack guard allow-once`, told to hosts where an ask becomes a deny.
 * - Claude Code's own event members by their names (`sessionTitle`, `watchPaths`, `retry`, `updatedPermissions`,
 *   `worktreePath` …): see `extras` in the encoder of that event.
 */
export interface RenderRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly outcome: Outcome;
  /** the payload answered, for hosts whose answer depends on part of it */
  readonly payload: JsonObject;
  /** no person can answer a question; only Antigravity's "no opinion" depends on it */
  readonly isHeadless?: boolean;
}

/**
 * The outcome in the host's own form. What the host cannot express is replaced by the nearest stricter thing it can
 * (`degraded`) or, where nothing stricter makes sense, left out and named (`unsupported`): never silently.
 */
export function render(hostId: HostId, request: RenderRequest): HostResponse {
  const { outcome } = request;
  const draft = openDraft(hostId, request);
  applyHalt(draft, outcome.halt);
  degradeQuestion(draft);
  applyInput(draft, outcome.input);
  applyOutput(draft, outcome.output);
  degradeRefusal(draft);
  addVerdict(draft);
  const { encoder, at } = draft;
  if (draft.input !== undefined) addMembers(draft, encoder.input?.(draft.input, at, draft.verdict));
  if (draft.verdict === "allow" && !isAllowExpressed(draft)) draft.unsupported.push("allow");
  addContext(draft);
  addMessages(draft, outcome.messages);
  if (outcome.suppressOutput) {
    if (encoder.suppress === undefined) draft.unsupported.push("suppressOutput");
    else addMembers(draft, encoder.suppress());
  }
  addExtras(draft);
  return finish(draft);
}

function openDraft(hostId: HostId, request: RenderRequest): ResponseDraft {
  const host = HOSTS[hostId];
  const { decision, context, extras } = request.outcome;
  const { reason, texts } = decision.kind === "none" ? {} : decision;
  const at = { ...renderContext(host, request, extras), texts };
  return {
    host,
    encoder: encoderFor(host, at),
    at,
    power: powerAt(at),
    verdict: decision.kind,
    reason: unlessBlank(reason),
    given: unlessBlank(reason),
    input: undefined,
    context: context.map(({ text }) => text).join("\n\n"),
    members: {},
    stderr: [],
    degraded: [],
    unsupported: [],
  };
}

function addVerdict(draft: ResponseDraft): void {
  const { verdict, reason, encoder } = draft;
  if (verdict === "none") return;
  // The two texts belong to the reason that the hooks gave, not to one that was put together here.
  const at = reason === draft.given ? draft.at : { ...draft.at, texts: undefined };
  if (verdict !== "deny") {
    // In an unattended session the model reads the question.
    const isForPerson = verdict === "ask" && !at.isHeadless;
    addMembers(draft, encoder[verdict]?.(isForPerson ? (at.texts?.person ?? reason) : reason, at));
    return;
  }
  if (encoder.deny === undefined) return;
  const isContextLost = draft.context !== "" && encoder.context === undefined;
  const full = isContextLost ? `${reason ?? NO_REASON}\n\n${draft.context}` : (reason ?? NO_REASON);
  if (isContextLost) {
    draft.degraded.push("context → reason");
    draft.context = "";
  }
  addMembers(draft, encoder.deny(full, at));
  draft.stderr.push(full);
  if (encoder.caveats?.deny !== undefined) draft.degraded.push(encoder.caveats.deny);
  if (encoder.unproven?.includes("deny") === true) draft.unsupported.push("deny");
}

/** An allow means something only where the host would otherwise put a question; Codex takes one with a rewrite. */
function isAllowExpressed({ encoder, at, members }: ResponseDraft): boolean {
  if (encoder.unproven?.includes("allow") === true) return false;
  if (encoder.allow !== undefined || !describeEvent(at.event).rewrites.includes("input")) return true;
  const { hookSpecificOutput: inner } = members;
  return isJsonObject(inner) && inner["permissionDecision"] === "allow";
}

function addContext(draft: ResponseDraft): void {
  const { encoder, at, host } = draft;
  const { contextLimit: limit } = host;
  if (draft.context === "") return;
  if (encoder.context === undefined) {
    draft.unsupported.push("context");
    return;
  }
  let text = draft.context;
  if (limit !== undefined && text.length > limit) {
    text = cut(text, limit);
    draft.degraded.push(`context → its first ${limit} characters`);
  }
  if (encoder.unproven?.includes("context") === true) draft.unsupported.push("context");
  addMembers(draft, encoder.context(text, at));
}

/** At most `limit` characters, with a mark at the end and no half surrogate pair before it. */
function cut(text: string, limit: number): string {
  const mark = "\n[cut]";
  return text.slice(0, limit - mark.length).replace(/[\uD800-\uDBFF]$/, "") + mark;
}

function addMessages(draft: ResponseDraft, messages: Outcome["messages"]): void {
  if (messages.length === 0) return;
  const text = messages.map(message => message.text).join("\n");
  if (draft.encoder.message !== undefined) {
    addMembers(draft, draft.encoder.message(text, draft.at));
    return;
  }
  draft.degraded.push("message → stderr");
  draft.stderr.push(text);
}

/** Members only Claude Code knows on this event, and below everything else those of our own form. */
function addExtras(draft: ResponseDraft): void {
  const { host, encoder, at } = draft;
  const extras = Object.entries(at.extras).filter(([name]) => encoder.extras?.includes(name));
  if (extras.length > 0 && draft.verdict !== "deny")
    addMembers(draft, nested(at, Object.fromEntries(extras)));
  const { claude } = at.extras;
  if (host.takesOwnForm !== true || !isJsonObject(claude)) return;
  const own = Object.entries(claude).filter(([name, value]) => isOwnMember(name, value));
  draft.members = { ...Object.fromEntries(own), ...draft.members };
}

/** Decisions come from the outcome alone; `approve` is what our stop hook answers when it has no objection. */
function isOwnMember(name: string, value: unknown): boolean {
  if (name === "decision") return value === "approve";
  return !["hookSpecificOutput", "continue", "permissionDecision", "reason"].includes(name);
}

function finish(draft: ResponseDraft): HostResponse {
  const { encoder, verdict, stderr, unsupported, degraded } = draft;
  return {
    stdout: encodeStdout(draft),
    stderr: lines(stderr),
    exitCode: verdict === "deny" ? (encoder.denyExitCode ?? 0) : 0,
    ...(unsupported.length === 0 ? {} : { unsupported }),
    ...(degraded.length === 0 ? {} : { degraded }),
  };
}

function encodeStdout({ host, at, encoder, verdict, members }: ResponseDraft): string {
  if (verdict === "deny" && encoder.denyExitCode !== undefined && host.encode === undefined) return "";
  const plain = encoder.plainExtra === undefined ? undefined : at.extras[encoder.plainExtra];
  if (typeof plain === "string") return lines([plain]);
  if (Object.keys(members).length === 0) return renderNoOpinion(host, at);
  return lines([host.encode?.(members) ?? JSON.stringify(members)]);
}

/** Each text on lines of its own, the last one ended. */
function lines(texts: readonly string[]): string {
  return texts.map(text => (text.endsWith("\n") ? text : `${text}\n`)).join("");
}

// What becomes of an effect that a host cannot express: the nearest stricter one, or a note.

const MAX_SHOWN_INPUT = 4_000;
const NOTHING = "(the result is empty)";

/**
 * Before an action a halt is also a deny: alone it would let the action happen. On a stop it means "do stop", so
 * nothing holds the agent. Where the host cannot end the turn, the model is told to.
 */
function applyHalt(draft: ResponseDraft, halt: Outcome["halt"]): void {
  if (halt === undefined) return;
  const { encoder, at, power } = draft;
  const reason = unlessBlank(halt.reason) ?? draft.reason ?? `${halt.hook} ended the turn and gave no reason`;
  if (power === "retry") {
    draft.verdict = "none";
    draft.reason = undefined;
  } else if (draft.verdict !== "deny" && (power === "veto" || (power === "feedback" && !encoder.halt))) {
    draft.verdict = "deny";
    draft.reason = reason;
  }
  if (encoder.halt !== undefined) addMembers(draft, encoder.halt(reason, at));
  else if (power === "none") draft.unsupported.push("halt");
  else if (power !== "retry") draft.degraded.push("halt → deny");
}

/** A question that the host cannot ask is a refusal that says how a person can permit the call. */
function degradeQuestion(draft: ResponseDraft): void {
  const { verdict, encoder, at, power } = draft;
  if (verdict !== "ask" && verdict !== "defer") return;
  if (encoder[verdict] !== undefined && power === "veto") return;
  draft.degraded.push(`${verdict} → deny`);
  draft.reason = refusalInsteadOfAsk(draft.reason, at.extras);
  draft.verdict = "deny";
}

/** A rewrite the host cannot make is refused, with the input that would have been right. */
function applyInput(draft: ResponseDraft, input: JsonObject | undefined): void {
  if (input === undefined || draft.verdict === "deny") return;
  const { encoder, at, power } = draft;
  const isPossible =
    encoder.input !== undefined &&
    (encoder.inputNeedsAllow !== true || draft.verdict === "allow") &&
    (encoder.inputIsMerged !== true || !removesMembers(input, at.payload));
  if (isPossible) {
    draft.input = input;
    if (encoder.caveats?.input !== undefined && draft.verdict === "none")
      draft.degraded.push(encoder.caveats.input);
    return;
  }
  if (power !== "veto") {
    draft.unsupported.push("input");
    return;
  }
  const text = JSON.stringify(input);
  const shown = text.length > MAX_SHOWN_INPUT ? `${text.slice(0, MAX_SHOWN_INPUT)}… (cut)` : text;
  const why = draft.reason === undefined ? "" : `${draft.reason}\n`;
  draft.degraded.push("input → deny");
  draft.verdict = "deny";
  draft.reason = `${why}The input has to be changed, which cannot be done here. Use this input instead: ${shown}`;
}

function removesMembers(input: JsonObject, payload: JsonObject): boolean {
  const original = readFirst(payload, ["tool_input", "toolInput", "toolArgs"])?.value;
  if (typeof original !== "object" || original === null || Array.isArray(original)) return false;
  return Object.keys(original).some(name => !Object.hasOwn(input, name));
}

/** Where a refusal takes the place of the result, its reason can be the new result. */
function applyOutput(draft: ResponseDraft, output: Json | undefined): void {
  if (output === undefined) return;
  const { encoder, at } = draft;
  if (encoder.output !== undefined) {
    addMembers(draft, encoder.output(output, at));
  } else if (encoder.denyReplacesResult === true && encoder.deny !== undefined && draft.verdict !== "deny") {
    draft.degraded.push("output → deny");
    addMembers(draft, encoder.deny(unlessBlank(asText(output)) ?? NOTHING, at));
  } else {
    draft.unsupported.push("output");
  }
}

/** A refusal that the host cannot express: after a tool the model is told why, elsewhere it cannot be had. */
function degradeRefusal(draft: ResponseDraft): void {
  const { encoder, power } = draft;
  if (draft.verdict !== "deny" || encoder.deny !== undefined) return;
  const reason = draft.reason ?? NO_REASON;
  if (power === "feedback" && encoder.context !== undefined) {
    draft.degraded.push("deny → context");
    draft.context = draft.context === "" ? reason : `${reason}\n\n${draft.context}`;
  } else {
    draft.unsupported.push("deny");
  }
  draft.stderr.push(reason);
  draft.verdict = "none";
}

/** A response while it is being put together. */
interface ResponseDraft {
  readonly host: HostDescriptor;
  readonly encoder: ResponseEncoder;
  readonly at: RenderContext;
  readonly power: Power;
  verdict: VerdictKind;
  reason: string | undefined;
  /** as the hooks gave it */
  readonly given: string | undefined;
  /** a rewrite that the host can make */
  input: JsonObject | undefined;
  context: string;
  members: JsonObject;
  readonly stderr: string[];
  readonly degraded: string[];
  readonly unsupported: string[];
}

const NO_REASON = "refused by a hook, which gave no reason";

function addMembers(draft: ResponseDraft, members: JsonObject | undefined): void {
  draft.members = merge(draft.members, members ?? {});
}

/** Members of both; objects under one name are merged, otherwise the later one counts. */
function merge(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const before = merged[name];
    merged[name] = isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value;
  }
  return merged;
}

/** A text that says something. Codex throws a refusal away whose reason is empty, and then the tool runs. */
function unlessBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** "Policy could not run": rendered by the failure policy, on veto events only. */
export interface FailureRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly policy: FailurePolicy;
  /** says what could not be checked, never payload text */
  readonly reason: string;
  /** absent when stdin was unreadable */
  readonly payload?: JsonObject;
  readonly isHeadless?: boolean;
}

const OPENING = "could not check";

/**
 * "Policy could not run" in the host's own form, told apart from every rule by how it begins. The failure policy
 * acts where an action can be refused; elsewhere a broken hook lets everything pass and says so on stderr.
 */
export function renderFailure(hostId: HostId, request: FailureRequest): HostResponse {
  const host = HOSTS[hostId];
  const { policy } = request;
  const at = renderContext(host, request, {});
  const reason = request.reason.startsWith(OPENING) ? request.reason : `${OPENING} this: ${request.reason}`;
  const stderr = lines([reason]);

  if (policy === "open") return { stdout: renderNoOpinion(host, at), stderr, exitCode: 0 };
  if (powerAt(at) !== "veto")
    return { stdout: renderNoOpinion(host, at), stderr, exitCode: 0, degraded: [`${policy} → open`] };
  if (policy === "ask" || host.closed === "deny") {
    const decision = { kind: policy === "ask" ? "ask" : "deny", reason, by: [] } as const;
    const response = render(hostId, {
      ...request,
      payload: at.payload,
      outcome: { ...NO_OUTCOME, decision },
    });
    return response.stderr === "" ? { ...response, stderr } : response;
  }
  const members = host.closedResponse?.(reason, at);
  const stdout = members === undefined ? "" : lines([JSON.stringify(members)]);
  const isHonoured = members !== undefined || encoderFor(host, at).ignoresExitCode !== true;
  return { stdout, stderr, exitCode: 2, ...(isHonoured ? {} : { unsupported: ["closed"] }) };
}
