import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { definitionPath, entryNames } from "../../scripts/entries.mjs";
import { stockHooks } from "../../src/exports/hooks.ts";
import { ALL_ROWS, hookDeadlineMs, resolveSubcommand, STOCK_SUBCOMMANDS } from "../../src/hosts/index.ts";
import { STOCK_HOOKS } from "../../src/protocol/stock-hooks.ts";
import { loadDefinition } from "./definitions.ts";

// A hook is one file and one row of STOCK_HOOKS, as CONTRIBUTING says; everything else is derived from the row.

const NAMES = STOCK_HOOKS.map(hook => hook.name);

describe.each(STOCK_HOOKS)("the stock hook $name", ({ name, events, timeoutSeconds }) => {
  it("is one file that exports its definition", async () => {
    const found = [`src/hooks/stock/${name}.ts`, `src/hooks/stock/${name}/${name}.ts`].filter(path =>
      existsSync(path),
    );
    expect(found).toEqual([definitionPath(name)]);
    const { hook } = await loadDefinition(name);
    expect(hook?.({})).toMatchObject({ id: `amplihack.${name}`, event: events[0] });
  });

  it("has its subcommand, registrations and deadline from its row", () => {
    expect(resolveSubcommand(name)).toMatchObject({ name, events, isStock: true });
    expect(ALL_ROWS.filter(row => row.subcommand === name).map(row => row.event)).toEqual(events);
    expect(hookDeadlineMs("claude-code", name, events[0])).toBe((timeoutSeconds - 1) * 1_000);
  });

  it("is given to users of the library, once per event", () => {
    const given = stockHooks().filter(hook => hook.id.startsWith(`amplihack.${name}`));
    expect(given.map(hook => hook.event)).toEqual(events);
  });
});

describe("the hook program", () => {
  it("has one entry per row, and one for all other events", async () => {
    expect(await entryNames()).toEqual([...NAMES, "no-opinion"].sort());
    expect((await loadDefinition("no-opinion")).hook).toBeUndefined();
  });

  it("has a row for every file that exports a definition", () => {
    const files = readdirSync("src/hooks", { recursive: true, encoding: "utf8" }).filter(path =>
      path.endsWith(".ts"),
    );
    const defining = files.filter(path =>
      /^export const definition\b/m.test(readFileSync(join("src/hooks", path), "utf8")),
    );
    const expected = [...NAMES, "no-opinion"].map(name => definitionPath(name)?.slice("src/hooks/".length));
    expect(defining.sort()).toEqual(expected.sort());
  });

  it("lists each name once", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(STOCK_SUBCOMMANDS.map(one => one.name).sort()).toEqual([...NAMES].sort());
  });
});

describe("CONTRIBUTING", () => {
  const bullet =
    /^- \*\*A hook:\*\*[\s\S]*?(?=^- \*\*|^$)/m.exec(readFileSync("CONTRIBUTING.md", "utf8"))?.[0] ?? "";
  const named = [...bullet.matchAll(/`((?:src|tests|scripts)\/[^`]*)`/g)].map(match => match[1] ?? "");

  it("names files that are there", () => {
    expect(named.length).toBeGreaterThan(2);
    for (const path of named.filter(one => !one.includes("NAME"))) expect(existsSync(path), path).toBe(true);
  });

  it("names the two places where a hook of that name may be", () => {
    expect(named.filter(one => one.includes("NAME"))).toEqual([
      "src/hooks/stock/NAME.ts",
      "src/hooks/stock/NAME/NAME.ts",
    ]);
  });
});
