import { Buffer } from "node:buffer";
import { EnvVar, envParsers } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

/** The end of what a program said, short enough for a report. */
export interface OutputSnippet {
  readonly lines: readonly string[];
  readonly isCut: boolean;
}

const LINES = new EnvVar("AMPLIHACK_RECIPE_SNIPPET_LINES", envParsers.integer({ atLeast: 0 }), 20);
const BYTES = new EnvVar("AMPLIHACK_RECIPE_SNIPPET_BYTES", envParsers.integer({ atLeast: 0 }), 8192);

export interface SnippetLimits {
  readonly lines: number;
  readonly bytes: number;
}

export function snippetLimits(system: System): SnippetLimits {
  return { lines: LINES.getOrError(system), bytes: BYTES.getOrError(system) };
}

export function takeSnippet(bytes: Uint8Array, limits: SnippetLimits): OutputSnippet {
  const end = bytes.subarray(Math.max(0, bytes.length - limits.bytes));
  const text = decodeFrom(end, bytes.length > limits.bytes).replace(/\s+$/, "");
  const lines = text === "" ? [] : text.split("\n");
  const kept = limits.lines === 0 ? [] : lines.slice(-limits.lines);
  return { lines: kept, isCut: bytes.length > limits.bytes || kept.length < lines.length };
}

/** Text of bytes that may begin in the middle of a character. */
function decodeFrom(bytes: Uint8Array, mayStartInside: boolean): string {
  let start = 0;
  while (mayStartInside && start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80)
    start++;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString("utf8");
}

/** Text of the first bytes of something longer: a character cut in two is left out. */
export function decodeCut(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, endOfWhole(bytes)).toString("utf8");
}

/** Behind the last character that is all there. */
function endOfWhole(bytes: Uint8Array): number {
  const end = bytes.length;
  let back = 0;
  while (back < 3 && end - 1 - back >= 0 && ((bytes[end - 1 - back] ?? 0) & 0xc0) === 0x80) back++;
  const lead = bytes[end - 1 - back] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return needed > back + 1 ? end - back - 1 : end;
}

/** Hands on pieces of a stream so that no piece ends in the middle of a character. */
export class WholeCharacters {
  private held: Uint8Array = new Uint8Array(0);

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    const end = endOfWhole(bytes);
    this.held = bytes.slice(end);
    return bytes.subarray(0, end);
  }

  /** What is left when nothing follows. */
  rest(): Uint8Array {
    return this.held;
  }
}

/** The first bytes of a text, never half a character. */
export function clipBytes(text: string, count: number): string {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length <= count ? text : decodeCut(bytes.subarray(0, count));
}

/** The last characters of a text, never half of one. */
export function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  const end = text.slice(-count);
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

/** The first characters of a text, followed by `mark` when that is not all of it. */
export function clipCharacters(text: string, count: number, mark: string): string {
  const characters = [...text.slice(0, (count + 1) * 2)];
  return characters.length <= count ? text : characters.slice(0, count).join("") + mark;
}
