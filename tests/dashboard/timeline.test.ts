import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JudgementEntry, RunEntry } from "../../src/dashboard/entries.ts";
import { parseJudgement, parseRun } from "../../src/dashboard/entries.ts";
import { assembleCalls, type Call } from "../../src/dashboard/timeline/calls.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { changedMachine } from "./changed-machine.ts";
import { HOSTILE, JUDGEMENT, newMachine, RUN, type Served, serve, until } from "./machine.ts";

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();

function run(second: number, record: object): RunEntry {
  return { number: second, ...parseRun(JSON.stringify({ ...RUN, ts: at(second), ...record })) } as RunEntry;
}

function judgement(second: number, record: object): JudgementEntry {
  const parsed = parseJudgement(JSON.stringify({ ...JUDGEMENT, ts: at(second), ...record }));
  return { number: second, ...parsed } as JudgementEntry;
}

const callsOf = (...given: Parameters<typeof assembleCalls>) =>
  assembleCalls(...given).filter((item): item is Call => item.kind === "call");

describe("calls from what hooks write", () => {
  it("join a judgement by the host's id, and end with the hook after them", () => {
    const [call, ...others] = callsOf(
      [
        run(1, { event: "UserPromptSubmit", hook: "user_prompt_submit" }),
        run(2, { tool: "Bash", call: "t1" }),
        run(9, {
          event: "PostToolUse",
          hook: "post_tool_use",
          tool: "Bash",
          call: "t1",
          duration_us: 500_000,
        }),
      ],
      [judgement(2, { call: "t1", verdict: "ask", rules: ["fs.home"], command: "rm -rf ~/x" })],
      [],
    );
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      turn: 1,
      tool: "Bash",
      subject: "rm -rf ~/x",
      outcome: "asked",
      durationMs: 6_500,
    });
  });

  it("belong to one turn for each prompt, however many hooks are told of it", () => {
    const prompt = (at: number, hook: string) => run(at, { event: "UserPromptSubmit", hook });
    const both = (at: number) => [
      prompt(at, "workflow_classification_reminder"),
      prompt(at, "user_prompt_submit"),
    ];
    const calls = callsOf(
      [
        ...both(1),
        run(2, { tool: "Bash", call: "t1" }),
        ...both(5),
        ...both(6),
        run(7, { tool: "Bash", call: "t2" }),
      ],
      [],
      [],
    );
    expect(calls.map(({ turn }) => turn)).toEqual([1, 3]);
  });

  it("join by time where a host has no ids, never with an older call", () => {
    const calls = callsOf(
      [run(10, { tool: "Bash" }), run(20, { tool: "Bash", decision: "deny" }), run(70, { tool: "Bash" })],
      [judgement(19, { command: "second" }), judgement(30, { command: "none" })],
      [],
    );
    expect(calls.map(({ subject, outcome }) => [subject, outcome])).toEqual([
      ["", "silent"],
      ["second", "refused"],
      ["none", "refused"],
      ["", "silent"],
    ]);
  });

  it("are one when hooks are registered twice", () => {
    const twice = [
      run(1, { tool: "Bash", call: "t1" }),
      run(2, { tool: "Bash", call: "t1", decision: "deny" }),
    ];
    expect(callsOf(twice, [], [])).toMatchObject([{ outcome: "refused" }]);
  });

  it.each([
    [{ decision: "deny" }, "refused"],
    [{ decision: "ask" }, "asked"],
    [{ decision: "allow" }, "allowed"],
    [{ context: 120 }, "context"],
    [{ result: "error", error: "broke" }, "unchecked"],
    [{}, "silent"],
    [{ event: "Stop", decision: "deny", rules: ["stop.lock"] }, "held"],
  ])("tell %o as %s", (record, outcome) => {
    expect(assembleCalls([run(1, record)], [], [])[0]?.outcome).toBe(outcome);
  });

  it("say what held a stop, and what was added for the model", () => {
    const told = assembleCalls(
      [
        run(1, { event: "Stop", decision: "deny", rules: ["stop.lock"] }),
        run(2, { event: "Stop", decision: "deny" }),
        run(3, { event: "SessionStart", context: 1_234 }),
      ],
      [],
      [],
    ).map(item => item.told);
    expect(told).toEqual([
      "Continuous work is on. amplihack unlock ends it.",
      "A hook of your own held it.",
      "1,234 characters for the model.",
    ]);
  });

  it("say to people what the guard says to people, and how to allow it", () => {
    const person =
      "[fs.home] It would destroy personal data. It cannot be undone. Also [fs.cwd]: It would break the session.\nTo allow it, in your terminal: amplihack guard allow-once 29X4JR";
    const [call] = callsOf(
      [run(2, { tool: "Bash", call: "t1" })],
      [judgement(2, { call: "t1", person })],
      [],
    );
    expect(call).toMatchObject({
      told: "It would destroy personal data. It cannot be undone. It would break the session.",
      hint: "To allow it, in your terminal: amplihack guard allow-once 29X4JR",
    });
  });

  it("tell what passed because it was kept", () => {
    const [call] = callsOf(
      [run(2, { tool: "Bash", call: "t1" })],
      [
        judgement(2, {
          call: "t1",
          verdict: "allow",
          rules: [],
          targets: [],
          notes: ["kept: git.reset . (amplihack undo a1)"],
        }),
      ],
      [],
    );
    expect(call).toMatchObject({ outcome: "kept", rules: ["git.reset"] });
    expect(call?.told).not.toContain("amplihack undo");
  });
});

const pageWith = (served: Served, path: string, text: string | RegExp) =>
  until(
    async () => (await served.ask(path)).body,
    body => (typeof text === "string" ? body.includes(text) : text.test(body)),
  );

describe("the pages of the timeline", () => {
  it("tell a session as a story, in the order in which it happened", async () => {
    const machine = newMachine();
    machine.run(
      { event: "UserPromptSubmit", ts: at(1) },
      { tool: "Bash", call: "t1", ts: at(2) },
      { event: "UserPromptSubmit", ts: at(10) },
      { tool: "Write", call: "t2", ts: at(12) },
    );
    machine.judge({
      ts: at(12),
      call: "t2",
      tool: "Write",
      command: undefined,
      paths: ["/work/shop/src/a.ts"],
    });
    const served = await serve(machine);
    const list = await pageWith(served, "/sessions", "session-1");
    expect(list).toMatch(/href="\/session\?id=session-1&amp;token=[0-9a-f]{32}"/);
    const page = await pageWith(served, "/session?id=session-1", "src/a.ts");
    const order = ["Turn 1", "command not recorded", "Turn 2", "src/a.ts"].map(text => page.indexOf(text));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order[0]).toBeGreaterThan(0);
  });

  it("link every name to what has it, and keep filters in the address", async () => {
    const machine = newMachine();
    machine.judge(
      {},
      { host: "codex", rules: ["git.push"], command: "git push --force", session: "session-2" },
    );
    const served = await serve(machine);
    const all = await pageWith(served, "/calls", "git push --force");
    for (const query of ["rule=git.push", "host=codex", "project=%2Fwork%2Fshop", "id=session-2"])
      expect(all).toContain(query);
    const some = (await served.ask("/calls?host=codex&rule=git.push")).body;
    expect(some).toContain("git push --force");
    expect(some).not.toContain("rm -rf ~");
    expect(some).toContain('<option value="codex" selected>');
    expect((await served.ask("/calls?outcome=asked")).body).toContain("No matching calls.");
  });

  it("list held stops and hooks that failed among the calls, with their reasons", async () => {
    const machine = newMachine();
    machine.run(
      { event: "Stop", hook: "stop", decision: "deny", rules: ["stop.lock"], ts: at(1) },
      { event: "SessionStart", hook: "session_start", result: "error", error: "no disk", ts: at(2) },
      { event: "Stop", hook: "stop", ts: at(3) },
    );
    const served = await serve(machine);
    const held = await pageWith(served, "/calls?outcome=held", "Continuous work is on.");
    expect(held).not.toContain("no disk");
    expect((await served.ask("/calls?outcome=unchecked")).body).toContain("no disk");
    expect((await served.ask("/search?q=stop.lock")).body).toContain("Agent wanted to stop");
    expect((await served.ask("/calls")).body).not.toContain("Agent stopped");
    expect((await served.ask("/sessions")).body).toContain("<b>1</b> stop held");
  });

  it.each([
    ["an unanswered question", { verdict: "ask", command: "git stash drop" }, true],
    ["a stop that was held, after which the agent goes on by itself", undefined, false],
  ])("say what waits for the person: %s", async (_, judged, isWaiting) => {
    const machine = newMachine();
    const ts = new Date().toISOString();
    if (judged === undefined)
      machine.run({ event: "Stop", hook: "stop", decision: "deny", rules: ["stop.lock"], ts });
    else {
      machine.run({ decision: "ask", tool: "Bash", call: "t1", ts });
      machine.judge({ ...judged, call: "t1", ts });
    }
    const page = await pageWith(await serve(machine), "/", "What they did");
    expect(page.includes("What waits for you")).toBe(isWaiting);
  });

  it("find commands, files of changes, rules and sessions by one search", async () => {
    const { machine, change } = await changedMachine("one\n", "two\n", "deep/report-2026.md");
    machine.judge({ command: "terraform destroy" });
    const served = await serve(machine);
    expect(await pageWith(served, "/search?q=terraform", "Calls <span")).toContain("terraform destroy");
    expect((await served.ask("/search?q=report-2026")).body).toContain(`data-undo="${change}"`);
    expect((await served.ask(`/search?q=${change}`)).body).toContain("report-2026.md");
    expect((await served.ask("/search?q=session-1")).body).toContain("Sessions <span");
    expect((await served.ask("/search?q=git.reset")).body).toContain("Rules <span");
    expect((await served.ask("/search?q=zzz-nothing")).body).toContain("Nothing found");
  });

  it("take prompts and commands that no log has from the host's own record", async () => {
    const machine = newMachine();
    const transcript = join(temporaryDirectory(), "s.jsonl");
    const lines = [
      { type: "user", timestamp: at(1), message: { role: "user", content: "Tidy up, please." } },
      {
        type: "assistant",
        timestamp: at(2),
        message: {
          role: "assistant",
          content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: `ls ${HOSTILE}` } }],
        },
      },
    ];
    writeFileSync(transcript, lines.map(one => `${JSON.stringify(one)}\n`).join(""));
    machine.run(
      { event: "UserPromptSubmit", ts: at(1), transcript },
      { tool: "Bash", call: "t1", ts: at(2) },
    );
    const page = await pageWith(await serve(machine), "/session?id=session-1", "Tidy up, please.");
    expect(page).toContain("ls &lt;/script&gt;");
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it("say what to do where there is nothing yet", async () => {
    const served = await serve(newMachine());
    for (const [path, advice] of [
      ["/", "amplihack install"],
      ["/sessions", "amplihack install"],
      ["/calls", "amplihack doctor"],
      ["/recipes", "amplihack recipe list"],
      ["/memory", "amplihack memory store"],
      ["/search", "What are you looking for?"],
      ["/session?id=none", "There is no such session."],
      ["/change?id=none", "There is no such change."],
      ["/recipe?id=none", "There is no such run of a recipe."],
    ] as const) {
      const { body } = await served.ask(path);
      expect(body, path).toContain(advice);
      expect(body.match(/<h1[ >]/g), path).toHaveLength(1);
    }
  });

  it("draw no chart of nothing", async () => {
    const machine = newMachine();
    const served = await serve(machine);
    const now = new Date().toISOString();
    machine.run({ ts: now, tool: "Bash", call: "c1" });
    expect(await pageWith(served, "/?days=7", "1 call")).not.toContain("What was refused");
    machine.run({ ts: now, tool: "Bash", call: "c2", decision: "deny", rules: ["fs.home"] });
    await pageWith(served, "/?days=7", "What was refused");
  });

  it("stay small when the logs are long and lines are hostile", async () => {
    const machine = newMachine();
    const long = "x".repeat(1_000_000);
    const runs = Array.from({ length: 100_000 }, (_, index) => ({
      ts: new Date(Date.UTC(2026, 2, 1) + index * 500).toISOString(),
      event: index % 2 === 0 ? "PreToolUse" : "PostToolUse",
      tool: "Bash",
      call: `t${index >> 1}`,
    }));
    machine.run(...runs);
    machine.judge({ command: `first ${long}` }, { command: `${HOSTILE}\u001b[2J\u202e` });
    const served = await serve(machine);
    const page = await pageWith(served, "/session?id=session-1", "Earlier: ");
    expect(page.length).toBeLessThan(600_000);
    const calls = await pageWith(served, "/calls?q=onerror", "taken");
    expect(calls).not.toMatch(/[\u001b\u202e]/);
    expect(calls.length).toBeLessThan(200_000);
    await pageWith(served, "/calls?from=49950", "49,951 to 50,000 of 50,0");
  });
});
