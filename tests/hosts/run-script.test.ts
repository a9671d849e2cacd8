import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DRIVERS } from "../../src/verify/live/live.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { command, FILE_TOOLS } from "./file-tools.ts";
import { INSTALLED, makePlace, runScript } from "./run-script.ts";

it("can be written for every host that is driven", () => {
  expect(Object.keys(FILE_TOOLS).toSorted()).toEqual(DRIVERS.map(({ host }) => host).toSorted());
});

describe.each(INSTALLED)("a scripted session in %s", host => {
  it("uses its tools in a home and a project that stay", async () => {
    const place = makePlace(temporaryDirectory());
    execFileSync("git", ["init", "-q", place.project]);
    const path = join(place.project, "notes.txt");
    const { results, end, env } = await runScript(host, place, tools => [
      tools.write(path, "first\nsecond\n"),
      tools.read(path),
      tools.edit(path, "second", "another"),
      command("cp notes.txt copy.txt"),
      command("rm -rf ."),
    ]);
    expect(results, end).toHaveLength(5);
    expect(results[1]).toContain("second");
    expect(results[4]).toContain("Blocked [");
    expect(readFileSync(path, "utf8"), results.join("\n")).toBe("first\nanother\n");
    expect(readdirSync(place.project).toSorted()).toEqual(expect.arrayContaining(["copy.txt", "notes.txt"]));
    expect(readdirSync(place.home)).toContain(".amplihack");
    expect(env["HOME"]).toBe(place.home);

    // The same user, another time.
    writeFileSync(path, "by hand\n");
    const again = await runScript(host, place, tools => [tools.read(path)]);
    expect(again.results[0], again.end).toContain("by hand");
  });
});
