import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createHookEngine,
  type HookInput,
  type JsonObject,
  type Telemetry,
} from "../../src/exports/engine.ts";
import { DEFAULT_GUARD_SETTINGS, guard } from "../../src/exports/guard.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { makeEngine, temporaryFolder } from "./fixture.ts";

const PLACES = { home: "/home/user", cwd: "/project" };

const SILENT: Telemetry = {
  span: (_name, _attributes, work) => work({ set() {}, event() {} }),
  count() {},
  record() {},
};

async function verdict(options: Parameters<typeof guard>[0], command: string): Promise<string> {
  const engine = makeEngine();
  engine.use(guard({ ...PLACES, ...options }));
  return (await engine.decide("bash", { command })).kind;
}

describe("the embedded guard", () => {
  it("is set by part of its settings", async () => {
    expect(await verdict({}, "git push --force origin main")).not.toBe("run");
    expect(
      await verdict({ protectedBranches: [], rules: { "git.*": "allow" } }, "git push origin main"),
    ).toBe("run");
    expect(await verdict({ paths: { noDelete: ["/data/**"] } }, "rm /data/x")).not.toBe("run");
    expect(await verdict({ level: "relaxed" }, "git stash drop")).toBe("run");
    expect(await verdict({ level: "standard" }, "git stash drop")).toBe("ask");
    expect(DEFAULT_GUARD_SETTINGS.level).toBe("standard");
  });

  it.each<[string, object, RegExp]>([
    [
      "a rule that does not exist",
      { rules: { "git.mian": "allow" } },
      /no rule 'git.mian'; did you mean git.main/,
    ],
    ["a setting that does not exist", { rules: { "git.main": "permit" } }, /must be off, allow, ask, deny/],
    ["a level that does not exist", { level: "lax" }, /level must be relaxed, standard, strict/],
  ])("refuses %s at once", (_, options, message) => {
    expect(() => guard(options)).toThrow(message);
  });

  it("works out what it does not know only when that is read", async () => {
    const system = createMemorySystem({ cwd: "/project", files: { "/project/.git/HEAD": "ref: x\n" } });
    const hook = guard({ ...PLACES, policy: "given" });
    const engine = makeEngine();
    engine.use({ ...hook, run: (input: HookInput) => hook.run(input, system) });
    engine.use({ id: "other", event: "PreToolUse", run: () => ({ extras: { more: 1 } }) });
    const decision = await engine.decide("bash", { command: "cp a.txt b.txt && frobnicate" });
    const seen = system.calls.length;
    expect(decision.gaps.map(({ kind, what }) => `${kind} ${what}`)).toContain("program frobnicate");
    expect(decision.understood).toBe(false);
    expect(decision.before.extras["more"]).toBe(1);
    expect(system.calls.length).toBeGreaterThan(seen);
  });

  it.each([
    [{}, {}, undefined],
    [{ examineAll: true }, {}, true],
    [{}, { telemetry: SILENT }, true],
  ])("examines what is plainly harmless where somebody reads it: %o", async (options, more, understood) => {
    const engine = makeEngine(more);
    const system = createMemorySystem({ cwd: "/project", files: { "/bin/ls": "", "/project/a": "" } });
    const hook = guard({ ...PLACES, ...options, policy: "given", searchPath: "/bin" });
    const placed: typeof hook = { ...hook, run: (input, _, known) => hook.run(input, system, known) };
    engine.use(placed);
    expect(await engine.decide("bash", { command: "ls a" })).toMatchObject({ kind: "run", understood });
  });

  it("takes the engine's directory for its own, not the process's", async () => {
    const projectDir = temporaryFolder();
    const seen: (string | undefined)[] = [];
    const engine = makeEngine({ projectDir });
    engine.use({ id: "where", event: "PreToolUse", run: (input: HookInput) => void seen.push(input.cwd) });
    await engine.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: "ls" } });
    expect(seen).toEqual([projectDir]);
  });

  it("judges relative paths from there", async () => {
    const projectDir = temporaryFolder();
    writeFileSync(join(projectDir, "work.txt"), "mine\n");
    const engine = makeEngine({ projectDir });
    engine.use(guard({ home: "/home/user" }));
    const decided = await engine.decide("bash", { command: `rm -rf ../${basename(projectDir)}` });
    expect(decided.kind).not.toBe("run");
    expect((await engine.decide("bash", { command: "rm -rf ../amplihack-engine-none" })).kind).toBe("run");
  });

  it("says so when a tool looks like a shell and its arguments are no command", async () => {
    const engine = makeEngine();
    engine.use(guard(PLACES));
    const unread = async (tool_name: string, tool_input: JsonObject) =>
      (await engine.dispatch("PreToolUse", { tool_name, tool_input })).diagnostics;
    expect(await unread("run_in_terminal", { what: "rm -rf /", n: 1 })).toMatchObject([
      { code: "tool-unread", severity: "warning", hook: "guard", detail: expect.stringContaining("(what)") },
    ]);
    for (const name of ["exec", "terminal", "execute_command", "mcp__box__shell", "runCommand"])
      expect((await unread(name, { steps: [{ verb: "list" }] })).map(({ code }) => code)).toEqual([
        "tool-unread",
      ]);
    expect(await unread("exec", { command: "ls" })).toEqual([]);
    expect(await unread("run_python", { code: "print(1)" })).toEqual([]);
    expect(await unread("terminal", { input: "ls\n" })).toEqual([]);
    expect(await unread("run_tests", { suite: "unit" })).toEqual([]);
    expect(await unread("exec", { id: 7, note: "" })).toEqual([]);
    expect(await unread("search", { what: "rm -rf /" })).toEqual([]);
  });

  it("takes the home of the environment that is given", async () => {
    const engine = makeEngine();
    engine.use(guard({ env: { HOME: "/home/ada" } }));
    expect(await engine.decide("bash", { command: "rm -rf /home/ada" })).toMatchObject({ kind: "deny" });
  });
});

describe("the machine's policy", () => {
  const PUBLISH = "npm publish";
  const at = async (
    options: Parameters<typeof guard>[0],
    files: Record<string, string>,
    command = PUBLISH,
  ) => {
    const system = createMemorySystem({ env: { HOME: "/home/user" }, files });
    const engine = createHookEngine({ projectDir: "/project" });
    const hook = guard(options);
    engine.use({ ...hook, run: (input: HookInput) => hook.run(input, system) });
    const { kind, before } = await engine.decide("bash", { command });
    await engine.close();
    return { kind, codes: before.diagnostics.map(({ code }) => code) };
  };
  const user = (guardSection: object) => ({
    "/home/user/.amplihack/config.jsonc": JSON.stringify({ guard: guardSection }),
  });
  const managed = (guardSection: object) => ({
    "/etc/amplihack/config.jsonc": JSON.stringify({ managed: true, guard: guardSection }),
  });

  it("counts as it does in the hook program", async () => {
    expect(await at({}, {})).toMatchObject({ kind: "ask" });
    expect(await at({}, user({ rules: { publish: "deny" } }))).toMatchObject({ kind: "deny" });
    expect(await at({}, user({ rules: { publish: "allow" } }))).toMatchObject({ kind: "run" });
    expect(await at({}, managed({ rules: { publish: "deny" } }))).toMatchObject({ kind: "deny" });
  });

  it("stands below what the agent's author says, unless the machine is managed", async () => {
    const options = {
      rules: { publish: "allow" },
      allow: [{ command: PUBLISH }],
      paths: { noDelete: ["/data/**"] },
    } as const;
    expect(await at(options, user({ rules: { publish: "deny" } }))).toMatchObject({ kind: "run" });
    expect(await at(options, managed({ rules: { publish: "deny" } }))).toMatchObject({ kind: "deny" });
    expect((await at(options, managed({}), "rm /data/x")).kind).not.toBe("run");
  });

  it("is not read where the author says so", async () => {
    expect(await at({ policy: "given" }, managed({ rules: { publish: "deny" } }))).toMatchObject({
      kind: "ask",
    });
  });

  it("that cannot be read is told", async () => {
    const { codes } = await at({}, { "/home/user/.amplihack/config.jsonc": "{ guard: " });
    expect(codes).toEqual([expect.stringMatching(/^config-/)]);
  });
});
