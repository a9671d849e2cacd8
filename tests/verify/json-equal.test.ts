import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonicalText,
  type EqualOptions,
  type ExactJson,
  jsonEqual,
  readExact,
} from "../../src/verify/json-equal.ts";
import { runs } from "../generated-inputs.ts";

function read(text: string): ExactJson {
  const result = readExact(text);
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

function differ(reference: string, candidate: string, options?: EqualOptions): readonly string[] {
  return jsonEqual(read(reference), read(candidate), options).map(({ kind, path }) => `${kind} ${path}`);
}

describe("two texts that mean the same", () => {
  it.each([
    ["another order of keys", '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ["other white space", '{"a":[1,2]}', ' { "a" : [ 1 , 2 ] } '],
    ["other spellings of a number", "[1, 1.0, 1e0, 10, 0.5]", "[1.0, 1e0, 1, 1e1, 5e-1]"],
    ["null and absent", '{"a":null,"b":{"c":null}}', '{"b":{}}'],
    ["an escaped and a plain letter", '"\\u00e9"', '"é"'],
    ["numbers within the tolerance", "0.1", "0.1000000001"],
    ["large whole numbers in other words", "12345678901234567890", "1.2345678901234567890e19"],
  ])("%s", (_, reference, candidate) => {
    expect(differ(reference, candidate)).toEqual([]);
  });
});

describe("two texts that do not", () => {
  it.each([
    ["another decision", '{"decision":"deny"}', '{"decision":"allow"}', ["value /decision"]],
    ["an extra key", "{}", '{"a":1}', ["extra /a"]],
    ["a missing key", '{"a":{"b":1}}', '{"a":{}}', ["missing /a/b"]],
    ["digits beyond 2^53", "9007199254740993", "9007199254740992", ["value "]],
    [
      "digits beyond 2^53 inside",
      '{"n":[18446744073709551615]}',
      '{"n":[18446744073709551614]}',
      ["value /n/0"],
    ],
    ["text and number", '"1"', "1", ["type "]],
    ["false and zero", "false", "0", ["type "]],
    ["a list and an object", "[]", "{}", ["type "]],
    ["null and an object at the top", "null", "{}", ["type "]],
    ["null in a list", "[null]", "[]", ["missing /0"]],
    ["another order of a list", "[1,2]", "[2,1]", ["value /0", "value /1"]],
    ["a blank more", '"a"', '"a "', ["value "]],
    ["another normal form of a letter", '"\\u00e9"', '"e\\u0301"', ["value "]],
    ["a whole number and one that is not", "1", "1.1", ["value "]],
    ["a key with a slash", '{"a/b~c":1}', "{}", ["missing /a~1b~0c"]],
  ])("%s", (_, reference, candidate, found) => {
    expect(differ(reference, candidate)).toEqual(found);
  });

  it("takes a repeated key for a broken text", () => {
    expect(readExact('{"a":1,"a":1}')).toEqual({ ok: false, problem: expect.stringContaining("twice") });
  });
});

describe("what may be left out or loosened", () => {
  it("ignores pointers, with * for one segment", () => {
    expect(differ('{"a":{"t":1},"b":{"t":2}}', '{"a":{"t":3},"b":{"t":4}}', { ignore: ["/*/t"] })).toEqual(
      [],
    );
    expect(differ('{"a":{"t":1}}', '{"a":{"t":3}}', { ignore: ["/t"] })).toEqual(["value /a/t"]);
  });

  it("matches patterns in expectations only", () => {
    const expected = '{"a":"__ANY__","b":"__CONTAINS__:needle","c":"__REGEX__:v\\\\d+"}';
    const given = '{"a":[1],"b":"a needle here","c":"v12"}';
    expect(differ(expected, given, { hasMatchers: true })).toEqual([]);
    expect(differ(expected, given)).toEqual(["type /a", "value /b", "value /c"]);
    expect(differ('{"c":"__REGEX__:v\\\\d"}', '{"c":"v12"}', { hasMatchers: true })).toEqual(["value /c"]);
    expect(differ('{"a":"__ANY__"}', "{}", { hasMatchers: true })).toEqual(["missing /a"]);
  });

  it("lets a partial expectation name only some keys", () => {
    expect(differ('{"a":{"b":1}}', '{"a":{"b":1,"c":2},"d":3}', { isPartial: true })).toEqual([]);
  });
});

describe("for any two values", () => {
  const json = fc.jsonValue();

  it("a value equals itself, and equal values have one canonical text", () => {
    fc.assert(
      fc.property(json, value => {
        const text = JSON.stringify(value);
        const pretty = JSON.stringify(value, null, 3);
        expect(differ(text, pretty)).toEqual([]);
        expect(canonicalText(read(text))).toBe(canonicalText(read(pretty)));
      }),
      { numRuns: runs(5_000) },
    );
  });

  it("differences are the same from the other side, with the names exchanged", () => {
    const mirror = { extra: "missing", missing: "extra" } as const;
    fc.assert(
      fc.property(json, json, (one, other) => {
        const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
        const turned = differ(b, a).map(line =>
          line.replace(/^(extra|missing)/, found => mirror[found as "extra"]),
        );
        expect([...turned].sort()).toEqual([...differ(a, b)].sort());
      }),
      { numRuns: runs(5_000) },
    );
  });

  it("reading agrees with the language's parser on what is JSON", () => {
    const text = fc.oneof(
      json.map(value => JSON.stringify(value)),
      fc
        .array(
          fc.constantFrom(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"',
            "\\",
            "1",
            "e",
            ".",
            "-",
            "true",
            "null",
            " ",
            "\n",
          ),
        )
        .map(parts => parts.join("")),
    );
    fc.assert(
      fc.property(text, input => {
        let isJson = true;
        try {
          JSON.parse(input);
        } catch {
          isJson = false;
        }
        const exact = readExact(input);
        if (!exact.ok && exact.problem.includes("twice")) return;
        expect(exact.ok).toBe(isJson);
      }),
      { numRuns: runs(10_000) },
    );
  });
});
