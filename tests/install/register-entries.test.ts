import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import {
  type EditedText,
  type EmptyContainers,
  HOST_IDS,
  HOSTS,
  type HostId,
  listEntries,
  type SettingsLayout,
  unregisterEntries,
} from "../../src/exports/hosts.ts";
import { type RegisteredText, registerEntries, wantedEntries } from "../../src/install/hook-entries.ts";
import type { Json, JsonObject } from "../../src/protocol/index.ts";
import { runs } from "../generated-inputs.ts";

const PROGRAM = "/home/ines/.amplihack/.claude/bin/amplihack-hooks";

function layoutOf(host: HostId): SettingsLayout {
  const { registration } = HOSTS[host];
  if (registration === undefined) throw new Error(`${host} takes no entries`);
  return registration.layout;
}

const claude = layoutOf("claude-code");
const wanted = wantedEntries("claude-code", { program: PROGRAM, isShared: true });

function register(text: string, host: HostId = "claude-code", program = PROGRAM): RegisteredText {
  const entries = wantedEntries(host, { program, isShared: host === "claude-code" });
  const result = registerEntries(text, layoutOf(host), entries);
  if (!result.ok) throw new Error(result.problem);
  return result;
}

function unregister(
  text: string,
  host: HostId = "claude-code",
  emptyBefore: EmptyContainers = {},
): EditedText {
  const result = unregisterEntries(text, layoutOf(host), { emptyBefore });
  if (!result.ok) throw new Error(result.problem);
  return result;
}

const read = (text: string) =>
  parse(text) as { hooks: Record<string, { hooks: JsonObject[] }[]> } & JsonObject;

describe("registering in an empty file", () => {
  it("writes every event in the order of the registry, readable, with a final newline", () => {
    const { text, added, isChanged } = register("");
    expect(isChanged).toBe(true);
    expect(added).toHaveLength(wanted.length);
    expect(text).toMatch(/^\{\n {2}"hooks": \{\n {4}"SessionStart": \[\n {6}\{\n/);
    expect(text.endsWith("}\n")).toBe(true);
    expect(Object.keys(read(text).hooks)).toEqual([
      "SessionStart",
      "Stop",
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
      "UserPromptSubmit",
      "PreCompact",
      "SessionEnd",
    ]);
    expect(read(text).hooks["PreToolUse"]).toEqual([
      { matcher: "*", hooks: [{ type: "command", command: `${PROGRAM} pre-tool-use`, timeout: 10 }] },
    ]);
    expect(read(text).hooks["UserPromptSubmit"]?.map(group => group.hooks[0]?.["command"])).toEqual([
      `${PROGRAM} workflow-classification-reminder`,
      `${PROGRAM} user-prompt-submit`,
    ]);
  });

  it.each([
    "codex",
    "gemini-cli",
    "qwen-code",
    "factory-droid",
    "augment",
    "goose",
    "amplifier-shell",
  ] as const)("works for %s, whose file has groups, too", host => {
    const { text } = register("{}", host);
    const entries = listEntries(text, layoutOf(host));
    expect(entries.ok && entries.entries.every(entry => entry.owned !== undefined)).toBe(true);
    expect(unregister(text, host)).toMatchObject({ text: "{}", isBare: true });
  });

  it("writes flat handlers and the version that Copilot and Cursor ask for", () => {
    for (const host of ["copilot-cli", "cursor"] as const) {
      const { text } = register("", host);
      const file = parse(text) as { version: number; hooks: Record<string, JsonObject[]> };
      expect(Object.keys(file)).toEqual(["version", "hooks"]);
      expect(file.version).toBe(1);
      for (const handlers of Object.values(file.hooks)) expect(handlers[0]).not.toHaveProperty("hooks");
      expect(unregister(text, host).isBare).toBe(true);
    }
  });

  it("writes groups on tool events and handlers elsewhere for Antigravity, under a name of ours", () => {
    const file = parse(register("", "antigravity").text) as JsonObject;
    expect(file).toEqual({
      amplihack: {
        Stop: [
          {
            type: "command",
            command: `${PROGRAM} stop --host antigravity --event Stop`,
            timeout: 120,
          },
        ],
        PreToolUse: [
          {
            matcher: ".*",
            hooks: [
              {
                type: "command",
                command: `${PROGRAM} pre-tool-use --host antigravity --event PreToolUse`,
                timeout: 10,
              },
            ],
          },
        ],
        PostToolUse: [
          {
            matcher: ".*",
            hooks: [
              {
                type: "command",
                command: `${PROGRAM} post-tool-use --host antigravity --event PostToolUse`,
                timeout: 10,
              },
            ],
          },
        ],
      },
    });
  });

  it("writes the event map at the top for Devin", () => {
    expect(Object.keys(parse(register("", "devin").text) as JsonObject)).toContain("PreToolUse");
  });
});

describe("registering under names, for AtomCode", () => {
  const named = (text: string) => parse(text) as { hooks: Record<string, JsonObject> };
  const guard = { event: "PreToolUse", matcher: "bash|edit_file", command: "./guard.sh" };

  it("writes one entry per hook, which says its event", () => {
    const { hooks } = named(register("", "atomcode").text);
    expect(hooks["amplihack-pre-tool-use-pre_tool_use"]).toEqual({
      event: "pre_tool_use",
      command: `${PROGRAM} pre-tool-use --host atomcode --event pre_tool_use`,
      timeout_ms: 10_000,
    });
    expect(Object.values(hooks).map(({ event }) => event)).toEqual([
      "session_start",
      "pre_tool_use",
      "post_tool_use",
      "user_prompt_submit",
      "user_prompt_submit",
      "session_end",
    ]);
  });

  it("leaves the entries of others, also one that has our name, and comes back byte for byte", () => {
    const text = JSON.stringify({ hooks: { guard, "amplihack-pre-tool-use-pre_tool_use": guard } }, null, 2);
    const { text: registered, emptyBefore } = register(text, "atomcode");
    const { hooks } = named(registered);
    expect(Object.keys(hooks).slice(0, 2)).toEqual(["guard", "amplihack-pre-tool-use-pre_tool_use"]);
    expect(hooks["amplihack-pre-tool-use-pre_tool_use"]).toEqual(guard);
    expect(hooks["amplihack-pre-tool-use-pre_tool_use-2"]).toMatchObject({ event: "pre_tool_use" });
    expect(register(registered, "atomcode").isChanged).toBe(false);
    expect(unregister(registered, "atomcode", emptyBefore).text).toBe(text);
    for (const before of ["{}\n", '{"hooks":{}}'])
      expect(
        unregister(register(before, "atomcode").text, "atomcode", register(before, "atomcode").emptyBefore)
          .text,
      ).toBe(before);
  });

  it("keeps a limit that a person raised, and replaces a program of an earlier place", () => {
    const text = register("", "atomcode").text.replace("10000", "20000");
    const moved = register(text, "atomcode", "/new/amplihack-hooks");
    const { hooks } = named(moved.text);
    expect(Object.keys(hooks)).toHaveLength(6);
    expect(moved.raisedTimeouts).toMatchObject([{ event: "session_start", timeout: 20_000 }]);
    expect(JSON.stringify(hooks)).not.toContain(PROGRAM);
  });
});

describe("registering beside others", () => {
  const foreign = '{"type":"command","command":"/work/amplihack-notes/check.sh"}';

  it("stands first and leaves the rest in its order", () => {
    const text = `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[${foreign}]}],"Other":[]}}`;
    const { hooks } = read(register(text).text);
    expect(hooks["PreToolUse"]?.map(group => group.hooks[0]?.["command"])).toEqual([
      `${PROGRAM} pre-tool-use`,
      "/work/amplihack-notes/check.sh",
    ]);
    expect(Object.keys(hooks).slice(0, 2)).toEqual(["PreToolUse", "Other"]);
  });

  it("changes nothing the second time", () => {
    for (const host of HOST_IDS) {
      const kind = HOSTS[host].registration?.layout.kind;
      if (kind !== "groups" && kind !== "flat" && kind !== "mixed") continue;
      const once = register('{\n\t"a": 1\n}', host);
      const twice = register(once.text, host);
      expect(twice).toMatchObject({ isChanged: false, added: [], removed: [], text: once.text });
    }
  });

  it("replaces entries of an earlier place or with another matcher, and duplicates", () => {
    const old = [
      { matcher: "Bash", hooks: [{ type: "command", command: "/old/bin/amplihack-hooks pre-tool-use" }] },
      { hooks: [{ type: "command", command: `${PROGRAM} pre-tool-use`, timeout: 10 }] },
      { hooks: [{ type: "command", command: "python3 ~/.claude/tools/amplihack/hooks/pre_tool_use.py" }] },
    ];
    const { text, removed } = register(JSON.stringify({ hooks: { PreToolUse: old } }));
    expect(removed).toHaveLength(3);
    expect(read(text).hooks["PreToolUse"]).toHaveLength(1);
  });

  it("moves its entry to the front of the event", () => {
    const ours = `{"matcher":"*","hooks":[{"type":"command","command":"${PROGRAM} pre-tool-use","timeout":10}]}`;
    const { text } = register(`{"hooks":{"PreToolUse":[{"hooks":[${foreign}]},${ours}]}}`);
    expect(read(text).hooks["PreToolUse"]?.[0]?.hooks[0]?.["command"]).toBe(`${PROGRAM} pre-tool-use`);
    expect(read(text).hooks["PreToolUse"]).toHaveLength(2);
  });

  it("takes only its own handler out of a mixed group", () => {
    const mixed = `{"matcher":"Bash","hooks":[{"command":"/x/amplihack-hooks pre-tool-use"},${foreign}]}`;
    const text = `{"hooks":{"PreToolUse":[${mixed}]}}`;
    expect(read(unregister(text).text).hooks["PreToolUse"]).toEqual([
      { matcher: "Bash", hooks: [JSON.parse(foreign)] },
    ]);
  });

  it("takes entries away from events it no longer uses", () => {
    const stale = `{"hooks":{"Notification":[{"hooks":[{"command":"/x/amplihack-hooks notification"}]}]}}`;
    expect(Object.keys(read(register(stale).text).hooks)).not.toContain("Notification");
  });

  it("keeps a limit that a person raised, and what they added to the entry", () => {
    const raised = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/x/amplihack-hooks stop","timeout":300,"statusMessage":"wait"}]}]}}`;
    const { text, raisedTimeouts } = register(raised);
    expect(raisedTimeouts).toEqual([{ event: "Stop", subcommand: "stop", timeout: 300 }]);
    expect(read(text).hooks["Stop"]).toEqual([
      {
        hooks: [{ type: "command", command: `${PROGRAM} stop`, timeout: 300, statusMessage: "wait" }],
      },
    ]);
    expect(register(text)).toMatchObject({ isChanged: false });
  });

  it("lowers no limit but its own", () => {
    const lowered = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"${PROGRAM} stop","timeout":5}]}]}}`;
    expect(read(register(lowered).text).hooks["Stop"]?.[0]?.hooks[0]?.["timeout"]).toBe(120);
  });

  it("leaves tools/xpia to its owner", () => {
    const xpia = "~/.claude/tools/xpia/hooks/pre_tool_use.py";
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [{ command: xpia }] }] } });
    expect(unregister(text)).toMatchObject({ isChanged: false, text });
    expect(read(register(text).text).hooks["PreToolUse"]?.[1]?.hooks[0]?.["command"]).toBe(xpia);
  });
});

describe("the text around", () => {
  it.each([
    ["nothing", "{}"],
    ["a blank", "{ }"],
    ["an empty line", "{\n}\n"],
    ["members", '{\n  "model": "opus",\n  "a": [1, 2]\n}\n'],
    ["tabs", '{\n\t"model": "opus"\n}'],
    ["four blanks", '{\n    "a": {\n        "b": 1\n    }\n}\n'],
    ["Windows line ends", '{\r\n  "a": 1\r\n}\r\n'],
    ["a byte order mark", '\uFEFF{\n  "a": 1\n}\n'],
    ["one line", '{"a":1,"b":{"c":[]}}'],
    ["no line end", '{"a":1}'],
    [
      "comments",
      '// top\n{\n  // first\n  "a": 1, // one\n  /* last */ "b": 2 // two\n  // end\n}\n// after\n',
    ],
    ["a trailing comma", '{\n  "a": 1,\n}\n'],
    [
      "other hooks",
      '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "command": "x" }] }\n    ]\n  }\n}\n',
    ],
    ["other hooks on one line", '{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]},"z":0}'],
    [
      "other hooks with comments",
      '{\n  "hooks": {\n    "Stop": [ // mine\n      {"hooks":[{"command":"x"}]}, // y\n    ], // s\n  },\n}\n',
    ],
    ["hooks in the middle", '{\n  "hooks": {\n    "Other": [{"hooks": []}]\n  },\n  "z": 1\n}\n'],
    ["a comment in an empty object", "{ // nothing yet\n}\n"],
    ["text that looks like a comment", '{\n  "a": "// no, /* no"\n}\n'],
  ])("comes back byte for byte after %s", (_, text) => {
    const { text: registered, emptyBefore } = register(text);
    expect(registered).not.toBe(text);
    expect(unregister(registered, "claude-code", emptyBefore).text).toBe(text);
  });

  it.each(['{"hooks":{}}', '{\n  "hooks": {\n    "Stop": []\n  }\n}\n', '{ "hooks": { "Stop": [ ] } }'])(
    "keeps containers that were empty before: %s",
    text => {
      const { text: registered, emptyBefore } = register(text);
      expect(unregister(registered, "claude-code", emptyBefore).text).toBe(text);
      expect(parse(unregister(registered).text)).toEqual({});
    },
  );

  it("never slips a member into a comment", () => {
    const text =
      '{"hooks":{"Stop":[ // mine\n {"hooks":[{"command":"/x/amplihack-hooks stop"}]}, {"hooks":[]}]}}';
    expect(parse(unregister(text).text)).toEqual({ hooks: { Stop: [{ hooks: [] }] } });
  });

  const settings = fc.dictionary(
    fc.constantFrom("a", "hooks", "model", "env"),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    { maxKeys: 3 },
  );
  const groups = fc.array(
    fc.record({
      matcher: fc.constantFrom("*", "Bash"),
      hooks: fc.array(
        fc.record({
          type: fc.constant("command"),
          command: fc.constantFrom("x", "y amplihack-hooks", "z.py"),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 3 },
  );
  const eventMaps = fc.dictionary(fc.constantFrom("Stop", "PreToolUse", "Notification"), groups);
  const styles = fc.constantFrom<readonly [string | number, string]>(
    [2, "\n"],
    ["\t", "\n"],
    [4, "\r\n"],
    [0, "\n"],
  );

  it("comes back byte for byte whatever it was", () => {
    fc.assert(
      fc.property(settings, eventMaps, styles, (others, hooks, [indent, eol]) => {
        const text = JSON.stringify({ ...others, hooks }, null, indent).replaceAll("\n", eol);
        const { text: registered, emptyBefore } = register(text);
        const before = parse(text) as { hooks: Record<string, Json[]> };
        const after = read(registered);
        for (const [event, list] of Object.entries(before.hooks))
          expect(after.hooks[event]?.slice(-list.length || undefined) ?? []).toEqual(
            list.length === 0 ? (after.hooks[event] ?? []) : list,
          );
        expect(register(registered).isChanged).toBe(false);
        expect(unregister(registered, "claude-code", emptyBefore).text).toBe(text);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("files that are left alone", () => {
  it.each([
    ['{"a":', 1, 6],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["[]", 1, 1],
    ['"text"', 1, 1],
    ["null", 1, 1],
    ['{\n  "hooks": []\n}', 2, 12],
    ['{"hooks":5}', 1, 10],
    ['{"hooks":{"Stop":{}}}', 1, 18],
    ['{"hooks":{},"hooks":{}}', 1, 21],
    ['{"hooks":{"Stop":[],"Stop":[]}}', 1, 28],
  ])("%j is refused with a place", (text, line, column) => {
    expect(registerEntries(text, claude, wanted)).toEqual({
      ok: false,
      problem: expect.any(String),
      line,
      column,
    });
  });

  it("are refused when nested too deeply to be read safely", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(registerEntries(deep, claude, wanted)).toMatchObject({ ok: false, problem: "nested too deeply" });
  });

  it("may hold odd things where we do not look", () => {
    const odd = '{"hooks":{"Other":5,"Notification":[null,"x",{"hooks":7},{"hooks":[null]}]}}';
    const { text, emptyBefore } = register(odd);
    expect(unregister(text, "claude-code", emptyBefore).text).toBe(odd);
  });
});
