import { describe, expect, it } from "vitest";
import { runHook } from "../../../src/exports/hook-testing.ts";
import {
  allow,
  ask,
  context,
  defineHook,
  deny,
  halt,
  message,
  replaceOutput,
  rewrite,
} from "../../../src/exports/hooks.ts";
import { abilities } from "../../../src/exports/hosts.ts";
import { ASK_EVENTS, CONTEXT_EVENTS } from "../../../src/hooks/user/define.ts";
import { EVENTS } from "../../../src/protocol/index.ts";
import { createMemorySystem } from "../../../src/system/memory.ts";

const FRIDAY = Date.UTC(2026, 0, 2, 12);

const noFridays = defineHook({
  name: "no-friday-deploys",
  event: "PreToolUse",
  tool: "Bash",
  run({ input, clock }) {
    if (/\bdeploy\b/.test(input.command) && new Date(clock.nowMs()).getDay() === 5)
      return ask("Deploying is for Monday.");
    return undefined;
  },
});

describe("defineHook", () => {
  it("refuses a hook that nothing could name or call", () => {
    expect(() => defineHook({ name: "", event: "Stop", run: () => undefined })).toThrow(/needs a "name"/);
    expect(() => defineHook({ name: "a b", event: "Stop", run: () => undefined })).toThrow(/needs a "name"/);
    expect(() => defineHook({ name: "x", event: "Stop" } as never)).toThrow(/needs a function "run"/);
  });

  it("is silent where it has nothing to say, and absent where it was not asked", async () => {
    expect(await runHook(noFridays, { command: "make deploy" }, { nowMs: FRIDAY })).toEqual({
      decision: { kind: "ask", reason: "Deploying is for Monday." },
    });
    expect(await runHook(noFridays, { command: "make test" }, { nowMs: FRIDAY })).toEqual({});
    expect(await runHook(noFridays, { file_path: "/x" }, { tool: "Read" })).toBeUndefined();
  });
});

describe("what a hook may say", () => {
  const offered = {
    context: CONTEXT_EVENTS,
    ask: ASK_EVENTS,
    deny: EVENTS.filter(event => event.power !== "none").map(event => event.name),
    input: EVENTS.filter(event => event.rewrites.some(what => what === "input")).map(event => event.name),
    output: EVENTS.filter(event => event.rewrites.some(what => what === "output")).map(event => event.name),
  } as const;
  it.each(
    Object.entries(offered).flatMap(([ability, events]) => events.map(event => [ability, event] as const)),
  )("%s on %s is something that Claude Code takes", (ability, event) => {
    expect(abilities("claude-code", event, event)).toHaveProperty(ability);
  });

  it("is one effect, also when it said several things", async () => {
    const hook = defineHook({
      name: "many",
      event: "PreToolUse",
      tool: "Bash",
      run: () => [
        context("one"),
        ask("a"),
        deny("b"),
        deny("c"),
        context("two"),
        message("m"),
        message("n", "warn"),
      ],
    });
    expect(await runHook(hook, { command: "ls" })).toEqual({
      context: "one\n\ntwo",
      decision: { kind: "deny", reason: "b\nc" },
      message: { text: "m\nn", level: "warn" },
    });
  });

  it("has a constructor for each kind", () => {
    expect([allow(), halt("x"), replaceOutput({ a: 1 }), rewrite({ command: "ls" })]).toEqual([
      { decision: { kind: "allow" } },
      { halt: { reason: "x" } },
      { output: { a: 1 } },
      { input: { command: "ls" } },
    ]);
  });

  it.each([
    [42, /it returned number/],
    [{ decision: "deny" }, /"decision" must have a kind/],
    [{ decision: { kind: "perhaps" } }, /"decision" must have a kind/],
    [{ decision: { kind: "deny", reason: 1 } }, /"reason" must be text/],
    [{ deny: true }, /member "deny"/],
    [{ context: 1 }, /"context" must be text/],
    [{ message: "x" }, /"message" must have/],
    [{ halt: true }, /"halt" must be/],
    [{ input: [] }, /"input" must be/],
  ])("a slip such as %j is a failure, not silence", async (returned, problem) => {
    const hook = defineHook({
      name: "slip",
      event: "PreToolUse",
      tool: "Bash",
      run: () => returned as never,
    });
    await expect(runHook(hook, { command: "ls" })).rejects.toThrow(problem);
  });
});

describe("what a hook is given", () => {
  it("knows the command as the guard does", async () => {
    const hook = defineHook({
      name: "terraform",
      event: "PreToolUse",
      tool: "Bash",
      run: ({ facts }) =>
        facts.programs.some(({ name }) => name === "terraform") ? deny(facts.words.join(" ")) : undefined,
    });
    const said = await runHook(hook, { command: "cd infra && sudo env A=1 terraform apply -auto-approve" });
    expect(said?.decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("terraform") });
    expect(await runHook(hook, { command: "echo terraform" })).toEqual({});
  });

  it("has paths of effects and of file tools", async () => {
    const seen: unknown[] = [];
    const hook = defineHook({
      name: "paths",
      event: "PreToolUse",
      run({ facts }) {
        seen.push(
          facts.paths,
          facts.effects.map(({ kind, path }) => `${kind} ${path}`),
        );
      },
    });
    await runHook(hook, { command: "rm -rf /home/user/project/build" }, { tool: "Bash" });
    await runHook(hook, { file_path: "/a", content: "" }, { tool: "Write" });
    expect(seen).toEqual([["/home/user/project/build"], ["delete /home/user/project/build"], ["/a"], []]);
  });

  it("reads, writes, remembers, logs and starts programs through what it is given", async () => {
    const system = createMemorySystem({
      files: { "/home/user/project/notes.txt": "hello" },
      env: { HOME: "/home/user", CI: "1" },
      run: () => ({ stdout: "done", exitCode: 3 }) as never,
    });
    const hook = defineHook({
      name: "busy",
      event: "Stop",
      async run({ files, env, state, log, exec, session, cwd, host, projectRoot, signal, transcript }) {
        log("was here");
        files.write(
          "copy.txt",
          `${files.read("notes.txt")} ${env["CI"]} ${files.exists("nope")} ${files.list("nope").length}`,
        );
        const { count } = state.session.update(current => ({ count: Number(current["count"] ?? 0) + 1 }));
        state.project.update(() => ({ seen: true }));
        const ran = await exec(["git", "status"], { timeoutMs: 100 });
        return deny(
          `${count} ${session} ${cwd} ${projectRoot} ${host} ${signal.aborted} ${transcript().length} ${ran.exitCode ?? ran.problem}`,
        );
      },
    });
    const first = await runHook(hook, {}, { system });
    const second = await runHook(hook, {}, { system });
    expect(first?.decision?.reason).toMatch(
      /^1 test \/home\/user\/project \/home\/user\/project claude-code false 0 /,
    );
    expect(second?.decision?.reason).toMatch(/^2 /);
    expect(system.peek("/home/user/project/copy.txt")).toBe("hello 1 false 0");
    expect(system.peek("/home/user/.amplihack/logs/hooks.log")).toContain("busy: was here");
  });

  it.each([
    ["UserPromptSubmit", "do it", { prompt: "do it" }],
    ["SessionStart", { source: "startup" }, { source: "startup" }],
    ["SessionEnd", { reason: "exit" }, { reason: "exit" }],
    ["PreCompact", { trigger: "auto" }, { trigger: "auto" }],
    ["Stop", { stop_hook_active: true }, { stopHookActive: true }],
  ] as const)("%s tells its own", async (event, input, fields) => {
    let seen: object = {};
    const hook = defineHook({
      name: "own",
      event,
      run(call) {
        seen = { ...call };
      },
    });
    await runHook(hook, input as never);
    expect(seen).toMatchObject({ event, ...fields });
  });

  it("a tool's result and its failure are told", async () => {
    const seen: object[] = [];
    const hook = defineHook({
      name: "after",
      event: ["PostToolUse", "PostToolUseFailure"],
      tool: "Bash",
      run(call) {
        seen.push({
          event: call.event,
          output: call.output,
          error: "error" in call ? call.error : undefined,
        });
      },
    });
    await runHook(hook, { command: "ls" }, { payload: { tool_response: "ok" } });
    await runHook(hook, { command: "ls" }, { event: "PostToolUseFailure", payload: { error: "broke" } });
    expect(seen).toMatchObject([
      { event: "PostToolUse", output: "ok" },
      { event: "PostToolUseFailure", error: "broke" },
    ]);
  });
});
