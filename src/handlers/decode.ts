import { type Diagnostic, isJsonObject, type JsonObject, readJson } from "../protocol/index.ts";
import { diagnose } from "./handler.ts";

/** What is left of a handler's output once it was cut to its limits and decoded. */
export interface CapturedOutput {
  readonly text: string;
  /** the end of an output that was too long; empty otherwise */
  readonly tail: string;
  readonly isTruncated: boolean;
  /** bytes that were not UTF-8 were replaced */
  readonly isReplaced: boolean;
}

export const NO_OUTPUT: CapturedOutput = { text: "", tail: "", isTruncated: false, isReplaced: false };

export type Decoded =
  | { readonly kind: "empty" }
  | { readonly kind: "object"; readonly value: JsonObject; readonly isNoisy: boolean }
  | { readonly kind: "text"; readonly text: string }
  /** starts like a JSON object but is not valid: never used as context */
  | { readonly kind: "broken" };

interface DecodeResult {
  readonly decoded: Decoded;
  readonly diagnostics: readonly Diagnostic[];
}

const PROTOCOL_KEYS =
  "continue stopReason suppressOutput systemMessage decision reason hookSpecificOutput async".split(" ");
/** Objects over several lines that are tried in noisy output, from the last; bounds the work. */
const MAX_SPREAD_OBJECTS = 8;

/**
 * Text → one object, the text itself, or neither. An object among other lines is found too, the last one with a
 * protocol key, but marked noisy: then it may restrict and cannot grant.
 */
export function decodeOutput(captured: CapturedOutput, maxDepth: number): DecodeResult {
  const diagnostics = captureProblems(captured);
  const text = captured.text.replace(/^\uFEFF/, "").trim();
  if (text === "" && captured.tail.trim() === "") return { decoded: { kind: "empty" }, diagnostics };

  const isObjectLike = text.startsWith("{");
  if (isObjectLike && !captured.isTruncated) {
    const value = readObject(text, maxDepth, false, diagnostics);
    if (value !== undefined) return { decoded: { kind: "object", value, isNoisy: false }, diagnostics };
  }
  const found = findInLines([text, captured.tail], maxDepth, diagnostics);
  if (found !== undefined) {
    diagnostics.push(diagnose("output-noise", "stdout holds other text besides the hook's answer"));
    return { decoded: { kind: "object", value: found, isNoisy: true }, diagnostics };
  }
  return { decoded: isObjectLike ? { kind: "broken" } : { kind: "text", text }, diagnostics };
}

export function captureProblems({ isTruncated, isReplaced }: CapturedOutput): Diagnostic[] {
  return [
    ...(isTruncated ? [diagnose("output-truncated", "stdout is longer than its limit")] : []),
    ...(isReplaced
      ? [diagnose("output-invalid-utf8", "stdout is not UTF-8; U+FFFD replaces the bytes")]
      : []),
  ];
}

/** One JSON object, or nothing. Recovery also takes the first of several values, for noisy text alone. */
export function readObject(
  text: string,
  maxDepth: number,
  recover: boolean,
  diagnostics: Diagnostic[],
): JsonObject | undefined {
  const read = readJson(text, { recover, maxDepth });
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  if (read.repairs.includes("proto-key-dropped"))
    diagnostics.push(diagnose("proto-key-dropped", `a key named "__proto__" was removed`));
  return read.value;
}

export function hasProtocolKey(value: JsonObject): boolean {
  return PROTOCOL_KEYS.some(key => Object.hasOwn(value, key));
}

function findInLines(
  pieces: readonly string[],
  maxDepth: number,
  diagnostics: Diagnostic[],
): JsonObject | undefined {
  for (const piece of [...pieces].reverse()) {
    const lines = objectLines(piece);
    for (const [start, end] of lines) {
      const value = readAnswer(piece.slice(start, end), maxDepth, false, diagnostics);
      if (value !== undefined) return value;
    }
    const unindented = lines.filter(([start]) => piece[start] === "{");
    for (const [start] of unindented.slice(0, MAX_SPREAD_OBJECTS)) {
      const value = readAnswer(piece.slice(start), maxDepth, true, diagnostics);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

function readAnswer(
  text: string,
  maxDepth: number,
  recover: boolean,
  diagnostics: Diagnostic[],
): JsonObject | undefined {
  if (!mayHoldAnswer(text)) return undefined;
  const own: Diagnostic[] = [];
  const value = readObject(text, maxDepth, recover, own);
  if (value === undefined || !hasProtocolKey(value)) return undefined;
  diagnostics.push(...own);
  return value;
}

/** Cheap, so that long noise that merely looks like JSON costs little. An escape may hide a key's name. */
function mayHoldAnswer(text: string): boolean {
  return text.includes("}") && (text.includes("\\") || PROTOCOL_KEYS.some(key => text.includes(`"${key}"`)));
}

/** Where lines that begin with a brace start and end, from the last to the first. */
function objectLines(text: string): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (/^[ \t\r]*\{/.test(text.slice(start, end))) found.push([start, end]);
    start = end + 1;
  }
  return found.reverse();
}
