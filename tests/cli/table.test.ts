import { describe, expect, it } from "vitest";
import { renderTable } from "../../src/cli/layout.ts";

const ROWS = [
  ["event", "subcommand", "file"],
  [
    "UserPromptSubmit",
    "workflow-classification-reminder",
    "/home/user/.amplihack/hooks/no-friday-deploys.ts",
  ],
  ["Stop", "stop", "two words, or three"],
];

describe("a table", () => {
  it("has columns as wide as what stands in them", () => {
    expect(
      renderTable(
        [
          ["a", "b"],
          ["long", "x"],
        ],
        { columns: undefined },
        "  ",
      ),
    ).toBe("  a     b\n  long  x\n");
    expect(renderTable(ROWS, { columns: undefined }).split("\n")[1]).toContain("no-friday-deploys.ts");
  });

  it.each([60, 45, 30])("breaks no word on a terminal of %i columns", columns => {
    const text = renderTable(ROWS, { columns }, "  ");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    for (const word of ["UserPromptSubmit", "classification-", "deploys."]) expect(text).toContain(word);
  });

  it("tells each row below its name where columns would be too narrow", () => {
    expect(renderTable(ROWS, { columns: 45 }, "  ").split("\n")).toEqual([
      "  UserPromptSubmit",
      "    subcommand:",
      "    workflow-classification-reminder",
      "    file:",
      "    /home/user/.amplihack/hooks/no-friday-",
      "    deploys.ts",
      "  Stop",
      "    subcommand: stop",
      "    file: two words, or three",
      "",
    ]);
  });

  it.each([120, 80, 60])("fits a terminal of %i columns, and loses nothing", columns => {
    const text = renderTable(ROWS, { columns }, "  ");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    const letters = (value: string) => [...value.replace(/\s/g, "")].sort().join("");
    expect(letters(text)).toBe(letters(ROWS.flat().join("")));
  });

  it("breaks a name behind a sign in it", () => {
    const text = renderTable([["workflow-classification-reminder"]], { columns: 26 });
    expect(text).toBe("workflow-classification-\nreminder\n");
  });

  it("stays readable on a terminal that is too narrow for anything", () => {
    expect(renderTable(ROWS, { columns: 5 }).split("\n").length).toBeLessThan(40);
  });
});
