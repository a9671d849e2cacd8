import {
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  numberAt,
  objectAt,
  stringAt,
} from "../../protocol/index.ts";

/** Tokens of one or more answers of a model, counted alike for all hosts. */
export interface TokenCount {
  /** neither read from a cache nor written to one */
  readonly input: number;
  /** with reasoning */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** part of `output`; 0 where the host does not tell it */
  readonly reasoning: number;
}

/** What one line of a host's record says about spending and time. */
export type UsageFact =
  | {
      readonly kind: "session";
      readonly id?: string | undefined;
      /** the session that started this one as an agent of its own */
      readonly parent?: string | undefined;
      readonly cwd?: string | undefined;
      readonly model?: string | undefined;
      /** tokens that the model can hold */
      readonly window?: number | undefined;
    }
  /** a person's message, or with `isPrompt` false anything else that shows that the session went on */
  | { readonly kind: "moment"; readonly timeMs: number; readonly isPrompt: boolean }
  | {
      readonly kind: "spent";
      /** hosts write an answer several times, also into the file of a session that continues it */
      readonly id: string;
      /** the id tells answers of this file apart, and no others */
      readonly isLocalId?: true;
      readonly timeMs: number;
      readonly model?: string | undefined;
      readonly tokens: TokenCount;
      /** US dollars, by the host's own account */
      readonly cost?: number | undefined;
      readonly window?: number | undefined;
    };

/** The facts of one line; a record is told by its own members, as `readEntry` does. */
export function readUsageFacts(line: JsonObject): readonly UsageFact[] {
  const type = stringAt(line, "type") ?? "";
  if (isJsonObject(memberAt(line, "payload"))) return codexFacts(line, type, objectAt(line, "payload"));
  if (isJsonObject(memberAt(line, "data")) && type.includes("."))
    return copilotFacts(line, type, objectAt(line, "data"));
  if (isJsonObject(memberAt(line, "tokens", "cache")) || memberAt(line, "sessionID") !== undefined)
    return openCodeFacts(line);
  const rewritten = listAt(memberAt(line, "$set"), "messages").filter(isJsonObject);
  if (rewritten.length > 0) return rewritten.flatMap(geminiFacts);
  if (type === "gemini" || stringAt(line, "projectHash") !== undefined) return geminiFacts(line);
  if (type === "message" || type === "session") return piFacts(line, type);
  return claudeFacts(line, type);
}

function parseTime(value: Json | undefined): number {
  const text = stringAt(value, "timestamp") ?? stringAt(value, "startTime");
  const timeMs = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isFinite(timeMs) ? timeMs : 0;
}

/** No moment where the host tells no time. */
function moment(timeMs: number, isPrompt: boolean): readonly UsageFact[] {
  return timeMs === 0 ? [] : [{ kind: "moment", timeMs, isPrompt }];
}

function amount(value: Json | undefined, ...names: readonly string[]): number {
  const count = names.map(name => numberAt(value, name)).find(each => each !== undefined) ?? 0;
  return count > 0 && Number.isFinite(count) ? count : 0;
}

/** A host without prices tells 0, which is no price. */
function readCost(value: Json | undefined, name: string): number | undefined {
  const cost = amount(value, name);
  return cost === 0 ? undefined : cost;
}

/** Agents have files of their own and the session's id; answers are written as they grow, the last one whole. */
function claudeFacts(line: JsonObject, type: string): readonly UsageFact[] {
  const id = stringAt(line, "sessionId", "session_id");
  const session: UsageFact = { kind: "session", id, cwd: stringAt(line, "cwd") };
  const timeMs = parseTime(line);
  const message = objectAt(line, "message");
  const usage = memberAt(message, "usage");
  const isSide = memberAt(line, "isSidechain") === true || memberAt(line, "isMeta") === true;
  const isPrompt = type === "user" && !isSide && !hasToolResult(message);
  const facts = [...(id === undefined ? [] : [session]), ...moment(timeMs, isPrompt)];
  const model = stringAt(message, "model");
  if (type !== "assistant" || !isJsonObject(usage) || model === "<synthetic>") return facts;
  const key = stringAt(message, "id") ?? stringAt(line, "uuid") ?? String(timeMs);
  const tokens = {
    input: amount(usage, "input_tokens"),
    output: amount(usage, "output_tokens"),
    cacheRead: amount(usage, "cache_read_input_tokens"),
    cacheWrite: amount(usage, "cache_creation_input_tokens"),
    reasoning: amount(memberAt(usage, "output_tokens_details"), "thinking_tokens"),
  };
  const cost = readCost(line, "costUSD");
  return [
    ...facts,
    { kind: "spent", id: `${key} ${stringAt(line, "requestId") ?? ""}`, timeMs, model, tokens, cost },
  ];
}

function hasToolResult(message: JsonObject): boolean {
  return listAt(message, "content").some(block => stringAt(block, "type") === "tool_result");
}

/** Each count comes with the sum so far; a count that is written again has the same sum. */
function codexFacts(line: JsonObject, type: string, payload: JsonObject): readonly UsageFact[] {
  const timeMs = parseTime(line);
  const kind = stringAt(payload, "type");
  if (type === "session_meta") {
    const id = stringAt(payload, "id");
    const root = stringAt(payload, "session_id", "parent_thread_id");
    return [
      {
        kind: "session",
        id,
        parent: root === id ? undefined : root,
        cwd: stringAt(payload, "cwd"),
      },
    ];
  }
  if (type === "turn_context")
    return [{ kind: "session", cwd: stringAt(payload, "cwd"), model: stringAt(payload, "model") }];
  const info = memberAt(payload, "info");
  if (kind !== "token_count" || !isJsonObject(info)) return moment(timeMs, kind === "user_message");
  const last = memberAt(info, "last_token_usage");
  const cached = amount(last, "cached_input_tokens");
  const written = amount(last, "cache_write_input_tokens");
  const sum = objectAt(info, "total_token_usage");
  return [
    ...moment(timeMs, false),
    {
      kind: "spent",
      id: ["total_tokens", "input_tokens", "output_tokens"].map(name => amount(sum, name)).join(" "),
      isLocalId: true,
      timeMs,
      tokens: {
        input: Math.max(0, amount(last, "input_tokens") - cached - written),
        output: amount(last, "output_tokens"),
        cacheRead: cached,
        cacheWrite: written,
        reasoning: amount(last, "reasoning_output_tokens"),
      },
      window: numberAt(info, "model_context_window"),
    },
  ];
}

/** A message is written again when its calls have ended. */
function geminiFacts(line: JsonObject): readonly UsageFact[] {
  const timeMs = parseTime(line);
  const type = stringAt(line, "type");
  if (stringAt(line, "projectHash") !== undefined)
    return [{ kind: "session", id: stringAt(line, "sessionId") }, ...moment(timeMs, false)];
  const tokens = memberAt(line, "tokens");
  if (type !== "gemini" || !isJsonObject(tokens)) return moment(timeMs, isGeminiPrompt(line, type));
  const cached = amount(tokens, "cached");
  const reasoning = amount(tokens, "thoughts");
  return [
    ...moment(timeMs, false),
    {
      kind: "spent",
      id: stringAt(line, "id") ?? String(timeMs),
      timeMs,
      model: stringAt(line, "model"),
      tokens: {
        input: Math.max(0, amount(tokens, "input") - cached) + amount(tokens, "tool"),
        output: amount(tokens, "output") + reasoning,
        cacheRead: cached,
        cacheWrite: 0,
        reasoning,
      },
    },
  ];
}

function isGeminiPrompt(line: JsonObject, type: string | undefined): boolean {
  return (
    type === "user" && !listAt(line, "content").some(part => isJsonObject(memberAt(part, "functionResponse")))
  );
}

/** The agents' calls stand in the file of the session that started them. */
function copilotFacts(line: JsonObject, type: string, data: JsonObject): readonly UsageFact[] {
  const timeMs = parseTime(line);
  if (type === "session.start" || type === "session.resume")
    return [
      {
        kind: "session",
        id: stringAt(data, "sessionId"),
        cwd: stringAt(memberAt(data, "context"), "cwd"),
        model: stringAt(data, "selectedModel"),
      },
      ...moment(timeMs, false),
    ];
  const usage = memberAt(data, "usage");
  if (type !== "session.usage_record" || !isJsonObject(usage))
    return moment(timeMs, type === "user.message" && stringAt(line, "agentId") === undefined);
  const cached = amount(usage, "cacheReadTokens");
  const written = amount(usage, "cacheWriteTokens");
  return [
    ...moment(timeMs, false),
    {
      kind: "spent",
      id: stringAt(line, "id") ?? stringAt(usage, "apiCallId") ?? String(timeMs),
      timeMs,
      model: stringAt(usage, "model"),
      tokens: {
        input: Math.max(0, amount(usage, "inputTokens") - cached - written),
        output: amount(usage, "outputTokens"),
        cacheRead: cached,
        cacheWrite: written,
        reasoning: amount(usage, "reasoningTokens"),
      },
      window: numberAt(usage, "maxPromptTokens"),
    },
  ];
}

function piFacts(line: JsonObject, type: string): readonly UsageFact[] {
  const timeMs = parseTime(line);
  if (type === "session")
    return [
      { kind: "session", id: stringAt(line, "id"), cwd: stringAt(line, "cwd") },
      ...moment(timeMs, false),
    ];
  const message = objectAt(line, "message");
  const usage = memberAt(message, "usage");
  const role = stringAt(message, "role");
  if (role !== "assistant" || !isJsonObject(usage)) return moment(timeMs, role === "user");
  return [
    ...moment(timeMs, false),
    {
      kind: "spent",
      id: `${stringAt(line, "id") ?? ""} ${timeMs}`,
      timeMs,
      model: stringAt(message, "model"),
      tokens: {
        input: amount(usage, "input"),
        output: amount(usage, "output"),
        cacheRead: amount(usage, "cacheRead"),
        cacheWrite: amount(usage, "cacheWrite"),
        reasoning: amount(usage, "reasoning"),
      },
      cost: readCost(memberAt(usage, "cost"), "total"),
    },
  ];
}

/** A message of OpenCode, from its database or one of its files. */
function openCodeFacts(line: JsonObject): readonly UsageFact[] {
  const id = stringAt(line, "sessionID");
  const session: UsageFact = {
    kind: "session",
    id,
    parent: stringAt(line, "parentSessionID"),
    cwd: stringAt(memberAt(line, "path"), "cwd"),
  };
  const times = memberAt(line, "time");
  const timeMs = amount(times, "completed", "created");
  const tokens = memberAt(line, "tokens");
  const role = stringAt(line, "role");
  if (role !== "assistant" || !isJsonObject(tokens))
    return [session, ...moment(timeMs, role === "user" && stringAt(line, "parentSessionID") === undefined)];
  const reasoning = amount(tokens, "reasoning");
  return [
    session,
    ...moment(timeMs, false),
    {
      kind: "spent",
      id: stringAt(line, "id") ?? String(timeMs),
      timeMs,
      model: stringAt(line, "modelID"),
      tokens: {
        input: amount(tokens, "input"),
        output: amount(tokens, "output") + reasoning,
        cacheRead: amount(memberAt(tokens, "cache"), "read"),
        cacheWrite: amount(memberAt(tokens, "cache"), "write"),
        reasoning,
      },
      cost: readCost(line, "cost"),
    },
  ];
}
