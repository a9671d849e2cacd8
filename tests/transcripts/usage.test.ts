import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import {
  advanceMeter,
  costOfTokens,
  findPastSessions,
  groupUsage,
  sumGroups,
  type TokenCount,
  totalTokens,
  type Usage,
  type UsageMeter,
  UsageSum,
} from "../../src/transcripts/index.ts";
import { readRecordedUsage } from "../../src/verify/open-code-records.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/**
 * Sessions of six real hosts, each with an agent that it started, against the scripted model, whose answers all cost
 * differently. `figures.json` is what the hosts themselves said at the end.
 */
const FIXTURES = new URL("../fixtures/usage/", import.meta.url);
const figures = JSON.parse(readFileSync(new URL("figures.json", FIXTURES), "utf8"));
const rows = JSON.parse(readFileSync(new URL("opencode.json", FIXTURES), "utf8")) as {
  session: Record<string, string | number | null>[];
  message: Record<string, string | number>[];
};
const system = createNodeSystem();
const home = mkdtempSync(join(tmpdir(), "amplihack-test-"));
let usage: Usage;

beforeAll(async () => {
  for (const folder of ["claude", "codex", "copilot", "gemini", "pi"])
    cpSync(new URL(folder, FIXTURES), join(home, `.${folder}`), { recursive: true });
  const folder = join(home, ".local/share/opencode");
  mkdirSync(folder, { recursive: true });
  const database = new Database(join(folder, "opencode.db"));
  for (const table of ["session", "message"] as const) {
    const names = Object.keys(rows[table][0] ?? {});
    database.exec(`CREATE TABLE ${table} (${names.join(", ")})`);
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${names.map(() => "?").join(", ")})`);
    for (const row of rows[table]) insert.run(names.map(name => row[name] ?? null));
  }
  database.close();
  usage = await readRecordedUsage(system, home);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const tokensOf = (host: string): TokenCount =>
  sumGroups(groupUsage(usage, "host").filter(({ key }) => key === host)).tokens;
const sumOf = (table: "session", column: string) =>
  rows[table].reduce((sum, row) => sum + Number(row[column]), 0);

describe("tokens, against the hosts' own figures", () => {
  it("Claude Code: its result document, agents included", () => {
    const [own] = Object.values(figures["claude-code"]) as TokenCount[];
    expect(tokensOf("claude-code")).toEqual({ ...own, reasoning: 0 });
  });

  it.each(["claude-code", "codex", "gemini-cli", "copilot-cli", "pi"])(
    "a budget counts the same: %s",
    host => {
      const ids = new Set<string>();
      const counted = { has: (id: string) => ids.has(id), add: (id: string) => void ids.add(id) };
      const empty: UsageMeter = { session: "s", project: "p", startedMs: 0, days: {}, files: {}, warned: [] };
      const records = findPastSessions(system, home).filter(record => record.host === host);
      // As the hook does it: again and again, while records grow.
      const meter = [...records, ...records].reduce(
        (sum, { path }) => advanceMeter(system, sum, path, {}, counted),
        empty,
      );
      const tokens = Object.values(meter.days).reduce((sum, spent) => sum + spent.tokens, 0);
      expect(tokens).toBe(totalTokens(tokensOf(host)));
      expect(tokens).toBeGreaterThan(0);
    },
  );

  it("Codex: its last turn, and what its agent's own record sums up to", () => {
    const own = figures["codex main turn"];
    const agent = { input: 2707, cached: 700, output: 107, reasoning: 7 };
    expect(tokensOf("codex")).toEqual({
      input: own.input_tokens - own.cached_input_tokens + agent.input - agent.cached,
      output: own.output_tokens + agent.output,
      cacheRead: own.cached_input_tokens + agent.cached,
      cacheWrite: 0,
      reasoning: own.reasoning_output_tokens + agent.reasoning,
    });
  });

  it("Gemini CLI: its statistics, agents included", () => {
    const own = figures["gemini-cli"]["gemini-2.5-flash"].tokens;
    expect(tokensOf("gemini-cli")).toEqual({
      input: own.input,
      output: own.candidates + own.thoughts,
      cacheRead: own.cached,
      cacheWrite: 0,
      reasoning: own.thoughts,
    });
  });

  it("Copilot CLI: the metrics that it writes at its end, and its screen", () => {
    const tokens = tokensOf("copilot-cli");
    const folder = groupUsage(usage, "session").find(({ key }) => key.startsWith("3f61e1d3"))?.key ?? "";
    const lines = readFileSync(join(home, ".copilot/session-state", folder, "events.jsonl"), "utf8");
    const end = lines
      .split("\n")
      .filter(line => line.includes('"session.shutdown"'))
      .map(line => JSON.parse(line))[0];
    const own = end.data.accountingSnapshot.modelMetrics.scripted.usage;
    expect(tokens).toEqual({
      input: own.inputTokens - own.cacheReadTokens,
      output: own.outputTokens,
      cacheRead: own.cacheReadTokens,
      cacheWrite: own.cacheWriteTokens,
      reasoning: own.reasoningTokens,
    });
    expect(figures["copilot-cli screen"]).toContain(`↓ ${tokens.output} (${tokens.reasoning} reasoning)`);
  });

  it("OpenCode: the sums in its table of sessions", () => {
    expect(tokensOf("opencode")).toEqual({
      input: sumOf("session", "tokens_input"),
      output: sumOf("session", "tokens_output") + sumOf("session", "tokens_reasoning"),
      cacheRead: sumOf("session", "tokens_cache_read"),
      cacheWrite: sumOf("session", "tokens_cache_write"),
      reasoning: sumOf("session", "tokens_reasoning"),
    });
  });

  it("Pi: what the model said that its six answers cost", () => {
    expect(tokensOf("pi")).toEqual({
      input: 6021,
      output: 321,
      cacheRead: 2100,
      cacheWrite: 0,
      reasoning: 0,
    });
  });
});

describe("what counts where", () => {
  it("counts agents with the session that started them", () => {
    const sessions = groupUsage(usage, "session");
    expect(sessions).toHaveLength(6);
    expect(sessions.map(({ answers }) => answers).sort((one, other) => one - other)).toEqual([
      6, 8, 8, 8, 8, 9,
    ]);
  });

  it("knows the project of each", () => {
    expect(groupUsage(usage, "project").map(({ key }) => key)).toEqual(["/home/dev/project"]);
  });

  it("counts an answer once that stands in a second file, and with the last of its counts", () => {
    const line = (output: number, session: string) => ({
      type: "assistant",
      sessionId: session,
      timestamp: "2026-11-16T10:00:00Z",
      message: { id: "msg_1", model: "m", usage: { input_tokens: 10, output_tokens: output } },
    });
    const sum = new UsageSum();
    sum.addLines("claude-code", [line(1, "a"), line(40, "a")]);
    sum.addLines("claude-code", [line(40, "b")]);
    const { entries } = sum.result();
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ session: "a", tokens: { input: 10, output: 40 } });
  });

  it("counts a Codex count once that is written again with the same sum", () => {
    const count = {
      type: "event_msg",
      timestamp: "2026-11-16T10:00:00Z",
      payload: {
        type: "token_count",
        info: {
          total_token_usage: { total_tokens: 5 },
          last_token_usage: { input_tokens: 4, output_tokens: 1 },
        },
      },
    };
    const sum = new UsageSum();
    sum.addLines("codex", [count, count, { ...count, payload: { type: "token_count", info: null } }]);
    expect(sum.result().entries).toHaveLength(1);
  });

  it("reads OpenCode's files where an older version wrote them", async () => {
    const old = temporaryDirectory();
    const storage = join(old, ".local/share/opencode/storage");
    for (const [folder, name, value] of [
      ["session/p", "s.json", { id: "s", directory: "/p" }],
      ["message/s", "m.json", { ...JSON.parse(String(rows.message[1]?.["data"])), id: "m", sessionID: "s" }],
    ] as const) {
      mkdirSync(join(storage, folder), { recursive: true });
      writeFileSync(join(storage, folder, name), JSON.stringify(value));
    }
    const read = await readRecordedUsage(system, old);
    expect(read.entries).toMatchObject([{ session: "s", project: "/p", tokens: { cacheRead: 200 } }]);
  });
});

describe("time", () => {
  it("is work, waiting for the person, or neither", () => {
    const at = (minute: number, type: "user" | "assistant") => ({
      type,
      sessionId: "s",
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      message: { content: "x" },
    });
    const sum = new UsageSum();
    sum.addLines("claude-code", [
      at(0, "user"),
      at(3, "assistant"),
      at(8, "user"),
      at(9, "assistant"),
      at(90, "user"),
    ]);
    expect(sum.result().times).toMatchObject([{ workingMs: 4 * 60_000, waitingMs: 5 * 60_000 }]);
  });
});

describe("cost", () => {
  const million = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, reasoning: 0 };

  it("is the list price, whatever date or maker stands in the name", () => {
    expect(costOfTokens("claude-opus-4-5", million)).toBe(5 + 25 + 0.5 + 6.25);
    expect(costOfTokens("anthropic/claude-opus-4-5-20251101[1m]", million)).toBe(36.75);
  });

  it("is unknown for a model that nobody told a price of", () => {
    expect(costOfTokens("scripted", million)).toBeUndefined();
    expect(costOfTokens("constructor", million)).toBeUndefined();
    const group = sumGroups(groupUsage(usage, "host").filter(({ key }) => key === "codex"));
    expect([group.cost, group.unpriced > 0]).toEqual([0, true]);
  });

  it("is the person's own price before the list's", () => {
    expect(costOfTokens("claude-opus-4-5", million, { "claude-opus-4-5": { input: 1, output: 2 } })).toBe(5);
  });
});
