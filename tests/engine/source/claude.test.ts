import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES, HookLoadError, type JsonObject } from "../../../src/exports/engine.ts";
import { claudeCommands, makeEngine, source } from "../fixture.ts";

const load = (data: unknown, more = {}) => makeEngine({ sources: [source("claude", data, more)] });
const problems = (data: unknown) => {
  const { errors, warnings } = load(data).report;
  return [...errors, ...warnings].map(({ code }) => code);
};
const handler = (entry: unknown, event = "PreToolUse") => ({ hooks: { [event]: [{ hooks: [entry] }] } });
const GOOD = { type: "command", command: "true" };

describe("Claude settings", () => {
  it("load groups and handlers in their order", () => {
    const data = {
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash",
            hooks: [
              { type: "command", command: "one" },
              { type: "command", command: "two" },
            ],
          },
          { hooks: [{ type: "command", command: "three", timeout: 5 }] },
        ],
      },
    };
    expect(
      load(data)
        .list()
        .map(({ id, summary, timeoutMs }) => [id, summary, timeoutMs]),
    ).toEqual([
      ["project:PreToolUse[0].0", "one", 600_000],
      ["project:PreToolUse[0].1", "two", 600_000],
      ["project:PreToolUse[1].0", "three", 5000],
    ]);
  });

  it("may hold comments, trailing commas and a byte order mark", () => {
    const data = `\uFEFF// policy\n{ "hooks": { /* before */ "PreToolUse": [ { "hooks": [ ${JSON.stringify(GOOD)}, ], }, ], }, }`;
    expect(load(data).report).toEqual({ handlers: 1, errors: [], warnings: [] });
  });

  it("may be TOML, with the same identity", () => {
    const toml =
      '[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "x"\ntimeout = 3\n';
    const json = {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ timeout: 3, command: "x", type: "command" }] }] },
    };
    expect(load(toml).list()[0]?.identity).toBe(load(json).list()[0]?.identity);
  });

  it("are not ours beyond the hooks", () => {
    expect(load({ permissions: { allow: [] }, model: "x", env: {} }).report).toEqual({
      handlers: 0,
      errors: [],
      warnings: [],
    });
  });

  it.each<[string, unknown, string[]]>([
    ["text that is neither JSON nor TOML", "not valid json", ["config-malformed"]],
    ["half a document", '{"hooks":', ["config-malformed"]],
    ["two documents", "{} {}", ["config-malformed"]],
    ["a file that could not be read", new Error("EACCES"), ["config-unreadable"]],
    ["a function", () => 1, ["config-unreadable"]],
    ["a list", [], ["config-shape"]],
    ["hooks that are no object", { hooks: [] }, ["config-shape"]],
    ["events outside of hooks", { PreToolUse: [] }, ["config-shape"]],
    ["an event that is no list", { hooks: { PreToolUse: {} } }, ["config-shape"]],
    ["a group that is null", { hooks: { PreToolUse: [null] } }, ["config-shape"]],
    ["a group without hooks", { hooks: { PreToolUse: [{ matcher: "x" }] } }, ["config-shape"]],
    [
      "a matcher that is no text",
      { hooks: { PreToolUse: [{ matcher: 7, hooks: [GOOD] }] } },
      ["config-shape"],
    ],
    ["a handler that is no object", handler("x"), ["handler-invalid"]],
    ["a handler without a type", handler({ command: "x" }), ["handler-type-unknown"]],
    ["a handler of an unknown type", handler({ type: "magic" }), ["handler-type-unknown"]],
    ["a prototype's name as type", handler({ type: "constructor" }), ["handler-type-unknown"]],
    ["a command without a command", handler({ type: "command" }), ["handler-invalid"]],
    ["a blank command", handler({ type: "command", command: "  " }), ["handler-invalid"]],
    ["arguments that are no texts", handler({ ...GOOD, args: [1] }), ["handler-invalid"]],
    ["an unknown shell", handler({ ...GOOD, shell: "fish" }), ["handler-invalid"]],
    ["an environment of numbers", handler({ ...GOOD, env: { A: 1 } }), ["handler-invalid"]],
    ["an unreadable URL", handler({ type: "http", url: "::" }), ["handler-invalid"]],
    ["a broken matcher", { hooks: { PreToolUse: [{ matcher: "(", hooks: [GOOD] }] } }, ["matcher-invalid"]],
    ["an unknown event", handler(GOOD, "BeforeLunch"), ["event-unknown"]],
    ["an unknown field", handler({ ...GOOD, colour: "red" }), ["field-unknown"]],
    ["a flag that is no flag", handler({ ...GOOD, async: "yes" }), ["field-unknown"]],
    [
      "a server instead of a tool",
      { hooks: { PreToolUse: [{ matcher: "mcp__files", hooks: [GOOD] }] } },
      ["matcher-mcp-prefix"],
    ],
    [
      "an MCP tool without a delegate",
      handler({ type: "mcp_tool", server: "s", tool: "t" }),
      ["handler-unsupported"],
    ],
    ["a prompt without a delegate", handler({ type: "prompt", prompt: "p" }), ["handler-unsupported"]],
    ["an agent without a delegate", handler({ type: "agent", prompt: "p" }), ["handler-unsupported"]],
  ])("report %s", (_, data, codes) => {
    expect(problems(data)).toEqual(codes);
  });

  it("confine a problem to the smallest thing it touches", () => {
    const data = {
      hooks: {
        PreToolUse: [null, { hooks: [{ type: "magic" }, GOOD, null] }, { matcher: "(", hooks: [GOOD] }],
        PostToolUse: 7,
        Stop: [{ hooks: [GOOD] }],
      },
    };
    expect(
      load(data)
        .list()
        .map(({ id }) => id),
    ).toEqual(["project:PreToolUse[1].1", "project:Stop[0].0"]);
    expect(problems(data)).toEqual([
      "config-shape",
      "handler-type-unknown",
      "handler-invalid",
      "config-shape",
      "matcher-invalid",
    ]);
  });

  it("an unknown event loads with a warning and can be dispatched, deciding nothing", async () => {
    const engine = load(handler({ type: "command", command: "exit 2" }, "BeforeLunch"));
    expect(engine.report).toMatchObject({ handlers: 1, warnings: [{ code: "event-unknown" }] });
    expect(await engine.dispatch("BeforeLunch", {})).toMatchObject({
      decision: { kind: "none" },
      runs: [{ status: "blocked" }],
    });
  });

  it("the host may declare an event of its own with any power", async () => {
    const event = {
      name: "BeforeLunch",
      subject: "dish",
      power: "veto",
      text: "ignored",
      rewrites: [],
      timeoutMs: 1000,
      requiresTool: false,
    } as const;
    const data = {
      hooks: { BeforeLunch: [{ matcher: "soup", hooks: [{ type: "command", command: "exit 2" }] }] },
    };
    const engine = makeEngine({ events: [event], sources: [source("claude", data)] });
    expect(engine.report).toEqual({ handlers: 1, errors: [], warnings: [] });
    expect((await engine.dispatch("BeforeLunch", { dish: "soup" })).decision.kind).toBe("deny");
    expect((await engine.dispatch("BeforeLunch", { dish: "bread" })).decision.kind).toBe("none");
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5", null])(
    "a timeout of %s is refused and the default counts",
    timeout => {
      const engine = load(handler({ ...GOOD, timeout }));
      expect(engine.list()[0]?.timeoutMs).toBe(600_000);
      expect(engine.report.warnings).toMatchObject([{ code: "timeout-invalid" }]);
    },
  );

  it.each<[string, string, number]>([
    ["command", "PreToolUse", 600_000],
    ["command", "UserPromptSubmit", 30_000],
    ["command", "SessionEnd", 1500],
    ["command", "MessageDisplay", 10_000],
    ["prompt", "PreToolUse", 30_000],
    ["agent", "PreToolUse", 60_000],
  ])("a %s on %s has %d ms by default", (type, event, timeoutMs) => {
    const delegates = { prompt: async () => "", agent: async () => "" };
    const entry = { type, command: "true", prompt: "?" };
    const engine = makeEngine({ delegates, sources: [source("claude", handler(entry, event))] });
    expect(engine.list()[0]?.timeoutMs).toBe(timeoutMs);
  });

  it("a timeout beyond what a timer can hold is clamped, and one at the end of a session more so", () => {
    expect(load(handler({ ...GOOD, timeout: 1e12 })).list()[0]?.timeoutMs).toBe(2_147_483_647);
    expect(load(handler({ ...GOOD, timeout: 600 }, "SessionEnd")).list()[0]?.timeoutMs).toBe(60_000);
  });

  it.each<[unknown, string]>([
    ["block", "closed"],
    ["continue", "open"],
    ["open", "open"],
    ["ask", "ask"],
    ["closed", "closed"],
    ["bloc", "closed"],
    [7, "closed"],
  ])("onFailure %s counts as %s", (onFailure, policy) => {
    expect(load(handler({ ...GOOD, onFailure })).list()[0]?.onFailure).toBe(policy);
  });

  it("36: any JSON value loads without throwing, and every entry is a handler or a problem", () => {
    const entry = fc.oneof(
      fc.constant<unknown>(GOOD),
      fc.record({
        type: fc.constantFrom("command", "http", "prompt", "x"),
        command: fc.string(),
        url: fc.string(),
      }),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const config = fc.dictionary(
      fc.constantFrom("PreToolUse", "Stop", "Nope"),
      fc.array(fc.array(entry, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(config, events => {
        const hooks = Object.fromEntries(
          Object.entries(events).map(([name, groups]) => [name, groups.map(list => ({ hooks: list }))]),
        );
        const engine = load({ hooks });
        const entries = Object.values(events).flat(2).length;
        const { handlers, errors, warnings } = engine.report;
        const unsupported = warnings.filter(({ code }) => code === "handler-unsupported").length;
        expect(handlers + errors.length + unsupported).toBe(entries);
      }),
    );
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom("claude" as const, "batuta" as const, "atomcode" as const),
        (data, dialect) => {
          const { report } = makeEngine({
            sources: [source(dialect, data), source(dialect, JSON.stringify(data))],
          });
          for (const { code } of [...report.errors, ...report.warnings])
            expect(DIAGNOSTIC_CODES).toContain(code);
        },
      ),
    );
  });

  it("37: a broken source changes nothing of what another contributes", () => {
    const good = claudeCommands("PreToolUse", ["true"], "Bash");
    const alone = load(good)
      .list()
      .map(({ identity, event, matcher }) => ({ identity, event, matcher }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string()), fc.boolean(), (broken, isFirst) => {
        const sources = [source("claude", good), source("claude", broken, { kind: "user" })];
        const engine = makeEngine({ sources: isFirst ? sources.toReversed() : sources });
        const ours = engine.list().filter(({ source: kind }) => kind === "project");
        expect(ours.map(({ identity, event, matcher }) => ({ identity, event, matcher }))).toEqual(alone);
      }),
    );
  });
});

describe("what refuses to start", () => {
  const broken: JsonObject = { hooks: { PreToolUse: [{ matcher: "(", hooks: [GOOD] }] } };

  it("strict: any load error", () => {
    expect(() => makeEngine({ strict: true, sources: [source("claude", broken)] })).toThrow(HookLoadError);
    expect(() =>
      makeEngine({ strict: true, sources: [source("claude", handler(GOOD, "Nope"))] }),
    ).not.toThrow();
  });

  it.each<[string, unknown]>([
    ["an invalid matcher", broken],
    ["an empty command", handler({ type: "command", command: "" })],
    ["an unsupported kind", handler({ type: "prompt", prompt: "?" })],
    ["an unknown kind", handler({ type: "magic" })],
    ["a malformed file", "{"],
  ])("managed policy with %s", (_, data) => {
    expect(() => makeEngine({ sources: [source("claude", data, { kind: "managed" })] })).toThrow(
      HookLoadError,
    );
  });

  it("a reload that is refused leaves the old hooks in force", async () => {
    const engine = load(claudeCommands("PreToolUse", ["exit 2"]));
    expect(() => engine.reload([source("claude", broken, { kind: "managed" })])).toThrow(/matcher-invalid/);
    expect((await engine.dispatch("PreToolUse", { tool_name: "x", tool_input: {} })).decision.kind).toBe(
      "deny",
    );
  });

  it("options that make no sense", () => {
    expect(() => makeEngine({ maxProcesses: 0 })).toThrow(/maxProcesses/);
    expect(() => makeEngine({ limits: { stdoutBytes: -1 } })).toThrow(/stdoutBytes/);
    expect(() => makeEngine({ limits: { jsonDepth: Number.NaN } })).toThrow(/jsonDepth/);
    expect(() => makeEngine({ stopBlockCap: Number.NaN })).toThrow(/stopBlockCap/);
    expect(() => makeEngine({ grace: { killMs: -1 } })).toThrow(/killMs/);
    expect(() => makeEngine({ projectDir: "" })).toThrow(/projectDir/);
  });
});
