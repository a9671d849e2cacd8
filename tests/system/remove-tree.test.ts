import { chmodSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { removeTree, SystemError } from "../../src/system/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";

const { files } = createNodeSystem();

describe("Removing a tree", () => {
  it("takes everything below along, folders without rights too, and follows no link", () => {
    const place = mkdtempSync(join(tmpdir(), "remove-tree-"));
    const top = join(place, "top");
    mkdirSync(join(top, "a/b/c"), { recursive: true });
    writeFileSync(join(top, "a/b/c/file"), "x");
    writeFileSync(join(place, "kept"), "x");
    symlinkSync(place, join(top, "a/link"));
    chmodSync(join(top, "a/b"), 0o000);
    removeTree(files, top);
    expect(existsSync(top)).toBe(false);
    expect(existsSync(join(place, "kept"))).toBe(true);
    removeTree(files, top);
    removeTree(files, place);
    expect(existsSync(place)).toBe(false);
  });

  it("goes deeper than a stack", () => {
    const place = mkdtempSync(join(tmpdir(), "remove-tree-"));
    const deep = `${place}/${"d/".repeat(1_500)}`;
    mkdirSync(deep, { recursive: true });
    removeTree(files, place);
    expect(existsSync(place)).toBe(false);
  });

  it("throws what fails, or tells it and goes on", () => {
    const place = mkdtempSync(join(tmpdir(), "remove-tree-"));
    for (const name of ["one", "two"]) writeFileSync(join(place, name), "x");
    const stuck: typeof files = {
      ...files,
      inspect: path => files.inspect(path),
      list: path => files.list(path),
      removeDirectory: path => files.removeDirectory(path),
      remove(path) {
        if (path.endsWith("/one")) throw new SystemError("EPERM", "remove", path);
        files.remove(path);
      },
    };
    expect(() => removeTree(stuck, place)).toThrow(/EPERM/);
    const told: unknown[] = [];
    removeTree(stuck, place, error => told.push(error));
    expect(told).toHaveLength(2);
    expect(files.list(place)).toEqual(["one"]);
    removeTree(files, place);
  });
});
