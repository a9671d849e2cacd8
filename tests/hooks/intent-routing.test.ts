import { describe, expect, it } from "vitest";
import { openHookContext } from "../../src/hooks/program/hook-context.ts";
import { routeIntent } from "../../src/hooks/stock/intent-routing.ts";
import { sha256Hex } from "../../src/system/index.ts";
import type { MemorySystem, SeedEntry } from "../../src/system/memory.ts";
import { inputOf, projectSystem, RUNTIME } from "./run-hook.ts";

const MARKER = `${RUNTIME}/locks/.auto_dev_active`;
const DECISIONS = `${RUNTIME}/logs/dev_intent_router/routing_decisions.jsonl`;

function project(env: Record<string, string> = {}, files: Record<string, SeedEntry> = {}): MemorySystem {
  return projectSystem({ env: { HOME: "/home/user", ...env }, files });
}
const route = (system: MemorySystem, prompt: unknown) =>
  routeIntent(prompt, openHookContext(inputOf("UserPromptSubmit"), system, "user_prompt_submit"));

describe("a prompt is led to the workflow", () => {
  it("unless something speaks against it, and the first time leaves a mark", () => {
    const system = project();
    const routing = route(system, "please build a parser");
    expect(routing).toMatchObject({ inject: true, reason: "inject" });
    expect(routing.text).toContain("dev-orchestrator");
    expect(system.files.inspect(MARKER)?.mode).toBe(0o600);
    expect(route(system, "and then another one")).toMatchObject({ inject: true });
  });

  it("also where others made the folder for locks", () => {
    const system = project({}, { [`${RUNTIME}/locks/.lock_goal`]: "x" });
    expect(route(system, "please build a parser").inject).toBe(true);
  });

  it("although the variable says no, while the mark is there", () => {
    const system = project({ AMPLIHACK_AUTO_DEV: "off" }, { [MARKER]: "" });
    expect(route(system, "please build a parser").inject).toBe(true);
  });
});

describe("the workflow is begun by", () => {
  const SKILL = ".claude/skills/dev-orchestrator/SKILL.md";
  const HOME = "/home/user";
  const PROJECT = RUNTIME.slice(0, RUNTIME.indexOf("/.claude"));
  it.each<[string, string, Record<string, string>]>([
    ["the recipe", "where there is no skill", {}],
    ["the skill", "that the user has", { [`${HOME}/${SKILL}`]: "ours" }],
    [
      "the skill",
      "that a project has as the user has it",
      { [`${HOME}/${SKILL}`]: "ours", [`${PROJECT}/${SKILL}`]: "ours" },
    ],
    ["the recipe", "where the project has a skill of its own", { [`${PROJECT}/${SKILL}`]: "theirs" }],
    [
      "the recipe",
      "where the project's takes the place of ours",
      { [`${HOME}/${SKILL}`]: "ours", [`${PROJECT}/${SKILL}`]: "theirs" },
    ],
    [
      "the skill",
      "that was trusted",
      {
        [`${PROJECT}/${SKILL}`]: "theirs",
        [`${HOME}/.amplihack/hooks/.trusted.json`]: JSON.stringify([
          { path: `${PROJECT}/${SKILL}`, sha256: sha256Hex(Buffer.from("theirs")) },
        ]),
      },
    ],
    [
      "the recipe",
      "where what was trusted has changed",
      {
        [`${PROJECT}/${SKILL}`]: "others",
        [`${HOME}/.amplihack/hooks/.trusted.json`]: JSON.stringify([
          { path: `${PROJECT}/${SKILL}`, sha256: sha256Hex(Buffer.from("theirs")) },
        ]),
      },
    ],
  ])("%s %s", (by, _, files) => {
    const { text } = route(project({}, files), "please build a parser");
    expect(text.includes("amplihack recipe run")).toBe(by === "the recipe");
  });
});

describe("a prompt is left alone", () => {
  it.each(["false", "0", "no", " OFF "])("when AMPLIHACK_AUTO_DEV is %j", value => {
    const system = project({ AMPLIHACK_AUTO_DEV: value });
    expect(route(system, "please build a parser")).toEqual({
      inject: false,
      text: "",
      reason: "skip:disabled",
    });
    expect(system.files.inspect(MARKER)).toBeUndefined();
  });

  it("while a workflow runs", () => {
    const system = project({}, { [`${RUNTIME}/locks/.workflow_active`]: "{}" });
    expect(route(system, "please build a parser").reason).toBe("skip:workflow_active");
  });

  it.each([
    [undefined, "skip:not_string"],
    [7, "skip:not_string"],
    ["  \n", "skip:empty"],
    ["/dev build a parser", "skip:slash_command"],
    ["  /dev build", "skip:slash_command"],
    ["123456789", "skip:too_short"],
    [" 123456789 ", "skip:too_short"],
  ])("when it is %j: %s", (prompt, reason) => {
    expect(route(project(), prompt)).toMatchObject({ inject: false, reason });
  });
});

describe("the record of decisions", () => {
  it("has a line for each, and no word of the prompt", () => {
    const system = project();
    route(system, "please build a parser");
    route(system, "/dev");
    const lines = (system.peek(DECISIONS) ?? "").trimEnd().split("\n");
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { should_inject: true, reason: "inject", prompt_length: 21 },
      { should_inject: false, reason: "skip:slash_command", prompt_length: 4 },
    ]);
    expect(lines.join()).not.toContain("parser");
    expect(system.files.inspect(DECISIONS)?.mode).toBe(0o600);
  });

  it("decides nothing when it cannot be written", () => {
    const system = project();
    system.faults.failUnder(RUNTIME, "EROFS", ["append", "createExclusive", "makeDirectory"]);
    expect(route(system, "please build a parser").inject).toBe(true);
  });
});
