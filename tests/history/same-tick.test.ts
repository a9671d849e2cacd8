import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExactFacts } from "../../src/system/index.ts";
import { type TestProject, testProject } from "./project.ts";

/** On a disk whose clock stands still, a file that is written again with as many bytes has the same times. */
function withStillClock(project: TestProject): TestProject {
  const { system } = project.context;
  const { files } = system;
  const atMs = system.clock.nowMs();
  const exactFacts = files.exactFacts.bind(files);
  const still = (facts: ExactFacts | undefined): ExactFacts | undefined => {
    if (facts?.kind !== "file") return facts;
    const modifiedNs = `${atMs}000000`;
    return { ...facts, modifiedNs, stamp: `${facts.identity}:${facts.size}:${modifiedNs}:${modifiedNs}` };
  };
  const stampOf = (path: string) => {
    try {
      return still(exactFacts(path))?.stamp ?? "";
    } catch {
      return "";
    }
  };
  Object.assign(files, {
    exactFacts: (path: string) => still(exactFacts(path)),
    stampsOf: (paths: string) => paths.split("\0").map(stampOf).join("\n"),
  });
  Object.assign(system.clock, { nowMs: () => atMs });
  return project;
}

describe("a file that a call writes within the tick in which it was looked at", () => {
  const change = (project: TestProject) => writeFileSync(join(project.root, "a.txt"), "two\n");

  it("is found changed where the call names it", async () => {
    const project = withStillClock(testProject());
    project.write({ "a.txt": "one\n" });
    await project.begin("write", { targets: [project.target("a.txt", "write")] });
    change(project);
    expect(await project.end("write")).toBeDefined();
    await project.undo();
    expect(project.read("a.txt")).toBe("one\n");
  });

  it("is found changed where the call is unknown, outside git", async () => {
    const project = withStillClock(testProject());
    project.write({ "a.txt": "one\n" });
    await project.begin("make", { unknownIn: [project.root] });
    change(project);
    expect(await project.end("make")).toBeDefined();
    await project.undo();
    expect(project.read("a.txt")).toBe("one\n");
  });

  it("is found changed where the call is unknown, as work that git has no copy of", async () => {
    const project = testProject();
    project.write({ "b.txt": "b\n" });
    project.git("init", "-q");
    project.git("add", "b.txt");
    project.git("commit", "-qm", "one");
    withStillClock(project);
    project.write({ "a.txt": "one\n" });
    await project.begin("make", { unknownIn: [project.root] });
    change(project);
    expect(await project.end("make")).toBeDefined();
    await project.undo();
    expect(project.read("a.txt")).toBe("one\n");
  });

  it("is kept as it is before the next call, although its times are those of the last one", async () => {
    const project = withStillClock(testProject());
    project.write({ "a.txt": "one\n" });
    await project.call("true", { unknownIn: [project.root] });
    change(project);
    await project.begin("make", { unknownIn: [project.root] });
    writeFileSync(join(project.root, "a.txt"), "three\n");
    expect(await project.end("make")).toBeDefined();
    await project.undo();
    expect(project.read("a.txt")).toBe("two\n");
  });
});
