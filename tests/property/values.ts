import fc from "fast-check";
import type { Json, JsonObject } from "../../src/protocol/index.ts";
import { anyCharacter } from "../generated-inputs.ts";

// What portable functions are given: texts, JSON, names, paths and environments, hostile ones among them.

const HOSTILE_KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty", ""] as const;

export const texts = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom("", " ", "\0", "\n", "\ud800", "\u202e", "../..", "/", "~", "null", "0"),
);

export const keys = fc.oneof(fc.constantFrom(...HOSTILE_KEYS), fc.string({ maxLength: 8 }));

export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, -0, 1, 2 ** 60, 1e308, ""),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ maxLength: 12 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
})).value;

export const jsonObjects: fc.Arbitrary<JsonObject> = fc.dictionary(keys, json, { maxKeys: 5 });

/** One or more names, joined to an absolute path that need not be in its shortest form. */
export const paths = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "home",
      "user",
      "project",
      ".claude",
      ".git",
      "..",
      ".",
      "link",
      "deep",
      "é",
      "x y",
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map(parts => `/${parts.join("/")}`);

export function environmentOf(values: Readonly<Record<string, string>>) {
  return {
    get: (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined),
    names: () => Object.keys(values),
  };
}

/** A few variables out of `names`, with any text as their values. */
export function environments(names: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fc.dictionary(fc.constantFrom(...names), fc.oneof(texts, paths), { maxKeys: 4 });
}
