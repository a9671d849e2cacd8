import { type Attributes, type Meter, type Span as OtelSpan, type Tracer, trace } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { openTelemetry } from "../../src/engine/otel.ts";
import type { Span, Telemetry } from "../../src/exports/engine.ts";
import { guard } from "../../src/exports/guard.ts";
import { withEnoughTime } from "../enough-time.ts";
import { BASH_CALL, claudeCommands, makeEngine, source } from "./fixture.ts";

interface Told {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly events: string[];
}

function recording() {
  const spans: Told[] = [];
  const counts: [string, number, Readonly<Record<string, string>>][] = [];
  const records: [string, Readonly<Record<string, string>>][] = [];
  const telemetry: Telemetry = {
    span(name, attributes, body) {
      const told: Told = { name, attributes: { ...attributes }, events: [] };
      spans.push(told);
      const span: Span = {
        set: (key, value) => {
          told.attributes[key] = value;
        },
        event: event => void told.events.push(event),
      };
      return body(span);
    },
    count: (...told) => void counts.push(told),
    record: (name, _, attributes) => void records.push([name, attributes]),
  };
  return { telemetry, spans, counts, records };
}

describe("telemetry", () => {
  it("tells of a dispatch and its runs in the engine's names", async () => {
    const { telemetry, spans, counts, records } = recording();
    const engine = makeEngine({
      telemetry,
      sources: [source("claude", claudeCommands("PreToolUse", ["exit 1", "exit 2"], "Bash"))],
    });
    engine.beforeToolCall("*", () => ({ args: { command: "x" } }), { id: "fn" });
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(spans.map(({ name }) => name)).toEqual(["hooks.dispatch", "hooks.run", "hooks.run", "hooks.run"]);
    expect(spans[0]?.attributes).toEqual({
      "hooks.event": "PreToolUse",
      "hooks.subject": "Bash",
      "hooks.matched": 3,
      "hooks.decision": "deny",
      "hooks.halted": false,
      "hooks.rewritten": false,
      "hooks.aborted": false,
    });
    expect(spans[1]).toMatchObject({
      attributes: { "hooks.id": "fn", "hooks.kind": "function", "hooks.status": "ok" },
      events: ["hooks.rewrite"],
    });
    expect(spans[2]?.attributes).toMatchObject({
      "hooks.id": "project:PreToolUse[0].0",
      "hooks.kind": "command",
      "hooks.dialect": "claude",
      "hooks.source": "project",
      "hooks.status": "failed",
      "hooks.exit_code": 1,
      "hooks.timeout_ms": 600_000,
      "hooks.truncated": false,
      "hooks.queue_ms": expect.any(Number),
    });
    expect(spans[2]?.events).toEqual(["hooks.failure"]);
    expect(counts).toContainEqual(["hooks.decisions", 1, { event: "PreToolUse", decision: "deny" }]);
    expect(counts).toContainEqual(["hooks.failures", 1, { code: "exit-nonblocking" }]);
    const processes = counts.filter(([name]) => name === "hooks.processes").map(([, n]) => n);
    expect(processes.toSorted()).toEqual([-1, -1, 1, 1]);
    for (const name of ["hooks.dispatch.duration", "hooks.run.duration", "hooks.queue.duration"])
      expect(records.map(([told]) => told)).toContain(name);
  });

  it("tells of a call by the GenAI conventions, with the guard's rules, and never what it is about", async () => {
    const { telemetry, spans } = recording();
    const engine = makeEngine({ telemetry });
    engine.use(guard({ policy: "given" }));
    const call = (command: string, run = () => "") =>
      engine.call("bash", { command }, run, { id: "c1", sessionId: "s1" });
    await call("rm -rf ~");
    await call("git push --force origin feature");
    await call("pwd");
    const tools = spans.filter(({ name }) => name === "execute_tool bash");
    const verdicts = spans.filter(({ attributes }) => attributes["hooks.event"] === "PreToolUse");
    for (const told of [tools, verdicts])
      expect(
        told.map(({ attributes: { ...each } }) => [
          each["amplihack.decision"],
          each["amplihack.rules"],
          each["amplihack.understood"],
          each["amplihack.held"],
          each["amplihack.kept"],
        ]),
      ).toEqual([
        ["deny", expect.arrayContaining(["fs.home"]), false, false, false],
        ["ask", ["git.push"], false, true, false],
        ["none", [], true, false, false],
      ]);
    expect(verdicts.map(({ events }) => events)).toEqual(Array(3).fill(["amplihack.guard.verdict"]));
    expect(tools[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "bash",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.conversation.id": "s1",
    });
    expect(tools.map(({ attributes }) => attributes["amplihack.status"])).toEqual([
      "denied",
      "pending",
      "done",
    ]);
    await call("ls", () => {
      throw new TypeError("gone");
    });
    expect(spans.findLast(({ name }) => name === "execute_tool bash")?.attributes).toMatchObject({
      "amplihack.status": "failed",
      "error.type": "TypeError",
    });
    expect(JSON.stringify(spans)).not.toMatch(/rm -rf|origin feature|gone/);
  });

  it("marks what happened inside a run", async () => {
    const names = [
      "hooks.timeout",
      "hooks.output.truncated",
      "hooks.fail_closed",
      "hooks.failure",
      "hooks.killed",
      "hooks.pipe_held",
      "hooks.output.noise",
    ];
    const events = await withEnoughTime(
      async timeout => {
        const { telemetry, spans } = recording();
        const commands = [
          { command: "yes | head -c 3000; sleep 300", timeout, onFailure: "closed" },
          { command: "trap '' TERM; sleep 300 & wait; sleep 300", timeout },
          { command: `sleep 10 & echo noise; echo '{"decision":"ask"}'` },
        ];
        const engine = makeEngine({
          telemetry,
          limits: { stdoutBytes: 100, tailBytes: 10 },
          grace: { killMs: 50, pipeMs: 50 },
          sources: [source("claude", claudeCommands("PreToolUse", commands))],
        });
        await engine.dispatch("PreToolUse", BASH_CALL);
        return new Set(spans.flatMap(span => span.events));
      },
      seen => names.every(name => seen.has(name)),
    );
    for (const name of names) expect(events).toContain(name);
  });

  it("marks conflicts, refused trust and the cap on the dispatch", async () => {
    const { telemetry, spans } = recording();
    const rewrite = (n: number) => `echo '{"hookSpecificOutput":{"updatedInput":{"n":${n}}}}'`;
    const engine = makeEngine({
      telemetry,
      stopBlockCap: 0,
      trust: { state: (_, { kind }) => (kind === "local" ? "untrusted" : "trusted") },
      sources: [
        source("claude", claudeCommands("PreToolUse", [rewrite(1), rewrite(2)])),
        source("claude", claudeCommands("PreToolUse", ["true"]), { kind: "local" }),
        source("claude", claudeCommands("Stop", ["exit 2"])),
      ],
    });
    await engine.dispatch("PreToolUse", BASH_CALL);
    await engine.dispatch("Stop", {});
    const dispatches = spans.filter(({ name }) => name === "hooks.dispatch").map(({ events }) => events);
    expect(dispatches).toEqual([["hooks.trust.refused", "hooks.rewrite.conflict"], ["hooks.stop_cap"]]);
  });

  it("never tells payloads, outputs or commands", async () => {
    const { telemetry, spans, counts, records } = recording();
    const engine = makeEngine({
      telemetry,
      sources: [
        source("claude", claudeCommands("PreToolUse", ["echo S3CRET-command; echo S3CRET-err >&2; exit 2"])),
      ],
    });
    await engine.dispatch("PreToolUse", {
      ...BASH_CALL,
      session_id: "S3CRET-session",
      tool_input: { command: "S3CRET-input" },
    });
    expect(JSON.stringify([spans, counts, records])).not.toContain("S3CRET");
  });

  it("never tells a prompt, also where a matcher looks at it", async () => {
    const { telemetry, spans } = recording();
    const hooks = [{ event: "UserPromptSubmit", matcher: "S3CRET", command: "true" }];
    const engine = makeEngine({ telemetry, sources: [source("batuta", { hooks })] });
    expect((await engine.dispatch("UserPromptSubmit", { prompt: "my S3CRET" })).runs).toHaveLength(1);
    expect(JSON.stringify(spans)).not.toContain("S3CRET");
  });

  it("says nothing of a dispatch without hooks", async () => {
    const { telemetry, spans, counts } = recording();
    await makeEngine({ telemetry }).dispatch("PreToolUse", BASH_CALL);
    expect([spans, counts]).toEqual([[], []]);
  });

  it.each<[string, Partial<Telemetry>]>([
    [
      "throws before the work",
      {
        span() {
          throw new Error("exporter");
        },
      },
    ],
    [
      "throws after the work",
      {
        span(_, __, body) {
          body({ set() {}, event() {} });
          throw new Error("exporter");
        },
      },
    ],
    ["forgets the work", { span: () => undefined as never }],
    [
      "does the work twice",
      {
        span(_, __, body) {
          body({ set() {}, event() {} });
          return body({ set() {}, event() {} });
        },
      },
    ],
    [
      "has spans that throw",
      {
        span(_, __, body) {
          const broken = () => {
            throw new Error("span");
          };
          return body({ set: broken, event: broken });
        },
      },
    ],
    [
      "cannot count",
      {
        count() {
          throw new Error("count");
        },
        record() {
          throw new Error("record");
        },
      },
    ],
  ])("that %s changes nothing: each hook runs exactly once", async (_, broken) => {
    const telemetry: Telemetry = { ...recording().telemetry, ...broken };
    const engine = makeEngine({
      telemetry,
      sources: [source("claude", claudeCommands("PreToolUse", ["exit 2"]))],
    });
    let calls = 0;
    engine.beforeToolCall("*", () => void calls++);
    const outcome = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(outcome.decision.kind).toBe("deny");
    expect(calls).toBe(1);
  });
});

describe("the OpenTelemetry adapter", () => {
  function fakeProvider() {
    const spans: { name: string; attributes: Attributes; events: string[]; ended: number }[] = [];
    const tracer = {
      startActiveSpan(name: string, options: { attributes: Attributes }, body: (span: OtelSpan) => unknown) {
        const told = { name, attributes: { ...options.attributes }, events: [] as string[], ended: 0 };
        spans.push(told);
        const span = {
          setAttribute: (key: string, value: string) => {
            told.attributes[key] = value;
          },
          addEvent: (event: string) => void told.events.push(event),
          end: () => void told.ended++,
        };
        return body(span as unknown as OtelSpan);
      },
    } as unknown as Tracer;
    const instruments: [string, string, number][] = [];
    const make = (kind: string) => (name: string) => ({
      add: (n: number) => void instruments.push([kind, name, n]),
      record: () => void instruments.push([kind, name, 0]),
    });
    const meter = {
      createCounter: make("counter"),
      createUpDownCounter: make("up-down"),
      createHistogram: make("histogram"),
    } as unknown as Meter;
    return { spans, instruments, tracer, meter };
  }

  it("opens a span per dispatch and run, ends each once, and uses the right instruments", async () => {
    const { spans, instruments, tracer, meter } = fakeProvider();
    const engine = makeEngine({
      telemetry: openTelemetry({ tracer, meter }),
      sources: [source("claude", claudeCommands("PreToolUse", ["exit 2"]))],
    });
    engine.beforeToolCall("*", () => undefined);
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(spans.map(({ name, ended }) => [name, ended])).toEqual([
      ["hooks.dispatch", 1],
      ["hooks.run", 1],
      ["hooks.run", 1],
    ]);
    expect(spans[0]?.attributes).toMatchObject({ "hooks.decision": "deny" });
    expect(instruments).toContainEqual(["up-down", "hooks.processes", 1]);
    expect(instruments).toContainEqual(["counter", "hooks.decisions", 1]);
    expect(instruments.map(([kind, name]) => `${kind} ${name}`)).toContain("histogram hooks.run.duration");
  });

  it("works with the global no-op providers", async () => {
    expect(trace.getTracer("x")).toBeDefined();
    const engine = makeEngine({
      telemetry: openTelemetry(),
      sources: [source("claude", claudeCommands("PreToolUse", ["exit 2"]))],
    });
    expect((await engine.dispatch("PreToolUse", BASH_CALL)).decision.kind).toBe("deny");
  });
});
