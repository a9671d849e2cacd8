import {
  isJsonObject,
  JSON_DEPTH_LIMIT,
  type Json,
  type JsonObject,
  parseJsonObject,
} from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import type { Entry, Naming } from "./entry.ts";
import { readClaudeEntry, readCodexEntry, readCopilotEntry, readGeminiEntry } from "./forms.ts";
import { LINE_OPTIONS, type LineOptions, readLines } from "./lines.ts";

/** The recorded forms; their members do not overlap, so the first that knows the line has it. */
const FORMS = [readClaudeEntry, readCodexEntry, readGeminiEntry, readCopilotEntry];

/** What a reader saw besides the entries themselves. */
export interface ReadCount {
  lines: number;
  /** too long, not JSON, or not an object */
  unreadable: number;
}

/** The messages of a session file in any recorded form, one at a time; lines that are no message are passed over. */
export function* readTranscript(
  system: Pick<System, "files" | "text">,
  path: string,
  name: Naming,
  count: ReadCount = { lines: 0, unreadable: 0 },
  options: LineOptions = LINE_OPTIONS,
): Generator<Entry> {
  for (const { text } of readLines(system, path, options)) {
    count.lines++;
    if (text !== undefined && text.trim() === "") continue;
    const value = text === undefined ? undefined : parseJsonObject(text, JSON_DEPTH_LIMIT);
    if (value === undefined) {
      count.unreadable++;
      continue;
    }
    const entry = readEntry(value, name);
    if (entry !== undefined) yield entry;
  }
}

export function readEntry(value: JsonObject, name: Naming): Entry | undefined {
  for (const read of FORMS) {
    const entry = read(value, name);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Messages given in a payload: a plain string is a message with an unknown role; a bad one does not affect the others. */
export function readMessages(list: Json | undefined, name: Naming): readonly Entry[] {
  if (!Array.isArray(list)) return [];
  return list.map(message => {
    if (!isJsonObject(message)) {
      const text = typeof message === "string" ? message : "";
      return { role: "unknown", timestamp: undefined, parts: [{ kind: "text", text }], isSynthetic: false };
    }
    const preferred =
      typeof message["text"] === "string" ? { ...message, content: message["text"] } : message;
    return (
      readEntry(preferred, name) ?? {
        role: "unknown",
        timestamp: undefined,
        parts: readContent(preferred, name),
        isSynthetic: false,
      }
    );
  });
}

function readContent(message: JsonObject, name: Naming): Entry["parts"] {
  return readCopilotEntry({ role: "unknown", content: message["content"] ?? null }, name)?.parts ?? [];
}
