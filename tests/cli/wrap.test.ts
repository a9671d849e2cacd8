import { describe, expect, it } from "vitest";
import { renderErrorText, usageError } from "../../src/cli/errors.ts";
import { fitLines } from "../../src/cli/layout.ts";

describe("lines for a terminal", () => {
  it.each<[string, number | undefined, string]>([
    ["one two three", undefined, "one two three"],
    ["one two three\n", 13, "one two three\n"],
    ["one two three\n", 12, "one two\n  three\n"],
    ["  one two three", 12, "  one two\n    three"],
    ["short\n  a-word-that-is-too-long\n", 10, "short\n  a-word-that-is-too-long\n"],
  ])("breaks %j at %s columns between words", (text, columns, fitted) => {
    expect(fitLines(text, { columns })).toBe(fitted);
  });

  it("keeps the fix of an error on one line, to be copied", () => {
    const error = usageError("there is no such part", "amplihack parts off --help");
    expect(renderErrorText(error, { columns: 20 })).toBe(
      "Error: there is no\n  such part\n  fix: amplihack parts off --help\n",
    );
  });

  it("writes out what an error quotes, whoever chose it", () => {
    const error = usageError("for \u001b[2Jacme\r\nsecond line", "take \u202eanother", 2, ["\u0007bell"]);
    expect(renderErrorText(error, { columns: undefined })).toBe(
      "Error: for \\u001b[2Jacme\\r\nsecond line\n  cause: \\u0007bell\n  fix: take \\u202eanother\n",
    );
  });
});
