import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { memberAt } from "../../src/protocol/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { findPastSessions } from "../../src/transcripts/index.ts";
import { addCall, emptySummary } from "../../src/verify/guard-summary.ts";
import { readOpenCodeSessions, toEntries } from "../../src/verify/open-code-records.ts";
import { inputsOfEntries, transcriptInputs } from "../../src/verify/transcript-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { openCodeHome } from "./open-code-home.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const COMMAND = "rm -rf ~";

/** One call as each host records it, with what is around it. */
const RECORDS: Readonly<Record<string, { readonly file: string; readonly lines: readonly object[] }>> = {
  "claude-code": {
    file: ".claude/projects/-work-shop/one.jsonl",
    lines: [
      { type: "user", sessionId: "s", cwd: "/work/shop", message: { role: "user", content: "Tidy up." } },
      {
        type: "assistant",
        sessionId: "s",
        cwd: "/work/shop",
        message: {
          role: "assistant",
          content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: COMMAND } }],
        },
      },
      {
        type: "user",
        sessionId: "s",
        cwd: "/work/shop",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] },
      },
    ],
  },
  codex: {
    file: ".codex/sessions/2026/11/16/rollout-one.jsonl",
    lines: [
      { type: "session_meta", payload: { id: "s", cwd: "/work/shop" } },
      { type: "event_msg", payload: { type: "task_started" } },
      {
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Tidy up." }] },
      },
      {
        type: "response_item",
        payload: {
          type: "function_call",
          name: "exec_command",
          arguments: JSON.stringify({ cmd: COMMAND }),
          call_id: "t1",
        },
      },
      {
        type: "response_item",
        payload: { type: "function_call_output", call_id: "t1", output: "done" },
      },
    ],
  },
  "copilot-cli": {
    file: ".copilot/session-state/one/events.jsonl",
    lines: [
      { type: "session.start", data: { sessionId: "s", context: { cwd: "/work/shop" } } },
      { type: "user.message", data: { content: "Tidy up." } },
      {
        type: "tool.execution_start",
        data: { toolCallId: "t1", toolName: "bash", arguments: { command: COMMAND } },
      },
      {
        type: "tool.execution_complete",
        data: { toolCallId: "t1", success: true, result: { content: "done" } },
      },
    ],
  },
  "gemini-cli": {
    file: ".gemini/tmp/shop/chats/session-one.jsonl",
    lines: [
      { sessionId: "s", kind: "main" },
      { id: "a", type: "user", content: [{ text: "Tidy up." }] },
      { $set: { lastUpdated: "now" } },
      { id: "b", type: "gemini", content: "" },
      // The same message is written again when its calls are over.
      ...[1, 2].map(() => ({
        id: "b",
        type: "gemini",
        content: "",
        toolCalls: [{ id: "t1", name: "run_shell_command", args: { command: COMMAND }, result: "done" }],
      })),
    ],
  },
  pi: {
    file: ".pi/agent/sessions/--work-shop--/one.jsonl",
    lines: [
      { type: "session", id: "s", cwd: "/work/shop" },
      { type: "message", message: { role: "user", content: [{ type: "text", text: "Tidy up." }] } },
      {
        type: "message",
        message: {
          role: "assistant",
          content: [{ type: "toolCall", id: "t1", name: "bash", arguments: { command: COMMAND } }],
        },
      },
      { type: "message", message: { role: "toolResult", toolCallId: "t1", content: "done" } },
    ],
  },
};

function homeWithSessions(): string {
  const home = temporaryDirectory();
  for (const { file, lines } of Object.values(RECORDS)) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), `${lines.map(line => JSON.stringify(line)).join("\n")}\n`);
  }
  writeFileSync(join(home, ".gemini/tmp/shop/.project_root"), "/work/shop\n");
  writeFileSync(join(home, ".codex/sessions/notes.txt"), "no record\n");
  return home;
}

describe("sessions that hosts have recorded", () => {
  const system = createNodeSystem();

  it("are found below the home, whose they are, the newest first", () => {
    const home = homeWithSessions();
    const found = findPastSessions(system, home);
    expect(found.map(({ host }) => host).toSorted()).toEqual(Object.keys(RECORDS).toSorted());
    const ages = found.map(({ modifiedMs }) => modifiedMs);
    expect(ages).toEqual(ages.toSorted((one, other) => other - one));
    expect(findPastSessions(system, join(home, "nowhere"))).toEqual([]);
  });

  it.each<[readonly string[], string]>([
    [["bash", "-lc", "rm -rf build && ls"], "rm -rf build && ls"],
    [["/bin/sh", "-c", "git status"], "git status"],
    [["git", "commit", "-m", "two words"], "git commit -m 'two words'"],
    [["bash", "script.sh", "-c", "x"], "bash script.sh -c x"],
  ])("name the line that a list of words runs: %j", (words, line) => {
    const path = join(temporaryDirectory(), "rollout-one.jsonl");
    const calls = [
      { type: "function_call", name: "shell", arguments: JSON.stringify({ command: words }), call_id: "t1" },
      { type: "local_shell_call", action: { type: "exec", command: words }, call_id: "t2" },
    ];
    const lines = calls.map(payload => JSON.stringify({ type: "response_item", payload }));
    writeFileSync(path, `${lines.join("\n")}\n`);
    const inputs = [...transcriptInputs(system, path, { lines: 0, bytes: 0, bad: 0 })];
    const called = inputs.filter(({ event }) => event === "PreToolUse").map(({ payload }) => payload);
    expect(called.map(({ tool_name }) => tool_name)).toEqual(["Bash", "Bash"]);
    expect(called.map(({ tool_input }) => memberAt(tool_input, "command"))).toEqual([line, line]);
  });

  it("are counted as one call only where the whole command is the same", () => {
    const summary = emptySummary();
    const add = (command: string) =>
      addCall(
        system,
        summary,
        { file: "x", host: "claude-code" },
        {
          line: 1,
          event: "PreToolUse",
          payload: { tool_name: "Bash", tool_input: { command }, cwd: "/work/shop", session_id: "s" },
        },
      );
    const long = `echo ${"x".repeat(400)} && rm -rf`;
    for (const target of ["~", "/etc", "~"]) add(`${long} ${target}`);
    expect(summary.stopped.map(({ count }) => count)).toEqual([2, 1]);
  });

  it.each(Object.entries(RECORDS))("say what was called, where and with which result: %s", (_, { file }) => {
    const count = { lines: 0, bytes: 0, bad: 0 };
    const inputs = [...transcriptInputs(system, join(homeWithSessions(), file), count)];
    expect(inputs.map(({ event }) => event)).toEqual([
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "Stop",
    ]);
    const [prompt, before, after] = inputs.map(({ payload }) => payload);
    expect(prompt).toMatchObject({ prompt: "Tidy up.", cwd: "/work/shop", session_id: "s" });
    expect(before).toMatchObject({ tool_use_id: "t1", cwd: "/work/shop" });
    expect(JSON.stringify(before?.["tool_input"])).toContain(COMMAND);
    expect(JSON.stringify(after?.["tool_response"])).toContain("done");
    expect(count.bad).toBe(0);
  });

  it("are judged when no transcript is named, and told in lines that a terminal can hold", () => {
    const home = homeWithSessions();
    const run = (...words: readonly string[]) =>
      spawnSync(process.execPath, [AMPLIHACK, "hooks", "replay", "--transcript", ...words], {
        cwd: home,
        env: { PATH: process.env["PATH"], HOME: home },
        encoding: "utf8",
      });
    const { status, stdout, stderr } = run();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("5 tool calls in your 5 sessions");
    expect(stdout).toMatch(
      /Refused \(5\)\n {2}rm -rf ~ ×5 {2}in \/work\/shop\n {6}It would destroy personal data/,
    );
    expect(Math.max(...stdout.split("\n").map(line => line.length))).toBeLessThanOrEqual(80);
    expect(JSON.parse(run("--last", "2", "--format", "json").stdout).guard.denied).toBe(2);
  });
});

it("tells the end of a long directory, so that equal commands of two projects stay two", () => {
  const home = temporaryDirectory();
  for (const project of ["first", "second"]) {
    const cwd = `/work/${"very-long-name-of-a-customer/".repeat(2)}${project}`;
    const input = { name: "Bash", input: { command: COMMAND } };
    const message = { role: "assistant", content: [{ type: "tool_use", id: "t1", ...input }] };
    mkdirSync(join(home, ".claude/projects", project), { recursive: true });
    writeFileSync(
      join(home, ".claude/projects", project, "one.jsonl"),
      `${JSON.stringify({ type: "assistant", cwd, message })}\n`,
    );
  }
  const { stdout } = spawnSync(process.execPath, [AMPLIHACK, "hooks", "replay", "--transcript"], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
  });
  for (const project of ["first", "second"])
    expect(stdout).toMatch(new RegExp(`rm -rf ~ {2}in ….*/${project}\n`));
  expect(Math.max(...stdout.split("\n").map(line => line.length))).toBeLessThanOrEqual(80);
});

describe("sessions of OpenCode", () => {
  it.each(["database", "files"] as const)("say what was asked, called and answered: %s", async form => {
    const store = join(openCodeHome(COMMAND, form), ".local/share/opencode");
    const [session] = await readOpenCodeSessions(createNodeSystem(), store, "parts");
    if (session === undefined) throw new Error("no session was found");
    const inputs = [...inputsOfEntries(toEntries(session))].map(({ payload }) => payload);
    const common = { cwd: "/work/shop", session_id: "ses_1" };
    expect(inputs).toMatchObject([
      { hook_event_name: "UserPromptSubmit", prompt: "Tidy up.", ...common },
      { hook_event_name: "PreToolUse", tool_use_id: "t1", tool_input: { command: COMMAND }, ...common },
      { hook_event_name: "PostToolUse", tool_use_id: "t1", tool_response: "done", ...common },
      { hook_event_name: "Stop", ...common },
    ]);
  });

  it.each([[[]], [[".local/share/opencode/opencode.db"]]])("are judged as those of others: %j", words => {
    const home = openCodeHome(COMMAND);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [AMPLIHACK, "hooks", "replay", "--transcript", ...words],
      { cwd: home, env: { PATH: process.env["PATH"], HOME: home }, encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/Refused \(1\)\n {2}rm -rf ~ {2}in \/work\/shop\n/);
  });
});

describe("the branch that a record names", () => {
  it.each([
    ["main", "work", "denied"],
    ["work", "main", "allowed"],
    ["HEAD", "main", "allowed"],
  ] as const)("counts, not the one that is checked out now: %s, now %s", (then, now, counter) => {
    const repository = temporaryDirectory();
    const git = (...words: readonly string[]) => spawnSync("git", words, { cwd: repository });
    git("init", "-q", "-b", "main");
    git(
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.com",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "first",
    );
    git("checkout", "-q", "-B", now);
    git("remote", "add", "origin", "https://example.com/shop.git");
    const path = join(repository, "..", `${counter}-${then}.jsonl`);
    const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "git commit -am done" } };
    const message = { role: "assistant", content: [call] };
    const line = { type: "assistant", sessionId: "s", cwd: repository, gitBranch: then, message };
    writeFileSync(path, `${JSON.stringify(line)}\n`);
    const system = createNodeSystem();
    const summary = emptySummary();
    for (const input of transcriptInputs(system, path, { lines: 0, bytes: 0, bad: 0 }))
      addCall(system, summary, { file: path, host: "claude-code" }, input);
    expect(summary).toMatchObject({ judged: 1, [counter]: 1 });
  });
});

describe("calls that were stopped", () => {
  it("are one only where all that they were given is the same", () => {
    const summary = emptySummary();
    for (const sql of ["drop table users", "drop table orders", "drop table users"])
      addCall(
        createNodeSystem(),
        summary,
        { file: "f" },
        {
          event: "PreToolUse",
          line: 1,
          payload: {
            hook_event_name: "PreToolUse",
            tool_name: "mcp__db__execute",
            tool_input: { sql },
            cwd: "/",
          },
        },
      );
    expect(summary.stopped.map(({ command, count }) => [command, count])).toEqual([
      [expect.stringContaining("drop table users"), 2],
      [expect.stringContaining("drop table orders"), 1],
    ]);
  });
});
