import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NODE_PROGRAM, runProgram } from "../hooks/executable.ts";
import { assistant, bash, claudeSession, user as says } from "../hooks/recorded.ts";
import { newUser, type User } from "./run-command.ts";

async function fire(user: User, subcommand: string, payload: object) {
  const ran = await runProgram(NODE_PROGRAM, [subcommand], {
    home: user.home,
    cwd: user.project,
    input: JSON.stringify({ cwd: user.project, ...payload }),
  });
  expect(ran.code).toBe(0);
  return { answer: JSON.parse(ran.stdout) as Answer, stderr: ran.stderr };
}

interface Answer {
  readonly decision?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: { readonly additionalContext?: string };
}

const end = (user: User, session_id: string, more: object) =>
  fire(user, "session-stop", { hook_event_name: "SessionEnd", session_id, ...more });
const start = (user: User, session_id: string) =>
  fire(user, "session-start", { hook_event_name: "SessionStart", session_id, source: "startup" });

describe("the built hooks with the built bridge", () => {
  it("remember from one session to the next", async () => {
    const user = newUser();
    const before = await start(user, "first");
    expect(before.answer.hookSpecificOutput?.additionalContext).not.toContain("from earlier sessions");
    const transcript_path = join(user.home, "first.jsonl");
    writeFileSync(
      transcript_path,
      claudeSession([
        says("Make the login faster"),
        ...bash("npm test", "3 passed"),
        assistant("It turned out that every request opened a new connection to the database."),
      ]),
    );
    const ended = await end(user, "first", { transcript_path });
    expect(ended.answer).toEqual({});
    expect(ended.stderr).toContain('"result":"ok"');
    const context = (await start(user, "second")).answer.hookSpecificOutput?.additionalContext;
    expect(context).toContain("1 memory from earlier sessions");
    expect(context).toContain(
      "- [learning] Task: Make the login faster Learnt: It turned out that every request",
    );
    expect(await user.json("memory", "search", "database connection")).toMatchObject([
      { agent: "general", session: "first", category: "learning", project: user.project },
    ]);
  });

  it("do not carry memories of one project into another", async () => {
    const user = newUser();
    await end(user, "s", { output: "The secret plan of this project" });
    const other = join(user.home, "other");
    mkdirSync(join(other, ".claude"), { recursive: true });
    const context = (await start({ ...user, project: other }, "t")).answer.hookSpecificOutput
      ?.additionalContext;
    expect(context).not.toContain("secret plan");
    const own = (await start(user, "t")).answer.hookSpecificOutput?.additionalContext;
    expect(own).toContain("secret plan");
  });

  it("give a mentioned agent what it learnt", async () => {
    const user = newUser();
    await end(user, "s", { output: "Migrations must be reversible here", agent_type: "architect" });
    const { answer } = await fire(user, "user-prompt-submit", {
      hook_event_name: "UserPromptSubmit",
      session_id: "t",
      prompt: "Use architect.md agent to plan the migrations",
    });
    expect(answer.hookSpecificOutput?.additionalContext).toContain(
      "### architect\n- Migrations must be reversible here",
    );
  });

  it("tell the model and the user when memory cannot be read, and go on", async () => {
    const user = newUser();
    mkdirSync(join(user.database, ".."));
    writeFileSync(user.database, "damaged ".repeat(500));
    const { answer, stderr } = await start(user, "s");
    expect(answer.hookSpecificOutput?.additionalContext).toContain("Memory was unavailable");
    expect(stderr).toContain("bridge get_context failed");
    expect(stderr).toContain('"result":"error"');
    expect(readFileSync(user.database, "utf8")).toBe("damaged ".repeat(500));
  });

  it("hold a stop with the findings of the checks, once", async () => {
    const user = newUser();
    const tools = join(user.project, ".claude", "tools", "amplihack");
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, ".reflection_config"), '{"enabled": true}');
    writeFileSync(join(tools, ".power_steering_config"), '{"enabled": false}');
    const transcript_path = join(user.home, "s.jsonl");
    writeFileSync(
      transcript_path,
      claudeSession([says("Fix it"), assistant("Ok."), ...bash("npm test", "2 failed")]),
    );
    const stop = () => fire(user, "stop", { hook_event_name: "Stop", session_id: "s", transcript_path });
    const { answer } = await stop();
    expect(answer.decision).toBe("block");
    const file = /\S+\/reflection-[^\s]+\.md/.exec(answer.reason ?? "")?.[0] ?? "";
    expect(readFileSync(file, "utf8")).toContain("the last test run, `npm test`, failed");
    expect((await stop()).answer.decision).toBe("approve");
  });
});
