import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { meterCall } from "../../src/hooks/program/budget.ts";
import { systemIn } from "../install/sandbox.ts";
import { agentCall } from "./agent-call.ts";
import { newUserInside, type TypeOptions, type User } from "./run-command.ts";

const SESSION = "5f1c-session";

/** What Claude Code sends, as far as it matters. */
function payload(user: User, more: object = {}): string {
  return JSON.stringify({
    hook_event_name: "Status",
    session_id: SESSION,
    cwd: user.project,
    model: { id: "claude-opus-4-1", display_name: "Opus" },
    workspace: { current_dir: user.project, project_dir: user.project },
    cost: { total_cost_usd: 1.234, total_lines_added: 156 },
    context_window: { total_input_tokens: 15_234, total_output_tokens: 4_521, context_window_size: 200_000 },
    ...more,
  });
}

/** The line; whatever is read, there is exactly one, and the command succeeds. */
async function lineOf(user: User, input: string, options: TypeOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await user.type(["statusline"], { ...options, input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^[^\n]{1,80}\n$/);
  return stdout.trimEnd();
}

function write(user: User, name: string, text: string): string {
  const path = join(user.home, ".amplihack", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function auditLine(verdict: string, session: string | null = SESSION): string {
  return `${JSON.stringify({ ts: "2026-11-15T20:00:00.000Z", host: "claude-code", session, verdict, rules: [] })}\n`;
}

describe("amplihack statusline", () => {
  it("tells a new session with its tokens and its cost", async () => {
    const user = newUserInside();
    expect(await lineOf(user, payload(user))).toBe(
      "amplihack: guard on · 0 kept · 0 asked · 0 refused · 20k tokens · $1.23",
    );
  });

  it("counts changes, questions and refusals of this session alone", async () => {
    const user = newUserInside();
    for (const [index, session] of [SESSION, SESSION, "other"].entries())
      await agentCall(user, { command: "echo >> a", targets: ["a"], session }, () =>
        writeFileSync(join(user.project, "a"), `${index}`),
      );
    const log = ["ask", "deny", "deny", "allow"].map(verdict => auditLine(verdict)).join("");
    write(user, "logs/audit.jsonl", `${log}${auditLine("deny", "other")}${auditLine("ask", null)}not JSON\n`);
    expect(await lineOf(user, payload(user))).toContain("2 kept · 1 asked · 2 refused");
  });

  it("tells how far the tightest budget is used", async () => {
    const user = newUserInside();
    write(user, "config.jsonc", JSON.stringify({ budget: { session: "$5", day: "100M tokens" } }));
    const record = join(user.home, "record.jsonl");
    const usage = { input_tokens: 0, output_tokens: 160_000 };
    const message = { id: "a", model: "claude-opus-4-5", usage };
    // A rate needs a minute.
    const timestamp = new Date(Date.now() - 120_000).toISOString();
    writeFileSync(
      record,
      `${JSON.stringify({ type: "assistant", sessionId: SESSION, timestamp, message })}\n`,
    );
    const config = { budget: { session: "$5" }, prices: {} };
    meterCall(
      systemIn(user.project, { HOME: user.home }),
      { sessionId: SESSION, transcriptPath: record },
      { stateHome: join(user.home, ".amplihack"), project: user.project, config },
    );
    expect(await lineOf(user, payload(user))).toContain("· budget 80 %, ");
  });

  it("does not count an undo as a change", async () => {
    const user = newUserInside();
    await agentCall(user, { command: "echo > a", targets: ["a"], session: SESSION }, () =>
      writeFileSync(join(user.project, "a"), "new"),
    );
    expect(await user.type(["undo", "--yes"])).toMatchObject({ code: 0 });
    expect(await lineOf(user, payload(user))).toContain("· 1 kept ·");
  });

  it("counts what was put away when the log grew too long", async () => {
    const user = newUserInside();
    write(user, "logs/audit.20261115_200000.jsonl", auditLine("deny"));
    write(user, "logs/audit.jsonl", auditLine("deny"));
    expect(await lineOf(user, payload(user))).toContain("0 asked · 2 refused");
  });

  it("says with a plus sign that older parts of a long log were not read", async () => {
    const user = newUserInside();
    write(user, "logs/audit.20261115_200000.jsonl", auditLine("deny"));
    write(user, "logs/audit.jsonl", `${" ".repeat(8 * 1024 * 1024)}\n${auditLine("ask")}`);
    expect(await lineOf(user, payload(user))).toContain("1+ asked · 0+ refused");
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["deep nesting", "[".repeat(10_000)],
    ["more than it reads", " ".repeat(1024 * 1024 + 1)],
    ["members of the wrong type", '{"session_id": 1, "cwd": [], "cost": "x", "context_window": null}'],
    [
      "numbers beyond reason",
      '{"cost": {"total_cost_usd": 1e300}, "context_window": {"total_input_tokens": -1}}',
    ],
    ["an empty session", '{"session_id": ""}'],
  ])("prints the state of the guard for %s", async (_, input) => {
    expect(await lineOf(newUserInside(), input)).toBe("amplihack: guard on");
  });

  it("says when the guard or the history is off", async () => {
    const user = newUserInside();
    write(user, "config.jsonc", '{ "parts": ["memory"] }');
    expect(await lineOf(user, payload(user))).toMatch(/^amplihack: guard OFF · history OFF · 0 asked/);
  });

  it("says that a configuration does not count", async () => {
    const user = newUserInside();
    const path = write(user, "config.jsonc", "{ nonsense");
    const ignored = "amplihack: guard on, configuration ignored, run amplihack doctor";
    expect(await lineOf(user, "{}")).toBe(ignored);
    writeFileSync(path, "{}");
    expect(await lineOf(user, "{}")).toBe("amplihack: guard on");
    chmodSync(path, 0o666);
    expect(await lineOf(user, "{}")).toBe(ignored);
  });

  it("reads the configuration of the project that the payload names", async () => {
    const user = newUserInside();
    const other = join(user.home, "other");
    mkdirSync(join(other, ".amplihack"), { recursive: true });
    mkdirSync(join(other, ".claude"));
    writeFileSync(join(other, ".amplihack/config.jsonc"), "{ nonsense");
    expect(await lineOf(user, payload(user, { cwd: other }), { cwd: "/" })).toContain(
      "configuration ignored",
    );
  });

  it("says what cannot be read", async () => {
    const user = newUserInside();
    mkdirSync(join(user.home, ".amplihack/logs/audit.jsonl"), { recursive: true });
    mkdirSync(join(user.home, `.amplihack/history/journal/project/${SESSION}.jsonl`), { recursive: true });
    expect(await lineOf(user, payload(user))).toContain(
      "guard on · history unreadable · audit log unreadable",
    );
    expect(await lineOf(user, "{}", { env: { HOME: "" } })).toBe("amplihack: guard unknown, HOME is not set");
  });

  it("leaves out what does not fit, the least important first", async () => {
    const user = newUserInside();
    const at = (columns: string) => lineOf(user, payload(user), { env: { COLUMNS: columns } });
    expect(await at("60")).toBe("amplihack: guard on · 0 kept · 0 asked · 0 refused");
    expect(await at("12")).toBe("amplihack: g");
    expect(await at("200")).toContain("$1.23");
    expect(await at("wide")).toContain("$1.23");
  });

  it.each([
    [950, "950 tokens"],
    [999_499, "999k tokens"],
    [1_234_567, "1.2M tokens"],
  ])("shortens %d", async (count, shown) => {
    const user = newUserInside();
    const input = payload(user, { context_window: { total_input_tokens: count } });
    expect(await lineOf(user, input)).toContain(`· ${shown} ·`);
  });
});
