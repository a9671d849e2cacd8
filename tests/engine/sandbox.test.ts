import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHookEngine, history, sandbox } from "../../src/exports/engine.ts";
import { makeScene, removeScene, type Scene } from "../sandbox/scene.ts";
import { canTry } from "../sandbox/try-scene.ts";

describe("engine.run", () => {
  it("says what is missing in an engine without a sandbox", async () => {
    await expect(createHookEngine({ projectDir: "/" }).run("true")).rejects.toThrow("engine.use(sandbox(");
  });
});

describe.skipIf(!canTry)("engine.run in an engine with a sandbox", () => {
  let scene: Scene;
  beforeAll(() => {
    scene = makeScene();
  });
  afterAll(() => removeScene(scene));

  const open = () => {
    const engine = createHookEngine({ projectDir: scene.project });
    engine.use([history({ home: scene.home }), sandbox({ home: scene.home, network: "off" })]);
    return engine;
  };
  const read = (name: string) => readFileSync(join(scene.project, name), "utf8");

  it("runs what the guard has nothing against: in the project, and with no way out of it", async () => {
    writeFileSync(join(scene.project, "Makefile"), 'all:\n\t@cat > out.txt; cp out.txt "$$HOME/stolen"\n');
    const heard: string[] = [];
    const ran = await open().run("make", {
      input: "typed",
      onOutput: (stream, bytes) => heard.push(`${stream}: ${String(bytes)}`),
    });
    expect(ran).toMatchObject({ outcome: "ran", code: 2, stdout: "" });
    expect(ran.stderr).toContain("Read-only file system");
    expect(heard.join("")).toContain("Read-only file system");
    expect(read("out.txt")).toBe("typed");
    expect(existsSync(join(scene.home, "stolen"))).toBe(false);
  });

  it("tries the rest: real where the rules let it pass, held where they do not, refused where they refuse", async () => {
    mkdirSync(join(scene.project, "lib"));
    writeFileSync(join(scene.project, "lib/a.txt"), "a");
    const engine = open();
    const applied = await engine.run("rm -rf lib; echo x > new.txt", { mode: "try" });
    expect(applied).toMatchObject({ outcome: "applied", code: 0 });
    expect([existsSync(join(scene.project, "lib")), read("new.txt")]).toEqual([false, "x\n"]);
    writeFileSync(
      join(scene.project, "Makefile"),
      "WHAT = config\nall:\n\t@git $(WHAT) core.hooksPath evil\n",
    );
    const before = read(".git/config");
    const held = await engine.run("make", { mode: "try" });
    expect(held).toMatchObject({ outcome: "held", code: 1, held: expect.stringMatching(/^[0-9a-f]+$/) });
    expect(read(".git/config")).toBe(before);
    expect(await engine.run("rm -rf ~")).toMatchObject({ outcome: "refused", code: 126 });
    await engine.history.undo(applied.change);
    expect(read("lib/a.txt")).toBe("a");
  });

  it("ends a command that is no longer wanted", async () => {
    const abort = new AbortController();
    const running = open().run("echo ready; sleep 1000", {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect((await running).code).not.toBe(0);
  });
});
