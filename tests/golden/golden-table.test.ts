import { describe, expect, it } from "vitest";
import { readTable } from "../../src/verify/golden.ts";

describe("a table of golden cases", () => {
  const fixtures = {
    call: { event: "Stop", session: "s1" },
    late: { $use: "call", turn: 9 },
    text: "as it is",
  };

  it("has a case on each line, with its fixtures put in, at any depth", () => {
    const lines = [
      { name: "a", input: { $use: "call" }, files: { path: { $use: "text" } } },
      { name: "b", input: { $use: "late", session: "s2" }, list: [{ $use: "call" }] },
    ].map(row => JSON.stringify(row));
    expect(readTable(`${lines.join("\n")}\n`, fixtures)).toEqual([
      { name: "a", input: { event: "Stop", session: "s1" }, files: { path: "as it is" } },
      {
        name: "b",
        input: { event: "Stop", session: "s2", turn: 9 },
        list: [{ event: "Stop", session: "s1" }],
      },
    ]);
  });

  it("repeats what is too long to be written down", () => {
    const row = { name: "a", text: "<{{REPEAT 3 ab}}>{{REPEAT 2 😀}} {{SANDBOX}}" };
    expect(readTable(JSON.stringify(row), {})).toEqual([{ name: "a", text: "<ababab>😀😀 {{SANDBOX}}" }]);
  });

  it.each([
    [{ name: "a", input: { $use: "cal" } }, /no fixture cal/],
    [{ name: "a", input: { $use: "text", more: 1 } }, /text is not an object/],
    [{ name: "a", input: {} }, /no case uses the fixture call, late, text/],
  ])("is refused: %j", (row, message) => {
    expect(() => readTable(JSON.stringify(row), fixtures)).toThrow(message);
  });
});
