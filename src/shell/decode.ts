import { decodeName } from "../system/index.ts";

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes of base64 or base64url text; white space and padding are optional. Undefined: not base64. */
export function decodeBase64(encoded: string): Uint8Array | undefined {
  return decodeBits(encoded.replaceAll("-", "+").replaceAll("_", "/"), BASE64, 6);
}

/** Bytes of RFC 4648 base32 text in either case. Undefined: not base32. */
export function decodeBase32(encoded: string): Uint8Array | undefined {
  return decodeBits(encoded.toUpperCase(), BASE32, 5);
}

function decodeBits(encoded: string, alphabet: string, width: number): Uint8Array | undefined {
  const body = encoded.replace(/\s+/g, "").replace(/(?<!=)=+$/, "");
  const bytes = new Uint8Array(Math.floor((body.length * width) / 8));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (const character of body) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
    held = (held << width) | digit;
    bits += width;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = (held >> bits) & 0xff;
    held &= (1 << bits) - 1;
    length += 1;
  }
  return bytes;
}

/** Bytes of hexadecimal text; white space between digits is skipped. Undefined: not hexadecimal. */
export function decodeHex(encoded: string): Uint8Array | undefined {
  const digits = encoded.replace(/\s+/g, "");
  if (digits.length % 2 === 1 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16);
  }
  return bytes;
}

/** UTF-8 as text; a byte that fits nowhere becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  let result = "";
  let at = 0;
  while (at < bytes.length) {
    const { code, length } = utf8At(bytes, at);
    result += String.fromCodePoint(code);
    at += length;
  }
  return result;
}

const REPLACEMENT = { code: 0xfffd, length: 1 };

function utf8At(bytes: Uint8Array, at: number): { code: number; length: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { code: first, length: 1 };
  const length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (length === 1 || first >= 0xf5 || at + length > bytes.length) return REPLACEMENT;
  let code = first & (0xff >> (length + 1));
  for (let index = 1; index < length; index += 1) {
    const next = bytes[at + index] ?? 0;
    if ((next & 0xc0) !== 0x80) return REPLACEMENT;
    code = (code << 6) | (next & 0x3f);
  }
  const isOverlong = (length === 3 && code < 0x800) || (length === 4 && code < 0x10000);
  const isImpossible = code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isOverlong || isImpossible ? REPLACEMENT : { code, length };
}

/** UTF-16, low byte first, as PowerShell's -EncodedCommand has it. An odd last byte is dropped. */
export function decodeUtf16LittleEndian(bytes: Uint8Array): string {
  let result = "";
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    result += String.fromCharCode((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  }
  return result;
}

/** `%41` and, where wanted, `+` as a blank. A percent sign that starts nothing stays. */
export function decodePercent(encoded: string, hasPlus = false): string {
  const source = hasPlus ? encoded.replaceAll("+", " ") : encoded;
  return source.replace(/(?:%[0-9a-fA-F]{2})+/g, run =>
    decodeUtf8(decodeHex(run.replaceAll("%", "")) ?? new Uint8Array()),
  );
}

/** Letters moved on by thirteen places. */
export function rotate13(encoded: string): string {
  return encoded.replace(/[a-zA-Z]/g, letter => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

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
