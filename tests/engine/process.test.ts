import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject, Outcome } from "../../src/exports/engine.ts";
import { withEnoughTime } from "../enough-time.ts";
import {
  BASH_CALL,
  claudeCommands,
  cleanEnvironment,
  codesOf,
  makeEngine,
  PATIENT_MS,
  source,
  temporaryFolder,
} from "./fixture.ts";
import { residentBytes } from "./memory-use.ts";

const DENY = `printf '%s' '{"decision":"block","reason":"no"}'`;

interface Setting {
  readonly projectDir?: string;
  readonly payload?: JsonObject;
  readonly env?: Record<string, string>;
  readonly options?: JsonObject;
}

/** One real command hook before a tool, with a short grace before it is killed. */
async function run(command: string | JsonObject, setting: Setting = {}): Promise<Outcome> {
  const projectDir = setting.projectDir ?? temporaryFolder();
  const engine = makeEngine({
    projectDir,
    grace: { killMs: 150, pipeMs: PATIENT_MS },
    env: { ...cleanEnvironment(projectDir), ...setting.env },
    ...setting.options,
    sources: [source("claude", claudeCommands("PreToolUse", [command]))],
  });
  return engine.dispatch("PreToolUse", { ...BASH_CALL, ...setting.payload });
}

/** A command that is cut off after it has written so many process ids into the file `pids`. */
function runUntilListed(command: JsonObject, count: number) {
  return withEnoughTime(
    async timeout => {
      const projectDir = temporaryFolder();
      const outcome = await run({ ...command, timeout }, { projectDir });
      const file = join(projectDir, "pids");
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      return { outcome, pids: text.split("\n").filter(Boolean).map(Number) };
    },
    ({ pids }) => pids.length === count,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

async function waitFor(condition: () => boolean, what: string): Promise<void> {
  await expect.poll(condition, { message: what, timeout: 200_000, interval: 5 }).toBe(true);
}

describe("badly behaved children", () => {
  it("that ignore SIGTERM are killed, with their whole group", async () => {
    const command = `trap '' TERM; (trap '' TERM; echo $BASHPID >> pids; exec sleep 300) & echo $$ >> pids; wait`;
    const { outcome, pids } = await runUntilListed({ command }, 2);
    expect(codesOf(outcome)).toEqual(["killed", "timeout"]);
    expect(outcome.runs).toMatchObject([{ status: "timeout" }]);
    await waitFor(() => !pids.some(isAlive), "the end of the group");
  });

  it("that die on SIGTERM and leave a stubborn grandchild lose it too", async () => {
    const command = `(trap '' TERM; echo $BASHPID >> pids; while :; do sleep 1; done) & while [ ! -s pids ]; do sleep 0.01; done; sleep 300`;
    const { outcome, pids } = await runUntilListed({ command }, 1);
    expect(codesOf(outcome)).toContain("timeout");
    await waitFor(() => !pids.some(isAlive), "the end of the grandchild");
  });

  it("whose helper holds the pipes settle all the same, and the helper lives on", async () => {
    const projectDir = temporaryFolder();
    const outcome = await run(`sleep 300 & echo $! > helper; ${DENY}`, {
      projectDir,
      options: { grace: { pipeMs: 100 } },
    });
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: "no" });
    expect(codesOf(outcome)).toEqual(["pipe-held"]);
    const pid = Number(readFileSync(join(projectDir, "helper"), "utf8"));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  it("that never read stdin do not matter, however large it is", async () => {
    const payload = { tool_input: { text: "x".repeat(4 * 1024 * 1024) } };
    expect((await run(`exec 0<&-; ${DENY}`, { payload })).decision.kind).toBe("deny");
    expect((await run(DENY, { payload })).decision.kind).toBe("deny");
    const stuck = await run({ command: "sleep 300", timeout: 0.2 }, { payload });
    expect(codesOf(stuck)).toContain("timeout");
  });

  it("that exit at once with a 1 MiB payload keep their stdout", async () => {
    const payload = { tool_input: { text: "y".repeat(1024 * 1024) } };
    expect((await run(`${DENY}; exit 0`, { payload })).decision).toMatchObject({ reason: "no" });
  });

  it("that print 50 MB are read to the end within bounded memory, and the last line still counts", async () => {
    const before = residentBytes();
    const outcome = await run(`head -c 50000000 /dev/zero | tr '\\0' 'x'; echo; ${DENY}`);
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: "no" });
    expect(outcome.runs).toMatchObject([{ truncated: true }]);
    expect(codesOf(outcome)).toEqual(["output-truncated", "output-noise"]);
    expect(residentBytes() - before).toBeLessThan(60 * 1024 * 1024);
  });

  it("that print without end are stopped", async () => {
    const outcome = await run("yes", { options: { limits: { drainBytes: 4 * 1024 * 1024 } } });
    expect(codesOf(outcome)).toContain("output-overflow");
    expect(outcome.runs).toMatchObject([{ status: "failed" }]);
  });

  it("that print too much on stderr have its end kept", async () => {
    const outcome = await run(`head -c 200000 /dev/zero | tr '\\0' 'e' >&2; echo last words >&2; exit 2`);
    expect(outcome.decision).toMatchObject({ kind: "deny" });
    expect(codesOf(outcome)).toEqual(["stderr-truncated"]);
  });

  it("that are not there are a failure named so", async () => {
    expect(codesOf(await run("no-such-program-anywhere"))).toEqual(["command-not-found"]);
    expect(codesOf(await run("exit 127"))).toEqual(["command-not-found"]);
    expect(codesOf(await run({ command: "no-such-program-anywhere", args: [] }))).toEqual(["spawn-failed"]);
    const folder = temporaryFolder();
    writeFileSync(join(folder, "plain"), "#!/bin/sh\nexit 2\n", { mode: 0o644 });
    expect(codesOf(await run("./plain", { projectDir: folder }))).toEqual(["command-not-found"]);
  });

  it("that print bytes which are not UTF-8 lose privileges, never a deny", async () => {
    const allow = await run(`printf '{"decision":"approve","systemMessage":"\\377"}'`);
    expect(allow.decision.kind).toBe("none");
    expect(codesOf(allow)).toEqual(["output-invalid-utf8", "noise-privilege-dropped"]);
    expect((await run(`printf '{"decision":"block","reason":"a\\377b"}'`)).decision).toMatchObject({
      kind: "deny",
      reason: "a\uFFFDb",
    });
  });

  it("whose profile makes noise make none here", async () => {
    const home = temporaryFolder();
    for (const name of [".bashrc", ".bash_profile", ".profile"])
      writeFileSync(join(home, name), "echo NOISE\n");
    const answer = `echo '{"decision":"approve"}'`;
    for (const env of [
      { HOME: home },
      { HOME: home, SHLVL: "0" },
      { HOME: home, BASH_ENV: join(home, ".bashrc"), ENV: join(home, ".bashrc") },
    ]) {
      const outcome = await run(`bash -c ${JSON.stringify(answer)}`, { env });
      expect(outcome.decision.kind).toBe("allow");
      expect(codesOf(outcome)).toEqual([]);
    }
  });

  it("that fork without end are held by their group", async () => {
    const command = `for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 300 & echo $! >> pids) & done; wait; sleep 300`;
    const { outcome, pids } = await runUntilListed({ command }, 10);
    expect(codesOf(outcome)).toContain("timeout");
    await waitFor(() => !pids.some(isAlive), "the end of all forks");
  });

  it("that die by a signal are a failure named so", async () => {
    const outcome = await run("kill -SEGV $$");
    expect(codesOf(outcome)).toEqual(["signal"]);
    expect(outcome.runs).toMatchObject([{ status: "failed", signal: "SIGSEGV" }]);
  });

  it("are ended when the host gives up", async () => {
    const projectDir = temporaryFolder();
    const engine = makeEngine({
      projectDir,
      sources: [source("claude", claudeCommands("PreToolUse", ["echo $$ > pid; sleep 300"]))],
    });
    const controller = new AbortController();
    const dispatch = engine.dispatch("PreToolUse", BASH_CALL, { signal: controller.signal });
    const pidFile = join(projectDir, "pid");
    await waitFor(
      () => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"),
      "the start of the hook",
    );
    controller.abort();
    const outcome = await dispatch;
    expect(outcome).toMatchObject({
      aborted: true,
      decision: { kind: "deny", reason: "aborted" },
      runs: [{ status: "aborted" }],
    });
    await waitFor(() => !isAlive(Number(readFileSync(pidFile, "utf8"))), "the end of the hook");
  });
});

describe("what a command hook gets", () => {
  const printed = async (command: string | JsonObject, setting: Setting = {}): Promise<string> => {
    const projectDir = setting.projectDir ?? temporaryFolder();
    await run(command, { ...setting, projectDir });
    return readFileSync(join(projectDir, "out"), "utf8").trim();
  };

  it("the payload on stdin, untouched, with its event named", async () => {
    const payload = {
      session_id: "s",
      transcript_path: "/t",
      permission_mode: "plan",
      agent_id: "a",
      agent_type: "t",
      unknown: [1],
    };
    expect(JSON.parse(await printed("cat > out", { payload }))).toEqual({
      hook_event_name: "PreToolUse",
      ...BASH_CALL,
      ...payload,
    });
  });

  it("the original input besides the one that functions left", async () => {
    const projectDir = temporaryFolder();
    const engine = makeEngine({
      projectDir,
      sources: [source("claude", claudeCommands("PreToolUse", ["cat > out"]))],
    });
    engine.beforeToolCall("*", () => ({ args: { command: "new" } }));
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(JSON.parse(readFileSync(join(projectDir, "out"), "utf8"))).toMatchObject({
      tool_input: { command: "new" },
      tool_input_original: { command: "ls" },
    });
  });

  it("an environment without secrets", async () => {
    const secrets = {
      GITHUB_TOKEN: "1",
      my_secret_thing: "1",
      DB_PASSWORD: "1",
      PASSWD: "1",
      AWS_CREDENTIALS: "1",
      SSH_PRIVATE: "1",
      OPENAI_API_KEY: "1",
      apikey: "1",
      "API-KEY": "1",
      OTEL_EXPORTER: "1",
      BASH_ENV: "/dev/null",
      ENV: "/dev/null",
      PROMPT_COMMAND: "x",
      LD_PRELOAD: "",
      DYLD_LIBRARY_PATH: "x",
    };
    const kept = { EDITOR: "vi", KEYBOARD: "us", PLAIN: "1" };
    const names = (await printed("env | sed 's/=.*//' > out", { env: { ...secrets, ...kept } })).split("\n");
    for (const name of Object.keys(secrets)) expect(names).not.toContain(name);
    for (const name of [...Object.keys(kept), "CLAUDE_PROJECT_DIR", "PATH", "HOME"])
      expect(names).toContain(name);
  });

  it("the secrets that the host passes on purpose, and its handler's own variables", async () => {
    const command = { command: 'echo "$GITHUB_TOKEN $MINE $CLAUDE_PROJECT_DIR" > out', env: { MINE: "x y" } };
    const projectDir = temporaryFolder();
    expect(
      await printed(command, {
        projectDir,
        env: { GITHUB_TOKEN: "t" },
        options: { passEnv: ["GITHUB_TOKEN"] },
      }),
    ).toBe(`t x y ${projectDir}`);
  });

  it("a snapshot of the environment", async () => {
    const name = "AMPLIHACK_ENGINE_TEST_VALUE";
    process.env[name] = "before";
    const projectDir = temporaryFolder();
    const { createHookEngine } = await import("../../src/exports/engine.ts");
    const engine = createHookEngine({
      projectDir,
      sources: [
        source("claude", claudeCommands("PreToolUse", [`printf '%s' "$${name}" > out`]), { kind: "user" }),
      ],
    });
    process.env[name] = "after";
    await engine.dispatch("PreToolUse", BASH_CALL);
    await engine.close();
    delete process.env[name];
    expect(readFileSync(join(projectDir, "out"), "utf8")).toBe("before");
  });

  it("the event's directory, or the project's when that is gone", async () => {
    const cwd = temporaryFolder();
    const projectDir = temporaryFolder();
    const there = await run("pwd >&2; exit 2", { payload: { cwd }, projectDir });
    expect(there.decision).toMatchObject({ reason: cwd });
    const gone = await run("pwd >&2; exit 2", { payload: { cwd: join(cwd, "gone") }, projectDir });
    expect(gone.decision).toMatchObject({ reason: projectDir });
    expect(codesOf(gone)).toEqual(["cwd-missing"]);
  });

  it("no shell in the exec form, and three names replaced in its arguments", async () => {
    const projectDir = join(temporaryFolder(), "a b; $(touch pwned)");
    mkdirSync(projectDir);
    const script = join(projectDir, "print");
    writeFileSync(script, '#!/bin/sh\nprintf "%s\\n" "$@" > out\n');
    chmodSync(script, 0o755);
    const args = ["${CLAUDE_PROJECT_DIR}/x", "$HOME", "`id`", "${HOME}", "a;b"];
    expect(
      (await printed({ command: "${CLAUDE_PROJECT_DIR}/print", args }, { projectDir })).split("\n"),
    ).toEqual([`${projectDir}/x`, "$HOME", "`id`", "${HOME}", "a;b"]);
    expect(existsSync(join(projectDir, "pwned"))).toBe(false);
  });

  it("a path with shell metacharacters in a variable, where it does not execute", async () => {
    const projectDir = join(temporaryFolder(), "p $(touch pwned) `touch pwned`");
    mkdirSync(projectDir);
    expect(await printed('echo "$CLAUDE_PROJECT_DIR" > out', { projectDir })).toBe(projectDir);
    expect(existsSync(join(projectDir, "pwned"))).toBe(false);
  });

  it("its plugin's root and data folder", async () => {
    const projectDir = temporaryFolder();
    const engine = makeEngine({
      projectDir,
      sources: [
        source(
          "claude",
          claudeCommands("PreToolUse", ['echo "$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA" > out']),
          { kind: "plugin", pluginRoot: "/opt/p", pluginId: "a@b/../c" },
        ),
      ],
    });
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(readFileSync(join(projectDir, "out"), "utf8").trim()).toBe(
      `/opt/p|${projectDir}/.claude/plugins/data/a-b----c`,
    );
  });

  it("bash where the environment has it, and sh where it has not", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "sh"), '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 });
    expect(await printed('/bin/echo "${BASH_VERSION:+bash}" > out')).toBe("bash");
    expect(await printed('echo "$0" > out', { env: { PATH: folder } })).toMatch(/sh$/);
  });

  it("no terminal to control", async () => {
    expect(await printed("(: > /dev/tty) 2>/dev/null && echo tty > out || echo none > out")).toBe("none");
  });
});

describe("dedupe and fold order", () => {
  it("equal Claude handlers run once, in the place of the first, as long and strict as any", async () => {
    const projectDir = temporaryFolder();
    const command = "echo x >> ran";
    const engine = makeEngine({
      projectDir,
      sources: [
        source(
          "claude",
          claudeCommands("PreToolUse", [
            { command, timeout: 3 },
            { command, timeout: 9, onFailure: "ask" },
          ]),
        ),
        source("claude", claudeCommands("PreToolUse", [{ command, timeout: 2 }]), { kind: "user" }),
        source("claude", claudeCommands("PreToolUse", [command]), {
          kind: "plugin",
          pluginRoot: "/opt/p",
          pluginId: "p",
        }),
      ],
    });
    const outcome = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(readFileSync(join(projectDir, "ran"), "utf8")).toBe("x\nx\n");
    expect(outcome.runs.map(({ hook }) => hook)).toEqual([
      "plugin:p:PreToolUse[0].0",
      "user:PreToolUse[0].0",
    ]);
    expect(codesOf(outcome)).toEqual(["deduplicated", "deduplicated"]);
    expect(engine.preview("PreToolUse", BASH_CALL).at(-1)).toMatchObject({
      timeoutMs: 9000,
      onFailure: "ask",
    });
  });

  it("a managed rewrite lands last, and two rewrites that differ are a conflict", async () => {
    const rewrite = (n: number, delay: number) =>
      `sleep ${delay}; echo '{"hookSpecificOutput":{"updatedInput":{"n":${n}}}}'`;
    const engine = makeEngine({
      sources: [
        source("claude", claudeCommands("PreToolUse", [rewrite(1, 0)]), { kind: "managed" }),
        source("claude", claudeCommands("PreToolUse", [rewrite(2, 0.2)]), { kind: "user" }),
      ],
    });
    const outcome = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(outcome.input).toEqual({ n: 1 });
    expect(codesOf(outcome)).toEqual(["rewrite-conflict"]);
  });

  it("a rewrite that does not fit the declared tool is dropped and said so", async () => {
    const isCommand = (value: unknown): value is { command: string } =>
      typeof value === "object" && value !== null && "command" in value;
    const engine = makeEngine({
      tools: { Bash: { args: isCommand } },
      sources: [
        source(
          "claude",
          claudeCommands("PreToolUse", [`echo '{"hookSpecificOutput":{"updatedInput":{"n":1}}}'`]),
        ),
      ],
    });
    const outcome = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(outcome).not.toHaveProperty("input");
    expect(codesOf(outcome)).toEqual(["rewrite-invalid"]);
  });

  it("a command that saw a function's rewrite and changes it is no rival of the function", async () => {
    const engine = makeEngine({
      sources: [
        source(
          "claude",
          claudeCommands("PreToolUse", [`echo '{"hookSpecificOutput":{"updatedInput":{"n":2}}}'`]),
        ),
      ],
    });
    engine.beforeToolCall("*", () => ({ args: { n: 1 } }));
    const outcome = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(outcome.input).toEqual({ n: 2 });
    expect(codesOf(outcome)).toEqual([]);
  });

  it("preview says what would run and runs nothing", async () => {
    const projectDir = temporaryFolder();
    const engine = makeEngine({
      projectDir,
      sources: [
        source("claude", {
          hooks: {
            PreToolUse: [
              {
                matcher: "Bash",
                hooks: [
                  { type: "command", command: "touch ran", once: true },
                  { type: "command", command: "true", if: "Bash(rm *)" },
                ],
              },
            ],
          },
        }),
      ],
    });
    for (let turn = 0; turn < 2; turn++)
      expect(engine.preview("PreToolUse", BASH_CALL).map(({ summary }) => summary)).toEqual(["touch ran"]);
    expect(existsSync(join(projectDir, "ran"))).toBe(false);
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(engine.preview("PreToolUse", BASH_CALL)).toEqual([]);
  });
});

describe("a reason before a flood", () => {
  it("is the beginning of stderr, not its middle", async () => {
    const flood = "echo 'not on fridays' >&2; yes noise | head -c 300000 >&2; exit 2";
    const { decision } = await run(flood);
    expect(decision).toMatchObject({ kind: "deny", reason: expect.stringMatching(/^not on fridays\nnoise/) });
  });
});
