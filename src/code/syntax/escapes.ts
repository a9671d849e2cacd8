/**
 * Which backslash escapes a kind of string knows. `simple` maps a letter to its character; what is not listed
 * keeps its backslash when `keepsUnknown`, else loses it.
 */
export interface Escapes {
  readonly simple: ReadonlyMap<string, string>;
  readonly numbers: "octal" | "decimal" | "none";
  readonly hasHex: boolean;
  readonly hasUnicode: boolean;
  readonly keepsUnknown: boolean;
}

const CONTROL: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\u0007", e: "\u001b" },
  ...{ "\\": "\\", "'": "'", '"': '"', "`": "`", $: "$", "\n": "" },
};

/** Double-quoted text of the C family: every escape, unknown ones lose the backslash. */
export const C_ESCAPES: Escapes = {
  simple: new Map(Object.entries(CONTROL)),
  numbers: "octal",
  hasHex: true,
  hasUnicode: true,
  keepsUnknown: false,
};

/** Python and PHP keep the backslash of what they do not know. */
export const KEEPING_ESCAPES: Escapes = { ...C_ESCAPES, keepsUnknown: true };

/** Lua writes bytes in decimal. */
export const LUA_ESCAPES: Escapes = { ...C_ESCAPES, numbers: "decimal" };

/** Single-quoted text of Perl, Ruby and PHP: only the quote and the backslash itself. */
export const QUOTE_ESCAPES: Escapes = {
  simple: new Map(Object.entries({ "\\": "\\", "'": "'" })),
  numbers: "none",
  hasHex: false,
  hasUnicode: false,
  keepsUnknown: true,
};

/** AppleScript, Tcl and SQL clients: control characters only. */
export const PLAIN_ESCAPES: Escapes = { ...C_ESCAPES, numbers: "none", hasHex: false, hasUnicode: false };

/** The character(s) an escape stands for, and where it ends; `at` is the place of the backslash. */
export function readEscape(source: string, at: number, escapes: Escapes): { text: string; end: number } {
  const letter = source.charAt(at + 1);
  if (letter === "") return { text: "\\", end: at + 1 };
  if (escapes.hasHex && letter === "x") {
    const hex = readDigits(source, at + 2, 16, 2, 6);
    if (hex !== undefined) return hex;
  }
  if (escapes.hasUnicode && (letter === "u" || letter === "U")) {
    const hex = readDigits(source, at + 2, 16, letter === "u" ? 4 : 8, 6);
    if (hex !== undefined) return hex;
  }
  if (escapes.numbers !== "none" && letter >= "0" && letter <= "9") {
    const number = readDigits(source, at + 1, escapes.numbers === "octal" ? 8 : 10, 3, 0);
    if (number !== undefined) return number;
  }
  const simple = escapes.simple.get(letter);
  if (simple !== undefined) return { text: simple, end: at + 2 };
  return { text: escapes.keepsUnknown ? `\\${letter}` : letter, end: at + 2 };
}

/** Digits of a base, at most `most` of them, or any up to `inBraces` between braces. */
function readDigits(
  source: string,
  at: number,
  base: 8 | 10 | 16,
  most: number,
  inBraces: number,
): { text: string; end: number } | undefined {
  const isBraced = inBraces > 0 && source.charAt(at) === "{";
  const start = isBraced ? at + 1 : at;
  const limit = start + (isBraced ? inBraces : most);
  let end = start;
  while (end < limit && isDigitOf(source.charAt(end), base)) end += 1;
  if (end === start) return undefined;
  const code = Number.parseInt(source.slice(start, end), base);
  if (code > 0x10ffff) return undefined;
  return { text: String.fromCodePoint(code), end: isBraced && source.charAt(end) === "}" ? end + 1 : end };
}

function isDigitOf(character: string, base: 8 | 10 | 16): boolean {
  if (character === "") return false;
  const digit = "0123456789abcdef".indexOf(character.toLowerCase());
  return digit >= 0 && digit < base;
}
