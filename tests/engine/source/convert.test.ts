import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { convert, type Dialect } from "../../../src/exports/engine.ts";
import { runs } from "../../generated-inputs.ts";
import { makeEngine, source } from "../fixture.ts";

const listed = (dialect: Dialect, data: unknown) =>
  makeEngine({ sources: [source(dialect, data)] })
    .list()
    .map(({ event, matcher, summary, timeoutMs, onFailure }) => ({
      event,
      matcher,
      summary,
      timeoutMs,
      onFailure,
    }));

describe("converting configuration", () => {
  it("batuta to Claude settings", () => {
    const toml = '[[hooks]]\nevent = "PreToolUse"\nmatcher = "shell"\ncommand = "gate"\ntimeout_secs = 5\n';
    expect(convert("batuta", "claude", toml)).toEqual({
      data: {
        hooks: {
          PreToolUse: [{ matcher: ".*shell.*", hooks: [{ type: "command", command: "gate", timeout: 5 }] }],
        },
      },
      problems: [],
    });
  });

  it("Claude settings to atomcode, one entry per name", () => {
    const settings = {
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash|Edit",
            hooks: [{ type: "command", command: "gate", timeout: 5, onFailure: "block" }],
          },
        ],
      },
    };
    expect(convert("claude", "atomcode", settings)).toEqual({
      data: {
        hooks: {
          "PreToolUse-001": {
            event: "pre_tool_use",
            matcher: "Bash",
            command: "gate",
            timeout_ms: 5000,
            onFailure: "closed",
          },
          "PreToolUse-002": {
            event: "pre_tool_use",
            matcher: "Edit",
            command: "gate",
            timeout_ms: 5000,
            onFailure: "closed",
          },
        },
      },
      problems: [],
    });
  });

  it("atomcode to batuta, as TOML a manifest can hold", () => {
    const data = { hooks: { gate: { event: "pre_tool_use", matcher: "bash", command: "x" } } };
    const converted = convert("atomcode", "batuta", data);
    expect(parse(stringify(converted.data))).toEqual({
      hooks: [{ event: "PreToolUse", matcher: "bash", command: "x", timeout_secs: 10 }],
    });
    expect(converted.problems.map(({ code }) => code)).toEqual(["field-unknown"]);
  });

  it.each<[string, Dialect, unknown]>([
    [
      "an HTTP hook",
      "batuta",
      { hooks: { Stop: [{ hooks: [{ type: "http", url: "https://a.example" }] }] } },
    ],
    [
      "an event the other does not know",
      "atomcode",
      { hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } },
    ],
    [
      "an expression",
      "atomcode",
      { hooks: { PreToolUse: [{ matcher: "a.*b", hooks: [{ type: "command", command: "x" }] }] } },
    ],
    [
      "a condition",
      "batuta",
      { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "x", if: "Bash(y)" }] }] } },
    ],
    [
      "arguments",
      "batuta",
      { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "x", args: ["y"] }] }] } },
    ],
    [
      "async",
      "atomcode",
      { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "x", async: true }] }] } },
    ],
  ])("leaves out %s and says so", (_, to, data) => {
    const { problems, data: converted } = convert("claude", to, data);
    expect(problems).toMatchObject([
      { code: "handler-unsupported", detail: expect.stringContaining("left out") },
    ]);
    expect(Object.keys(converted["hooks"] ?? {})).toEqual([]);
  });

  it("loses nothing on the way to Claude settings and back", () => {
    const matcher = fc.option(fc.constantFrom("bash", "edit_*", "*", "", "foo*bar", "a b", "mcp__x__y"), {
      nil: undefined,
    });
    const entry = fc.record(
      {
        event: fc.constantFrom("pre_tool_use", "post_tool_use", "session_start", "user_prompt_submit"),
        matcher,
        command: fc.constantFrom("x", "y --z"),
        timeout_ms: fc.integer({ min: 1, max: 9 }).map(n => n * 1000),
        onFailure: fc.option(fc.constantFrom("open", "closed"), { nil: undefined }),
      },
      { requiredKeys: ["event", "command"] },
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), entries => {
        const hooks = Object.fromEntries(
          entries.map((value, index) => [`h${index}`, JSON.parse(JSON.stringify(value))]),
        );
        const there = convert("atomcode", "claude", { hooks });
        const back = convert("claude", "atomcode", there.data);
        expect([...there.problems, ...back.problems]).toEqual([]);
        const sorted = (data: unknown) =>
          listed("atomcode", data)
            .map(item =>
              JSON.stringify({
                ...item,
                matcher: item.matcher === "*" || !item.event.endsWith("ToolUse") ? undefined : item.matcher,
              }),
            )
            .toSorted();
        expect(sorted(back.data)).toEqual(sorted({ hooks }));
      }),
      { numRuns: runs(50) },
    );
  });

  it("matches what the original matched", () => {
    const subject = fc.constantFrom(
      "bash",
      "bash_extra",
      "edit",
      "edit_file",
      "foo*bar",
      "",
      "mcp__a__b",
      "x.y",
    );
    const cases: [Dialect, string][] = [
      ["atomcode", "bash"],
      ["atomcode", "edit_*"],
      ["atomcode", ""],
      ["atomcode", "foo*bar"],
      ["atomcode", "x.y"],
      ["batuta", "ash"],
      ["batuta", "x.y"],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...cases), subject, ([dialect, matcher], name) => {
        const entry = { event: dialect === "batuta" ? "PreToolUse" : "pre_tool_use", matcher, command: "x" };
        const data = dialect === "batuta" ? { hooks: [entry] } : { hooks: { a: entry } };
        const has = (kind: Dialect, value: unknown) =>
          makeEngine({ sources: [source(kind, value)] }).has("PreToolUse", name);
        expect(has("claude", convert(dialect, "claude", data).data)).toBe(has(dialect, data));
      }),
      { numRuns: runs(100) },
    );
  });

  it("does not carry a matcher to where it would mean something else", () => {
    const ignored = { hooks: { a: { event: "session_start", matcher: "bash", command: "x" } } };
    expect(convert("atomcode", "claude", ignored).data).toEqual({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: "x", timeout: 10 }] }] },
    });
    const meant = {
      hooks: { SessionStart: [{ matcher: "resume", hooks: [{ type: "command", command: "x" }] }] },
    };
    expect(convert("claude", "atomcode", meant).problems).toMatchObject([{ code: "handler-unsupported" }]);
  });

  it("gives a broken file back as problems and nothing else", () => {
    expect(convert("claude", "batuta", "{")).toMatchObject({
      data: { hooks: [] },
      problems: [{ code: "config-malformed" }],
    });
  });
});
