import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "../../src/memory/glob.ts";
import { runs } from "../generated-inputs.ts";

describe("patterns with * and ?", () => {
  it.each([
    ["test_*", "test_1", true],
    ["test_*", "test_", true],
    ["test_*", "my_test_1", false],
    ["*_temp", "a_temp", true],
    ["*", "", true],
    ["?", "", false],
    ["?", "😀", true],
    ["a?c", "abc", true],
    ["", "", true],
    ["", "a", false],
    ["a.c", "abc", false],
    ["[ab]", "[ab]", true],
    ["learned/*", "learned/a/b", true],
  ])("%j and %j: %s", (pattern, text, isMatch) => {
    expect(matchesGlob(pattern, text)).toBe(isMatch);
  });

  it("mean what the regular expression means", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 12 });
    const texts = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
    fc.assert(
      fc.property(letters, texts, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`, "u");
        expect(matchesGlob(pattern, text)).toBe(expression.test(text));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it("end soon, however many stars there are", () => {
    expect(matchesGlob("*a".repeat(100), "b".repeat(5_000))).toBe(false);
  });
});
