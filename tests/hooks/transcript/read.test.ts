import { describe, expect, it } from "vitest";
import { createMemorySystem } from "../../../src/system/memory.ts";
import { type Entry, entryText, isUserMessage } from "../../../src/transcripts/entry.ts";
import { readMessages, readTranscript } from "../../../src/transcripts/read.ts";
import {
  assistant,
  claudeSession,
  codexSession,
  copilotSession,
  meta,
  result,
  use,
  user,
} from "../recorded.ts";

const NAMES: Record<string, string> = { bash: "Bash", apply_patch: "Edit" };
const naming = (name: string) => NAMES[name] ?? name;

function read(content: string): readonly Entry[] {
  const system = createMemorySystem({ files: { "/t.jsonl": content } });
  return [...readTranscript(system, "/t.jsonl", naming)];
}

const shape = (entries: readonly Entry[]) =>
  entries.map(entry => ({
    role: entry.role,
    parts: entry.parts.map(part =>
      part.kind === "tool-use" ? [part.kind, part.name, part.input] : [part.kind, part.text],
    ),
  }));

describe("a session as each host records it", () => {
  const said = [
    user("make it"),
    assistant("on it"),
    use("bash", { command: "npm test" }),
    result("3 passed"),
  ];
  const wanted = [
    { role: "user", parts: [["text", "make it"]] },
    { role: "assistant", parts: [["text", "on it"]] },
    { role: "assistant", parts: [["tool-use", "Bash", { command: "npm test" }]] },
    { role: "user", parts: [["tool-result", "3 passed"]] },
  ];

  it("is read from Claude Code's file, where results are blocks of user entries", () => {
    expect(shape(read(claudeSession(said)))).toEqual(wanted);
  });

  it("is read from Copilot's events", () => {
    expect(shape(read(copilotSession(said)))).toEqual(wanted);
  });

  it("is read from Codex's rollout", () => {
    expect(shape(read(codexSession(said)))).toEqual(wanted);
  });

  it("is read from Gemini's record", () => {
    const lines = [
      { sessionId: "s", projectHash: "p", startTime: "now" },
      { id: "1", type: "user", content: [{ text: "make it" }] },
      {
        id: "2",
        type: "gemini",
        content: "on it",
        toolCalls: [{ id: "c", name: "bash", args: { command: "npm test" }, resultDisplay: "3 passed" }],
      },
    ];
    expect(shape(read(lines.map(line => JSON.stringify(line)).join("\n")))).toEqual([
      { role: "user", parts: [["text", "make it"]] },
      {
        role: "assistant",
        parts: [
          ["text", "on it"],
          ["tool-use", "Bash", { command: "npm test" }],
          ["tool-result", "3 passed"],
        ],
      },
    ]);
  });

  it("has no words of hooks in Gemini's prompts, and no context of Gemini's own", () => {
    const lines = [
      { type: "user", content: [{ text: "<session_context>\nToday is Monday.\n</session_context>" }] },
      {
        type: "user",
        content: [
          { text: "<hook_context>## Project\nnone</hook_context>\n\nmake it" },
          { text: "<hook_context>&lt;reminder&gt;</hook_context>" },
        ],
      },
    ];
    const entries = read(lines.map(line => JSON.stringify(line)).join("\n")).filter(isUserMessage);
    expect(shape(entries)).toEqual([{ role: "user", parts: [["text", "make it"]] }]);
  });

  it("is read from Pi's file, where each message has a role", () => {
    const lines = [
      { type: "session", id: "s", cwd: "/work" },
      { type: "custom_message", customType: "amplihack", content: "## Project" },
      { type: "message", message: { role: "user", content: [{ type: "text", text: "make it" }] } },
      { type: "message", message: { role: "assistant", content: [{ type: "text", text: "on it" }] } },
      {
        type: "message",
        message: {
          role: "assistant",
          content: [{ type: "toolCall", id: "c", name: "bash", arguments: { command: "npm test" } }],
        },
      },
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: "c",
          content: [{ type: "text", text: "3 passed" }],
          isError: false,
        },
      },
    ];
    const entries = read(lines.map(line => JSON.stringify(line)).join("\n"));
    expect(shape(entries)).toEqual(wanted);
    expect(entries[3]?.parts).toEqual([{ kind: "tool-result", id: "c", text: "3 passed", hasFailed: false }]);
  });

  it("is read from plain messages with a role", () => {
    const lines = `${JSON.stringify({ role: "User", content: "hi" })}\n${JSON.stringify({ role: "assistant", content: null })}\n`;
    expect(shape(read(lines))).toEqual([
      { role: "user", parts: [["text", "hi"]] },
      { role: "assistant", parts: [] },
    ]);
  });

  it("has results that older files keep as entries of their own", () => {
    const lines = JSON.stringify({
      type: "tool_result",
      tool_use_id: "1",
      content: [{ type: "text", text: "ok" }],
    });
    expect(shape(read(lines))).toEqual([{ role: "user", parts: [["tool-result", "ok"]] }]);
  });
});

describe("Codex's calls", () => {
  const call = (payload: object) => shape(read(JSON.stringify({ type: "response_item", payload })))[0]?.parts;

  it("have the command as a text, whatever form it was recorded in", () => {
    const wanted = (command: string, rest: object) => [["tool-use", "Bash", { ...rest, command }]];
    expect(call({ type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}' })).toEqual(
      wanted("ls", { cmd: "ls" }),
    );
    expect(
      call({ type: "function_call", name: "shell", arguments: '{"command":["bash","-lc","ls -l"]}' }),
    ).toEqual(wanted("ls -l", {}));
    expect(call({ type: "local_shell_call", action: { command: ["ls", "-l"] } })).toEqual(
      wanted("ls -l", {}),
    );
  });

  it("keep a patch as plain text", () => {
    expect(call({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" })).toEqual([
      ["tool-use", "Edit", "*** Begin Patch"],
    ]);
  });
});

describe("what a person said", () => {
  it("leaves out texts that the host wrote in the user's place", () => {
    for (const record of [claudeSession, copilotSession, codexSession]) {
      const texts = read(record([meta("feedback"), user("do it"), result("out")]))
        .filter(isUserMessage)
        .map(entryText);
      expect(texts).toEqual(["do it"]);
    }
  });

  it("leaves out prompts for sub-agents and summaries of a compaction", () => {
    const line = (mark: string) =>
      JSON.stringify({ type: "user", [mark]: true, message: { role: "user", content: "text" } });
    expect(read(`${line("isSidechain")}\n${line("isCompactSummary")}\n`).filter(isUserMessage)).toEqual([]);
  });
});

describe("lines that are no message", () => {
  it("are passed over and counted when they cannot be read", () => {
    const system = createMemorySystem({
      files: { "/t": `{"type":"summary"}\nnot json\n[1]\n\n{"type":"user","message":{"content":"hi"}}\n` },
    });
    const count = { lines: 0, unreadable: 0 };
    const entries = [...readTranscript(system, "/t", naming, count)];
    expect(entries.map(entryText)).toEqual(["hi"]);
    expect(count).toEqual({ lines: 5, unreadable: 2 });
  });

  it("never include thinking", () => {
    const line = {
      type: "assistant",
      message: {
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "so" },
        ],
      },
    };
    expect(read(JSON.stringify(line)).map(entryText)).toEqual(["so"]);
  });
});

describe("messages given in a payload", () => {
  it("prefer text over content", () => {
    expect(readMessages([{ role: "user", text: "a", content: "b" }], naming).map(entryText)).toEqual(["a"]);
  });

  it("make a plain string a message of nobody, and lose no other for a bad one", () => {
    const entries = readMessages(
      ["hi", null, 7, { content: [{ type: "text", text: "x" }] }, { role: "user" }],
      naming,
    );
    expect(entries.map(entry => [entry.role, entryText(entry)])).toEqual([
      ["unknown", "hi"],
      ["unknown", ""],
      ["unknown", ""],
      ["unknown", "x"],
      ["user", ""],
    ]);
  });

  it("are none when the payload has no list", () => {
    expect(readMessages({ role: "user" }, naming)).toEqual([]);
    expect(readMessages(undefined, naming)).toEqual([]);
  });
});

describe("the outcome of a tool", () => {
  const outcome = (line: object) => {
    const [entry] = read(`${JSON.stringify(line)}\n`);
    return entry?.parts.flatMap(part => (part.kind === "tool-result" ? [part.hasFailed] : []));
  };
  const claude = (block: object) =>
    outcome({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", content: "x", ...block }] },
    });
  const codex = (output: unknown) =>
    outcome({
      type: "response_item",
      payload: {
        type: "function_call_output",
        call_id: "c",
        output: typeof output === "string" ? output : JSON.stringify(output),
      },
    });
  const copilot = (data: object) =>
    outcome({ type: "tool.execution_complete", data: { toolCallId: "c", ...data } });
  const gemini = (call: object) =>
    outcome({ type: "gemini", content: "", toolCalls: [{ id: "c", name: "x", result: "text", ...call }] });

  it("is what the host recorded", () => {
    expect([claude({ is_error: true }), claude({ is_error: false })]).toEqual([[true], [false]]);
    expect([
      codex({ output: "x", metadata: { exit_code: 2 } }),
      codex({ output: "x", metadata: { exit_code: 0 } }),
    ]).toEqual([[true], [false]]);
    expect([
      copilot({ success: false, error: { message: "x" } }),
      copilot({ success: true, result: { content: "x" } }),
    ]).toEqual([[true], [false]]);
    expect([gemini({ status: "error" }), gemini({ status: "success" })]).toEqual([[true], [false]]);
  });

  it("is unknown where the host recorded nothing", () => {
    expect([claude({}), codex("plain"), copilot({ result: { content: "x" } }), gemini({})]).toEqual(
      Array.from({ length: 4 }, () => [undefined]),
    );
  });
});
