import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createHookEngine, history } from "../../src/exports/engine.ts";
import { guard } from "../../src/exports/guard.ts";
import { newMachine, serve } from "../dashboard/machine.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const PUSHES = "rm -rf src; git push --force origin work";
const GIT = ["-c", "user.name=t", "-c", "user.email=t@example.test"];

/** A home with a project, and an agent of one's own in it that runs what it is told. */
function place(options: { readonly isGuarded?: boolean } = {}) {
  const { isGuarded = true } = options;
  const home = temporaryDirectory();
  const project = join(home, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  const git = (...words: string[]) => execFileSync("git", [...GIT, ...words], { cwd: project }).toString();
  git("init", "-q", "-b", "work");
  const write = (path: string, text: string) => writeFileSync(join(project, path), text);
  write("src/a.txt", "a\n");
  git("add", "-A");
  git("commit", "-qm", "one");
  write("src/new.txt", "mine\n");
  const engine = createHookEngine({ projectDir: project, env: { HOME: home } });
  if (isGuarded) engine.use(guard({ home }));
  const attached = engine.use(history({ home, project, agent: "my-agent" }));
  const run = ({ command }: { readonly command: string }) => {
    const { status, stdout } = spawnSync("bash", ["-c", command], { cwd: project, encoding: "utf8" });
    if (status !== 0) throw new Error(`exit ${status}`);
    return { stdout };
  };
  const bash = (command: string, more: Parameters<typeof engine.call>[3] = {}) =>
    engine.call("bash", { command }, run, { sessionId: "s1", ...more });
  const read = (path: string) => readFileSync(join(project, path), "utf8");
  const has = (path: string) => existsSync(join(project, path));
  return { home, project, engine, attached, bash, run, read, has, write, git };
}

describe("an engine that keeps a history", () => {
  it("lets pass what it kept, says so, and takes it back", async () => {
    const { engine, bash, read, has, project } = place();
    const done = await bash("rm -rf src");
    expect(done.status).toBe("done");
    expect(done.before?.extras).toMatchObject({ kept: true });
    expect(done.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^kept 2 files, .*amplihack undo/),
    ]);
    expect(has("src")).toBe(false);
    const [change] = await engine.history.list();
    expect(change).toMatchObject({
      host: "my-agent",
      session: "s1",
      tool: "Bash",
      command: "rm -rf src",
      project,
    });
    const shown = await engine.history.show(change?.id ?? "");
    expect(shown.texts.get(join(project, "src/new.txt"))).toEqual(["mine\n", undefined]);
    const preview = await engine.history.undo(change?.id, { dryRun: true });
    expect([preview.plan.steps.length, has("src")]).toEqual([3, false]);
    expect(await engine.history.undo()).toMatchObject({ restored: 3, missing: [] });
    expect([read("src/a.txt"), read("src/new.txt")]).toEqual(["a\n", "mine\n"]);
    await engine.history.redo();
    expect(has("src")).toBe(false);
  });

  it("has questions and refusals in the machine's audit log, and what is allowed where that is wanted", async () => {
    const { bash, home, project } = place();
    const audit = () =>
      readFileSync(join(home, ".amplihack/logs/audit.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
        .map(line => JSON.parse(line));
    await bash("rm -rf ~");
    await bash("docker volume rm data", { onAsk: () => false });
    await bash("rm -rf src");
    await bash("ls");
    expect(audit()).toMatchObject([
      {
        host: "my-agent",
        session: "s1",
        project,
        verdict: "deny",
        command: "rm -rf ~",
        rules: ["fs.home", "fs.cwd"],
      },
      { verdict: "ask", command: "docker volume rm data", rules: ["cloud.container"] },
    ]);
    writeFileSync(join(home, ".amplihack/config.jsonc"), '{ "guard": { "audit": { "allowed": true } } }');
    await bash("ls");
    expect(audit().slice(2)).toMatchObject([{ verdict: "allow", command: "ls" }]);
  });

  it("says that the audit line was not written, and decides the same", async () => {
    const { bash, home } = place();
    mkdirSync(join(home, ".amplihack"), { recursive: true });
    writeFileSync(join(home, ".amplihack/logs"), "a file in the folder's place");
    const refused = await bash("rm -rf ~");
    expect(refused.status).toBe("denied");
    expect(refused.before?.diagnostics.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("the audit line was not written: "),
    ]);
  });

  it("asks where there is none, as before", async () => {
    const { attached, bash, engine, has } = place();
    attached[Symbol.dispose]();
    expect((await bash("rm -rf src")).status).toBe("pending");
    expect(has("src/new.txt")).toBe(true);
    expect(() => engine.history).toThrow("engine.use(history({ … }))");
  });

  it("keeps without a guard too, also what an unknown program does", async () => {
    const { bash, engine, read, write } = place({ isGuarded: false });
    write("wipe.py", "import os\nos.remove('src/new.txt')\nopen('src/a.txt', 'w').write('gone')\n");
    await bash("python3 wipe.py");
    await engine.history.undo();
    expect([read("src/a.txt"), read("src/new.txt")]).toEqual(["a\n", "mine\n"]);
  });

  it("is the one that the dashboard shows, beside what the guard said, and takes back", async () => {
    const { bash, engine, home, read } = place();
    await bash("rm -rf src");
    await bash("rm -rf ~");
    const [{ id } = { id: "" }] = await engine.history.list();
    const machine = newMachine(join(home, ".amplihack"));
    const served = await serve({ ...machine, places: { ...machine.places, home } });
    const page = async (path: string) => (await served.ask(path)).body;
    const changePage = await page(`/change?id=${id}`);
    for (const shown of ["my-agent", "rm -rf src", "new.txt"]) expect(changePage).toContain(shown);
    const refusedPage = await page("/calls?outcome=refused");
    for (const shown of ["my-agent", "rm -rf ~", "fs.home"]) expect(refusedPage).toContain(shown);
    const { plan } = await served.act("/api/plan", { kind: "undo", ids: [id] });
    expect(await served.act("/api/apply", { plan })).toMatchObject({ status: 200 });
    expect(read("src/new.txt")).toBe("mine\n");
  });

  it("is the one that amplihack undo reads", async () => {
    const { bash, home, project, read } = place();
    await bash("rm -rf src");
    const amplihack = (...words: string[]) =>
      spawnSync(process.execPath, [resolve("dist/bin/amplihack.cjs"), ...words], {
        cwd: project,
        env: { PATH: process.env["PATH"], HOME: home },
        encoding: "utf8",
      });
    const [listed] = JSON.parse(amplihack("history", "--format", "json").stdout);
    expect(listed).toMatchObject({ host: "my-agent", command: "rm -rf src", undone: false });
    expect(amplihack("undo", "--dry-run").stdout).toContain("my-agent");
    expect(amplihack("undo", "--yes").status).toBe(0);
    expect(read("src/new.txt")).toBe("mine\n");
  });

  it("keeps what stands there when a person says yes later, and leaves nothing of a no", async () => {
    const { engine, bash, run, read, write } = place();
    const asked = await bash(PUSHES);
    if (asked.status !== "pending") throw new Error(asked.status);
    write("src/new.txt", "written while it waited\n");
    await engine.dispatch("UserPromptSubmit", { session_id: "s1", prompt: "well?" });
    const resumed = await engine.resume(asked.pending, true, ({ command }: { command: string }) =>
      run({ command: command.replace(/; git push.*/, "") }),
    );
    expect(resumed.status).toBe("done");
    await engine.history.undo();
    expect(read("src/new.txt")).toBe("written while it waited\n");
    const before = (await engine.history.list()).length;
    const refused = await bash(PUSHES, { onAsk: () => false });
    expect(refused.status).toBe("denied");
    expect(await engine.history.list()).toHaveLength(before);
  });

  it("takes back nothing that others did while a call waited for a person", async () => {
    const { engine, bash, read, write } = place();
    const asked = await bash(PUSHES);
    if (asked.status !== "pending") throw new Error(asked.status);
    write("src/new.txt", "written while it waited\n");
    await expect(engine.history.undo()).rejects.toThrow();
    expect(read("src/new.txt")).toBe("written while it waited\n");
    expect(await engine.history.list()).toEqual([]);
  });

  it.each<[string, (placed: ReturnType<typeof place>) => Promise<unknown>]>([
    [
      "a call in whose place a person has others run",
      ({ bash }) =>
        bash(PUSHES, { onAsk: () => ({ approved: true, args: { command: "git status --short" } }) }),
    ],
    ["a call that was only asked about", ({ engine }) => engine.decide("bash", { command: PUSHES })],
    [
      "a call that another hook refuses",
      ({ engine }) => {
        engine.beforeToolCall("*", () => ({ block: true, reason: "frozen" }));
        return engine.decide("bash", { command: "rm -rf src" });
      },
    ],
  ])("takes back nothing that others did after %s", async (_, ask) => {
    const placed = place();
    const { engine, read, write } = placed;
    await ask(placed);
    write("src/new.txt", "written by a person\n");
    await expect(engine.history.undo()).rejects.toThrow();
    expect(read("src/new.txt")).toBe("written by a person\n");
  });

  it("takes back nothing that others did while a person was asked", async () => {
    const { bash, engine, read, write } = place();
    await bash(PUSHES, {
      onAsk: async () => {
        write("src/new.txt", "written by a person\n");
        await expect(engine.history.undo()).rejects.toThrow();
        return false;
      },
    });
    expect(read("src/new.txt")).toBe("written by a person\n");
  });

  it("names a person's later work as a conflict, and writes nothing", async () => {
    const { bash, engine, read, write } = place();
    await bash("echo agent > src/new.txt");
    write("src/new.txt", "person\n");
    await expect(engine.history.undo()).rejects.toMatchObject({ kind: "conflict" });
    expect(read("src/new.txt")).toBe("person\n");
    await engine.history.undo(undefined, { force: true });
    expect(read("src/new.txt")).toBe("mine\n");
  });

  it("tells when nothing could be kept, and then the guard asks", async () => {
    const { bash, home, has } = place();
    rmSync(join(home, ".amplihack"), { recursive: true, force: true });
    writeFileSync(join(home, ".amplihack"), "in the way");
    const asked = await bash("rm -rf src");
    expect(asked.status).toBe("pending");
    expect(has("src/new.txt")).toBe(true);
  });

  it("completes calls of hosts that dispatch events themselves", async () => {
    const { engine, run, project, read } = place();
    const call = {
      session_id: "s2",
      tool_name: "bash",
      tool_use_id: "t1",
      tool_input: { command: "rm -rf src" },
    };
    const before = await engine.dispatch("PreToolUse", { ...call, cwd: project });
    expect(before.decision.kind).toBe("none");
    run(call.tool_input);
    await engine.dispatch("PostToolUse", { ...call, cwd: project, tool_response: {} });
    await engine.dispatch("SessionEnd", { session_id: "s2", cwd: project });
    await engine.history.undo({ kind: "session", session: "s2" });
    expect(read("src/new.txt")).toBe("mine\n");
  });
});
