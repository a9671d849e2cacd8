import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { goldenCases, goldenHooks } from "../golden/golden-case.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGE = readFileSync(join(ROOT, "docs/maintainers/parity.md"), "utf8");
const ROWS = PAGE.split("\n").filter(line => /^\| (?!Original|-)/.test(line));

describe("the page on parity", () => {
  it("has a row for every part, each with what replaces it", () => {
    expect(ROWS.length).toBeGreaterThan(40);
    const replacements = ROWS.map(row => row.split(" | ")[1] ?? "");
    expect(replacements.filter(cell => !/^(`src\/|nothing: )/.test(cell))).toEqual([]);
  });

  it("names files that exist", () => {
    const files = [...PAGE.matchAll(/`((?:src|tests)\/[^`]+)`/g)].map(match => match[1] ?? "");
    expect(files.length).toBeGreaterThan(80);
    expect(files.filter(file => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("names tests that exist, by title", () => {
    const named = [...PAGE.matchAll(/`(tests\/[^`]+\.test\.ts)`: ((?:"[^"]+"(?:, (?="))?)+)/g)].flatMap(
      ([, file = "", titles = ""]) =>
        [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title })),
    );
    expect(named.length).toBeGreaterThan(25);
    const missing = named.filter(
      ({ file, title }) => !readFileSync(join(ROOT, file), "utf8").includes(`"${title}"`),
    );
    expect(missing).toEqual([]);
  });

  it("names golden cases that exist", () => {
    const cases = [...PAGE.matchAll(/`((?:[a-z]+_)*[a-z]+\/[\w-]+)`/g)]
      .map(match => match[1] ?? "")
      .filter(name => !/^(src|tests|docs)\//.test(name) && name !== "hook/case");
    expect(cases.length).toBeGreaterThan(35);
    const present = goldenHooks().flatMap(hook => goldenCases(hook).map(({ name }) => `${hook}/${name}`));
    expect(cases.filter(name => !present.includes(name))).toEqual([]);
  });
});
