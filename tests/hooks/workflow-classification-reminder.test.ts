import { describe, expect, it } from "vitest";
import {
  isNewTopic,
  workflowClassificationReminder,
} from "../../src/hooks/stock/workflow-classification-reminder.ts";
import type { MemorySystem } from "../../src/system/memory.ts";
import { jsonAt, projectSystem, RUNTIME, runHook } from "./run-hook.ts";

const STATE = `${RUNTIME}/logs/classification_state/s1.json`;
const submit = (system: MemorySystem, prompt: string | undefined, more = {}) =>
  runHook(workflowClassificationReminder(), system, {
    session_id: "s1",
    ...(prompt === undefined ? {} : { prompt }),
    ...more,
  });
const isReminded = async (system: MemorySystem, prompt: string, more = {}) =>
  (await submit(system, prompt, more)) !== undefined;

describe("a new topic", () => {
  it("is the first prompt of a session", async () => {
    const system = projectSystem();
    expect(await isReminded(system, "build a parser")).toBe(true);
    expect(jsonAt(system, STATE)).toEqual({ session_id: "s1", turn_count: 1, last_classified_turn: 1 });
  });

  it("is not a prompt within three turns of the last one", async () => {
    const system = projectSystem();
    const reminded = [];
    for (let turn = 1; turn <= 6; turn++) reminded.push(await isReminded(system, "go on"));
    expect(reminded).toEqual([true, false, false, false, true, false]);
    expect(jsonAt(system, STATE)).toMatchObject({ turn_count: 6, last_classified_turn: 5 });
  });

  it("is counted per session", async () => {
    const system = projectSystem();
    await submit(system, "one");
    expect(await isReminded(system, "two", { session_id: "s2" })).toBe(true);
  });

  it.each([
    "Now let's build the UI",
    "next I want tests",
    "switching to docs",
    "a different question",
    "different topic please",
    "new task: x",
    "moving on to y",
  ])("is announced by %j at any time", prompt => {
    expect(isNewTopic(prompt, 2, 1)).toBe(true);
  });

  it.each([
    "also add tests",
    "what about Windows",
    "And one more",
    "additionally do x",
    "furthermore",
    "I meant the other",
    "to clarify, x",
    "how's it going",
    "what's the status",
    "what’s the progress?",
  ])("is not opened by %j, however late", prompt => {
    expect(isNewTopic(prompt, 50, 1)).toBe(false);
  });

  it.each(["android support please", "always run it", "build this thing and that"])(
    "is not prevented by part of a word or a later word: %j",
    prompt => {
      expect(isNewTopic(prompt, 50, 1)).toBe(true);
    },
  );

  it.each(["/dev", "/dev x", "/amplihack:dev x", "/.claude:amplihack:dev"])(
    "is never an explicit %j",
    prompt => {
      expect(isNewTopic(prompt, 1, null)).toBe(false);
    },
  );

  it("is counted by the host's own number where it sends one", async () => {
    const system = projectSystem();
    expect(await isReminded(system, "one", { turnCount: 0 })).toBe(true);
    expect(await isReminded(system, "two", { turnCount: 3 })).toBe(false);
    expect(await isReminded(system, "three", { turnCount: 4 })).toBe(true);
  });
});

describe("the reminder", () => {
  it("quotes a hundred characters and asks for a classification", async () => {
    const effect = await submit(projectSystem(), `<b>${"é".repeat(200)}`);
    expect(effect?.context).toMatch(/^<system-reminder source="hooks-workflow-classification">/);
    expect(effect?.context).toContain(`"‹b›${"é".repeat(97)}"`);
    expect(effect?.context).toMatch(/question.*operation.*investigation or development.*dev-orchestrator/s);
    expect(effect?.context).toMatch(/<\/system-reminder>$/);
  });

  it.each([
    ["a nested session", { env: { HOME: "/home/user", AMPLIHACK_SESSION_DEPTH: "1" } }],
    ["a running workflow", { files: { [`${RUNTIME}/locks/.workflow_active`]: "{}" } }],
  ])("is not given in %s", async (_, options) => {
    const system = projectSystem(options);
    expect(await submit(system, "build it")).toBeUndefined();
    expect(system.peek(STATE)).toBeUndefined();
  });

  it.each([undefined, "", "  \n"])("is not given for an empty prompt (%j)", async prompt => {
    expect(await submit(projectSystem(), prompt)).toBeUndefined();
  });

  it("leaves no word of the prompt on disk", async () => {
    const system = projectSystem();
    await submit(system, "SECRETWORD");
    expect(system.peek(STATE)).not.toContain("SECRETWORD");
    expect(system.peek(`${RUNTIME}/logs/workflow_classification_reminder.log`)).not.toContain("SECRETWORD");
  });
});

describe("state that cannot be used", () => {
  it.each(["{", "[]", '{"turn_count":"x"}'])("is set aside and counting starts anew: %s", async content => {
    const system = projectSystem({ files: { [STATE]: content } });
    expect(await isReminded(system, "go")).toBe(true);
    expect(jsonAt(system, STATE)).toMatchObject({ turn_count: 1 });
  });

  it("costs the memory, not the reminder, when nothing can be written", async () => {
    const system = projectSystem({ files: { [`${RUNTIME}/logs/classification_state`]: "in the way" } });
    expect(await isReminded(system, "go")).toBe(true);
  });
});
