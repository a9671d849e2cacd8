import { isJsonObject, type Json, MemberError, memberAt, StrictMembers } from "../../../protocol/index.ts";
import { firstCharacters, withoutControls } from "../../../text/index.ts";

/** The version every request carries; a reply without one is accepted. */
export const BRIDGE_VERSION = 1;

export interface ReflectRequest {
  readonly version: number;
  readonly action: "reflect";
  readonly transcript_path: string | null;
  readonly session_id: string;
  /** the session's earlier holds, for a reflection that wants them */
  readonly redirects_path?: string;
}

export interface ReflectReply {
  readonly should_block: boolean;
  readonly findings: readonly string[];
  readonly severity: "low" | "medium" | "high";
  readonly report?: string;
}

export interface GetContextRequest {
  readonly version: number;
  readonly action: "get_context";
  readonly session_id: string;
  readonly project_path: string;
}

export interface GetContextReply {
  readonly context: string;
  readonly memories: readonly { readonly key: string; readonly value: string }[];
}

export interface StoreRequest {
  readonly version: number;
  readonly action: "store";
  readonly session_id: string;
  readonly transcript_path: string | null;
  readonly agent_type?: string;
  readonly task?: string | null;
  readonly success?: boolean;
  readonly content?: string;
}

export interface StoreReply {
  readonly stored: boolean;
  readonly memories_count: number;
}

export interface InjectMemoryRequest {
  readonly version: number;
  readonly action: "inject_memory";
  readonly session_id: string;
  readonly prompt: string;
  readonly agents?: readonly string[];
}

export interface InjectMemoryReply {
  readonly injected_context: string;
  readonly memory_keys_used: readonly string[];
}

/** A question of the guard's, for the team's server: as it was shown and judged. */
export interface QuestionRequest {
  readonly version: number;
  readonly action: "question";
  readonly session_id: string;
  readonly digest: string;
  readonly command: string;
  readonly cwd: string;
  readonly rules: readonly string[];
  readonly found: readonly string[];
  readonly host: string;
  readonly project: string;
  readonly wait_ms: number;
}

export interface QuestionReply {
  readonly answer: "yes" | "no" | "waiting";
  /** who answered */
  readonly by: string;
}

/** Request and reply of each action. */
export interface BridgeContracts {
  readonly reflect: { readonly request: ReflectRequest; readonly reply: ReflectReply };
  readonly get_context: { readonly request: GetContextRequest; readonly reply: GetContextReply };
  readonly store: { readonly request: StoreRequest; readonly reply: StoreReply };
  readonly inject_memory: { readonly request: InjectMemoryRequest; readonly reply: InjectMemoryReply };
  readonly question: { readonly request: QuestionRequest; readonly reply: QuestionReply };
}
export type BridgeAction = keyof BridgeContracts;
export type BridgeRequest = BridgeContracts[BridgeAction]["request"];
export type BridgeReply = BridgeContracts[BridgeAction]["reply"];

/** How long the hook waits at most; its own deadline may be nearer. */
export const BRIDGE_TIMEOUT_MS: Readonly<Record<BridgeAction, number>> = {
  reflect: 30_000,
  get_context: 10_000,
  store: 15_000,
  inject_memory: 5_000,
  question: 600_000,
};
export const BRIDGE_ACTIONS = Object.keys(BRIDGE_TIMEOUT_MS) as readonly BridgeAction[];

/** Replies are untrusted: texts are cut and stripped of control characters, lists are cut. */
export const REPLY_LIMITS = { text: 20_000, item: 2_000, key: 200, items: 100 };

export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly warning?: string }
  | { readonly ok: false; readonly problem: string };

/** The child's side: one request of any action. */
export function parseBridgeRequest(value: Json): Parsed<BridgeRequest> {
  return parseWith(value, read => {
    const action = read.oneOf("action", BRIDGE_ACTIONS);
    const isGiven = (name: string) => memberAt(value, name) !== undefined;
    const base = {
      version: isGiven("version") ? read.number("version") : BRIDGE_VERSION,
      session_id: read.string("session_id"),
    };
    switch (action) {
      case "reflect":
        return {
          ...base,
          action,
          transcript_path: read.optional("transcript_path", read.string) ?? null,
          ...given("redirects_path", read.optional("redirects_path", read.string)),
        };
      case "get_context":
        return { ...base, action, project_path: read.string("project_path") };
      case "store":
        return {
          ...base,
          action,
          transcript_path: read.optional("transcript_path", read.string) ?? null,
          ...given("agent_type", read.optional("agent_type", read.string)),
          ...(isGiven("task") ? { task: read.optional("task", read.string) ?? null } : {}),
          ...(isGiven("success") ? { success: read.boolean("success") } : {}),
          ...given("content", read.optional("content", read.string)),
        };
      case "inject_memory":
        return {
          ...base,
          action,
          prompt: read.string("prompt"),
          ...(isGiven("agents") ? { agents: harmlessTexts(read, "agents", Number.MAX_SAFE_INTEGER) } : {}),
        };
      case "question":
        return {
          ...base,
          action,
          digest: read.string("digest"),
          command: read.string("command"),
          cwd: read.string("cwd"),
          rules: read.strings("rules"),
          found: read.strings("found"),
          host: read.string("host"),
          project: read.string("project"),
          wait_ms: read.number("wait_ms"),
        };
    }
  });
}

function given<K extends string>(name: K, text: string | undefined): { readonly [name in K]?: string } {
  return text === undefined ? {} : ({ [name]: text } as { readonly [name in K]: string });
}

type ReplyReaders = { readonly [A in BridgeAction]: (read: StrictMembers) => BridgeContracts[A]["reply"] };

const REPLY_READERS: ReplyReaders = {
  reflect: read => {
    const report = read.optional("report", read.string);
    return {
      should_block: read.boolean("should_block"),
      findings: harmlessTexts(read, "findings", REPLY_LIMITS.item),
      severity: read.oneOf("severity", ["low", "medium", "high"]),
      ...given("report", report === undefined ? undefined : harmless(report, REPLY_LIMITS.text)),
    };
  },
  get_context: read => ({
    context: harmless(read.string("context"), REPLY_LIMITS.text),
    memories: read
      .list("memories")
      .slice(0, REPLY_LIMITS.items)
      .map(item => {
        const memory = new StrictMembers(item, "memories[]");
        return {
          key: harmless(memory.string("key"), REPLY_LIMITS.key),
          value: harmless(memory.string("value"), REPLY_LIMITS.item),
        };
      }),
  }),
  store: read => ({ stored: read.boolean("stored"), memories_count: read.count("memories_count") }),
  inject_memory: read => ({
    injected_context: harmless(read.string("injected_context"), REPLY_LIMITS.text),
    memory_keys_used: harmlessTexts(read, "memory_keys_used", REPLY_LIMITS.key),
  }),
  question: read => ({
    answer: read.oneOf("answer", ["yes", "no", "waiting"]),
    by: harmless(read.string("by"), REPLY_LIMITS.key),
  }),
};

/** The hook's side: the reply to one action. */
export function parseBridgeReply<A extends BridgeAction>(
  action: A,
  value: Json,
): Parsed<BridgeContracts[A]["reply"]> {
  const parsed = parseWith(value, REPLY_READERS[action]);
  const version = memberAt(value, "version");
  if (!parsed.ok || version === undefined || version === BRIDGE_VERSION) return parsed;
  return { ...parsed, warning: `the reply is of another version than ${BRIDGE_VERSION}` };
}

function parseWith<T>(value: Json, build: (read: StrictMembers) => T): Parsed<T> {
  if (!isJsonObject(value)) return { ok: false, problem: "must be a JSON object" };
  try {
    return { ok: true, value: build(new StrictMembers(value)) };
  } catch (error) {
    if (error instanceof MemberError) return { ok: false, problem: error.message };
    throw error;
  }
}

function harmless(text: string, length: number): string {
  return firstCharacters(withoutControls(text), length);
}

function harmlessTexts(read: StrictMembers, name: string, length: number): readonly string[] {
  return read
    .strings(name)
    .slice(0, REPLY_LIMITS.items)
    .map(text => harmless(text, length));
}
