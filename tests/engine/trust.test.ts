import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HookSource, JsonObject, TrustState, TrustStore } from "../../src/exports/engine.ts";
import { runs } from "../generated-inputs.ts";
import { claudeCommands, makeEngine, source, temporaryFolder } from "./fixture.ts";

const CALL = { tool_name: "Bash", tool_input: {} };
const identityOf = (data: unknown, more: Partial<HookSource> = {}) =>
  makeEngine({ sources: [source("claude", data, more)] }).list()[0]?.identity;
const handler = (entry: JsonObject, matcher = "Bash") => ({
  hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: "x", ...entry }] }] },
});

/** A store that agrees to what it was told, and counts what it is asked. */
function storeOf(states: Readonly<Record<string, TrustState>>, otherwise: TrustState = "untrusted") {
  const asked: string[] = [];
  const store: TrustStore = {
    state(identity) {
      asked.push(identity);
      return states[identity] ?? otherwise;
    },
  };
  return { store, asked };
}

describe("the identity of a handler", () => {
  it("38: does not depend on key order, blanks, position, file or format", () => {
    const shuffled = (object: JsonObject, order: readonly number[]) =>
      Object.fromEntries(
        Object.entries(object).toSorted(
          ([left], [right]) => (order[left.length] ?? 0) - (order[right.length] ?? 0),
        ),
      );
    const entry = {
      type: "command",
      command: "check --all",
      timeout: 7,
      onFailure: "closed",
      env: { A: "1", B: "2" },
    };
    const plain = identityOf({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [entry] }] } });
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 12, maxLength: 12 }),
        fc.nat({ max: 3 }),
        fc.nat({ max: 4 }),
        (order, before, indent) => {
          const others = Array.from({ length: before }, (_, index) => ({
            hooks: [{ type: "command", command: `other ${index}` }],
          }));
          const data = {
            hooks: { PreToolUse: [...others, { hooks: [shuffled(entry, order)], matcher: "Bash" }] },
          };
          const sources = [
            source("claude", JSON.stringify(data, null, indent), { path: `/somewhere/${before}` }),
          ];
          expect(makeEngine({ sources }).list().at(-1)?.identity).toBe(plain);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it("38: changes with everything that has a meaning", () => {
    const variants: JsonObject[] = [
      {},
      { command: "y" },
      { args: [] },
      { args: ["a"] },
      { shell: "bash" },
      { env: { A: "1" } },
      { env: { A: "2" } },
      { timeout: 5 },
      { onFailure: "closed" },
      { async: true },
      { asyncRewake: true },
      { once: true },
      { if: "Bash(x)" },
      { type: "http", url: "https://a.example" },
      { type: "http", url: "https://b.example" },
      { type: "http", url: "https://a.example", headers: { A: "1" } },
      { type: "http", url: "https://a.example", headers: { A: "2" } },
    ];
    const identities = [
      ...variants.map(entry => identityOf(handler(entry))),
      identityOf(handler({}, "Edit")),
      identityOf(claudeCommands("PostToolUse", ["x"], "Bash")),
      identityOf(handler({}), { pluginId: "p" }),
      makeEngine({
        sources: [
          source("batuta", {
            hooks: [{ event: "PreToolUse", matcher: "Bash", command: "x", timeout_secs: 600 }],
          }),
        ],
      }).list()[0]?.identity,
    ];
    expect(new Set(identities).size).toBe(identities.length);
  });

  it("39: survives a reload of equal sources, and so do the listings", () => {
    const sources = [
      source("claude", handler({ timeout: 3 })),
      source("batuta", { hooks: [{ event: "Stop", command: "x" }] }, { kind: "user" }),
    ];
    const engine = makeEngine({ sources });
    const before = engine.list();
    expect(engine.reload(structuredClone(sources))).toEqual(engine.report);
    expect(engine.list()).toEqual(before);
  });

  it("with pinned scripts holds the content of the first file the command names in the project", () => {
    const projectDir = temporaryFolder();
    mkdirSync(join(projectDir, "tools"));
    writeFileSync(join(projectDir, "tools", "gate.sh"), "exit 0");
    const outside = join(temporaryFolder(), "outside.sh");
    writeFileSync(outside, "exit 0");
    symlinkSync(outside, join(projectDir, "link.sh"));
    const pinned = (command: string, pinScripts = true, more: JsonObject = {}) =>
      makeEngine({
        projectDir,
        pinScripts,
        sources: [source("claude", handler({ command, ...more }))],
      }).list()[0]?.identity;
    const forms: [string, JsonObject][] = [
      ["sh tools/gate.sh --fast", {}],
      ['"$CLAUDE_PROJECT_DIR"/tools/gate.sh', {}],
      ["sh ${CLAUDE_PROJECT_DIR}/tools/gate.sh; true", {}],
      ["sh", { args: ["${CLAUDE_PROJECT_DIR}/tools/gate.sh"] }],
    ];
    const before = forms.map(([command, more]) => pinned(command, true, more));
    const loose = pinned("sh tools/gate.sh --fast", false);
    const elsewhere = pinned("sh link.sh");
    writeFileSync(join(projectDir, "tools", "gate.sh"), "exit 1");
    writeFileSync(outside, "exit 1");
    forms.forEach(([command, more], index) => {
      expect(pinned(command, true, more)).not.toBe(before[index]);
    });
    expect(pinned("sh tools/gate.sh --fast", false)).toBe(loose);
    expect(pinned("sh link.sh")).toBe(elsewhere);
  });
});

describe("trust", () => {
  const data = handler({ command: "exit 2" });

  it.each<[TrustState, boolean]>([
    ["trusted", true],
    ["managed", true],
    ["modified", false],
    ["untrusted", false],
  ])("a handler that is %s runs: %s", async (state, doesRun) => {
    const engine = makeEngine({ sources: [source("claude", data)], trust: storeOf({}, state).store });
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe(doesRun ? "deny" : "none");
    expect(engine.list()).toMatchObject([{ trust: state, enabled: doesRun }]);
    expect(engine.report.warnings.map(({ code }) => code)).toEqual(doesRun ? [] : ["trust-refused"]);
  });

  it("asks nobody about managed policy, which always runs", async () => {
    const { store, asked } = storeOf({});
    const engine = makeEngine({ sources: [source("claude", data, { kind: "managed" })], trust: store });
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("deny");
    expect(asked).toEqual([]);
    expect(engine.list()).toMatchObject([{ trust: "managed" }]);
  });

  it("a store that throws or answers nonsense trusts nothing", () => {
    const throwing: TrustStore = {
      state() {
        throw new Error("disk full");
      },
    };
    const nonsense = storeOf({}, "yes" as TrustState).store;
    for (const trust of [throwing, nonsense])
      expect(makeEngine({ sources: [source("claude", data)], trust }).report.handlers).toBe(0);
  });

  it("one decision holds for equal handlers wherever they stand, and ends with any change", () => {
    const identity = identityOf(data) ?? "";
    const { store } = storeOf({ [identity]: "trusted" }, "modified");
    const twice = [source("claude", data), source("claude", data, { kind: "user" })];
    expect(makeEngine({ sources: twice, trust: store }).report.handlers).toBe(2);
    expect(
      makeEngine({ sources: [source("claude", handler({ command: "exit 2 " }))], trust: store }).report
        .handlers,
    ).toBe(0);
  });

  it("40: nothing of an untrusted source is executed, compiled or allowed to disable anything", async () => {
    const guard = source("claude", claudeCommands("PreToolUse", ["exit 2"]), { kind: "user" });
    const named = source(
      "atomcode",
      { hooks: { gate: { event: "pre_tool_use", command: `echo '{"action":"block","reason":"gate"}'` } } },
      { kind: "user" },
    );
    const trust: TrustStore = { state: (_, { kind }) => (kind === "project" ? "untrusted" : "trusted") };
    const hostile = fc.constantFrom<HookSource>(
      source("claude", { disableAllHooks: true }),
      source("claude", { allowManagedHooksOnly: true }),
      source("claude", {
        disableAllHooks: true,
        hooks: { PreToolUse: [{ matcher: "(((", hooks: [{ type: "command", command: "touch executed" }] }] },
      }),
      source("claude", handler({ command: "touch executed", if: "((" })),
      source("atomcode", { hooks: { gate: { event: "pre_tool_use", command: "touch executed" } } }),
      source("atomcode", { hooks: { gate: { event: "pre_tool_use", command: "x", disabled: true } } }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 3 }), async sources => {
        const engine = makeEngine({ sources: [guard, ...sources, named], trust });
        expect(engine.report).toMatchObject({ handlers: 2, errors: [] });
        const outcome = await engine.dispatch("PreToolUse", CALL);
        expect(outcome.decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("gate") });
        expect(outcome.runs.map(({ status }) => status)).toEqual(["blocked", "blocked"]);
      }),
      { numRuns: runs(12) },
    );
  });
});

describe("switching hooks off", () => {
  const user = source("claude", claudeCommands("PreToolUse", ["exit 2"]), { kind: "user" });
  const managed = source("claude", claudeCommands("PreToolUse", ["exit 2"]), { kind: "managed" });
  const enabled = (...sources: HookSource[]) =>
    makeEngine({ sources })
      .list()
      .map(({ source: kind, enabled: isOn }) => [kind, isOn]);

  it("disableAllHooks removes all but managed handlers", () => {
    expect(enabled(user, managed, source("claude", { disableAllHooks: true }))).toEqual([
      ["user", false],
      ["managed", true],
    ]);
  });
  it("managed policy may switch everything off", () => {
    expect(enabled(user, managed, source("claude", { disableAllHooks: true }, { kind: "managed" }))).toEqual([
      ["user", false],
      ["managed", false],
    ]);
  });
  it("allowManagedHooksOnly counts inside a managed source alone", () => {
    expect(enabled(user, managed, source("claude", { allowManagedHooksOnly: true }))).toEqual([
      ["user", true],
      ["managed", true],
    ]);
    expect(
      enabled(user, managed, source("claude", { allowManagedHooksOnly: true }, { kind: "managed" })),
    ).toEqual([
      ["user", false],
      ["managed", true],
    ]);
  });
  it("functions of the host's own code stay", async () => {
    const engine = makeEngine({ sources: [source("claude", { disableAllHooks: true })] });
    engine.beforeToolCall("*", () => ({ block: true, reason: "mine" }));
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("deny");
  });
});

describe("a snapshot", () => {
  it("is not changed by what happens to the data afterwards, until a reload", async () => {
    const data = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } };
    const engine = makeEngine({ sources: [source("claude", data)] });
    data.hooks.PreToolUse = [];
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("deny");
    engine.reload([source("claude", data)]);
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("none");
  });

  it("serves a dispatch that began before a reload to its end", async () => {
    const engine = makeEngine({
      sources: [source("claude", claudeCommands("PreToolUse", ["sleep 0.2; exit 2"]))],
    });
    const running = engine.dispatch("PreToolUse", CALL);
    engine.reload([]);
    expect((await running).decision.kind).toBe("deny");
    expect(engine.has("PreToolUse")).toBe(false);
  });
});
