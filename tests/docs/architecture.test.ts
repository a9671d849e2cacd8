import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LAYERS } from "../../scripts/check-layers.mjs";

const PAGE = readFileSync("docs/maintainers/architecture.md", "utf8");

describe("the page on the architecture", () => {
  it("names files and folders that exist", () => {
    const named = [...PAGE.matchAll(/`((?:src\/|scripts\/|[a-z]+\/)[a-z/.-]+(?:\.m?ts|\.mjs|\/))`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    const isThere = (path: string) => existsSync(path) || existsSync(`src/${path}`);
    expect(named.filter(path => !isThere(path))).toEqual([]);
  });

  it("has a paragraph for every room with a door", () => {
    const rooms = LAYERS.filter(room => room !== "exports" && existsSync(`src/${room}/index.ts`));
    expect(rooms.length).toBeGreaterThan(25);
    for (const room of rooms) expect(PAGE).toContain(`| \`${room}/\``);
  });
});
