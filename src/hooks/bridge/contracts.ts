import { isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { firstCharacters, withoutControls } from "../words.ts";

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

/** Request and reply of each action. */
export interface BridgeContracts {
  readonly reflect: { readonly request: ReflectRequest; readonly reply: ReflectReply };
  readonly get_context: { readonly request: GetContextRequest; readonly reply: GetContextReply };
  readonly store: { readonly request: StoreRequest; readonly reply: StoreReply };
  readonly inject_memory: { readonly request: InjectMemoryRequest; readonly reply: InjectMemoryReply };
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
    const action = read.text("action");
    const { version } = read;
    const session_id = read.text("session_id");
    switch (action) {
      case "reflect": {
        const redirects = read.optionalText("redirects_path");
        return {
          version,
          action,
          transcript_path: read.textOrNull("transcript_path"),
          session_id,
          ...(redirects === undefined ? {} : { redirects_path: redirects }),
        };
      }
      case "get_context":
        return { version, action, session_id, project_path: read.text("project_path") };
      case "store": {
        const agent_type = read.optionalText("agent_type");
        const task = read.has("task") ? read.textOrNull("task") : undefined;
        const success = read.has("success") ? read.flag("success") : undefined;
        const content = read.optionalText("content");
        return {
          version,
          action,
          session_id,
          transcript_path: read.textOrNull("transcript_path"),
          ...(agent_type === undefined ? {} : { agent_type }),
          ...(task === undefined ? {} : { task }),
          ...(success === undefined ? {} : { success }),
          ...(content === undefined ? {} : { content }),
        };
      }
      case "inject_memory": {
        const agents = read.has("agents") ? read.texts("agents", Number.MAX_SAFE_INTEGER) : undefined;
        const prompt = read.text("prompt");
        return { version, action, session_id, prompt, ...(agents === undefined ? {} : { agents }) };
      }
      default:
        throw new Mismatch(`action must be one of ${BRIDGE_ACTIONS.join(", ")}`);
    }
  });
}

type ReplyReaders = { readonly [A in BridgeAction]: (read: Members) => BridgeContracts[A]["reply"] };

const REPLY_READERS: ReplyReaders = {
  reflect: read => {
    const severity = read.text("severity");
    if (severity !== "low" && severity !== "medium" && severity !== "high") {
      throw new Mismatch("severity must be low, medium or high");
    }
    const report = read.optionalText("report");
    return {
      should_block: read.flag("should_block"),
      findings: read.texts("findings", REPLY_LIMITS.item),
      severity,
      ...(report === undefined ? {} : { report: harmless(report, REPLY_LIMITS.text) }),
    };
  },
  get_context: read => ({
    context: harmless(read.text("context"), REPLY_LIMITS.text),
    memories: read.list("memories").map(memory => {
      const member = new Members(memory, "memories");
      return {
        key: harmless(member.text("key"), REPLY_LIMITS.key),
        value: harmless(member.text("value"), REPLY_LIMITS.item),
      };
    }),
  }),
  store: read => ({ stored: read.flag("stored"), memories_count: read.count("memories_count") }),
  inject_memory: read => ({
    injected_context: harmless(read.text("injected_context"), REPLY_LIMITS.text),
    memory_keys_used: read.texts("memory_keys_used", REPLY_LIMITS.key),
  }),
};

/** The hook's side: the reply to one action. */
export function parseBridgeReply<A extends BridgeAction>(
  action: A,
  value: Json,
): Parsed<BridgeContracts[A]["reply"]> {
  const parsed = parseWith(value, REPLY_READERS[action]);
  const version = isJsonObject(value) ? ownValue(value, "version") : undefined;
  if (!parsed.ok || version === undefined || version === BRIDGE_VERSION) return parsed;
  return { ...parsed, warning: `the reply is of another version than ${BRIDGE_VERSION}` };
}

function parseWith<T>(value: Json, build: (read: Members) => T): Parsed<T> {
  try {
    return { ok: true, value: build(new Members(value, undefined)) };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, problem: error.message };
    throw error;
  }
}

function harmless(text: string, length: number): string {
  return firstCharacters(withoutControls(text), length);
}

class Mismatch extends Error {}

/** Reads members by type; what does not fit is named by its member, never by its content. */
class Members {
  private readonly object: JsonObject;
  private readonly place: string;

  constructor(value: Json, list: string | undefined) {
    this.place = list === undefined ? "" : `${list}[].`;
    if (!isJsonObject(value)) {
      throw new Mismatch(list === undefined ? "must be a JSON object" : `${list} must hold objects`);
    }
    this.object = value;
  }

  get version(): number {
    const version = this.has("version") ? this.member("version", "number") : BRIDGE_VERSION;
    return Number(version);
  }

  has(name: string): boolean {
    return ownValue(this.object, name) !== undefined;
  }

  text(name: string): string {
    return String(this.member(name, "string"));
  }

  optionalText(name: string): string | undefined {
    const value = ownValue(this.object, name);
    return value === undefined || value === null ? undefined : this.text(name);
  }

  textOrNull(name: string): string | null {
    return this.optionalText(name) ?? null;
  }

  flag(name: string): boolean {
    return this.member(name, "boolean") === true;
  }

  count(name: string): number {
    const value = this.member(name, "number");
    if (!Number.isInteger(value) || Number(value) < 0) {
      throw new Mismatch(`${this.place}${name} must be a whole number, 0 or more`);
    }
    return Number(value);
  }

  list(name: string): readonly Json[] {
    const value = ownValue(this.object, name);
    if (!Array.isArray(value)) throw new Mismatch(`${this.place}${name} must be a list`);
    return value.slice(0, REPLY_LIMITS.items);
  }

  texts(name: string, length: number): readonly string[] {
    return this.list(name).map(item => {
      if (typeof item !== "string") throw new Mismatch(`${this.place}${name} must hold strings`);
      return harmless(item, length);
    });
  }

  private member(name: string, type: "string" | "boolean" | "number"): Json {
    const value = ownValue(this.object, name);
    if (value === undefined || value === null || typeof value !== type) {
      throw new Mismatch(`${this.place}${name} must be a ${type}`);
    }
    return value;
  }
}
