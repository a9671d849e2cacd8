import { expandHome, isAbsolute, normalise } from "../system/index.ts";

/** `expected` completes the sentence "expected …". */
export type ParsedVariable<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string };

export interface EnvParser<T> {
  /** Raw values of texts and paths are never shown: they may hold secrets. */
  readonly isShown: boolean;
  parse(raw: string, home: string | undefined): ParsedVariable<T>;
}

const good = <T>(value: T): ParsedVariable<T> => ({ ok: true, value });
const bad = (expected: string): { readonly ok: false; readonly expected: string } => ({
  ok: false,
  expected,
});

/** Decimal digits with an optional sign; a number below `atLeast` counts as `atLeast`. */
export function integer(options: { readonly atLeast?: number } = {}): EnvParser<number> {
  return {
    isShown: true,
    parse(raw) {
      const text = raw.trim();
      const value = /^[+-]?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(value)) return bad("a whole number");
      return good(Math.max(value, options.atLeast ?? value));
    },
  };
}

const TRUE_WORDS: readonly string[] = ["1", "true", "yes", "on"];
const FALSE_WORDS: readonly string[] = ["0", "false", "no", "off", ""];

export const boolean: EnvParser<boolean> = {
  isShown: true,
  parse(raw) {
    const word = raw.trim().toLowerCase();
    if (TRUE_WORDS.includes(word)) return good(true);
    return FALSE_WORDS.includes(word) ? good(false) : bad("1, true, yes, on, 0, false, no or off");
  },
};

/** One of the given words, in any case; the result is spelt as given. */
export function oneOf<const W extends string>(...words: readonly W[]): EnvParser<W> {
  return {
    isShown: true,
    parse(raw) {
      const wanted = raw.trim().toLowerCase();
      const found = words.find(word => word.toLowerCase() === wanted);
      return found === undefined ? bad(`one of ${words.join(", ")}`) : good(found);
    },
  };
}

/** An absolute path, after `~` has been replaced. */
export const path: EnvParser<string> = {
  isShown: false,
  parse(raw, home) {
    const expanded = expandHome(raw, home);
    if (!isAbsolute(expanded) || expanded.includes("\0")) return bad("an absolute path");
    return good(normalise(expanded));
  },
};

/** As `path`, and without `..`: what it means must not depend on what it passes through. */
export const plainPath: EnvParser<string> = {
  isShown: false,
  parse: (raw, home) =>
    raw.split("/").includes("..") ? bad("an absolute path without '..'") : path.parse(raw, home),
};

/** Any text, empty included. */
export const text: EnvParser<string> = { isShown: false, parse: raw => good(raw) };

export const nonEmptyText: EnvParser<string> = {
  isShown: false,
  parse: raw => (raw === "" ? bad("a text that is not empty") : good(raw)),
};

/** True for `1` and nothing else. */
export const exactlyOne: EnvParser<boolean> = { isShown: true, parse: raw => good(raw === "1") };

/** True for any text, `0` included; false when empty. */
export const anyText: EnvParser<boolean> = { isShown: false, parse: raw => good(raw !== "") };

/** False for `false`, `0`, `no`, `off`; true for everything else, empty included. */
export const unlessOff: EnvParser<boolean> = {
  isShown: true,
  parse: raw => good(!["false", "0", "no", "off"].includes(raw.trim().toLowerCase())),
};
