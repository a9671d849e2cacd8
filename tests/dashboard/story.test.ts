import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { summarisePeriod, today } from "../../src/commands/report/summary.ts";
import { reportDocument } from "../../src/commands/report/view.ts";
import { LogReader } from "../../src/dashboard/entries.ts";
import { readTimeline, summarise } from "../../src/dashboard/figures.ts";
import type { LocalOverview } from "../../src/dashboard/server.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { recordCall } from "../commands/agent-call.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { openCodeHome } from "../verify/open-code-home.ts";
import { newMachine, serve, until } from "./machine.ts";

const system = createNodeSystem();
const startMs = Date.now() - 5_000;
const at = (index: number) => new Date(startMs + index * 10).toISOString();

/** Claude Code's record of a session in which a test failed, was mended and passed. */
function writeTranscript(): string {
  const path = join(temporaryDirectory(), "session.jsonl");
  const use = (index: number, id: string, name: string, input: object, text = "") => ({
    type: "assistant",
    timestamp: at(index),
    message: {
      role: "assistant",
      content: [...(text === "" ? [] : [{ type: "text", text }]), { type: "tool_use", id, name, input }],
    },
  });
  const result = (index: number, id: string, isError: boolean) => ({
    type: "user",
    timestamp: at(index),
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: "…", is_error: isError }],
    },
  });
  const lines = [
    { type: "user", timestamp: at(1), message: { role: "user", content: "Mend the marmalade parser" } },
    use(2, "t1", "Read", { file_path: "/work/shop/a.ts" }),
    result(3, "t1", false),
    use(4, "t2", "Bash", { command: "npm test" }),
    result(5, "t2", true),
    use(6, "t3", "Bash", { command: "npm test" }),
    result(7, "t3", false),
    use(7, "t4", "Bash", { command: "rm -rf ~" }),
    result(7, "t4", true),
    {
      type: "assistant",
      timestamp: at(8),
      message: { role: "assistant", content: [{ type: "text", text: "The parser accepts quinces now." }] },
    },
  ];
  writeFileSync(path, `${lines.map(line => JSON.stringify(line)).join("\n")}\n`);
  return path;
}

function newDay() {
  const machine = newMachine();
  const transcript = writeTranscript();
  const calls = [
    { tool: "Read", call: "t1", ts: at(2) },
    { tool: "Bash", call: "t2", ts: at(4) },
    { tool: "Bash", call: "t3", ts: at(6) },
    { tool: "Bash", call: "t4", ts: at(7), decision: "deny", rules: ["fs.home"] },
  ];
  machine.run({ event: "UserPromptSubmit", hook: "user_prompt_submit", ts: at(1), transcript }, ...calls);
  machine.judge({ call: "t4", ts: at(7) });
  return machine;
}

async function changeFile(machine: ReturnType<typeof newMachine>): Promise<void> {
  const project = temporaryDirectory();
  const home = dirname(machine.places.stateHome);
  const path = join(project, "list.txt");
  writeFileSync(path, "pears\n");
  for (const text of ["pears\nquinces\n", "pears\nquinces\nmedlars\n"])
    await recordCall(
      system,
      { home, project, stateHome: machine.places.stateHome },
      { command: "tidy list.txt", targets: ["list.txt"], how: "write" },
      () => writeFileSync(path, text),
    );
}

describe("the page of a session", () => {
  it("is titled by its first prompt and tells what was said, folded calls, and what was refused", async () => {
    const served = await serve(newDay());
    const { body } = await served.ask("/session?id=session-1");
    expect(body).toMatch(/<h1>Mend the marmalade parser<\/h1>/);
    expect(body).toContain('<p class="answer">The parser accepts quinces now.</p>');
    expect(body).toMatch(
      /1 read, 3 commands, <code>npm test<\/code> <b class="bad"[^>]*>✗<\/b> → <b class="good"/,
    );
    expect(body.indexOf("rm -rf ~")).toBeGreaterThan(body.indexOf("The parser accepts"));
    // What was refused has not failed: it never ran.
    expect(body.match(/class="bad">failed</g)).toHaveLength(1);
    expect(body).not.toContain("no objection");
  });

  it("shows one diff of several changes", async () => {
    const machine = newMachine();
    await changeFile(machine);
    const served = await serve(machine);
    const [session] = (await served.json<{ sessions: { session: string }[] }>("/api/overview")).sessions;
    const page = (await served.ask(`/session?id=${session?.session}`)).body;
    const ids = /id="diff-session" data-diff="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(ids.split(" ")).toHaveLength(2);
    const { body } = await served.ask(`/diff?id=${encodeURIComponent(ids)}`);
    expect(body.match(/<section class="file">/g)).toHaveLength(1);
    expect(body).toContain("+2");
    expect(body).toContain("medlars");
  });
});

describe("a session of a host that does not tell its hooks where it records it", () => {
  const ID = "37785283-3d2d-4ad9-b53f-902f5d979635";

  /** One call of a session whose record lies in the home. */
  function machineOf(home: string, host: string, session: string, call: string) {
    const machine = newMachine();
    const ts = "2023-11-14T22:13:20.000Z";
    machine.run({ host, session, event: "UserPromptSubmit", hook: "user_prompt_submit", ts });
    machine.run({ host, session, tool: "Bash", call, ts: "2023-11-14T22:13:20.500Z" });
    return { ...machine, places: { ...machine.places, home } };
  }

  it("is found by its id: Copilot CLI", async () => {
    const home = temporaryDirectory();
    const path = join(home, ".copilot/session-state", ID, "events.jsonl");
    const timestamp = "2023-11-14T22:13:21.000Z";
    const lines = [
      { type: "user.message", timestamp, data: { content: "Mend the marmalade parser" } },
      {
        type: "tool.execution_start",
        timestamp,
        data: { toolCallId: "t1", toolName: "bash", arguments: { command: "npm test" } },
      },
    ];
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map(line => `${JSON.stringify(line)}\n`).join(""));
    const served = await serve(machineOf(home, "copilot-cli", ID, "t1"));
    expect((await served.ask("/sessions")).body).toContain("Mend the marmalade parser</a>");
    const { body } = await served.ask(`/session?id=${ID}`);
    expect(body).toContain("<h1>Mend the marmalade parser</h1>");
    expect(body).toContain("npm test");
    expect((await served.ask("/search?q=marmalade")).body).toContain("you: Mend the marmalade parser");
  });

  it("is read from its database: OpenCode", async () => {
    const served = await serve(machineOf(openCodeHome("npm test"), "opencode", "ses_1", "t1"));
    const { body } = await served.ask("/session?id=ses_1");
    expect(body).toContain("<h1>Tidy up.</h1>");
    expect(body).toContain('<p class="answer">I shall.</p>');
    expect(body).toMatch(/<code>npm test<\/code> <b class="bad"/);
    expect((await served.ask("/sessions")).body).toContain("Tidy up.</a>");
    expect((await served.ask("/search?q=shall")).body).toContain("the agent: I shall.");
  });
});

describe("search", () => {
  it.each([
    ["marmalade", "Conversations", "you: Mend the marmalade parser"],
    ["accepts quinces", "Conversations", "the agent: The parser accepts quinces now."],
    ["medlars", "Diffs", "list.txt"],
  ])("finds %j", async (sought, heading, found) => {
    const machine = newDay();
    await changeFile(machine);
    const { body } = await (await serve(machine)).ask(`/search?q=${encodeURIComponent(sought)}`);
    expect(body).toContain(heading);
    expect(body).toContain(found);
  });
});

describe("the same figures", () => {
  it("stand on the page, in its JSON, in the report and in the report's JSON", async () => {
    const machine = newDay();
    await changeFile(machine);
    const served = await serve(machine);
    const overview = await until(
      () => served.json<LocalOverview>("/api/overview?days=1"),
      ({ calls }) => calls > 0,
    );
    const page = (await served.ask("/?days=1")).body;
    const nowMs = Date.now();
    const period = today(nowMs);
    const timeline = await readTimeline(system, machine.places, period.beforeMs);
    const report = reportDocument(summarisePeriod(timeline, period, summarise), period) as Record<
      string,
      unknown
    >;
    const { calls, refused, asked, changes, undone, files, unchecked, sessions } = overview;
    expect(report).toMatchObject({
      calls,
      refused,
      asked,
      kept: changes,
      undone,
      files,
      failures: unchecked,
      sessions: sessions.length,
    });
    expect({ calls, refused, changes, files }).toEqual({ calls: 6, refused: 1, changes: 2, files: 1 });
    expect(page).toContain(`<b>${calls} calls</b>`);
    expect(page).toContain(`<b>${refused}</b> refused`);
    expect(page).toContain(`<b>${changes}</b> changes`);
    expect(page).toContain(`<b>${files}</b> file was changed`);
  });
});

describe("a log that is read from its end", () => {
  it("gives every line once, the newest piece first, and goes on behind it", () => {
    const folder = temporaryDirectory();
    const path = join(folder, "runs.jsonl");
    const long = "x".repeat(400_000);
    const lines = Array.from({ length: 20_000 }, (_, index) => (index === 9_000 ? long : `line ${index}`));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.replace("jsonl", "20260101_000000.jsonl"), `${lines.slice(0, 5_000).join("\n")}\n`);
    writeFileSync(path, `${lines.slice(5_000).join("\n")}\nunfin`);
    const reader = new LogReader(system, path);
    const pieces = [...reader.readBack()];
    const read = pieces.toReversed().flatMap(piece => piece.lines);
    expect(read).toEqual(lines.filter(line => line !== long));
    expect(pieces.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(1);
    writeFileSync(path, "ished\nnew\n", { flag: "a" });
    expect([...reader.read()].flatMap(piece => piece.lines)).toEqual(["unfinished", "new"]);
    rmSync(path);
  });
});
