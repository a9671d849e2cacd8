import {
  booleanAt,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  stringAt,
} from "../protocol/index.ts";
import type { Entry } from "./entry.ts";
import { messageParts, type Naming } from "./entry.ts";

/**
 * Claude Code's session file: `{type: "user" | "assistant", message: {role, content}}`. Tool results are blocks
 * inside user entries; older writers made them entries of their own, which are read as well.
 */
export function readClaudeEntry(value: JsonObject, name: Naming): Entry | undefined {
  const type = stringAt(value, "type");
  const message = ownValue(value, "message");
  const timestamp = stringAt(value, "timestamp");
  if (type === "tool_result" || type === "tool_use") {
    const role = type === "tool_use" ? "assistant" : "user";
    return { role, timestamp, parts: messageParts([blockOf(value, message)], name), isSynthetic: false };
  }
  if ((type !== "user" && type !== "assistant") || message === undefined) return undefined;
  const content = isJsonObject(message) ? ownValue(message, "content") : message;
  return { role: type, timestamp, parts: messageParts(content, name), isSynthetic: isSynthetic(value) };
}

function blockOf(value: JsonObject, message: Json | undefined): JsonObject {
  const inner = isJsonObject(message) ? message : {};
  const content = ownValue(value, "content") ?? ownValue(value, "result") ?? ownValue(value, "output");
  return { ...inner, ...value, content: content ?? ownValue(inner, "content") ?? null };
}

const MARKS_OF_PROGRAMS = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"];

function isSynthetic(value: JsonObject): boolean {
  return MARKS_OF_PROGRAMS.some(mark => booleanAt(value, mark) === true);
}
