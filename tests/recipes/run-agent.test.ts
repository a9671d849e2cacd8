import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/hosts/index.ts";
import { type RecipeMachine, recipeMachine, scriptedAgent } from "./recipe-machine.ts";

const yaml = (value: unknown): string => JSON.stringify(value);
const agentStep = (step: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  yaml({ name: "r", steps: [{ id: "ask", prompt: "Say hi", ...step }], ...more });

function call(machine: RecipeMachine, number = 1) {
  const read = (name: string) => readFileSync(join(machine.home, `${name}.${number}`), "utf8");
  return {
    argv: read("argv").split("\0").slice(0, -1),
    stdin: read("stdin"),
    env: read("env").split("\0"),
    cwd: read("cwd").trim(),
  };
}

const calls = (machine: RecipeMachine): number => Number(readFileSync(join(machine.home, "calls"), "utf8"));

describe("an agent step", () => {
  it("asks the active agent in print mode and takes its answer, trimmed", async () => {
    const machine = recipeMachine({ CLAUDECODE: "1" });
    scriptedAgent(machine, "printf '\\n  hello there \\n\\n'");
    const { steps, context } = await machine.runText(
      agentStep(
        { prompt: "Greet {{who}}", output: "answer", model: "fast" },
        { context: { who: "$(id) 'Ada'" } },
      ),
    );
    expect(steps["ask"]).toMatchObject({
      status: "completed",
      output: "hello there",
      step_type: "agent",
      exit_code: 0,
    });
    expect(context["answer"]).toBe("hello there");
    const { argv, env, cwd, stdin } = call(machine);
    expect(argv.slice(0, 3)).toEqual(["claude", "--", "-p"]);
    expect(argv[3]).toMatch(/^Greet \$\(id\) 'Ada'\n\n.*do not ask questions/s);
    expect(argv[argv.indexOf("--system-prompt") + 1]).toContain("inside one step of a recipe");
    expect(argv[argv.indexOf("--add-dir") + 1]).toBe(machine.project);
    expect(argv[argv.indexOf("--model") + 1]).toBe("fast");
    expect(cwd).toBe(machine.project);
    expect(stdin).toBe("");
    expect(env).toContain("AMPLIHACK_NONINTERACTIVE=1");
    expect(env).toContain("AMPLIHACK_AGENT_BINARY=claude");
    expect(env).toContain("AMPLIHACK_STEP_ID=ask");
    expect(env.filter(entry => /^(CLAUDECODE|RECIPE_VAR_)/.test(entry))).toEqual([]);
  });

  it.each(AGENTS.map(agent => [agent]))("reaches %s with the whole prompt", async agent => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo ok");
    const { steps } = await machine.runText(agentStep({ prompt: "Fix  the\n'bug'" }), { agentBinary: agent });
    expect(steps["ask"]).toMatchObject({ status: "completed", output: "ok" });
    const { argv, stdin } = call(machine);
    expect(argv.slice(0, 2)).toEqual([agent, "--"]);
    expect([...argv, stdin].some(text => text.includes("Fix  the\n'bug'"))).toBe(true);
  });

  it("of the agent that launched us, as the launcher recorded it", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo ok");
    machine.write(
      ".claude/runtime/launcher_context.json",
      yaml({ launcher: "gemini", timestamp: new Date().toISOString() }),
    );
    await machine.runText(agentStep({}));
    expect(call(machine).argv[0]).toBe("gemini");
  });

  it("gives a long prompt through stdin", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo ok");
    const long = "long text ".repeat(10_000);
    await machine.runText(agentStep({ prompt: "{{long}}" }), { context: { long } });
    const { argv, stdin } = call(machine);
    expect(stdin.startsWith(long)).toBe(true);
    expect(argv.every(argument => argument.length < 40_000)).toBe(true);
  });

  it("allows Copilot its tools unless told otherwise", async () => {
    for (const [env, isAllowed] of [
      [{}, true],
      [{ AMPLIHACK_NO_ALLOW_ALL_TOOLS: "1" }, false],
    ] as const) {
      const machine = recipeMachine(env);
      scriptedAgent(machine, "echo ok");
      await machine.runText(agentStep({}), { agentBinary: "copilot" });
      expect(call(machine).argv.includes("--allow-all-tools")).toBe(isAllowed);
    }
  });

  it("that fails tells the end of both streams", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo partial answer; echo broken >&2; exit 4");
    const { steps } = await machine.runText(agentStep({}));
    expect(steps["ask"]).toMatchObject({ status: "failed", exit_code: 4, output: "partial answer" });
    expect(steps["ask"]?.error).toBe(
      "amplihack claude failed (exit 4)\nstdout: partial answer\nstderr: broken",
    );
  });

  it("that takes too long is ended", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "sleep 100");
    const { steps } = await machine.runText(agentStep({ timeout: 0.4 }));
    expect(steps["ask"]).toMatchObject({ status: "failed", timed_out: true });
    expect(steps["ask"]?.error).toContain("timed out after 0.4s");
  });

  it("fails when the launcher is not there", async () => {
    const machine = recipeMachine({ AMPLIHACK_LAUNCHER_BINARY: "/nowhere/agent" });
    const { steps } = await machine.runText(agentStep({}));
    expect(steps["ask"]?.error).toBe("amplihack claude could not be started: ENOENT");
  });

  it("of an unknown agent is refused before anything runs", async () => {
    const { exitCode, document } = await recipeMachine().runText(agentStep({}), { agentBinary: "hal" });
    expect(exitCode).toBe(4);
    expect(document).toMatchObject({ error_kind: "bad_args" });
  });
});

describe("an agent reference", () => {
  it.each([
    ["plain", ".claude/agents/plain.md"],
    ["ns:one", "amplifier-bundle/agents/ns/core/one.md"],
    ["ns:two", ".claude/agents/specialized/two.md"],
    ["ns:cat:three", ".claude/agents/ns/cat/three.md"],
    ["ns:cat:four", ".claude/agents/cat/four.md"],
  ])("%s is found as %s", async (agent, file) => {
    const machine = recipeMachine();
    machine.write(file, `I am ${agent}.`);
    scriptedAgent(machine, "echo ok");
    const { steps } = await machine.runText(agentStep({ agent, mode: "REVIEW" }));
    expect(steps["ask"]?.warnings).toBeUndefined();
    const { argv } = call(machine);
    const system = argv[argv.indexOf("--system-prompt") + 1];
    expect(system).toMatch(new RegExp(`^I am ${agent}\\.`));
    expect(system).toContain("REVIEW");
  });

  it("of the package is found last, under its namespace and without one, and its front matter is left out", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo ok");
    const instructions = async (agent: string) => {
      const { steps } = await machine.runText(agentStep({ agent }));
      const { argv } = call(machine, calls(machine));
      return { said: argv[argv.indexOf("--system-prompt") + 1] ?? "", warnings: steps["ask"]?.warnings };
    };
    expect((await instructions("amplihack:builder")).said).toMatch(/^# Builder\n/);
    const [first, second] = [await instructions("reviewer"), await instructions("other:reviewer")];
    expect(first.warnings).toBeUndefined();
    expect(second.warnings).toEqual([
      "Agent 'other:reviewer' was not found; running without its instructions",
    ]);
    // A file of the project takes no agent's place that comes with the package; the person's own does.
    const own = "---\nname: builder\n---\nOur own.\n---\nAll of it.";
    for (const path of [".claude/agents/builder.md", "amplifier-bundle/agents/core/builder.md"]) {
      const passedOver = machine.write(path, own);
      for (const name of ["builder", "amplihack:builder"]) {
        const { said, warnings } = await instructions(name);
        expect(said).toMatch(/^# Builder\n/);
        if (path.startsWith(".claude"))
          expect(warnings?.join()).toContain(`${passedOver}, which has its name`);
      }
    }
    machine.write(".claude/agents/ours.md", own);
    expect((await instructions("ours")).said).toMatch(/^Our own\.\n---\nAll of it\.\n\n/);
    machine.write(join(machine.home, ".amplihack/.claude/agents/builder.md"), own);
    expect((await instructions("amplihack:builder")).said).toMatch(/^Our own\.\n---\nAll of it\.\n\n/);
  });

  it("that leads nowhere is a warning, one that is none fails the step", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo ok");
    const missing = await machine.runText(agentStep({ agent: "ns:nobody" }));
    expect(missing.steps["ask"]).toMatchObject({
      status: "completed",
      warnings: ["Agent 'ns:nobody' was not found; running without its instructions"],
    });
    const evil = await machine.runText(agentStep({ agent: "../../etc/passwd" }));
    expect(evil.steps["ask"]).toMatchObject({
      status: "failed",
      error: "Agent reference '../../etc/passwd' is not allowed",
    });
  });
});

describe("JSON from an agent", () => {
  it("is asked for once more, with a reminder", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "if [ $n = 1 ]; then echo sorry; else echo '{\"ok\": true}'; fi");
    const { steps, context } = await machine.runText(
      agentStep({ parse_json: true, output: "v", model: "m" }),
    );
    expect(steps["ask"]).toMatchObject({ status: "completed", output: '{"ok":true}' });
    expect(context["v"]).toEqual({ ok: true });
    expect(calls(machine)).toBe(2);
    const second = call(machine, 2).argv;
    expect(second[3]).toContain("not valid JSON");
    expect(second).toContain("m");
  });

  it("that never comes degrades the step", async () => {
    const machine = recipeMachine();
    scriptedAgent(machine, "echo never json");
    const { steps } = await machine.runText(agentStep({ parse_json: true }));
    expect(steps["ask"]).toMatchObject({ status: "degraded", output: "never json" });
    expect(calls(machine)).toBe(2);
  });
});

describe("a rate limit", () => {
  const env = { AMPLIHACK_RATELIMIT_BASE_DELAY_SECS: "0", AMPLIHACK_RATELIMIT_MAX_DELAY_SECS: "0" };
  it.each([
    "You've hit your rate limit",
    "Too Many Requests",
    "HTTP 429 from server",
    "limit will reset in 3 minutes",
  ])("told as %j is waited for", async words => {
    const machine = recipeMachine(env);
    scriptedAgent(machine, `if [ $n -lt 3 ]; then echo ${JSON.stringify(words)} >&2; exit 1; fi; echo done`);
    const { steps } = await machine.runText(agentStep({}));
    expect(steps["ask"]).toMatchObject({ status: "completed", output: "done" });
    expect(calls(machine)).toBe(3);
    const notices = machine.events.filter(event => event.kind === "notice" && event.text.includes("waiting"));
    expect(notices).toHaveLength(2);
  });

  it.each([
    ["echo about the rate limit", 1],
    ["echo port 4290 >&2; exit 1", 1],
  ])("is not seen in %j", async (script, count) => {
    const machine = recipeMachine(env);
    scriptedAgent(machine, script);
    await machine.runText(agentStep({}));
    expect(calls(machine)).toBe(count);
  });

  it("that stays is given up, the last time with the automatic model", async () => {
    const machine = recipeMachine({
      ...env,
      AMPLIHACK_RATELIMIT_MAX_RETRIES: "2",
      AMPLIHACK_RATELIMIT_FALLBACK_AUTO_MODEL: "1",
    });
    scriptedAgent(machine, "echo rate limit; exit 1");
    const { steps } = await machine.runText(agentStep({ model: "big" }));
    expect(steps["ask"]?.status).toBe("failed");
    expect(calls(machine)).toBe(3);
    const modelOf = (number: number) =>
      call(machine, number).argv.at(call(machine, number).argv.indexOf("--model") + 1);
    expect([1, 2, 3].map(modelOf)).toEqual(["big", "big", "auto"]);
  });

  it("with settings nobody can read uses the defaults and says so", async () => {
    const machine = recipeMachine({ ...env, AMPLIHACK_RATELIMIT_MAX_RETRIES: "many" });
    scriptedAgent(machine, "if [ $n -lt 6 ]; then echo rate limit; exit 1; fi; echo done");
    const { steps, document } = await machine.runText(agentStep({}));
    expect(steps["ask"]?.status).toBe("completed");
    expect(JSON.stringify(document.warnings)).toContain("AMPLIHACK_RATELIMIT_MAX_RETRIES");
  });
});

describe("staging", () => {
  const prepare = async (machine: RecipeMachine) => {
    machine.write("setup.yaml", yaml({ name: "s", steps: [{ id: "g", command: "git init -q ." }] }));
    await machine.run({ recipe: "setup.yaml" });
    scriptedAgent(machine, "echo made > new-file; echo ok");
  };
  const staged = "git diff --cached --name-only";
  it.each([
    [{}, {}, ""],
    [{}, { autoStage: true }, "new-file"],
    [{ auto_stage: true }, {}, "new-file"],
    [{ auto_stage: false }, { autoStage: true }, ""],
  ])("step %j, run %j stages %j", async (step, request, expected) => {
    const machine = recipeMachine();
    await prepare(machine);
    const { steps } = await machine.runText(
      yaml({
        name: "r",
        steps: [
          { id: "ask", prompt: "x", ...step },
          { id: "look", command: `${staged} | grep new-file || :` },
        ],
      }),
      request,
    );
    expect(steps["look"]?.output).toBe(expected);
  });

  it("stages what is new, changed and gone in all of the tree, and asks no git of a submodule", async () => {
    const machine = recipeMachine();
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
        cwd: machine.project,
      });
    git("init", "-q");
    for (const name of ["gone", "changed", "deep/kept"]) machine.write(name, "x\n");
    git("init", "-q", "other");
    git("-C", "other", "commit", "-q", "--allow-empty", "-m", "o");
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "./other", "sub");
    git("add", "gone", "changed", "deep", "sub");
    git("commit", "-qm", "all");
    git("-C", "sub", "config", "core.fsmonitor", `touch ${join(machine.home, "ran")}; false`);
    scriptedAgent(
      machine,
      "rm gone; echo y > changed; echo n > deep/new; echo z > 'with blank'; echo s > sub/s",
    );
    const { steps } = await machine.runText(
      yaml({
        name: "r",
        steps: [
          { id: "ask", prompt: "x", auto_stage: true },
          { id: "look", command: "git diff --cached --name-status --ignore-submodules=all" },
        ],
      }),
    );
    expect(steps["ask"]?.warnings ?? []).toEqual([]);
    expect(steps["look"]?.output?.split("\n").sort()).toEqual([
      "A\tdeep/new",
      "A\trecipe.yaml",
      "A\twith blank",
      "D\tgone",
      "M\tchanged",
    ]);
    expect(existsSync(join(machine.home, "ran"))).toBe(false);
  });

  it("outside of a repository is a warning", async () => {
    const machine = recipeMachine({ GIT_CEILING_DIRECTORIES: "/" });
    scriptedAgent(machine, "echo ok");
    const { steps } = await machine.runText(agentStep({ auto_stage: true }));
    expect(steps["ask"]?.status).toBe("completed");
    expect(steps["ask"]?.warnings?.[0]).toContain("Changes could not be staged");
  });
});

describe("recovery of a sub-recipe", () => {
  const text = yaml({
    name: "r",
    steps: [{ id: "sub", recipe: "child", recovery_on_failure: true, output: "v" }],
  });
  it.each([
    ["printf 'fixed it\\nSTATUS: COMPLETE\\n\\n'", "completed"],
    ["echo 'STATUS: COMPLETE, I have recovered everything'", "failed"],
    ["echo recovered", "failed"],
    ["echo 'STATUS: COMPLETE'; exit 1", "failed"],
  ])("by %j: %s", async (script, status) => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({ name: "child", steps: [{ id: "bad", command: "echo boom >&2; exit 1" }] }),
    );
    scriptedAgent(machine, script);
    const { steps } = await machine.runText(text);
    expect(steps["sub"]?.status).toBe(status);
    expect(call(machine).argv[3]).toContain("- bad [error]: Command failed (exit 1): boom");
    expect(existsSync(join(machine.home, "calls"))).toBe(true);
    expect(calls(machine)).toBe(1);
  });
});
