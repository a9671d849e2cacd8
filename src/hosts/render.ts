import { describeEvent, isJsonObject, type JsonObject, type Outcome } from "../protocol/index.ts";
import { nested } from "./claude-encoders.ts";
import { applyHalt, applyInput, applyOutput, degradeQuestion, degradeRefusal } from "./degrade.ts";
import { HOSTS, type HostId } from "./descriptors.ts";
import { encoderFor, noOpinionOf, powerAt, renderContext } from "./render-context.ts";
import { addMembers, NO_REASON, type ResponseDraft, unlessBlank } from "./response-draft.ts";

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
    // Where nobody can answer, the model reads the question.
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
    stdout: stdoutOf(draft),
    stderr: lines(stderr),
    exitCode: verdict === "deny" ? (encoder.denyExitCode ?? 0) : 0,
    ...(unsupported.length === 0 ? {} : { unsupported }),
    ...(degraded.length === 0 ? {} : { degraded }),
  };
}

function stdoutOf({ host, at, encoder, verdict, members }: ResponseDraft): string {
  if (verdict === "deny" && encoder.denyExitCode !== undefined && host.encode === undefined) return "";
  const plain = encoder.plainExtra === undefined ? undefined : at.extras[encoder.plainExtra];
  if (typeof plain === "string") return lines([plain]);
  if (Object.keys(members).length === 0) return noOpinionOf(host, at);
  return lines([host.encode?.(members) ?? JSON.stringify(members)]);
}

/** Each text on lines of its own, the last one ended. */
export function lines(texts: readonly string[]): string {
  return texts.map(text => (text.endsWith("\n") ? text : `${text}\n`)).join("");
}
