import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const read = (file: string): string => readFileSync(file, "utf8");
const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter(name => /\.c?js$/.test(name) && !name.startsWith("native"))
  .map(name => join(dist, name));

/** Every file that loading one of the built files loads. What it may load later stands behind `import()`. */
function reachableFrom(entry: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [, path = ""] of read(entry).matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+\.js)"/g))
    reachableFrom(join(dirname(entry), path), found);
  return found;
}

describe("the dashboard's page", () => {
  const holders = files.filter(file => read(file).includes("prefers-color-scheme"));
  const entries = files.filter(file => !file.includes("/chunks/"));

  it("is part of one file", () => {
    expect(holders).toHaveLength(1);
  });

  it("is loaded by no command before it is wanted", () => {
    const carriers = entries.filter(entry => holders.some(holder => reachableFrom(entry).has(holder)));
    expect(carriers.map(entry => relative(dist, entry))).toEqual([]);
  });
});
