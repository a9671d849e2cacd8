import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  lastWeek,
  type Period,
  readFrom,
  since,
  summarisePeriod,
  today,
} from "../../src/commands/report/summary.ts";
import { renderBars, renderEmpty, renderSummary } from "../../src/commands/report/view.ts";
import { Activity } from "../../src/dashboard/activity.ts";
import { LogSource } from "../../src/dashboard/entries.ts";
import { readTimeline, summarise } from "../../src/dashboard/figures.ts";
import { type ChangeSummary, NO_CHANGES } from "../../src/dashboard/timeline/calls.ts";
import { Timelines } from "../../src/dashboard/timeline/timeline.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { JUDGEMENT, newMachine, RUN } from "../dashboard/machine.ts";
import { agentCall } from "./agent-call.ts";
import { newUserInside } from "./run-command.ts";

/** A Wednesday, in whatever time zone the tests run. */
const NOW_MS = new Date(2026, 2, 11, 15, 20).getTime();
const HOUR_MS = 60 * 60_000;
const hoursAgo = (hours: number) => ({ ts: new Date(NOW_MS - hours * HOUR_MS).toISOString() });
const deny = { decision: "deny", rules: ["fs.home"] };
const system = createNodeSystem();
const change = (hours: number, more: Partial<ChangeSummary> = {}): ChangeSummary => ({
  id: `c${hours}`,
  kind: "call",
  timeMs: NOW_MS - hours * HOUR_MS,
  host: "claude-code",
  session: "session-1",
  turn: 0,
  tool: "Bash",
  call: "",
  command: "",
  project: "/work/shop",
  durationMs: undefined,
  isFailed: false,
  isOpen: false,
  isComplete: true,
  fileCount: 0,
  files: [],
  paths: [],
  git: [],
  undoneBy: undefined,
  isPartlyUndone: false,
  of: [],
  ...more,
});

async function summaryOf(
  period: Period,
  fill: (machine: ReturnType<typeof newMachine>) => void,
  changes: readonly ChangeSummary[],
) {
  const machine = newMachine();
  fill(machine);
  const activity = new Activity(new LogSource(system, machine.places, readFrom(period)));
  await activity.catchUp();
  const source = { ...NO_CHANGES, list: () => changes, version: () => "1" };
  return summarisePeriod(new Timelines(activity, source).read(), period, summarise);
}

const view = (columns: number) => ({
  terminal: { paint: (_: string, text: string) => text },
  columns,
  home: "/home/ada",
  nowMs: NOW_MS,
});

describe("a period", () => {
  it("is a day, seven days, or so long, with the one before", () => {
    const [day, week, hours] = [today(NOW_MS), lastWeek(NOW_MS), since(NOW_MS, 6 * HOUR_MS, "6h")];
    expect(day.title).toBe("Today, Wednesday 11 March");
    expect(new Date(day.startMs).getHours()).toBe(0);
    expect(new Date(day.beforeMs).getDate()).toBe(10);
    expect(new Date(week.startMs).getDate()).toBe(5);
    expect([hours.startMs, hours.beforeMs]).toEqual([NOW_MS - 6 * HOUR_MS, NOW_MS - 12 * HOUR_MS]);
    for (const { edges, beforeMs } of [day, week, hours]) {
      expect(edges).toHaveLength(8);
      expect([...edges].sort((one, other) => one - other)).toEqual(edges);
      expect(edges.at(-1)).toBeGreaterThanOrEqual(NOW_MS);
      expect(beforeMs).toBeLessThan(NOW_MS);
    }
  });
});

describe("a summary", () => {
  it("counts what agents did, what was stopped, and compares", async () => {
    const { figures, before, bars, sessions, rules, projects, hosts, files } = await summaryOf(
      today(NOW_MS),
      machine => {
        machine.run(
          { ...hoursAgo(24 * 20), ...deny },
          { ...hoursAgo(30) },
          { ...hoursAgo(20), ...deny },
          { ...hoursAgo(2), ...deny, session: "b" },
          { ...hoursAgo(1), decision: "ask", host: "codex", project: "/work/api" },
          { ...hoursAgo(1), hook: "stop", event: "Stop", decision: "deny" },
          { ...hoursAgo(1), hook: "post_tool_use", event: "PostToolUse" },
          { ...hoursAgo(0), result: "error", error: "no space" },
        );
        machine.judge(
          { ...hoursAgo(20) },
          { ...hoursAgo(2), session: "b" },
          { ...hoursAgo(1), verdict: "ask", rules: ["git.push"], command: "git push -f" },
        );
      },
      [
        change(40, { session: "c" }),
        change(3, { session: "c", paths: ["/a", "/b"] }),
        change(2, { session: "c", paths: ["/a"], isComplete: false }),
        change(1, { kind: "undo", of: ["c3", "c2"] }),
        change(1, { kind: "redo", of: ["c3"] }),
      ],
    );
    expect(figures).toEqual({
      calls: 5,
      refused: 1,
      asked: 1,
      answered: 0,
      held: 1,
      kept: 2,
      undone: 2,
      failures: 1,
    });
    expect(before).toEqual({
      calls: 2,
      refused: 1,
      asked: 0,
      answered: 0,
      held: 0,
      kept: 0,
      undone: 0,
      failures: 0,
    });
    expect(bars.map(({ calls }) => calls)).toEqual([0, 0, 0, 0, 1, 2, 5]);
    expect({ sessions, files }).toEqual({ sessions: 3, files: 2 });
    expect(rules).toMatchObject([
      { rule: "fs.home", refused: 1, asked: 0, title: "destroys personal data" },
      { rule: "git.push", refused: 0, asked: 1 },
    ]);
    expect(projects).toEqual([
      { name: "/work/shop", calls: 4, refused: 1, asked: 0 },
      { name: "/work/api", calls: 1, refused: 0, asked: 1 },
    ]);
    expect(hosts.map(({ name }) => name)).toEqual(["claude-code", "codex"]);
  });

  it("is read from the put-away files that are new enough, and passes over lines that are none", async () => {
    const machine = newMachine();
    machine.run(hoursAgo(1));
    writeFileSync(machine.places.runs, "not JSON\n{}\n", { flag: "a" });
    const older = machine.places.runs.replace(/jsonl$/, "20260311_100000.jsonl");
    writeFileSync(older, `${JSON.stringify({ ...RUN, ...hoursAgo(3) })}\n`);
    const period = today(NOW_MS);
    const calls = async () =>
      summarisePeriod(await readTimeline(system, machine.places, readFrom(period)), period, summarise).figures
        .calls;
    expect(await calls()).toBe(2);
    rmSync(machine.places.runs);
    expect(await calls()).toBe(1);
    expect(readFrom(period)).toBe(period.edges[0]);
  });
});

describe("the report on a terminal", () => {
  const fill = (machine: ReturnType<typeof newMachine>): void => {
    const evil = "\u001b[2J\u202e\u0007";
    const long = `/srv/${"long-name/".repeat(20)}`;
    for (let index = 0; index < 5; index++) {
      machine.run({ ...hoursAgo(index / 10), ...deny, project: index === 0 ? long : `/home/ada/p${index}` });
      machine.judge({
        ...hoursAgo(index / 10),
        command: `rm -rf ~ ${evil}`,
        rules: [`fs.${"home".repeat(9)}${evil}`],
      });
    }
    machine.judge({ ...hoursAgo(1), verdict: "ask", rules: [], command: "" });
    machine.judge(
      ...[1, 2, 3].map(() => ({
        ...hoursAgo(1),
        verdict: "ask",
        rules: ["publish"],
        command: "npm publish",
      })),
    );
    machine.run({
      ...hoursAgo(0),
      project: `/x${evil}`,
      host: `h${evil}`,
      result: "error",
      error: `bad ${evil}`,
    });
    machine.run({ ...hoursAgo(0), hook: "stop", event: "Stop", decision: "deny" });
  };

  it.each([40, 80, 120])("fits in %i columns and shows no control characters of the logs", async columns => {
    const period = today(NOW_MS);
    const text = renderSummary(
      await summaryOf(period, fill, [change(1, { isComplete: false })]),
      period,
      view(columns),
    );
    for (const line of text.split("\n")) if (columns > 60) expect(line.length).toBeLessThanOrEqual(columns);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text).toContain("  refused              5          0  ······█\n");
    expect(text).toContain("~/p1");
    expect(text).toContain("… and 3 more");
  });

  it("names at most three things to look at, with the command that tells more", async () => {
    const period = today(NOW_MS);
    const text = renderSummary(await summaryOf(period, fill, []), period, view(80));
    const [, looked = ""] = text.split("Look at\n");
    expect(looked.match(/^ {2}\d\. /gm)).toHaveLength(3);
    expect(looked).toMatch(
      /^ {2}1\. 1 hook call could not run, last before a call: bad .*\n {5}amplihack doctor\n/,
    );
    expect(looked).toContain("2. refused 5 times: rm -rf ~ ");
    expect(looked).toContain(
      "3. asked about 3 times, maybe worth permitting: npm publish\n     amplihack guard suggest\n",
    );
  });

  it("draws bars", () => {
    expect(renderBars([0, 1, 4, 8])).toBe("·▁▄█");
    expect(renderBars([0, 0])).toBe("··");
  });

  it("says what to do where there is nothing", async () => {
    const period = today(NOW_MS);
    const never = renderEmpty(await summaryOf(period, () => {}, []), period, view(80));
    expect(never).toContain("Check that they fire: amplihack doctor");
    const earlier = await summaryOf(period, machine => machine.run(hoursAgo(48)), []);
    expect(renderEmpty(earlier, period, view(80))).toContain(
      "was 2 days ago. A longer time: amplihack report",
    );
  });
});

describe("amplihack report", () => {
  it("prints today with what is in the logs and the history, as text and JSON", async () => {
    const user = newUserInside();
    expect((await user.type(["report"])).stdout).toContain("nothing was recorded.\n");
    writeFileSync(join(user.project, "notes.txt"), "x");
    await agentCall(user, { command: "rm notes.txt", targets: ["notes.txt"], how: "delete" }, () =>
      rmSync(join(user.project, "notes.txt")),
    );
    const logs = join(user.home, ".amplihack/logs");
    mkdirSync(logs, { recursive: true });
    const ts = new Date().toISOString();
    writeFileSync(join(logs, "runs.jsonl"), `${JSON.stringify({ ...RUN, ...deny, ts })}\n`);
    writeFileSync(join(logs, "audit.jsonl"), `${JSON.stringify({ ...JUDGEMENT, ts })}\n`);
    const { code, stdout, stderr } = await user.type(["report", "--since", "1h"]);
    expect(code).toBe(0);
    expect(stdout).toContain("The last 1h\n\n  2 sessions in 2 projects, 1 file changed\n");
    expect(stderr).toContain("More: amplihack report --week");
    expect(await user.json("report", "--week")).toMatchObject({
      calls: 2,
      refused: 1,
      kept: 1,
      files: 1,
      hosts: [{ name: "claude-code", calls: 2 }],
      rules: [{ rule: "fs.home" }],
      look_at: [{ what: "refused: rm -rf ~", command: "amplihack guard why fs.home" }],
    });
  });

  it.each([
    [["--week", "--since", "1h"], "--week and --since are two ways to say the same"],
    [["--memory"], "--memory belongs to --html FILE, which is missing"],
    [["--html", "x.html", "--week"], "--html holds everything: leave --week and --since out"],
    [["--since", "soon"], "--since must be a time such as 10m, 2h or 7d, not 'soon'"],
  ])("refuses %j", async (words, message) => {
    const { code, stderr } = await newUserInside().type(["report", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
