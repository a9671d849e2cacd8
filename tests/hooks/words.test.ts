import { describe, expect, it } from "vitest";
import {
  countCharacters,
  findStatement,
  firstCharacters,
  oneLine,
  withoutControls,
  wordPattern,
} from "../../src/text/words.ts";

describe("whole words", () => {
  const pattern = wordPattern("reset | next steps?");

  it("match in any case and across line breaks", () => {
    expect(pattern.test("RESET it")).toBe(true);
    expect(pattern.test("the next\n  step")).toBe(true);
  });

  it("do not match inside other words, whatever the alphabet", () => {
    for (const text of ["preset", "resets", "éreset", "reset_all", "reset2"])
      expect(pattern.test(text)).toBe(false);
  });

  it("are found where they stand, after letters of any script", () => {
    expect(pattern.positions("naïve 𝒜 reset; préset; reset")).toEqual([9, 24]);
    expect(pattern.positions("")).toEqual([]);
  });

  it("may stand beside punctuation and hyphens", () => {
    expect(pattern.test("(reset)")).toBe(true);
    expect(pattern.test("hard-reset")).toBe(true);
  });
});

describe("a statement", () => {
  const done = wordPattern("done");

  it("is not made by a negated word", () => {
    expect(findStatement("It is not done", done)).toBeUndefined();
    expect(findStatement("It isn't done", done)).toBeUndefined();
    expect(findStatement("0 done", done)).toBeUndefined();
  });

  it("is made when the negation belongs to another clause or is far away", () => {
    expect(findStatement("No, it is done", done)).toBe(10);
    expect(findStatement("Not easy. But done", done)).toBe(14);
  });

  it("is made when one of several occurrences is not negated", () => {
    expect(findStatement("was not done, now done", done)).toBe(18);
  });
});

describe("cut texts", () => {
  it("never end in half a character", () => {
    expect(firstCharacters("a😀b", 2)).toBe("a😀");
    expect(countCharacters("a😀")).toBe(2);
  });

  it("hold no control characters", () => {
    expect(oneLine(" a\u0000b\n\tc\u001b[31m ")).toBe("a b c [31m");
    expect(withoutControls("a\r\nb\u0000\tc")).toBe("a\nb\tc");
  });
});
