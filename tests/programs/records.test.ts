import { describe, expect, it } from "vitest";
import { TRAITS } from "../../src/programs/model/program.ts";
import {
  allOperations,
  allPrograms,
  findProgram,
  isBare,
  isEveryday,
} from "../../src/programs/model/registry.ts";
import { words } from "../../src/shell/options.ts";

const RECORDS = allPrograms();
const OPERATIONS = allOperations();

describe("records of programs", () => {
  it("give every name to one program", () => {
    const names = RECORDS.flatMap(record => words(record.names));
    const seen = new Set<string>();
    expect(names.filter(name => seen.size === seen.add(name).size)).toEqual([]);
  });

  it("are found by each of their names", () => {
    for (const record of RECORDS)
      for (const name of words(record.names)) {
        const found = findProgram(name);
        // A cmdlet of which only operations are listed behaves as every cmdlet does.
        if (!(isBare(record) && found?.pattern?.test(name))) expect(found, name).toBe(record);
      }
  });

  it("have traits that are known", () => {
    const known: readonly string[] = TRAITS;
    expect(RECORDS.flatMap(record => record.is ?? []).filter(trait => !known.includes(trait))).toEqual([]);
  });

  it.each([
    ["gfind", "find"],
    ["gchmod", "chmod"],
    ["gxargs", "xargs"],
    ["python3.12", "python3"],
    ["ld-linux-x86-64.so.2", "ld.so"],
    ["k", "kubectl"],
    ["kubecolor", "kubectl"],
    ["microk8s.helm3", "helm"],
    ["terragrunt", "terraform"],
  ])("are found for %s as for %s", (name, plain) => {
    expect(findProgram(name)).toBeDefined();
    expect(findProgram(name)).toBe(findProgram(plain));
  });

  it.each(["go", "gh", "git", "grm-not-there", "constructor", "__proto__"])("take %s for itself", name => {
    expect(findProgram(name)).not.toBe(findProgram(name.slice(1)) ?? null);
  });

  it("have no operations for everyday programs, which are not looked up in those tables", () => {
    const programs = OPERATIONS.flatMap(({ command }) => (command.split(" ")[0] ?? "").split("|"));
    expect(programs.filter(name => isEveryday(name.toLowerCase()))).toEqual([]);
  });
});
