import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serialise } from "../../src/state/index.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe("serialising", () => {
  it("gives JSON that reads back as it was, indented by two", () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(JSON.parse(serialise(value, "file", 2))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(serialise({ a: [1] }, "file", 2)).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it.each([
    ["undefined", undefined, "$"],
    ["a missing member", { a: { b: undefined } }, "$.a.b"],
    ["a hole in an array", { a: new Array(2) }, "$.a[0]"],
    ["not a number", [Number.NaN], "$[0]"],
    ["infinity", { n: Number.POSITIVE_INFINITY }, "$.n"],
    ["a big integer", 1n, "$"],
    ["a function", { f() {} }, "$.f"],
    ["a symbol", Symbol("s"), "$"],
    ["a date", { at: new Date(0) }, "$.at"],
    ["a promise", Promise.resolve(1), "$"],
    ["a map", new Map(), "$"],
    ["a cycle", cyclic, "$.self"],
    ["too many levels", nested(201), "$[0]"],
  ])("refuses %s, naming the place", (_name, value, place) => {
    expect(() => serialise(value, "state.json", 2)).toThrow(
      expect.objectContaining({ code: "not-serialisable", message: expect.stringContaining(` at ${place}`) }),
    );
  });

  it("takes as many levels as reading does", () => {
    expect(serialise(nested(200), "file", 0)).toHaveLength(401);
  });
});
