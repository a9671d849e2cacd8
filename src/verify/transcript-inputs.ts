import { isJsonObject, type Json, type JsonObject, readJson, stringAt } from "../protocol/index.ts";
import { readText } from "../state/index.ts";
import { basename, dirname, isAbsolute, isInside, join, normalise, type System } from "../system/index.ts";
import { readLines } from "../transcripts/index.ts";
import { SANDBOX_MARK } from "./sandbox.ts";
import { factsOf, type SessionFact } from "./transcript-entries.ts";

/** One hook call that a recorded session must have made. */
export interface TranscriptInput {
  readonly event: string;
  /** line in the file, from 1; the end of the file for Stop */
  readonly line: number;
  readonly payload: JsonObject;
}

interface TranscriptCount {
  lines: number;
  bytes: number;
  /** lines that are not JSON objects, or too long to read */
  bad: number;
}

/** Tool calls whose results were not seen yet; more than a session ever has open. The oldest are forgotten. */
const MAX_OPEN_CALLS = 200;
const MAX_PLACE_BYTES = 4096;

/**
 * The hook inputs of a session transcript or capture file, in order and one at a time: lines that are hook payloads
 * themselves, tool calls, their results, prompts, and Stop at the end. `count` is kept up to date meanwhile.
 */
export function* transcriptInputs(
  system: System,
  path: string,
  count: TranscriptCount,
): Generator<TranscriptInput, void, undefined> {
  const seen: SeenCalls = { open: new Map(), done: new Set() };
  let common: JsonObject = knownPlace(system, path);
  let number = 0;
  for (const line of readLines(system, path)) {
    number += 1;
    count.lines += 1;
    if (line.text === undefined) {
      count.bad += 1;
      continue;
    }
    count.bytes += line.text.length;
    if (line.text.trim() === "") continue;
    const read = readJson(line.text);
    if (!read.ok || !isJsonObject(read.value)) {
      count.bad += 1;
      continue;
    }
    const entry = read.value;
    const named = stringAt(entry, "hook_event_name", "hookEventName");
    if (named !== undefined) {
      yield { event: named, line: number, payload: entry };
      continue;
    }
    for (const fact of factsOf(entry)) {
      if (fact.kind === "session") {
        common = { ...common, ...sessionMembers(fact) };
        continue;
      }
      const call = callOf(fact, seen);
      if (call === undefined) continue;
      const { event, payload } = call;
      yield { event, line: number, payload: { hook_event_name: event, ...common, ...payload } };
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

/** Gemini tells the directory of a session in a file above its records, not in them. */
function knownPlace(system: System, path: string): JsonObject {
  const cwd = readText(system, join(dirname(dirname(path)), ".project_root"), MAX_PLACE_BYTES)?.trim();
  return cwd === undefined || !isAbsolute(cwd) ? {} : { cwd };
}

interface SeenCalls {
  readonly open: Map<string, { readonly name: string; readonly input: Json }>;
  /** ids of calls whose results were seen: a record may be written again with more in it */
  readonly done: Set<string>;
}

function callOf(
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
