import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { SOURCE_KINDS } from "../../src/engine/options.ts";
import { DIAGNOSTIC_CODES, EVENTS, type HookSource } from "../../src/exports/engine.ts";
import { BASH_CALL, claudeCommands, codesOf, makeEngine, temporaryFolder } from "./fixture.ts";

/** The guide without line breaks and marks, as its sentences are read. */
const plain = (text: string): string => text.replace(/[`*]/g, "").replace(/\s+/g, " ");
const GUIDE = plain(readFileSync(new URL("../../docs/engine.md", import.meta.url), "utf8"));

/** What the guide says in these words, and what shows that it is so. Other sentences have tests beside the code they are about. */
function claim(words: string, check: () => void | Promise<void>): void {
  it(words, () => {
    expect(GUIDE).toContain(plain(words));
    return check();
  });
}

const user = (data: unknown): HookSource => ({ kind: "user", dialect: "claude", data });
const bash = { args: z.object({ command: z.string() }), result: z.object({ stdout: z.string() }) };

describe("1. Create an engine", () => {
  claim("You read the files, the engine never does", () => {
    const projectDir = temporaryFolder();
    mkdirSync(join(projectDir, ".claude"));
    const settings = claudeCommands("PreToolUse", ["exit 2"]);
    writeFileSync(join(projectDir, ".claude/settings.json"), JSON.stringify(settings));
    expect(makeEngine({ projectDir }).list()).toEqual([]);
    const named = { ...user(undefined), path: join(projectDir, ".claude/settings.json") };
    expect(makeEngine({ projectDir, sources: [named] }).list()).toEqual([]);
  });

  claim(
    "`data` may be text (JSON, JSON with comments, TOML) or a parsed value; `undefined` stands for a file that is not there.",
    () => {
      const parsed = claudeCommands("Stop", ["true"]);
      const json = JSON.stringify(parsed);
      const toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n';
      for (const data of [parsed, json, `// a comment\n${json}`, toml])
        expect(makeEngine({ sources: [user(data)] }).report).toMatchObject({ handlers: 1, errors: [] });
      const absent = makeEngine({ sources: [user(undefined)] });
      expect(absent.report).toEqual({ handlers: 0, errors: [], warnings: [] });
    },
  );
});

describe("2. Register hooks of your own", () => {
  claim("a hook that was promised a type never sees anything else", async () => {
    const engine = makeEngine({ tools: { bash } });
    const before = vi.fn();
    const after = vi.fn();
    engine.beforeToolCall("bash", before);
    engine.afterToolCall("bash", after);
    const call = { ...BASH_CALL, tool_name: "bash", tool_input: { command: 7 } };
    expect((await engine.dispatch("PreToolUse", call)).decision.kind).toBe("deny");
    await engine.dispatch("PostToolUse", { ...call, tool_input: { command: "ls" }, tool_response: "text" });
    expect([before.mock.calls, after.mock.calls]).toEqual([[], []]);
  });

  claim(
    "A call that failed has `isError: true` and whatever the tool reported as its `result`.",
    async () => {
      const engine = makeEngine({ tools: { bash } });
      const seen: unknown[] = [];
      engine.afterToolCall("bash", ({ isError, result }) => void seen.push([isError, result]));
      await engine.call("bash", { command: "ls" }, () => Promise.reject(new Error("disk full")));
      expect(seen).toEqual([[true, { name: "Error", message: "disk full" }]]);
    },
  );
});

describe("3. Call tools through the engine", () => {
  claim("It never rejects;", async () => {
    const engine = makeEngine();
    const broken = () => {
      throw new Error("broken");
    };
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const run = vi.fn(broken);
    expect(await engine.call("x", circular, run)).toMatchObject({ status: "failed" });
    engine.afterToolCall("*", broken);
    expect(await engine.call("x", {}, run)).toMatchObject({ status: "failed" });
    const asking = engine.beforeToolCall("*", () => ({ decision: "ask" }));
    expect(await engine.call("x", {}, run, { onAsk: broken })).toMatchObject({ status: "denied" });
    asking[Symbol.dispose]();
    engine.beforeToolCall("*", broken);
    expect(await engine.call("x", {}, run)).toMatchObject({ status: "denied" });
    expect(run).toHaveBeenCalledTimes(2);
  });

  claim("plain JSON, signed, good for 24 hours.", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "really?" }));
    vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
    try {
      const called = await engine.call("x", { n: 1 }, () => 1);
      if (called.status !== "pending") throw new Error(called.status);
      const { pending } = called;
      expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
      expect(pending.expiresAt).toBe(1_000_000 + 24 * 60 * 60 * 1000);
      vi.setSystemTime(pending.expiresAt + 1);
      expect(await engine.resume(pending, true, () => 1)).toMatchObject({ status: "denied" });
      vi.setSystemTime(pending.expiresAt);
      expect(await engine.resume(pending, true, () => 1)).toMatchObject({ status: "done" });
    } finally {
      vi.useRealTimers();
    }
  });

  claim("An engine answers a pending call once", async () => {
    const key = "k".repeat(32);
    const engines = [makeEngine({ approvals: { key } }), makeEngine({ approvals: { key } })] as const;
    engines[0].beforeToolCall("*", () => ({ decision: "ask", reason: "really?" }));
    const called = await engines[0].call("x", {}, () => 1);
    if (called.status !== "pending") throw new Error(called.status);
    const statuses: string[] = [];
    for (const engine of [engines[0], engines[0], engines[1]])
      statuses.push((await engine.resume(called.pending, true, () => 1)).status);
    // Engines that share no store do not know of each other.
    expect(statuses).toEqual(["done", "denied", "done"]);
  });

  claim("and remembers the last 512;", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "really?" }));
    const answer = async (n: number) => {
      const called = await engine.call("x", { n }, () => 1);
      if (called.status !== "pending") throw new Error(called.status);
      await engine.resume(called.pending, true, () => 1);
      return called.pending;
    };
    const first = await answer(0);
    for (let n = 1; n < 512; n++) await answer(n);
    expect((await engine.resume(first, true, () => 1)).status).toBe("denied");
  });
});

describe("4. Or dispatch events yourself, and obey the outcome", () => {
  claim("with the reasons of those hooks that gave this verdict", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ decision: "allow", reason: "fine" }), { id: "allows" });
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "first?" }), { id: "asks" });
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "second?" }), { id: "asks-too" });
    const { decision } = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(decision).toMatchObject({ kind: "ask", reason: "first?\nsecond?", by: ["asks", "asks-too"] });
  });

  claim("the final tool input or result, present only when a hook changed it", async () => {
    const engine = makeEngine();
    const silent = engine.beforeToolCall("*", () => ({ context: "a note" }), { id: "noting" });
    const unchanged = await engine.dispatch("PreToolUse", BASH_CALL);
    expect("input" in unchanged).toBe(false);
    expect(unchanged.context).toEqual([{ text: "a note", hook: "noting" }]);
    silent[Symbol.dispose]();
    engine.beforeToolCall("*", () => ({ args: { command: "pwd" } }));
    engine.afterToolCall("*", () => ({ result: "changed" }));
    expect((await engine.dispatch("PreToolUse", BASH_CALL)).input).toEqual({ command: "pwd" });
    const after = await engine.dispatch("PostToolUse", { ...BASH_CALL, tool_response: "x" });
    expect(after.output).toBe("changed");
  });

  claim("you gave up: on actions that can be refused the decision is then `deny`", async () => {
    const engine = makeEngine();
    const signal = AbortSignal.abort();
    engine.beforeToolCall("*", () => undefined);
    engine.afterToolCall("*", () => undefined);
    const before = await engine.dispatch("PreToolUse", BASH_CALL, { signal });
    expect([before.aborted, before.decision.kind]).toEqual([true, "deny"]);
    const after = await engine.dispatch("PostToolUse", { ...BASH_CALL, tool_response: "" }, { signal });
    expect([after.aborted, after.decision.kind]).toEqual([true, "none"]);
  });

  claim(
    "members only one event knows: `updatedPermissions`, `retry`, `worktreePath`, `isError` …",
    async () => {
      const answers = {
        PermissionRequest: { decision: { behavior: "allow", updatedPermissions: [{ type: "addRules" }] } },
        PermissionDenied: { retry: true },
        WorktreeCreate: { worktreePath: "/work/tree" },
      };
      const hooks = Object.entries(answers).map(([hookEventName, members]) => {
        const command = `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName, ...members } })}'`;
        return [hookEventName, [{ hooks: [{ type: "command", command }] }]] as const;
      });
      const engine = makeEngine({ sources: [user({ hooks: Object.fromEntries(hooks) })] });
      engine.afterToolCall("*", () => ({ isError: true }));
      const found: unknown[] = [];
      for (const event of [...Object.keys(answers), "PostToolUse"])
        found.push((await engine.dispatch(event, { ...BASH_CALL, tool_response: "x" })).extras);
      expect(found).toEqual([
        { updatedPermissions: [{ type: "addRules" }] },
        { retry: true },
        { worktreePath: "/work/tree" },
        { isError: true },
      ]);
    },
  );

  claim("end the turn, beside whatever the decision is", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ decision: "allow", halt: "enough" }), { id: "halts" });
    const { halt, decision } = await engine.dispatch("PreToolUse", BASH_CALL);
    expect([halt, decision.kind]).toEqual([{ reason: "enough", hook: "halts" }, "allow"]);
  });
});

describe("What the events mean", () => {
  const denied = async (event: string, payload: object = {}) => {
    const engine = makeEngine();
    engine.on(event as "Stop", "*", () => ({ block: true, reason: "no" }));
    return engine.dispatch(event, { ...BASH_CALL, tool_response: "x", ...payload });
  };
  const withPower = (power: string) => EVENTS.filter(event => event.power === power).map(({ name }) => name);

  claim("veto (PreToolUse, UserPromptSubmit …) stops the action;", async () => {
    expect(withPower("veto")).toEqual(expect.arrayContaining(["PreToolUse", "UserPromptSubmit"]));
    for (const event of withPower("veto")) expect((await denied(event)).decision.kind).toBe("deny");
  });

  claim("retry (Stop, SubagentStop) makes the agent go on", async () => {
    expect(withPower("retry")).toEqual(expect.arrayContaining(["Stop", "SubagentStop"]));
    for (const event of withPower("retry")) expect((await denied(event)).decision.kind).toBe("deny");
  });

  claim("feedback (PostToolUse …) is told to the model;", async () => {
    expect(withPower("feedback")).toContain("PostToolUse");
    for (const event of withPower("feedback"))
      expect((await denied(event)).decision).toMatchObject({ kind: "deny", reason: "no" });
  });

  claim("none is ignored and reported.", async () => {
    expect(withPower("none").length).toBeGreaterThan(0);
    for (const event of withPower("none")) {
      const outcome = await denied(event);
      expect([event, outcome.decision.kind, codesOf(outcome).length > 0]).toEqual([event, "none", true]);
    }
  });
});

describe("Typed hook or shell hook?", () => {
  claim("all see the input as the functions left it; the last in order counts", async () => {
    const projectDir = temporaryFolder();
    const rewrite = (n: number) => {
      const answer = {
        hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: `s${n}` } },
      };
      return `cat > seen${n}; echo '${JSON.stringify(answer)}'`;
    };
    const engine = makeEngine({
      projectDir,
      sources: [user(claudeCommands("PreToolUse", [rewrite(1), rewrite(2)]))],
    });
    engine.beforeToolCall("*", () => ({ args: { command: "typed" } }));
    const { input } = await engine.dispatch("PreToolUse", { ...BASH_CALL, cwd: projectDir });
    expect(input).toEqual({ command: "s2" });
    for (const n of [1, 2])
      expect(JSON.parse(readFileSync(join(projectDir, `seen${n}`), "utf8")).tool_input).toEqual({
        command: "typed",
      });
  });
});

describe("Failing safely", () => {
  claim("The reason names the hook and says that it could not check", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => Promise.reject(new Error("x")), { id: "a-guard" });
    const { decision } = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(decision).toMatchObject({
      kind: "deny",
      reason: expect.stringMatching(/^hook a-guard could not check/),
    });
  });

  claim(
    "Handlers run in parallel and are folded in declared order: builtin, plugin, user, project, local, session, managed.",
    async () => {
      expect(SOURCE_KINDS.join(", ")).toBe("builtin, plugin, user, project, local, session, managed");
      const sources = SOURCE_KINDS.map(kind => ({
        ...user(claudeCommands("UserPromptSubmit", [`echo ${kind}`])),
        kind,
      })).toReversed();
      const engine = makeEngine({ sources, trust: { state: () => "trusted" } });
      const { context } = await engine.dispatch("UserPromptSubmit", { prompt: "go" });
      expect(context.map(({ text }) => text)).toEqual(SOURCE_KINDS);
    },
  );

  claim("the closed list is `DIAGNOSTIC_CODES`", async () => {
    const engine = makeEngine({ sources: [user(claudeCommands("PreToolUse", ["exit 7", "echo '{'"]))] });
    engine.beforeToolCall("*", () => Promise.reject(new Error("x")), { onFailure: "open" });
    const codes = codesOf(await engine.dispatch("PreToolUse", BASH_CALL));
    expect(codes.length).toBeGreaterThanOrEqual(3);
    for (const code of codes) expect(DIAGNOSTIC_CODES).toContain(code);
  });
});

describe("Prompts, agents, MCP", () => {
  claim("Without the delegate the handler is reported as `handler-unsupported`.", () => {
    const hooks = ["prompt", "agent"].map(type => ({ type, prompt: "is it good?" }));
    const mcp = { type: "mcp_tool", server: "s", tool: "t" };
    const { report } = makeEngine({ sources: [user({ hooks: { Stop: [{ hooks: [...hooks, mcp] }] } })] });
    const codes = [...report.errors, ...report.warnings].map(({ code }) => code);
    expect(codes).toEqual(Array(3).fill("handler-unsupported"));
  });
});

describe("Limits worth knowing", () => {
  claim("A schema that transforms its value must accept its own output", async () => {
    const schema = z.object({ at: z.string().transform(text => new Date(text).getTime()) });
    const engine = makeEngine({ tools: { wait: { args: schema } } });
    const call = () => engine.call("wait", { at: "1970-01-01T00:00:01Z" }, ({ at }) => at);
    expect(await call()).toMatchObject({ status: "done", result: 1000 });
    engine.beforeToolCall("wait", ({ args }) => ({ args: { ...args } }));
    expect((await call()).status).toBe("denied");
  });

  claim("a keyword it does not know is refused at creation.", () => {
    const args = Type.Object({ command: Type.String({ nonsense: true }) });
    expect(() => makeEngine({ tools: { bash: { args } } })).toThrow(/nonsense/);
  });

  claim("`Infinity` is no cap.", async () => {
    const engine = makeEngine({ stopBlockCap: Number.POSITIVE_INFINITY });
    engine.on("Stop", "*", () => ({ block: true, reason: "go on" }));
    for (let turn = 0; turn < 20; turn++)
      expect((await engine.dispatch("Stop", { session_id: "s1" })).decision.kind).toBe("deny");
  });
});
