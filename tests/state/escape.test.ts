import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactTimestamp, localTimestamp } from "../../src/state/index.ts";
import { clip, escapeControls } from "../../src/text/index.ts";
import { anyCharacter } from "../generated-inputs.ts";

describe("text for one line", () => {
  it("has every control character written out and nothing else changed", () => {
    expect(escapeControls("a\tb\r\nc\u0000\u007f\u0085\u2029\u200f\u2066é😀")).toBe(
      "a\\tb\\r\\nc\\u0000\\u007f\\u0085\\u2029\\u200f\\u2066é😀",
    );
  });

  it("is cut between characters, never inside one, and the cut is marked", () => {
    expect(clip("abc", 3)).toBe("abc");
    expect(clip("abcd", 3)).toBe("abc…");
    expect(clip("ab😀", 3)).toBe("ab…");
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        (text, length) => {
          expect(clip(text, length)).not.toMatch(/\p{Surrogate}/u);
          expect(clip(text, length).length).toBeLessThanOrEqual(length + 1);
        },
      ),
    );
  });
});

describe("clock readings", () => {
  const ms = new Date(2026, 1, 3, 4, 5, 6, 7).getTime();

  it("are local, to the microsecond in logs and to the second in names", () => {
    expect(localTimestamp(ms)).toBe("2026-02-03T04:05:06.007000");
    expect(compactTimestamp(ms)).toBe("20260203_040506");
  });
});
