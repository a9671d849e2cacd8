import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText } from "../../src/memory/memory.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";

/** Every UTF-16 unit, lone surrogates and controls included. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
});

describe("text as it is stored", () => {
  it("leaves ordinary text alone", () => {
    for (const text of ["", "plain", "zwei\nZeilen", "数据库", "😀", "a\tb\r\n", "\u0001\u001b[31m"]) {
      expect(encodeText(text)).toBe(text);
    }
  });

  it("has neither NUL nor lone surrogates, and comes back exactly", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: anyCharacter })), text => {
        const stored = encodeText(text);
        expect(stored).not.toContain("\0");
        expect(Buffer.from(stored, "utf8").toString("utf8")).toBe(stored);
        expect(decodeText(stored)).toBe(text);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it("keeps different texts different", () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(encodeText(one) === encodeText(other)).toBe(one === other);
      }),
    );
  });

  it("does not take the escape sign itself for an escape", () => {
    expect(decodeText(encodeText("\u00100000"))).toBe("\u00100000");
  });
});
