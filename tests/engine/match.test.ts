import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Dialect, SOURCE_KINDS } from "../../src/engine/options.ts";
import { describeEvent, type JsonObject } from "../../src/exports/engine.ts";
import { compileMatcher, isMatch, matchSubject } from "../../src/handlers/match.ts";
import { runs } from "../generated-inputs.ts";
import { makeEngine, source } from "./fixture.ts";

const PRE = describeEvent("PreToolUse");
function matches(text: string | undefined, subject: string, dialect: Dialect = "claude"): boolean {
  const compiled = compileMatcher(dialect, text, PRE);
  if (!compiled.ok) throw new Error(compiled.problem);
  return isMatch(compiled.matcher, [subject]);
}

describe("matchers of the Claude dialect", () => {
  it.each<[string | undefined, string, boolean]>([
    [undefined, "Bash", true],
    ["", "Bash", true],
    ["*", "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Edit|Write", "Write", true],
    ["Edit, Write", "Write", true],
    ["Edit|Write", "MultiEdit", false],
    ["my-tool", "my-tool", true],
    ["my-tool", "my-tool-2", false],
    ["Edit.*", "MultiEdit", true],
    ["^Edit$", "MultiEdit", false],
    ["mcp__files", "mcp__files__read", false],
    ["mcp__files__.*", "mcp__files__read", true],
    ["mcp__files__read", "mcp__files__read", true],
  ])("%s against %s is %s", (text, subject, expected) => {
    expect(matches(text, subject)).toBe(expected);
  });

  it("18: a list of exact names is membership in the split set, in any order and however often", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 5 }),
        name,
        fc.constantFrom("|", ",", " | ", ", "),
        (names, other, glue) => {
          const set = new Set(names);
          for (const list of [names, names.toReversed(), [...names, ...names]])
            for (const subject of [...names, other])
              expect(matches(list.join(glue), subject)).toBe(set.has(subject));
        },
      ),
    );
  });

  it("19: an anchored pattern of an escaped name is equality", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12 }), fc.string({ maxLength: 12 }), (name, other) => {
        const pattern = `^${name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$`;
        expect(matches(pattern, name)).toBe(true);
        expect(matches(pattern, other)).toBe(other === name);
      }),
    );
  });

  it("looks at 512 characters of a subject and refuses patterns over 1024", () => {
    expect(matches("^a+b?$", "a".repeat(512))).toBe(true);
    expect(matches("b$", `${"a".repeat(512)}b`)).toBe(false);
    expect(compileMatcher("claude", `(${"a".repeat(1022)})`, PRE).ok).toBe(true);
    expect(compileMatcher("claude", `(${"a".repeat(1023)})`, PRE).ok).toBe(false);
  });

  it("an expression with flags of the host's own keeps no state between calls", async () => {
    const engine = makeEngine();
    let calls = 0;
    engine.beforeToolCall(/bash/gi, () => void calls++);
    for (const tool_name of ["Bash", "xbash", "bash"])
      await engine.dispatch("PreToolUse", { tool_name, tool_input: {} });
    expect(calls).toBe(3);
  });
});

describe("subjects", () => {
  it.each<[string, JsonObject, string]>([
    ["PreToolUse", { tool_name: "Bash" }, "Bash"],
    ["SessionStart", { source: "resume" }, "resume"],
    ["FileChanged", { file_path: "/a/b/.env" }, ".env"],
    ["Stop", { tool_name: "Bash" }, ""],
    ["PreToolUse", {}, ""],
    ["PreToolUse", { tool_name: 7 }, ""],
  ])("%s %j is %s", (event, payload, expected) => {
    expect(matchSubject(describeEvent(event), payload)).toBe(expected);
  });

  it("an event without a subject ignores the matcher and says so", () => {
    const data = { hooks: { Stop: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] } };
    const engine = makeEngine({ sources: [source("claude", data)] });
    expect(engine.has("Stop", "anything")).toBe(true);
    expect(engine.report.warnings).toMatchObject([{ code: "matcher-ignored" }]);
  });

  it("aliases fire a handler once and the payload keeps its own name", async () => {
    const data = {
      hooks: {
        PreToolUse: [
          { matcher: "Write|Edit|apply_patch", hooks: [{ type: "command", command: "cat >&2; exit 2" }] },
        ],
      },
    };
    const engine = makeEngine({
      sources: [source("claude", data)],
      aliases: tool => (tool === "apply_patch" ? ["Write", "Edit"] : []),
    });
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "apply_patch", tool_input: {} });
    expect(outcome.runs).toHaveLength(1);
    expect(outcome.decision).toMatchObject({ reason: expect.stringContaining('"tool_name":"apply_patch"') });
    expect(engine.has("PreToolUse", "other")).toBe(false);
  });

  it("aliases that throw make nothing match less than the name itself", async () => {
    const data = {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2" }] }] },
    };
    const aliases = () => {
      throw new Error("broken");
    };
    const engine = makeEngine({ sources: [source("claude", data)], aliases });
    expect((await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} })).decision.kind).toBe(
      "deny",
    );
  });
});

describe("plans", () => {
  const matcher = fc.constantFrom(undefined, "*", "a", "b", "a|b", "^a", "b$", "c");
  const dialect = fc.constantFrom<Dialect>("claude", "batuta");
  const handlers = fc.array(fc.record({ matcher, dialect, kind: fc.constantFrom(...SOURCE_KINDS) }), {
    maxLength: 12,
  });

  function build(
    list: readonly { matcher: string | undefined; dialect: Dialect; kind: (typeof SOURCE_KINDS)[number] }[],
  ) {
    const sources = list.map((item, index) => {
      const common = item.matcher === undefined ? {} : { matcher: item.matcher };
      const command = `echo ${index}`;
      const data =
        item.dialect === "claude"
          ? { hooks: { PreToolUse: [{ ...common, hooks: [{ type: "command", command }] }] } }
          : { hooks: [{ event: "PreToolUse", ...common, command }] };
      return source(item.dialect, data, { kind: item.kind });
    });
    return makeEngine({ sources });
  }

  it("20-22: hold what a scan of all handlers would find, in fold order, and `has` says whether that is anything", () => {
    fc.assert(
      fc.property(handlers, fc.constantFrom("a", "b", "ab", "c", "d", ""), (list, subject) => {
        const engine = build(list);
        const ranked = list
          .map((item, index) => ({ ...item, index }))
          .toSorted(
            (left, right) =>
              SOURCE_KINDS.indexOf(left.kind) - SOURCE_KINDS.indexOf(right.kind) || left.index - right.index,
          );
        const scanned = ranked.filter(item => {
          const compiled = compileMatcher(item.dialect, item.matcher, PRE);
          return compiled.ok && isMatch(compiled.matcher, [subject]);
        });
        const planned = engine.preview("PreToolUse", { tool_name: subject });
        expect(planned.map(({ summary }) => summary)).toEqual(scanned.map(({ index }) => `echo ${index}`));
        expect(engine.has("PreToolUse", subject)).toBe(scanned.length > 0);
      }),
      { numRuns: runs(60) },
    );
  });

  it("stay bounded however many subjects come by", () => {
    const engine = makeEngine({
      sources: [
        source("claude", {
          hooks: { PreToolUse: [{ matcher: "^a", hooks: [{ type: "command", command: "true" }] }] },
        }),
      ],
    });
    for (let index = 0; index < 2000; index++)
      expect(engine.has("PreToolUse", `${index % 2 === 0 ? "a" : "b"}${index}`)).toBe(index % 2 === 0);
    expect(engine.has("PreToolUse", "a0")).toBe(true);
  });
});
