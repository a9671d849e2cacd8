import { describe, expect, it } from "vitest";
import { callProgram } from "./call-program.ts";

// Depth, size, kind and encoding of a tool's input, the event word and the host on the command line are no way around
// the guard: what can be read is judged, what cannot be read is asked about.

const DANGER = { command: "rm -rf ~" };
const HOME = { HOME: "/home/user" };

async function decisionOf(words: readonly string[], payload: unknown): Promise<unknown> {
  const stdin = typeof payload === "string" ? payload : JSON.stringify(payload);
  const { stdout, telemetry } = await callProgram(["pre-tool-use", ...words], { stdin, env: HOME });
  return [
    stdout.match(/"(?:permissionDecision|decision|permission)":"(\w+)"/)?.[1] ?? stdout.trim(),
    telemetry["result"],
  ];
}

const call = (more: object) => ({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  cwd: "/home/user/p",
  ...more,
});
const nested = (levels: number, inner: string) => `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;

describe("a tool input that nobody can read", () => {
  it.each<[string, unknown]>([
    ["a list", call({ tool_input: ["rm", "-rf", "/"] })],
    ["an empty list", call({ tool_input: [] })],
    ["a string", call({ tool_input: "rm -rf ~" })],
    ["a number", call({ tool_input: 7 })],
    ["true", call({ tool_input: true })],
    ["null", call({ tool_input: null })],
    ["JSON text that is cut", call({ tool_input: '{"command":"rm -rf ~' })],
    ["deeper than is read", `{"tool_name":"Bash","tool_input":${nested(5_000, '{"command":"rm -rf ~"}')}}`],
    [
      "deeper than is read, in a list",
      `{"tool_name":"Bash","tool_input":{"x":${"[".repeat(9_000)}${"]".repeat(9_000)}}}`,
    ],
    [
      "deeper than is read, beside the command",
      `{"tool_name":"Bash","tool_input":{"command":"rm -rf ~","x":${nested(3_000, "1")}}}`,
    ],
    ["more values than are read", `{"tool_name":"Bash","tool_input":{"x":[${"1,".repeat(600_000)}1]}}`],
    ["JSON text that is deeper than is read", call({ tool_input: nested(5_000, "1") })],
    [
      "JSON text of more values than are read",
      call({ tool_input: { args: JSON.stringify(Array(200_000).fill({ id: 1 })) } }),
    ],
    ["a member named __proto__", '{"tool_name":"Bash","tool_input":{"__proto__":{"command":"rm -rf ~"}}}'],
    [
      "an escaped member named __proto__",
      '{"tool_name":"Bash","tool_input":{"\\u005f_proto__":{"command":"rm -rf ~"}}}',
    ],
    [
      "a __proto__ further down",
      '{"tool_name":"Bash","tool_input":{"command":"ls","x":{"y":[{"__proto__":1}]}}}',
    ],
  ])("is asked about: %s", async (_, payload) => {
    expect(await decisionOf([], payload)).toEqual(["ask", "error"]);
  });
});

const many = <T>(make: (index: number) => T, length = 100_000): readonly T[] =>
  Array.from({ length }, (_, index) => make(index));

describe("a tool input of very many parts", () => {
  const mcpCall = (input: object) => ({
    hook_event_name: "PreToolUse",
    tool_name: "mcp__x__do",
    cwd: "/home/user/p",
    tool_input: input,
  });
  const inputs = (length: number): readonly [string, object][] => [
    ["members", Object.fromEntries(many(index => [`k${index}`, "v"], length))],
    ["paths", { paths: many(index => `f${index}`, length) }],
    ["objects", { rows: many(index => ({ id: index }), length / 2) }],
    ["commands", Object.fromEntries(many(index => [`command${index}`, "ls"], length))],
  ];

  it.each(inputs(100_000))("is asked about, and not read: 100 000 %s", async (_, input) => {
    expect(await decisionOf([], mcpCall(input))).toEqual(["ask", "error"]);
  });

  it.each(inputs(4_000))("is asked about, and not looked at to its end: 4 000 %s", async (_, input) => {
    expect(await decisionOf([], mcpCall(input))).toEqual(["ask", "ok"]);
  });

  it("is free with 500 rows of four cells", async () => {
    const rows = many(index => ({ id: index, name: `n${index}`, state: "open", count: 1 }), 500);
    expect(await decisionOf([], mcpCall({ rows }))).toEqual(["{}", "ok"]);
  });
});

describe("a tool call", () => {
  it.each<[string, readonly string[], object]>([
    ["an event nobody knows", [], call({ hook_event_name: "Whatever", tool_input: DANGER })],
    ["an event of another kind", [], call({ hook_event_name: "PostToolUse", tool_input: DANGER })],
    ["an event without tools", [], call({ hook_event_name: "Stop", tool_input: DANGER })],
    ["an event word that is no text", [], call({ hook_event_name: 7, tool_input: DANGER })],
    ["another host on the command line", ["--host", "opencode"], call({ tool_input: DANGER })],
    ["a host without such events", ["--host", "amplifier"], call({ tool_input: DANGER })],
    [
      "a host and an event that it has not",
      ["--host", "amplifier", "--event", "nonsense"],
      call({ tool_input: DANGER }),
    ],
    [
      "the words of Cursor under another host",
      ["--host", "gemini-cli"],
      {
        hook_event_name: "beforeShellExecution",
        command: "rm -rf ~",
        conversation_id: "c",
        cwd: "/home/user/p",
      },
    ],
    [
      "camel case and no event",
      ["--host", "opencode"],
      { toolName: "bash", toolArgs: JSON.stringify(DANGER), cwd: "/home/user/p" },
    ],
    [
      "a nested tool use",
      ["--host", "opencode"],
      { hookEventName: "what", toolUse: { name: "Bash", input: DANGER }, cwd: "/home/user/p" },
    ],
  ])("is judged under %s", async (_, words, payload) => {
    const [decision, result] = (await decisionOf(words, payload)) as [string, string];
    expect([/^(deny|block|blocked)$/.test(decision) || decision.includes("fs."), result]).toEqual([
      true,
      "ok",
    ]);
  });

  it.each<[string, unknown]>([
    ["no tool", { hook_event_name: "PreToolUse" }],
    ["no tool under another event", { hook_event_name: "Notification", message: "hello" }],
    ["no tool and no event", { session_id: "s" }],
    ["a tool without input", { hook_event_name: "PreToolUse", tool_name: "Bash" }],
    ["a list in place of the payload", []],
  ])("that cannot be found meets the failure policy: %s", async (_, payload) => {
    expect(await decisionOf([], payload)).toEqual(["{}", "error"]);
  });
});
