import {
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  objectAt,
  readJson,
  stringAt,
} from "../protocol/index.ts";
import { basename, isAbsolute, isInside, normalise, quoteWord, type System } from "../system/index.ts";
import { readLines } from "../transcripts/index.ts";
import { knownDirectory } from "./open-code-records.ts";
import { SANDBOX_MARK } from "./sandbox.ts";

/** What one entry of a session's record says, whichever host wrote it. */
type SessionFact =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "call"; readonly id: string | undefined; readonly name: string; readonly input: Json }
  | { readonly kind: "result"; readonly id: string; readonly content: Json }
  | {
      readonly kind: "session";
      readonly id?: string | undefined;
      readonly cwd?: string | undefined;
      readonly branch?: string | undefined;
    };

/** The facts of one line. A record is told by its own members, so that a file needs no name or place to be read. */
function readSessionFacts(entry: JsonObject): readonly SessionFact[] {
  const type = stringAt(entry, "type") ?? "";
  if (isJsonObject(memberAt(entry, "payload"))) return codexFacts(type, objectAt(entry, "payload"));
  if (isJsonObject(memberAt(entry, "data")) && type.includes("."))
    return copilotFacts(type, objectAt(entry, "data"));
  return [...sessionFacts(entry, type), ...messageFacts(entry, type)];
}

function sessionFacts(entry: JsonObject, type: string): readonly SessionFact[] {
  const id =
    stringAt(entry, "sessionId", "session_id") ?? (type === "session" ? stringAt(entry, "id") : undefined);
  const cwd = stringAt(entry, "cwd");
  const branch = stringAt(entry, "gitBranch");
  return id === undefined && cwd === undefined ? [] : [{ kind: "session", id, cwd, branch }];
}

/** Claude Code and hosts that write as it does; Pi, whose results are messages; Gemini, whose calls hang on one. */
function messageFacts(entry: JsonObject, type: string): readonly SessionFact[] {
  const message = memberAt(entry, "message");
  const holder = isJsonObject(message) ? message : entry;
  const role = stringAt(holder, "role") ?? type;
  const isPrompt = role === "user" && memberAt(entry, "isMeta") !== true;
  const prompt = stringAt(holder, "content");
  const facts: SessionFact[] = isPrompt && prompt !== undefined ? [{ kind: "prompt", text: prompt }] : [];
  if (role === "toolResult") {
    const content = memberAt(holder, "content") ?? null;
    return [{ kind: "result", id: stringAt(holder, "toolCallId") ?? "", content }];
  }
  for (const block of listAt(holder, "content")) facts.push(...blockFacts(block, role, isPrompt));
  for (const call of listAt(entry, "toolCalls")) {
    const id = stringAt(call, "id");
    facts.push({ kind: "call", id, name: stringAt(call, "name") ?? "", input: memberAt(call, "args") ?? {} });
    const result = memberAt(call, "result");
    if (id !== undefined && result !== undefined) facts.push({ kind: "result", id, content: result });
  }
  return facts;
}

function blockFacts(block: Json, role: string, isPrompt: boolean): readonly SessionFact[] {
  const type = stringAt(block, "type");
  if (role === "assistant" && (type === "tool_use" || type === "toolCall")) {
    const input = memberAt(block, "input") ?? memberAt(block, "arguments") ?? {};
    return [{ kind: "call", id: stringAt(block, "id"), name: stringAt(block, "name") ?? "", input }];
  }
  if (role === "user" && type === "tool_result") {
    const content = memberAt(block, "content") ?? null;
    return [{ kind: "result", id: stringAt(block, "tool_use_id") ?? "", content }];
  }
  const text = stringAt(block, "text");
  return isPrompt && text !== undefined ? [{ kind: "prompt", text }] : [];
}

function codexFacts(type: string, payload: JsonObject): readonly SessionFact[] {
  if (type === "session_meta" || type === "turn_context")
    return [
      {
        kind: "session",
        id: stringAt(payload, "id"),
        cwd: stringAt(payload, "cwd"),
        branch: stringAt(memberAt(payload, "git"), "branch"),
      },
    ];
  if (type !== "response_item") return [];
  const id = stringAt(payload, "call_id");
  const name = stringAt(payload, "name") ?? "";
  switch (stringAt(payload, "type")) {
    case "message":
      return blocksOfPrompt(payload);
    case "function_call":
      return [{ kind: "call", id, ...asHooksSee(name, readArguments(stringAt(payload, "arguments") ?? "")) }];
    case "custom_tool_call":
      return [{ kind: "call", id, name, input: { command: stringAt(payload, "input") ?? "" } }];
    case "local_shell_call":
      return [{ kind: "call", id, name: "Bash", input: withCommandLine(memberAt(payload, "action") ?? {}) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "result", id: id ?? "", content: memberAt(payload, "output") ?? null }];
    default:
      return [];
  }
}

/** The model's shells have names and members of their own there; hooks are told of one. */
function asHooksSee(name: string, input: Json): { readonly name: string; readonly input: Json } {
  const command = stringAt(input, "cmd");
  if (command !== undefined) return { name: "Bash", input: { command } };
  return name === "shell" || name === "shell_command"
    ? { name: "Bash", input: withCommandLine(input) }
    : { name, input };
}

const SHELL = /^(?:\/(?:\S+\/)?)?(?:ba|da|k|z)?sh$/;

/** The words of a call as one line; of a shell that is given a script, the script. */
function withCommandLine(input: Json): Json {
  const words = memberAt(input, "command");
  if (!isJsonObject(input) || !Array.isArray(words)) return input;
  const texts = words.map(word => (typeof word === "string" ? word : JSON.stringify(word)));
  const [program = "", option = "", script] = texts;
  const isScript = texts.length === 3 && SHELL.test(program) && /^-[a-z]*c$/.test(option);
  return { ...input, command: isScript && script !== undefined ? script : texts.map(quoteWord).join(" ") };
}

function blocksOfPrompt(message: JsonObject): readonly SessionFact[] {
  if (stringAt(message, "role") !== "user") return [];
  return listAt(message, "content").flatMap(block => {
    const text = stringAt(block, "text");
    return text === undefined ? [] : [{ kind: "prompt", text } as const];
  });
}

function readArguments(text: string): Json {
  const read = readJson(text);
  return read.ok ? read.value : {};
}

function copilotFacts(type: string, data: JsonObject): readonly SessionFact[] {
  const id = stringAt(data, "toolCallId");
  switch (type) {
    case "session.start": {
      const context = memberAt(data, "context");
      const [cwd, branch] = [stringAt(context, "cwd"), stringAt(context, "branch")];
      return [{ kind: "session", id: stringAt(data, "sessionId"), cwd, branch }];
    }
    case "user.message":
      return [{ kind: "prompt", text: stringAt(data, "content") ?? "" }];
    case "tool.execution_start":
      return [
        {
          kind: "call",
          id,
          name: stringAt(data, "toolName") ?? "",
          input: memberAt(data, "arguments") ?? {},
        },
      ];
    case "tool.execution_complete":
      return [{ kind: "result", id: id ?? "", content: memberAt(data, "result") ?? null }];
    default:
      return [];
  }
}

/** One hook call that a recorded session must have made. */
export interface TranscriptInput {
  readonly event: string;
  /** line in the file, from 1; the end of the file for Stop */
  readonly line: number;
  readonly payload: JsonObject;
  /** what was checked out, as the record says */
  readonly branch?: string | undefined;
}

interface TranscriptCount {
  lines: number;
  bytes: number;
  /** lines that are not JSON objects, or too long to read */
  bad: number;
}

/** Tool calls whose results were not seen yet; more than a session ever has open. The oldest are forgotten. */
const MAX_OPEN_CALLS = 200;

/**
 * The hook inputs of a session transcript or capture file, in order and one at a time: lines that are hook payloads
 * themselves, tool calls, their results, prompts, and Stop at the end. `count` is kept up to date meanwhile.
 */
export function transcriptInputs(
  system: System,
  path: string,
  count: TranscriptCount,
): Generator<TranscriptInput, void, undefined> {
  return inputsOfEntries(entriesOfFile(system, path, count), knownDirectory(system, path));
}

/** An entry of a record, and undefined for a line that holds none. */
function* entriesOfFile(
  system: System,
  path: string,
  count: TranscriptCount,
): Generator<JsonObject | undefined, void, undefined> {
  for (const line of readLines(system, path)) {
    count.lines += 1;
    count.bytes += line.text?.length ?? 0;
    if (line.text?.trim() === "") {
      yield undefined;
      continue;
    }
    const read = line.text === undefined ? undefined : readJson(line.text);
    const entry = read?.ok === true && isJsonObject(read.value) ? read.value : undefined;
    if (entry === undefined) count.bad += 1;
    yield entry;
  }
}

/** The same of entries that were read already; the line is the number of the entry. */
export function* inputsOfEntries(
  entries: Iterable<JsonObject | undefined>,
  place?: string,
): Generator<TranscriptInput, void, undefined> {
  const seen: SeenCalls = { open: new Map(), done: new Set() };
  let common: JsonObject = place === undefined ? {} : { cwd: place };
  let branch: string | undefined;
  let number = 0;
  for (const entry of entries) {
    number += 1;
    if (entry === undefined) continue;
    const named = stringAt(entry, "hook_event_name", "hookEventName");
    if (named !== undefined) {
      yield { event: named, line: number, payload: entry };
      continue;
    }
    for (const fact of readSessionFacts(entry)) {
      if (fact.kind === "session") {
        common = { ...common, ...sessionMembers(fact) };
        branch = fact.branch ?? branch;
        continue;
      }
      const call = makeCallPayload(fact, seen);
      if (call === undefined) continue;
      const { event, payload } = call;
      yield { event, line: number, branch, payload: { hook_event_name: event, ...common, ...payload } };
    }
  }
  yield {
    event: "Stop",
    line: number,
    payload: { hook_event_name: "Stop", ...common, stop_hook_active: false },
  };
}

/** A payload that works in a sandbox, and the directory below the sandbox that it needs. */
interface MovedPayload {
  readonly text: string;
  readonly directory: string | undefined;
}

/**
 * Moves the payloads of one session from the directory it worked in to one of the same name in the sandbox of a run:
 * hooks keep state there, and a replay must not touch what the recorded session worked on.
 */
export function createMover(): (payload: JsonObject) => MovedPayload {
  let project: string | undefined;
  return payload => {
    const cwd = normalise(stringAt(payload, "cwd") ?? "");
    if (!isAbsolute(cwd) || cwd === "/") return { text: JSON.stringify(payload), directory: undefined };
    if (project === undefined || !isInside(project, cwd)) project = cwd;
    const place = JSON.stringify(project).slice(1, -1);
    const moved = `${SANDBOX_MARK}/${JSON.stringify(basename(project)).slice(1, -1)}`;
    const text = JSON.stringify(payload)
      .split(place)
      .reduce((before, after) => `${before}${/^[\w.-]/.test(after) ? place : moved}${after}`);
    return { text, directory: `${basename(project)}${cwd.slice(project.length)}` };
  };
}

function sessionMembers({
  id,
  cwd,
}: {
  readonly id?: string | undefined;
  readonly cwd?: string | undefined;
}): JsonObject {
  return { ...(id === undefined ? {} : { session_id: id }), ...(cwd === undefined ? {} : { cwd }) };
}

interface SeenCalls {
  readonly open: Map<string, { readonly name: string; readonly input: Json }>;
  /** ids of calls whose results were seen: a record may be written again with more in it */
  readonly done: Set<string>;
}

function makeCallPayload(
  fact: Exclude<SessionFact, { kind: "session" }>,
  { open, done }: SeenCalls,
): { readonly event: string; readonly payload: JsonObject } | undefined {
  if (fact.kind === "prompt") return { event: "UserPromptSubmit", payload: { prompt: fact.text } };
  if (fact.kind === "result") {
    const call = open.get(fact.id);
    if (call === undefined) return undefined;
    open.delete(fact.id);
    remember(done, fact.id);
    const payload = {
      tool_name: call.name,
      tool_input: call.input,
      tool_use_id: fact.id,
      tool_response: fact.content,
    };
    return { event: "PostToolUse", payload };
  }
  const { id, name, input } = fact;
  if (id !== undefined && (open.has(id) || done.has(id))) return undefined;
  if (id !== undefined) open.set(id, { name, input });
  if (open.size > MAX_OPEN_CALLS) open.delete([...open.keys()][0] ?? "");
  const payload = { tool_name: name, tool_input: input, ...(id === undefined ? {} : { tool_use_id: id }) };
  return { event: "PreToolUse", payload };
}

function remember(done: Set<string>, id: string): void {
  done.add(id);
  if (done.size > MAX_OPEN_CALLS) done.delete([...done][0] ?? "");
}
