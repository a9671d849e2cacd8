import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Projects } from "./projects.ts";
import { type } from "./session.ts";
import { expectAsBefore, runAll, stage, undo } from "./stage.ts";
import { readState, unlike } from "./state.ts";
import { bash } from "./tool-calls.ts";
import { readTree } from "./tree.ts";

const projects = new Projects();

describe.concurrent("what a person did since", () => {
  it("is never overwritten without force", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    await runAll(session, ["rm -rf docs && echo agent > notes.txt"]);
    writeFileSync(join(scene.project, "notes.txt"), "by hand\n");
    const after = await readState(scene);
    expect((await undo(scene)).code).toBe(3);
    expect(unlike(after, after.tree, await readState(scene))).toEqual([]);
    expect((await undo(scene, "--force")).code).toBe(0);
    await expectAsBefore({ scene, before }, after.tree);
    expect((await type(scene, ["redo", "--yes"])).code).toBe(0);
    expect(readFileSync(join(scene.project, "notes.txt"), "utf8")).toBe("by hand\n");
  });

  it("stays: new files, also in directories that the agent made", async () => {
    const { scene, session } = await stage(projects, "dirty");
    await runAll(session, ["mkdir -p made/inner && echo x > made/inner/agent.txt", "./scripts/wipe.sh"]);
    writeFileSync(join(scene.project, "made", "hand.txt"), "by hand\n");
    writeFileSync(join(scene.project, "hand.txt"), "by hand\n");
    expect((await undo(scene, "--session")).code).toBe(0);
    expect(existsSync(join(scene.project, "made", "hand.txt"))).toBe(true);
    expect(existsSync(join(scene.project, "hand.txt"))).toBe(true);
    expect(existsSync(join(scene.project, "made", "inner"))).toBe(false);
  });

  it("before the call is part of what comes back", async () => {
    const { scene, session } = await stage(projects, "dirty");
    await session.prompt();
    await runAll(session, ["python3 scripts/format.py"]);
    appendFileSync(join(scene.project, "src/b.ts"), "by hand, between two calls\n");
    writeFileSync(join(scene.project, "hand.txt"), "by hand\n");
    const between = await readState(scene);
    await runAll(session, ["python3 scripts/format.py && rm hand.txt"]);
    const after = readTree(scene.home);
    expect((await undo(scene)).code).toBe(0);
    await expectAsBefore({ scene, before: between }, after);
  });
});

describe.concurrent("an undo that does nothing", () => {
  it.each([
    ["a dry run", ["undo", "--dry-run"], 0],
    ["nobody said yes and nobody can", ["undo"], 1],
  ] as const)("writes nothing: %s", async (_, words, code) => {
    const { scene, session } = await stage(projects, "dirty");
    await runAll(session, ["rm -rf src"]);
    const after = await readState(scene);
    const ran = await type(scene, words);
    expect(ran.code).toBe(code);
    expect(ran.stdout + ran.stderr).toContain("src/a.ts");
    expect(unlike(after, after.tree, await readState(scene))).toEqual([]);
  });

  it("says so after calls that only read, or that changed nothing", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    await runAll(session, ["git status", "cat README.md", "rm -f nothing-there", "make -n wipe"]);
    expect((await undo(scene)).code).toBe(1);
    await expectAsBefore({ scene, before }, before.tree);
  });

  it("is not made by an agent without a person", async () => {
    const { session } = await stage(projects, "dirty");
    await runAll(session, ["rm -rf src"]);
    for (const command of ["amplihack undo --yes", "amplihack redo --yes", "amplihack history clear --yes"]) {
      expect((await session.shell(command)).decision, command).toBe("ask");
    }
    for (const command of ["amplihack undo --dry-run", "amplihack history", "amplihack history show x"]) {
      const { decision } = await session.begin(bash(command));
      expect(decision, command).toBe("none");
    }
  });
});

describe.concurrent("an undo from a directory below", () => {
  it.each(["rm -rf docs", "git reset -q --hard HEAD~1", "./scripts/wipe.sh"])(
    "does the same: %s",
    async command => {
      const { scene, session, before } = await stage(projects, "dirty");
      await runAll(session, [command]);
      const after = readTree(scene.home);
      expect((await type(scene, ["undo", "--yes"], join(scene.project, "bin"))).code).toBe(0);
      await expectAsBefore({ scene, before }, after);
    },
  );

  it("of the session's own directory", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    const cwd = join(scene.project, "src");
    expect((await session.shell("rm -rf deep a.ts ../docs", { cwd })).decision).toBe("none");
    const after = readTree(scene.home);
    expect((await type(scene, ["undo", "--yes", "--", "deep"], cwd)).code).toBe(0);
    expect(existsSync(join(scene.project, "src/deep/x/y.ts"))).toBe(true);
    expect(existsSync(join(scene.project, "src/a.ts"))).toBe(false);
    expect((await type(scene, ["undo", "--yes"], cwd)).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });
});
