import { decodeName } from "../../system/index.ts";

/** Which backslash sequences a program understands: `echo -e` and `%b` know `\c` and octal `\0nnn`. */
export type EscapeStyle = "echo" | "percent-b" | "printf" | "ansi";

const SIMPLE: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** Decodes backslash sequences. `isCut`: a `\c` ended all output. */
export function decodeEscapes(
  source: string,
  style: EscapeStyle,
): { readonly text: string; readonly isCut: boolean } {
  let result = "";
  let start = 0;
  let bytes: number[] = [];
  const flushBytes = () => {
    if (bytes.length > 0) result += decodeName(Uint8Array.from(bytes));
    bytes = [];
  };
  const emit = (content: string) => {
    flushBytes();
    result += content;
  };
  for (let index = source.indexOf("\\"); index >= 0; index = source.indexOf("\\", start)) {
    if (index > start) emit(source.slice(start, index));
    const next = source[index + 1] ?? "";
    const simple = SIMPLE[next];
    start = index + 2;
    if (simple !== undefined) emit(simple);
    else if (next === "c" && style !== "ansi") {
      flushBytes();
      return { text: result, isCut: true };
    } else if (next === "x") {
      const digits = readDigits(source, start, 16, 2);
      if (digits === "") emit("\\x");
      else bytes.push(Number.parseInt(digits, 16));
      start += digits.length;
    } else if (next === "u" || next === "U") {
      const digits = readDigits(source, start, 16, next === "u" ? 4 : 8);
      emit(digits === "" ? `\\${next}` : codePoint(Number.parseInt(digits, 16)));
      start += digits.length;
    } else if (/[0-7]/.test(next)) {
      const isZeroFirst = (style === "echo" || style === "percent-b") && next === "0";
      const digits = readDigits(source, isZeroFirst ? start : index + 1, 8, 3);
      if (style === "echo" && !isZeroFirst) emit(`\\${next}`);
      else {
        bytes.push(Number.parseInt(digits === "" ? "0" : digits, 8) & 255);
        start = (isZeroFirst ? start : index + 1) + digits.length;
      }
    } else if ((next === '"' || next === "'" || next === "?") && style !== "echo") emit(next);
    else emit(next === "" ? "\\" : `\\${next}`);
  }
  emit(source.slice(start));
  return { text: result, isCut: false };
}

function readDigits(source: string, start: number, base: 8 | 16, limit: number): string {
  const isDigit = base === 8 ? /[0-7]/ : /[0-9a-fA-F]/;
  let end = start;
  while (end < source.length && end - start < limit && isDigit.test(source[end] ?? "")) end += 1;
  return source.slice(start, end);
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
}

/** One shell word that stands for exactly this text. */
export function quoteWord(content: string): string {
  return /^[\w@%+=:,./-]+$/.test(content) ? content : `'${content.replaceAll("'", "'\\''")}'`;
}
