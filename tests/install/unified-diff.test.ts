import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../src/install/file-edit.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

describe("the diff of a dry run", () => {
  it("shows three lines around a change", () => {
    const before = "a\nb\nc\nd\ne\nf\ng\nh\n";
    expect(unifiedDiff("/etc/file", before, before.replace("e\n", "E\nE2\n"))).toBe(
      "--- a/etc/file\n+++ b/etc/file\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+E2\n f\n g\n h\n",
    );
  });

  it("says when a file is new, goes away, or ends without a newline", () => {
    expect(unifiedDiff("/f", undefined, "x")).toBe(
      "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n",
    );
    expect(unifiedDiff("/f", "x\n", undefined)).toBe("--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n");
    expect(unifiedDiff("/f", "x\n", "x\n")).toBe("");
  });

  it("keeps changes that are far apart in hunks of their own", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index}\n`);
    const changed = lines.map((line, index) => (index === 2 || index === 25 ? `new ${line}` : line));
    expect(unifiedDiff("/f", lines.join(""), changed.join("")).match(/^@@/gm)).toHaveLength(2);
  });

  it("takes all old lines out and puts all new ones in where two long texts have little in common", () => {
    const folder = temporaryDirectory();
    spawnSync("git", ["init", "-q", folder]);
    const [before, after] = ["old", "new"].map(word =>
      Array.from({ length: 3000 }, (_, index) => `${word} ${index}\n`).join(""),
    ) as [string, string];
    const file = join(folder, "file");
    writeFileSync(file, before);
    const diff = unifiedDiff("/file", before, after.trimEnd());
    expect(diff.match(/^@@.*$/gm)).toEqual(["@@ -1,3000 +1,3000 @@"]);
    const applied = spawnSync("git", ["apply", "-"], { cwd: folder, input: diff });
    expect(applied.stderr.toString()).toBe("");
    expect(readFileSync(file, "utf8")).toBe(after.trimEnd());
  });

  it("is exact: git makes of the old text what the diff says", () => {
    const folder = temporaryDirectory();
    spawnSync("git", ["init", "-q", folder]);
    const line = fc.constantFrom("a", "b", "c", "{", "}", '  "x": 1,', "", "\r", "ü");
    const text = fc
      .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
      .map(([lines, isEnded]) => lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : ""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== "" && after !== "");
        const file = join(folder, "file");
        writeFileSync(file, before);
        const diff = unifiedDiff("/file", before, after);
        const applied = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: diff });
        expect(applied.stderr.toString()).toBe("");
        expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(after);
      }),
      { numRuns: runs(60) },
    );
  });
});
