import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { foretellUse, readBudget } from "../../src/hooks/program/budget.ts";
import { preToolUse } from "../../src/hooks/stock/pre-tool-use.ts";
import type { Effect, HookInput } from "../../src/protocol/index.ts";
import { createMemorySystem, type MemorySystem } from "../../src/system/memory.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;
const STATE = `${HOME}/.amplihack`;
const RECORDS = `${HOME}/.claude/projects/p`;

/** One answer of Claude Code; the clock of the machine stands at its start. */
const answer = (id: string, output: number, model = "claude-opus-4-5") =>
  `${JSON.stringify({
    type: "assistant",
    sessionId: "s-1",
    timestamp: new Date(NOW).toISOString(),
    message: { id, model, usage: { input_tokens: 0, output_tokens: output } },
  })}\n`;

const NOW = createMemorySystem({ files: {} }).clock.nowMs();

function machine(
  budget: object,
  files: Record<string, string>,
  env: Record<string, string> = {},
): MemorySystem {
  return createMemorySystem({
    files: {
      [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n",
      [`${STATE}/config.jsonc`]: { content: JSON.stringify({ budget }), mode: 0o600, uid: 1000 },
      ...files,
    },
    env: { HOME, ...env },
    cwd: PROJECT,
    uid: 1000,
  });
}

function call(name: string, command: string | undefined, session = "s-1"): HookInput {
  return {
    kind: "tool",
    host: "claude-code",
    event: "PreToolUse",
    nativeEvent: "PreToolUse",
    sessionId: session,
    cwd: PROJECT,
    transcriptPath: `${RECORDS}/${session}.jsonl`,
    facts: { command: command ?? null, paths: [] },
    raw: {},
    result: undefined,
    error: undefined,
    tool: { name, canonicalName: name, input: command === undefined ? {} : { command }, useId: undefined },
  };
}

const ask = (system: MemorySystem, command = "touch a", session = "s-1"): Promise<Effect | undefined> =>
  Promise.resolve(preToolUse().run(call("Bash", command, session), system));

/** 25 dollars for a million tokens of output. */
const DOLLAR = 40_000;

describe("a budget", () => {
  it("that is not set costs nothing: no record is read and nothing is written", async () => {
    const system = machine({}, { [`${RECORDS}/s-1.jsonl`]: answer("a", 9 * DOLLAR) });
    await ask(system);
    expect(system.calls.filter(({ path }) => path?.includes(".jsonl") || path?.includes("/usage"))).toEqual(
      [],
    );
  });

  it("warns once at 80 %", async () => {
    const system = machine({ session: "$5" }, { [`${RECORDS}/s-1.jsonl`]: answer("a", 4 * DOLLAR) });
    const first = await ask(system);
    expect(first?.decision).toBeUndefined();
    expect(first?.message).toEqual({
      text: "This session has used $4.00 of $5.00 (80 %).",
      level: "warn",
    });
    expect((await ask(system))?.message).toBeUndefined();
  });

  it("asks at 100 % before what is more than a look", async () => {
    const system = machine({ session: "$5" }, { [`${RECORDS}/s-1.jsonl`]: answer("a", 5 * DOLLAR) });
    const effect = await ask(system);
    expect(effect?.decision?.kind).toBe("ask");
    expect(effect?.decision?.reason).toContain("This session has used $5.00 of $5.00 (100 %)");
    expect(effect?.decision?.reason).toContain("amplihack config set budget.session");
    expect(await ask(system, "ls")).toBeUndefined();
    expect(await preToolUse().run(call("Read", undefined), system)).toBeUndefined();
    expect((await preToolUse().run(call("Task", undefined), system))?.decision?.kind).toBe("ask");
  });

  it("refuses where nobody answers", async () => {
    const files = { [`${RECORDS}/s-1.jsonl`]: answer("a", 5 * DOLLAR) };
    const system = machine({ session: "$5" }, files, { AMPLIHACK_NONINTERACTIVE: "1" });
    expect((await ask(system))?.decision?.kind).toBe("deny");
  });

  it("counts agents with their parents, an answer that has grown once, and tokens where tokens are the limit", async () => {
    const system = machine(
      { session: "1k tokens" },
      {
        [`${RECORDS}/s-1.jsonl`]: answer("a", 100, "new") + answer("a", 300, "new"),
        [`${RECORDS}/s-1/subagents/agent-1.jsonl`]: answer("b", 650, "new"),
      },
    );
    expect((await ask(system))?.message?.text).toBe("This session has used 950 tokens of 1k tokens (95 %).");
  });

  it("counts an answer once that is copied into the record of a session that goes on from it", async () => {
    const first = answer("a", 2 * DOLLAR) + answer("b", 2 * DOLLAR);
    const system = machine(
      { session: "$3", day: "$6" },
      { [`${RECORDS}/s-1.jsonl`]: first, [`${RECORDS}/s-2.jsonl`]: first + answer("c", DOLLAR) },
    );
    expect((await ask(system))?.decision?.reason).toContain("This session has used $4.00 of $3.00");
    const forked = await ask(system, "touch b", "s-2");
    expect(forked?.decision).toBeUndefined();
    expect(forked?.message?.text).toBe("Your agents today have used $5.00 of $6.00 (83 %).");
  });

  it("counts an answer once that both sessions get to see only after one was continued as the other", async () => {
    const path = `${RECORDS}/s-1.jsonl`;
    const last = answer("b", 2 * DOLLAR);
    const system = machine({ day: "$10" }, { [path]: answer("a", DOLLAR) });
    await ask(system);
    system.files.append(path, system.text.encode(last), 0o600);
    system.files.append(`${RECORDS}/s-2.jsonl`, system.text.encode(answer("a", DOLLAR) + last), 0o600);
    await ask(system, "touch b", "s-2");
    system.files.append(path, system.text.encode(answer("c", 5 * DOLLAR)), 0o600);
    expect((await ask(system))?.message?.text).toContain("Your agents today have used $8.00 of $10.00");
  });

  it("counts an answer once when the whole record is written anew, however long it is", async () => {
    const path = `${RECORDS}/s-1.jsonl`;
    const many = Array.from({ length: 200 }, (_, index) => answer(`a${index}`, DOLLAR / 50)).join("");
    const system = machine({ session: "$5" }, { [path]: many });
    expect((await ask(system))?.message?.text).toContain("$4.00 of $5.00 (80 %)");
    system.files.append(path, system.text.encode(many), 0o600);
    expect((await ask(system))?.decision).toBeUndefined();
  });

  it("of a day and of a project counts other sessions, too", async () => {
    const system = machine(
      { day: "$6", project: "$6" },
      {
        [`${RECORDS}/s-1.jsonl`]: answer("a", 3 * DOLLAR),
        [`${RECORDS}/s-2.jsonl`]: answer("b", 3 * DOLLAR),
      },
    );
    expect((await ask(system))?.decision).toBeUndefined();
    expect((await ask(system, "touch b", "s-2"))?.decision?.reason).toContain(
      "Your agents today have used $6.00",
    );
  });

  it("reads what is new only, and only whole lines", async () => {
    const path = `${RECORDS}/s-1.jsonl`;
    const long = answer("a", DOLLAR);
    const system = machine({ session: "$5" }, { [path]: long + answer("b", 4 * DOLLAR).slice(0, 40) });
    expect((await ask(system))?.decision).toBeUndefined();
    system.files.append(path, system.text.encode(answer("b", 4 * DOLLAR).slice(40)), 0o600);
    const before = system.calls.length;
    expect((await ask(system))?.decision?.reason).toContain("$5.00 of $5.00");
    const meter = JSON.parse(system.peek(`${STATE}/usage/s-1.json`) ?? "{}");
    expect(meter.files[path].offset).toBe(system.files.follow(path)?.size);
    expect(system.calls.slice(before).some(({ operation }) => operation === "readRange")).toBe(true);
  });

  it("tells a status line how long it lasts at the rate so far", async () => {
    const system = machine({ session: "$5" }, { [`${RECORDS}/s-1.jsonl`]: answer("a", DOLLAR) });
    await ask(system);
    const { config } = loadConfig(system, { home: HOME, stateHome: STATE, projectRoot: PROJECT });
    const soon = { ...system, clock: { ...system.clock, nowMs: () => NOW + 2_000 } };
    const [first] = readBudget(soon, "s-1", { stateHome: STATE, project: PROJECT, config });
    // Two seconds say nothing about an hour.
    expect(first).toMatchObject({ used: 1, restMs: undefined });
    const later = { ...system, clock: { ...system.clock, nowMs: () => NOW + 60_000 } };
    const [use] = readBudget(later, "s-1", { stateHome: STATE, project: PROJECT, config });
    expect(use).toMatchObject({ name: "session", used: 1, share: 0.2 });
    expect(Math.round((use?.restMs ?? 0) / 60_000)).toBe(4);
    if (use === undefined) throw new Error("the budget of the session was not compared");
    expect(foretellUse(use)).toBe(
      "This session has used $1.00 of $5.00 (20 %). At $60.00 an hour it is used up in 4 min.",
    );
    expect(foretellUse({ ...use, share: 1, used: 5 })).toBe("This session has used $5.00 of $5.00 (100 %).");
  });
});
