import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHookEngine, history, sandbox } from "../../src/exports/engine.ts";
import { readTree } from "../history/commands/tree.ts";
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

  it("can take back what ran, and has refusals in the audit log", async () => {
    writeFileSync(join(scene.project, "notes.txt"), "mine\n");
    writeFileSync(
      join(scene.project, "Makefile"),
      "all:\n\t@echo x > notes.txt; echo y > made.txt; exit 3\n",
    );
    const engine = open();
    expect(await engine.run("make", { session: "s7" })).toMatchObject({ outcome: "ran", code: 2 });
    expect(read("notes.txt")).toBe("x\n");
    const [change] = await engine.history.list();
    expect(change).toMatchObject({ tool: "Bash", command: "make", session: "s7", exit: "failed" });
    await engine.history.undo({ kind: "session", session: "s7" });
    expect([read("notes.txt"), existsSync(join(scene.project, "made.txt"))]).toEqual(["mine\n", false]);
    expect(await engine.run("rm -rf ~", { session: "s7" })).toMatchObject({ outcome: "refused" });
    const audit = readFileSync(join(scene.home, ".amplihack/logs/audit.jsonl"), "utf8").trimEnd().split("\n");
    expect(JSON.parse(audit.at(-1) ?? "")).toMatchObject({
      session: "s7",
      verdict: "deny",
      command: "rm -rf ~",
    });
  });

  it("is told once where a tool of the engine runs it", async () => {
    writeFileSync(join(scene.project, "Makefile"), "all:\n\t@echo z > told.txt\n");
    const engine = open();
    const run = ({ command }: { readonly command: string }, { sessionId }: { readonly sessionId: string }) =>
      engine.run(command, { session: sessionId });
    await engine.call("bash", { command: "make" }, run, { sessionId: "s8" });
    const told = (await engine.history.list()).filter(({ session }) => session === "s8");
    expect(told.map(({ files }) => files.map(({ path }) => path))).toEqual([
      [join(scene.project, "told.txt")],
    ]);
    await engine.history.undo(told.map(({ id }) => id));
    expect(existsSync(join(scene.project, "told.txt"))).toBe(false);
  });

  it("says what could not be kept, and runs", async () => {
    writeFileSync(join(scene.project, "Makefile"), "all:\n\t@echo z > loose.txt\n");
    const home = join(scene.home, "unwritable");
    mkdirSync(home);
    writeFileSync(join(home, ".amplihack"), "in the way");
    const engine = createHookEngine({ projectDir: scene.project });
    engine.use([history({ home }), sandbox({ home: scene.home, network: "off" })]);
    expect(await engine.run("make")).toMatchObject({ outcome: "ran", code: 0, problem: expect.any(String) });
  });

  /** What the guard cannot know: the commands in `what`. */
  const unread = () => {
    writeFileSync(join(scene.project, "run"), "bash what\n");
    writeFileSync(join(scene.project, "Makefile"), "WHAT := $(shell cat run)\nall:\n\t@$(WHAT)\n");
    return "make";
  };

  it.each([
    ["a hook of git", "echo x > .git/hooks/pre-push; chmod +x .git/hooks/pre-push"],
    ["the right to run for one that is there", "chmod +x .git/hooks/commit-msg"],
    ["settings that git ignores", "mkdir .claude; echo {} > .claude/settings.local.json"],
    ["a file for direnv that git ignores", "echo x > .envrc"],
    ["a hook of husky, which git ignores", "mkdir -p .husky/_; echo x > .husky/_/pre-commit"],
    [
      "a hook where git was told to look",
      "mkdir -p tools; echo x > tools/pre-commit; chmod +x tools/pre-commit",
    ],
    ["a link through which git writes elsewhere", "ln -sf ~/.bashrc .git/COMMIT_EDITMSG"],
    ["a link for the log of git", "rm -f .git/logs/HEAD; mkdir -p .git/logs; ln -s ~/.bashrc .git/logs/HEAD"],
    ["attributes from elsewhere", "rm -rf .git/info; mkdir i; ln -s ../i .git/info"],
    ["a folder of modules from elsewhere", "ln -s ../m .git/modules"],
    ["a link within the folder of git", "mkdir .git/x; rm -rf .git/info; ln -s x .git/info"],
  ])("holds %s that a tried command makes", async (_, commands) => {
    writeFileSync(join(scene.project, "what"), `${commands}\n`);
    writeFileSync(join(scene.project, ".gitignore"), ".claude\n.envrc\n.husky/_\n");
    writeFileSync(join(scene.project, ".git/hooks/commit-msg"), "#!/bin/sh\n", { mode: 0o644 });
    execFileSync("git", ["config", "core.hooksPath", "tools"], { cwd: scene.project });
    const command = unread();
    const before = readTree(scene.project);
    const ran = await open().run(command, { mode: "try" });
    expect(ran).toMatchObject({ outcome: "held", code: 1 });
    expect(readTree(scene.project)).toEqual(before);
  });

  it("makes real what tools make, and what git does itself", async () => {
    const files = "node_modules/a/.github/workflows node_modules/a/.vscode";
    const commands = `mkdir -p ${files}; for f in ${files}; do echo x > $f/a.yml; done; echo x > node_modules/a/.envrc
      echo '* text' > node_modules/a/.gitattributes; git add what; git symbolic-ref HEAD refs/heads/other; git gc -q`;
    writeFileSync(join(scene.project, "what"), `${commands}\n`);
    writeFileSync(join(scene.project, ".gitignore"), "node_modules\n");
    const ran = await open().run(unread(), { mode: "try" });
    expect(ran).toMatchObject({ outcome: "applied", code: 0 });
    expect(read("node_modules/a/.envrc")).toBe("x\n");
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
