import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  extractJson,
  readJsonText,
  typeFlag,
  typeOutput,
  valueText,
} from "../../src/recipes/values/value.ts";

describe("the value of -c key=text", () => {
  it.each([
    ["true", true],
    ["True", true],
    ["false", false],
    ["False", false],
    ["TRUE", "TRUE"],
    ["null", null],
    ["None", "None"],
    ["42", 42],
    ["-3", -3],
    ["0.5", 0.5],
    ["0", 0],
    ["-0", "-0"],
    ["007", "007"],
    ["1.10", "1.10"],
    ["1e5", "1e5"],
    ["+1", "+1"],
    [" 1", " 1"],
    ["12345678901234567890", "12345678901234567890"],
    ['"quoted"', '"quoted"'],
    ["", ""],
    ['{"a":[1,"x"]}', { a: [1, "x"] }],
    ["[1, 2]", [1, 2]],
    ["{not json", "{not json"],
    ["NaN", "NaN"],
  ])("%s is %j", (text, value) => {
    expect(typeFlag(text)).toEqual(value);
  });
});

describe("the value of captured output", () => {
  it.each([
    ["42", 42],
    ["1.10", "1.10"],
    ["007", "007"],
    ["True", "True"],
    ["true", true],
    ["null", null],
    ['"quoted"', '"quoted"'],
    ['{"a":1}', { a: 1 }],
    ['  {"a":1}', { a: 1 }],
    ["  42", "  42"],
    ["12345678901234567890123", "12345678901234567890123"],
    ["", ""],
  ])("%s is %j", (text, value) => {
    expect(typeOutput(text)).toEqual(value);
  });

  it("reads back as the text it came from, whenever it is a number", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.bigInt()).map(String), text => {
        expect(valueText(typeOutput(text))).toBe(text);
      }),
    );
  });
});

describe("JSON text", () => {
  it("keeps the digits of integers that a number cannot hold", () => {
    expect(
      readJsonText('{"id":12345678901234567890,"n":9007199254740991,"s":"12345678901234567890"}'),
    ).toEqual({
      id: "12345678901234567890",
      n: 9007199254740991,
      s: "12345678901234567890",
    });
  });

  it("is given up at once when a string in it never ends", () => {
    const text = `{"id": 1234567890123456789, "${'\\"'.repeat(400_000)}`;
    expect(readJsonText(text)).toBeUndefined();
  });

  it("drops prototype keys", () => {
    expect(readJsonText('{"__proto__":{"x":1},"a":2}')).toEqual({ a: 2 });
  });

  it("is not read when it nests beyond reason", () => {
    expect(readJsonText("[".repeat(5000) + "]".repeat(5000))).toBeUndefined();
  });
});

describe("JSON inside other text", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    [" 42 ", 42],
    ['"text"', "text"],
    ['Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ["```\nnot json\n```\n```json\n[1,2]\n```", [1, 2]],
    ['```python\nx = {}\n```\nthen ```{"b":2}```', { b: 2 }],
    ['The list is [1, {"a":2}] and more', [1, { a: 2 }]],
    ['see {x} then {"ok": "}"} end', { ok: "}" }],
    ['a [broken, then {"k":"v [not an end"} ]', { k: "v [not an end" }],
  ])("%s gives %j", (text, value) => {
    expect(extractJson(text)).toEqual(value);
  });

  it.each(["", "no json here", "{broken", "[1, 2", "}{"])("is absent from %j", text => {
    expect(extractJson(text)).toBeUndefined();
  });

  it("is found after any text without brackets", () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (text, value) => {
        const prose = text.replace(/[[\]{}`"]/g, "");
        const json = JSON.stringify(value);
        const clean: unknown = JSON.parse(json, (key, member) => (key === "__proto__" ? undefined : member));
        expect(extractJson(`Result${prose}:\n${json}`)).toEqual(clean);
      }),
    );
  });

  it("is given up when the search takes too long", () => {
    expect(extractJson('[" '.repeat(200_000))).toBeUndefined();
  });
});
