import type { Memory } from "./memory.ts";

/**
 * SQLite's interface ends texts at NUL, and UTF-8 has no lone surrogates, so both are written as an escape sign
 * and four hexadecimal digits. Everything else, which is nearly everything, is stored as it is.
 */
const ESCAPE = "\u0010";
const NEEDS_ESCAPE = /[\u0000\u0010]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const ESCAPED = /\u0010([0-9a-f]{4})/g;

export function encodeText(text: string): string {
  return text.replace(NEEDS_ESCAPE, unit => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Everything that says what a memory is called and what it is, as it is stored. */
export function storedNames(memory: Memory): readonly string[] {
  const { id, project, agent, session, key, type, category } = memory;
  return [...[id, project, agent, session, key].map(encodeText), type, category];
}
