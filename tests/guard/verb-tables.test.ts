import { describe, expect, it } from "vitest";
import { verbTables, WITHOUT_VERBS } from "../../src/guard/collect.ts";

describe("the tables of verbs", () => {
  it("name no program that is not looked up in them", () => {
    const programs = verbTables().flatMap(({ verbs, options }) => [
      ...verbs.flatMap(({ command }) => (command.split(" ")[0] ?? "").split("|")),
      ...Object.keys(options),
    ]);
    expect(programs.filter(program => WITHOUT_VERBS.has(program.toLowerCase()))).toEqual([]);
  });
});
