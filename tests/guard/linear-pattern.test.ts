import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileLinear } from "../../src/guard/custom-rules.ts";
import { createBudget } from "../../src/shell/limits.ts";
import { runs } from "../generated-inputs.ts";

describe("patterns of custom rules", () => {
  it.each([
    ["abc", "xabcx", true],
    ["^abc$", "xabc", false],
    ["a.c", "abc", true],
    ["[a-c]+", "zzb", true],
    ["[^a]b", "ab", false],
    ["(prod|live)-\\d+", "x-live-12", true],
    ["^(?:a|b)*c$", "ababc", true],
    ["colou?r", "color", true],
    ["\\.env$", ".env", true],
    ["\\.env$", "xenv", false],
    ["", "anything", true],
  ])("%s on %s: %s", (source, text, expected) => expect(compileLinear(source)?.matches(text)).toBe(expected));

  it.each(["(", ")", "a{2}", "(?=a)", "\\1", "*a", "[a", "a\\", "a".repeat(501)])(
    "do not exist as %s",
    source => {
      expect(compileLinear(source)).toBeUndefined();
    },
  );

  it("agree with the engine's own on the common ground", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "(a|b)", "\\d");
    const part = fc.tuple(atom, fc.constantFrom("", "*", "+", "?")).map(([one, sign]) => one + sign);
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        fc.string({ unit: fc.constantFrom("a", "b", "1"), maxLength: 12 }),
        (parts, start, end, text) => {
          const source = `${start ? "^" : ""}${parts.join("")}${end ? "$" : ""}`;
          return compileLinear(source)?.matches(text) === new RegExp(source).test(text);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it("stop when the steps are used up", () => {
    const budget = createBudget(1000);
    expect(compileLinear("(a*)*b")?.matches("a".repeat(5000), budget)).toBe(false);
    expect(budget.isSpent).toBe(true);
  });

  it("cannot be made slow", () => {
    expect(compileLinear("(a*)*(a*)*(a*)*b")?.matches("a".repeat(5000))).toBe(false);
    expect(compileLinear(`${"(".repeat(160)}a${")+".repeat(160)}b`)?.matches("aab")).toBe(true);
  });
});
