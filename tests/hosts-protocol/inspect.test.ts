import { describe, expect, it } from "vitest";
import {
  ANSWER_KINDS,
  type AnswerKind,
  HOST_IDS,
  type HostId,
  type InspectOptions,
  inspect,
} from "../../src/hosts/index.ts";
import type { JsonObject } from "../../src/protocol/index.ts";
import { fakeEnvironment } from "./fake-environment.ts";
import { FIXTURES } from "./fixtures.ts";

const env = fakeEnvironment();

function answerTo(payload: JsonObject, options: Partial<InspectOptions>) {
  const seen = inspect(JSON.stringify(payload), { env, ...options });
  if ("error" in seen || seen.answer === undefined) throw new Error(JSON.stringify(seen));
  return seen.answer;
}

const claude = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const gemini = {
  hook_event_name: "BeforeTool",
  tool_name: "run_shell_command",
  tool_input: { command: "ls" },
};
const codex = { ...claude, turn_id: "t", model: "m" };

describe("hooks inspect", () => {
  it("shows what was understood, and nothing else", () => {
    const text = JSON.stringify({ ...claude, session_id: "s", cwd: "/p", tool_input: "ls" });
    expect(inspect(text, { env })).toEqual({
      host: "claude-code",
      event: "PreToolUse",
      nativeEvent: "PreToolUse",
      toolName: "Bash",
      canonicalToolName: "Bash",
      toolInput: "ls",
      cwd: "/p",
      sessionId: "s",
      transcriptPath: null,
      facts: { command: null, paths: [] },
      warnings: ["tool-input-not-json"],
    });
  });

  it("shows which arguments of a tool are read as what", () => {
    const call = {
      ...claude,
      tool_name: "mcp__ops__do",
      tool_input: { command: "ls", cwd: "/srv", steps: [{ sql: "SELECT 1" }], save: { path: "a.txt" } },
    };
    expect(inspect(JSON.stringify(call), { env })).toMatchObject({
      directory: "/srv",
      shapes: [
        { as: "shell", member: "command", command: "ls", dialect: "posix" },
        { as: "sql", member: "steps.0.sql", text: "SELECT 1" },
        { as: "file", member: "save.path", action: "write", path: "a.txt", isGuess: true },
      ],
    });
  });

  it("shows a failure as a code and a message", () => {
    expect(inspect("", { env })).toEqual({ error: { code: "empty-stdin", message: expect.any(String) } });
  });

  it("gives the exact bytes of an answer", () => {
    expect(answerTo(claude, { answer: "deny", reason: "no" })).toEqual({
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}\n',
      stderr: "no\n",
      exitCode: 0,
    });
    expect(answerTo(gemini, { answer: "none" })).toEqual({ stdout: "{}\n", stderr: "", exitCode: 0 });
    expect(answerTo(codex, { answer: "none" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  it("says what a host lacks", () => {
    expect(answerTo(codex, { answer: "ask", reason: "sure?" })).toMatchObject({
      degraded: ["ask → deny"],
      stdout: expect.stringContaining('"permissionDecision":"deny"'),
    });
    expect(answerTo(codex, { answer: "allow" })).toMatchObject({ stdout: "", unsupported: ["allow"] });
    expect(answerTo(gemini, { answer: "context", context: "c" })).toMatchObject({ unsupported: ["context"] });
    expect(answerTo({ hook_event_name: "SessionStart" }, { answer: "deny" })).toMatchObject({
      unsupported: ["deny"],
    });
  });

  it("changes the input, by default to what it was", () => {
    expect(answerTo(claude, { answer: "modify", input: { command: "pwd" } }).stdout).toContain(
      '"updatedInput":{"command":"pwd"}',
    );
    expect(answerTo(claude, { answer: "modify" }).stdout).toContain('"updatedInput":{"command":"ls"}');
  });

  it("holds an agent on stop and blocks a prompt", () => {
    const said = (event: string) =>
      answerTo({ hook_event_name: event }, { answer: "deny", reason: "no" }).stdout;
    expect(said("Stop")).toBe('{"decision":"block","reason":"no"}\n');
    expect(said("UserPromptSubmit")).toBe('{"decision":"block","reason":"no"}\n');
  });

  it("shows the last words of a hook that crashed and must refuse", () => {
    expect(answerTo(claude, { answer: "crash", reason: "disk full" })).toEqual({
      stdout: "",
      stderr: "could not check this: disk full\n",
      exitCode: 2,
    });
    expect(answerTo({ hook_event_name: "Stop" }, { answer: "crash" })).toMatchObject({
      stdout: "{}\n",
      exitCode: 0,
      degraded: ["closed → open"],
    });
  });

  it.each(FIXTURES.map(fixture => [fixture.name, fixture] as const))(
    "answers every effect on a real payload in at most one line of JSON: %s",
    (_, { text, host, event, env: variables }) => {
      for (const answer of ANSWER_KINDS) {
        const seen = inspect(text, { host, event, env: fakeEnvironment(variables), answer });
        if ("error" in seen) throw new Error(seen.error.code);
        const { stdout = "", exitCode } = seen.answer ?? {};
        expect([0, 2]).toContain(exitCode);
        if (stdout === "") continue;
        expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
        expect(JSON.parse(stdout)).toBeTypeOf("object");
      }
    },
  );
});

describe("an event that has no counterpart here", () => {
  const text = JSON.stringify({ hook_event_name: "SessionDelete", session_id: "s", cwd: "/x" });
  const inspectIn = (host: HostId, answer?: AnswerKind) =>
    inspect(text, { host, env: fakeEnvironment({}), answer });

  it.each(HOST_IDS)("is no error in %s: whatever is wanted, the answer has no opinion", host => {
    expect(inspectIn(host)).toMatchObject({ host, event: null, nativeEvent: "SessionDelete", warnings: [] });
    const answers = ANSWER_KINDS.map(answer => {
      const seen = inspectIn(host, answer);
      return "answer" in seen ? seen.answer : undefined;
    });
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ exitCode: 0, stderr: "" });
    expect(answers[0]?.stdout).not.toMatch(/deny|block|ask/);
  });
});

it("Qwen is never told of a changed input, which it does not apply", () => {
  const text = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "edit", tool_input: { a: 1 } });
  const seen = inspect(text, {
    host: "qwen-code",
    env: fakeEnvironment({}),
    answer: "modify",
    input: { a: 2 },
  });
  expect(seen).toMatchObject({ answer: { stdout: expect.stringMatching(/"permissionDecision":"deny"/) } });
  expect(JSON.stringify(seen)).not.toContain("updatedInput");
});
