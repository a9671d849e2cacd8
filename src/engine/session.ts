/** What an engine knows of a session's earlier calls, for hooks that decide by what came before. */
import { isJsonObject, type Json, type JsonObject, stringAt } from "../protocol/index.ts";
import { BoundedMap } from "./session-state.ts";

/** A call that has ended. */
export interface PastCall {
  readonly id: string;
  readonly tool: string;
  /** what the tool got */
  readonly args: Json;
  readonly isError: boolean;
  /** the kind of secret whose value its result showed: "a GitHub token", "the value of API_KEY" */
  readonly secret: string | undefined;
}

/** One session. `engine.session(id)` and the `session` of a hook's scope are the same object. */
export interface Session {
  readonly id: string;
  /** ended calls, oldest first; the latest 500 */
  readonly calls: readonly PastCall[];
  /**
   * Those of them that showed a secret's value since the person's last prompt (`UserPromptSubmit`). The engine of
   * functions alone (`createHookEngine` of `amplihack/engine/core`) does not search results and knows none.
   */
  readonly secretsShown: readonly PastCall[];
  /** what hooks noted, by name */
  readonly facts: ReadonlyMap<string, Json>;
  has(fact: string): boolean;
  /** remembers a fact for the rest of the session; the latest 500 */
  note(fact: string, value?: Json): void;
  forget(fact: string): void;
}

const MAX_SESSIONS = 1_024;
const MAX_CALLS = 500;
const MAX_PARTS = 256;

class KnownSession implements Session {
  readonly id: string;
  private past: PastCall[] = [];
  private readonly notes = new BoundedMap<Json>(MAX_CALLS);
  /** how many of the calls came before the person's last prompt */
  private answered = 0;

  constructor(id: string) {
    this.id = id;
  }

  get calls(): readonly PastCall[] {
    return [...this.past];
  }

  get secretsShown(): readonly PastCall[] {
    return this.past.slice(this.answered).filter(({ secret }) => secret !== undefined);
  }

  get facts(): ReadonlyMap<string, Json> {
    return new Map(this.notes);
  }

  has(fact: string): boolean {
    return this.notes.has(fact);
  }

  note(fact: string, value: Json = true): void {
    this.notes.set(fact, value);
  }

  forget(fact: string): void {
    this.notes.delete(fact);
  }

  record(call: PastCall): void {
    this.past.push(Object.freeze(call));
    const surplus = this.past.length - MAX_CALLS;
    if (surplus <= 0) return;
    this.past = this.past.slice(surplus);
    this.answered = Math.max(0, this.answered - surplus);
  }

  prompt(): void {
    this.answered = this.past.length;
  }
}

/** The kind of secret that a text shows by its value. The smallest engine has none. */
export type SecretFinder = (text: string) => string | undefined;

/** The events that change what is known of a session. */
export const RECORDED: ReadonlySet<string> = new Set([
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "SessionEnd",
]);

export class Sessions {
  private readonly known = new BoundedMap<KnownSession>(MAX_SESSIONS);
  private readonly secretIn: SecretFinder;

  constructor(secretIn: SecretFinder) {
    this.secretIn = secretIn;
  }

  get(id: string): KnownSession {
    const session = this.known.get(id) ?? new KnownSession(id);
    this.known.set(id, session);
    return session;
  }

  /** What an event of `RECORDED` tells. */
  record(event: string, payload: JsonObject): void {
    const id = stringAt(payload, "session_id") ?? "";
    if (event === "SessionEnd") this.known.delete(id);
    else if (event === "UserPromptSubmit") this.get(id).prompt();
    else this.get(id).record(callIn(event, payload, this.secretIn));
  }
}

function callIn(event: string, payload: JsonObject, secretIn: SecretFinder): PastCall {
  const isError = event === "PostToolUseFailure" || payload["is_error"] === true;
  const result = payload["tool_response"] ?? payload["error"] ?? null;
  return {
    id: stringAt(payload, "tool_use_id") ?? "",
    tool: stringAt(payload, "tool_name") ?? "",
    args: payload["tool_input"] ?? null,
    isError,
    secret: secretIn(textsIn(result)),
  };
}

function textsIn(value: Json): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.slice(0, MAX_PARTS).map(textsIn).join("\n");
  if (!isJsonObject(value)) return "";
  return Object.values(value)
    .slice(0, MAX_PARTS)
    .map(member => textsIn(member ?? null))
    .join("\n");
}
