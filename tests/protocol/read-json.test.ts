import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameJson, JSON_DEPTH_LIMIT, type Json, readJson } from "../../src/protocol/index.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";

const json = fc
  .jsonValue()
  .filter(value => !JSON.stringify(value).includes("__proto__")) as fc.Arbitrary<Json>;

describe("reading JSON that is well formed", () => {
  it("gives the same value as the language's parser", () => {
    fc.assert(
      fc.property(json, value => {
        const read = readJson(JSON.stringify(value));
        expect(read.ok && isSameJson(read.value, JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it("names no repair", () => {
    expect(readJson('{"a":[1,2,{"b":null}]}')).toEqual({
      ok: true,
      value: { a: [1, 2, { b: null }] },
      repairs: [],
    });
  });

  it("takes the last of repeated keys", () => {
    expect(readJson('{"tool_name":"Read","tool_name":"Bash"}')).toMatchObject({
      value: { tool_name: "Bash" },
    });
  });
});

describe("recovering JSON that is nearly well formed", () => {
  it.each([
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }, ["bom"]],
    ["a trailing comma in an object", '{"a":1,}', { a: 1 }, ["trailing-comma"]],
    ["a trailing comma in an array", '{"a":[1,2 , ]}', { a: [1, 2] }, ["trailing-comma"]],
    [
      "several trailing commas at several depths",
      '{"a":[1,],"b":{"c":2,},}',
      { a: [1], b: { c: 2 } },
      ["trailing-comma"],
    ],
    ["text after the object", '{"a":1} and more', { a: 1 }, ["trailing-text"]],
    ["a second object after the first", '{"a":1}{"b":2}', { a: 1 }, ["trailing-text"]],
    ["closing braces after the object", '{"a":1}}}', { a: 1 }, ["trailing-text"]],
    ["both", '{"a":1,} x', { a: 1 }, ["trailing-comma", "trailing-text"]],
  ])("survives %s", (_, text, value, repairs) => {
    expect(readJson(text)).toEqual({ ok: true, value, repairs });
  });

  it("leaves commas and braces inside strings alone", () => {
    expect(readJson('{"a":",}","b":"\\",]",}')).toMatchObject({ value: { a: ",}", b: '",]' } });
  });

  it("does not recover when told not to", () => {
    expect(readJson('{"a":1,}', { recover: false, maxDepth: 10 })).toEqual({
      ok: false,
      problem: "malformed",
    });
  });

  it("recovers any object followed by any text", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.string(), (object, tail) => {
        const text = JSON.stringify(object);
        const read = readJson(`${text} ${tail}`);
        expect(read.ok && isSameJson(read.value, readValue(text))).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

function readValue(text: string): Json {
  const read = readJson(text);
  if (!read.ok) throw new Error(read.problem);
  return read.value;
}

describe("refusing what cannot be read", () => {
  it.each([
    ["", "empty"],
    [" \n\t", "empty"],
    ["\uFEFF", "empty"],
    ["not json", "malformed"],
    ['{"a":', "malformed"],
    ['{"a":1', "malformed"],
    ['{"a":"unterminated', "malformed"],
    ["{'a':1}", "malformed"],
    ["NaN", "malformed"],
  ])("%j is %s", (text, problem) => {
    expect(readJson(text)).toEqual({ ok: false, problem });
  });

  it("bounds the depth before parsing", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(readJson(nested(JSON_DEPTH_LIMIT)).ok).toBe(true);
    expect(readJson(nested(JSON_DEPTH_LIMIT + 1))).toEqual({ ok: false, problem: "too-deep" });
    expect(readJson(nested(2_000_000))).toEqual({ ok: false, problem: "too-deep" });
  });

  it("counts values before any parser makes them", () => {
    const limits = { recover: true, maxDepth: JSON_DEPTH_LIMIT, maxValues: 4 };
    expect(readJson("[1, [2]]", limits)).toMatchObject({ ok: true });
    expect(readJson('["a,b,c,[{"]', limits)).toMatchObject({ ok: true });
    expect(readJson("[1, 2, [3]]", limits)).toEqual({ ok: false, problem: "too-many" });
    expect(readJson("[[],[],[]]", limits)).toEqual({ ok: false, problem: "too-many" });
  });

  it("counts quotes inside strings where values are limited, because each is a step", () => {
    const text = (quotes: number) => JSON.stringify({ text: '"'.repeat(quotes) });
    const limited = { recover: true, maxDepth: 10, maxValues: 100 };
    expect(readJson(text(1_000), limited).ok).toBe(true);
    expect(readJson(text(1_001), limited)).toEqual({ ok: false, problem: "too-many" });
    expect(readJson(text(1_001)).ok).toBe(true);
  });

  it("does not count brackets inside strings", () => {
    expect(readJson(JSON.stringify({ a: "[".repeat(5_000) })).ok).toBe(true);
  });
});

describe("keys that reach for the prototype", () => {
  it.each(['{"__proto__":{"x":1},"a":1}', '{"\\u005f_proto__":{"x":1},"a":1}', '{"a":1,"__proto__":1}'])(
    "are removed from %s",
    text => {
      const read = readJson(text);
      expect(read).toEqual({ ok: true, value: { a: 1 }, repairs: ["proto-key-dropped"] });
      expect(({} as { x?: number }).x).toBeUndefined();
    },
  );

  it("are removed at every depth", () => {
    const read = readJson('{"a":[{"b":{"__proto__":{"x":1},"c":2}}]}');
    expect(read).toEqual({ ok: true, value: { a: [{ b: { c: 2 } }] }, repairs: ["proto-key-dropped"] });
  });

  it("leave a value that only mentions them alone", () => {
    expect(readJson('{"a":"__proto__"}')).toEqual({ ok: true, value: { a: "__proto__" }, repairs: [] });
  });
});

describe("any text at all", () => {
  it("never throws and never changes the prototype", () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc
        .array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "__proto__", "a", "1", " ", "\uD800"))
        .map(parts => parts.join("")),
    );
    fc.assert(
      fc.property(text, input => {
        const read = readJson(input);
        expect(typeof read.ok).toBe("boolean");
      }),
      { numRuns: runs(10_000) },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
