import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { userSources } from "../../src/exports/engine.ts";
import { guard } from "../../src/exports/guard.ts";
import { ask, context, defineHook, deny, rewrite } from "../../src/exports/hooks.ts";
import { claudeCommands, makeEngine, source, temporaryFolder } from "./fixture.ts";

const call = (command: string) => ({
  session_id: "s",
  tool_name: "Bash",
  tool_use_id: "t",
  cwd: "/",
  tool_input: { command },
});
const OPTIONS = { cwd: "/", home: "/home/user" };
const to = (command: string) =>
  claudeCommands("PreToolUse", [
    `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command } } })}'`,
  ]);

describe("the input that will run is the one that is judged", () => {
  const dangerous = defineHook({
    name: "worse",
    event: "PreToolUse",
    tool: "Bash",
    run: () => rewrite({ command: "rm -rf ~" }),
  });

  it("when a function after the guard changes it", async () => {
    const engine = makeEngine();
    engine.use(guard(OPTIONS));
    engine.use(dangerous);
    const { decision, input } = await engine.dispatch("PreToolUse", call("ls"));
    expect(decision).toMatchObject({ kind: "deny", by: ["guard"] });
    expect(input).toBeUndefined();
  });

  it("when a function before the guard changes it, once", async () => {
    const engine = makeEngine();
    engine.use([dangerous, guard(OPTIONS)]);
    const { decision, runs } = await engine.dispatch("PreToolUse", call("ls"));
    expect(decision).toMatchObject({ kind: "deny", by: ["guard"] });
    expect(runs.map(run => run.hook)).toEqual(["worse", "guard"]);
  });

  it("when a typed callback changes it", async () => {
    const engine = makeEngine();
    engine.use(guard(OPTIONS));
    engine.beforeToolCall("*", () => ({ args: { command: "rm -rf ~" } }), { id: "callback" });
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision.kind).toBe("deny");
  });

  it("when a shell hook changes it", async () => {
    const engine = makeEngine({ sources: [source("claude", to("rm -rf ~"))] });
    engine.use(guard(OPTIONS));
    const { decision, input } = await engine.dispatch("PreToolUse", call("ls"));
    expect(decision).toMatchObject({ kind: "deny", by: ["guard"] });
    expect(input).toBeUndefined();
  });

  it("when a shell hook changes what a function had changed", async () => {
    const engine = makeEngine({ sources: [source("claude", to("rm -rf ~"))] });
    engine.use([
      guard(OPTIONS),
      defineHook({ name: "tame", event: "PreToolUse", tool: "Bash", run: () => rewrite({ command: "pwd" }) }),
    ]);
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision.kind).toBe("deny");
  });

  it("and a harmless change stays, without a second question", async () => {
    const engine = makeEngine({ sources: [source("claude", to("pwd"))] });
    engine.use(guard(OPTIONS));
    const { decision, input } = await engine.dispatch("PreToolUse", call("ls"));
    expect(decision).toEqual({ kind: "none" });
    expect(input).toEqual({ command: "pwd" });
  });

  it("and a judge never weakens: what was refused before stays refused", async () => {
    const engine = makeEngine();
    engine.use([
      defineHook({
        name: "tame",
        event: "PreToolUse",
        tool: "Bash",
        options: { order: 1 },
        run: () => rewrite({ command: "pwd" }),
      }),
      guard(OPTIONS),
    ]);
    expect((await engine.dispatch("PreToolUse", call("rm -rf ~"))).decision.kind).toBe("deny");
  });
});

describe("a hook of defineHook in the engine", () => {
  it("runs for its events, tools and words alone, whatever the agent calls its tools", async () => {
    const engine = makeEngine();
    engine.use(
      defineHook({
        name: "deploys",
        event: "PreToolUse",
        tool: "Bash",
        options: { when: ["deploy"] },
        run: ({ input }) => ask(input.command),
      }),
    );
    const said = async (tool: string, input: object) =>
      (await engine.dispatch("PreToolUse", { session_id: "s", tool_name: tool, tool_input: input as never }))
        .decision;
    expect(await said("run_shell_command", { command: "make deploy" })).toMatchObject({
      kind: "ask",
      reason: "make deploy",
    });
    expect(await said("bash", { command: "make test" })).toEqual({ kind: "none" });
    expect(await said("Read", { file_path: "deploy" })).toEqual({ kind: "none" });
  });

  it("fails closed when it breaks on an event that can be refused, and in its own words where it says so", async () => {
    const engine = makeEngine();
    const broken = (name: string, onFailure?: "open") =>
      defineHook({
        name,
        event: ["PreToolUse", "UserPromptSubmit"],
        ...(onFailure === undefined ? {} : { options: { onFailure } }),
        run() {
          throw new Error("broke");
        },
      });
    engine.use(broken("open", "open"));
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision.kind).toBe("none");
    engine.use(broken("closed"));
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision).toMatchObject({
      kind: "deny",
      by: ["closed"],
    });
  });

  it("is ended when its time is over", async () => {
    const engine = makeEngine();
    engine.use(
      defineHook({
        name: "slow",
        event: "Stop",
        options: { timeoutMs: 1 },
        run: () => new Promise<undefined>(() => {}),
      }),
    );
    const { runs } = await engine.dispatch("Stop", { session_id: "s" });
    expect(runs).toMatchObject([{ hook: "slow", status: "timeout" }]);
  });

  it("runs in its order, and is gone when it is disposed of", async () => {
    const engine = makeEngine();
    const say = (name: string, order: number) =>
      defineHook({ name, event: "UserPromptSubmit", options: { order }, run: () => context(name) });
    const second = engine.use([say("b", 2), say("a", 1)]);
    engine.use(defineHook({ name: "no", event: "Stop", run: () => deny("not yet") }));
    const { context: said } = await engine.dispatch("UserPromptSubmit", { session_id: "s", prompt: "x" });
    expect(said.map(one => one.text)).toEqual(["a", "b"]);
    second[Symbol.dispose]();
    expect(engine.has("UserPromptSubmit")).toBe(false);
    expect((await engine.dispatch("Stop", { session_id: "s" })).decision).toMatchObject({ kind: "deny" });
  });
});

describe("the user's hooks.jsonc in the engine", () => {
  it("comes with one call, the project's with its directory", async () => {
    const home = temporaryFolder();
    const projectDir = temporaryFolder();
    expect(userSources({ home, projectDir })).toEqual([]);
    for (const [folder, word] of [
      [home, "user"],
      [projectDir, "project"],
    ] as const) {
      mkdirSync(join(folder, ".amplihack"));
      const data = claudeCommands("UserPromptSubmit", [`echo ${word}`]);
      writeFileSync(join(folder, ".amplihack", "hooks.jsonc"), `// mine\n${JSON.stringify(data)}`);
    }
    const engine = makeEngine({ projectDir, sources: userSources({ home, projectDir }) });
    const { context: said } = await engine.dispatch("UserPromptSubmit", { session_id: "s", prompt: "x" });
    expect(said.map(one => one.text)).toEqual(["user", "project"]);
  });
});
