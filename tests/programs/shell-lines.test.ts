import { describe, expect, it } from "vitest";
import { findProgram } from "../../src/programs/model/registry.ts";

describe("lines by which a program leaves for a shell", () => {
  it.each([
    ["mysql", "system rm x"],
    ["sqlite3", ".shell rm x"],
    ["sqlite3", ".sys rm x"],
    ["sqlite3", ".once -x |rm x"],
    ["gdb", "shell rm x"],
    ["ed", "!rm x"],
    ["ftp", "!rm x"],
  ])("of %s are found behind others: %s", (program, line) => {
    const pattern = findProgram(program)?.shellLines ?? /$^/g;
    const found = [...`first\n\n\n \t${line}\nlast\n`.matchAll(pattern)].map(([, text]) => text);
    expect(found).toEqual(["rm x"]);
    // Space that may run over lines is looked through again from each of them: a text of empty lines takes seconds.
    expect(pattern.source).not.toMatch(/^\^\\s/);
  });
});
