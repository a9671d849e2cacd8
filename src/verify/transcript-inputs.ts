import { readLines } from "../hooks/transcript/lines.ts";
import { isJsonObject, type Json, type JsonObject, readJson } from "../protocol/index.ts";
import { listAt, memberAt, stringAt } from "../protocol/members.ts";
import { basename, isAbsolute, isInside, normalise } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { SANDBOX_MARK } from "./sandbox.ts";

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

/**
 * The hook inputs of a session transcript or capture file, in order and one at a time: lines that are hook payloads
 * themselves, tool calls, their results, prompts, and Stop at the end. `count` is kept up to date meanwhile.
 */
export function* transcriptInputs(
  system: System,
  path: string,
  count: TranscriptCount,
): Generator<TranscriptInput, void, undefined> {
  const open = new Map<string, { readonly name: string; readonly input: Json }>();
  let common: JsonObject = {};
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
    common = { ...common, ...sessionOf(entry) };
    for (const { event, payload } of callsOf(entry, open)) {
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

function sessionOf(entry: JsonObject): JsonObject {
  const id = stringAt(entry, "sessionId", "session_id");
  const cwd = stringAt(entry, "cwd");
  return { ...(id === undefined ? {} : { session_id: id }), ...(cwd === undefined ? {} : { cwd }) };
}

function* callsOf(
  entry: JsonObject,
  open: Map<string, { readonly name: string; readonly input: Json }>,
): Generator<{ readonly event: string; readonly payload: JsonObject }> {
  const message = memberAt(entry, "message");
  const holder = isJsonObject(message) ? message : entry;
  const role = stringAt(entry, "type") ?? stringAt(holder, "role");
  const prompt = stringAt(holder, "content");
  const isMeta = memberAt(entry, "isMeta") === true;
  if (role === "user" && prompt !== undefined && !isMeta)
    yield { event: "UserPromptSubmit", payload: { prompt } };
  for (const block of listAt(holder, "content")) {
    const type = stringAt(block, "type");
    if (role === "assistant" && type === "tool_use") {
      const name = stringAt(block, "name") ?? "";
      const input = memberAt(block, "input") ?? {};
      const id = stringAt(block, "id");
      if (id !== undefined) open.set(id, { name, input });
      if (open.size > MAX_OPEN_CALLS) open.delete([...open.keys()][0] ?? "");
      const payload = {
        tool_name: name,
        tool_input: input,
        ...(id === undefined ? {} : { tool_use_id: id }),
      };
      yield { event: "PreToolUse", payload };
    } else if (role === "user" && type === "tool_result") {
      const id = stringAt(block, "tool_use_id") ?? "";
      const call = open.get(id);
      open.delete(id);
      if (call === undefined) continue;
      const tool_response = memberAt(block, "content") ?? null;
      const payload = { tool_name: call.name, tool_input: call.input, tool_use_id: id, tool_response };
      yield { event: "PostToolUse", payload };
    } else if (role === "user" && type === "text" && !isMeta) {
      yield { event: "UserPromptSubmit", payload: { prompt: stringAt(block, "text") ?? "" } };
    }
  }
}
