import { describe, expect, it } from "vitest";
import { PARTS, type Part, PROFILES } from "../../src/config/levels.ts";
import {
  postToolUse,
  preCompact,
  sessionStart,
  sessionStop,
  stop,
  userPromptSubmit,
  workflowClassificationReminder,
} from "../../src/exports/hooks.ts";
import type { Hook } from "../../src/protocol/index.ts";
import type { MemorySystem } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";
import { assistant, claudeSession, todos, user, write } from "./recorded.ts";
import { projectSystem, ROOT, RUNTIME, runHook } from "./run-hook.ts";

const TRANSCRIPT = "/home/user/.claude/projects/p/s1.jsonl";
const APPROVED = { extras: { claude: { decision: "approve" } } };

/** A project in which every hook has something to say. */
function busyProject(
  parts: readonly Part[] | undefined,
  config?: string,
  onStart = (_program: string): void => {},
): MemorySystem {
  return projectSystem({
    files: {
      [TRANSCRIPT]: claudeSession([
        user("implement the parser"),
        write("src/parser.py", "x = 1\n"),
        todos("pending"),
        assistant("Working on it."),
      ]),
      [`${ROOT}/.claude/context/USER_PREFERENCES.md`]: "### Verbosity\n\nbrief\n",
      [`${ROOT}/.claude/AMPLIHACK.md`]: "the framework's text",
      ...(parts === undefined && config === undefined
        ? {}
        : { "/home/user/.amplihack/config.jsonc": config ?? JSON.stringify({ parts }) }),
    },
    env: { HOME: "/home/user", AMPLIHACK_TESTING: "1", AMPLIHACK_TEST_BRIDGE_COMMAND: "bridge-under-test" },
    run: ({ argv }) => {
      onStart(argv[0]);
      return argv[0] === "bridge-under-test"
        ? {
            stdout:
              '{"context":"learnt before","memories":[],"injected_context":"agent memory","memory_keys_used":[],"stored":true,"memories_count":1}',
          }
        : { code: 128 };
    },
  });
}

const CALLS: Readonly<Record<string, (system: System) => Promise<unknown>>> = {
  start: system =>
    say(sessionStart(), system, { source: "startup", prompt: "implement the whole parser, all of it" }),
  prompt: system => say(userPromptSubmit(), system, { prompt: "/fix the parser" }),
  reminder: system => say(workflowClassificationReminder(), system, { prompt: "build a parser" }),
  compact: system => say(preCompact(), system, { trigger: "auto" }),
  stop: system => say(stop(), system, {}),
  end: system => say(sessionStop(), system, {}),
};

function say(hook: Hook<System>, system: System, payload: Record<string, string>) {
  return runHook(hook, system, { session_id: "s1", transcript_path: TRANSCRIPT, ...payload });
}

const answer = (call: string, parts: readonly Part[] | undefined) => CALLS[call]?.(busyProject(parts));

describe("without a choice", () => {
  it("every part is on", async () => {
    expect(PARTS).toEqual([...PROFILES.full, "mcp"]);
    for (const call of Object.keys(CALLS))
      expect(JSON.stringify(await answer(call, undefined)), call).toBe(
        JSON.stringify(await answer(call, PARTS)),
      );
    expect(await answer("start", undefined)).toMatchObject({
      context: expect.stringMatching(
        /parser[\s\S]*Project Context[\s\S]*learnt before[\s\S]*Default Workflow/,
      ),
    });
    expect(await answer("stop", undefined)).toMatchObject({ decision: { kind: "deny" } });
  });

  it("stays so with a configuration that cannot be used", async () => {
    for (const config of ["{", '{"parts": "guard"}', '{"parts": 1}'])
      expect(await CALLS["stop"]?.(busyProject(undefined, config))).toMatchObject({
        decision: { kind: "deny" },
      });
  });
});

describe("the guard alone", () => {
  it.each(Object.keys(CALLS).filter(call => call !== "stop"))("says nothing at %s", async call => {
    expect(await answer(call, PROFILES.guard)).toBeUndefined();
  });

  it("lets every stop through, and starts no other program", async () => {
    const started: string[] = [];
    const system = busyProject(PROFILES.guard, undefined, program => started.push(program));
    expect(await CALLS["stop"]?.(system)).toEqual(APPROVED);
    for (const call of Object.values(CALLS)) await call(system);
    expect(started).toEqual([]);
  });

  it("tracks no workflow", async () => {
    for (const [parts, isTracked] of [
      [PROFILES.guard, false],
      [PROFILES.full, true],
    ] as const) {
      const system = busyProject(parts);
      const payload = { session_id: "s1", tool_name: "Skill", tool_input: { skill: "dev-orchestrator" } };
      await runHook(postToolUse(), system, payload);
      const names = JSON.stringify(system.files.list(RUNTIME));
      expect(names.includes("workflow"), names).toBe(isTracked);
    }
  });
});

describe("the standard choice", () => {
  it("brings memories back, keeps conversations, and changes no way of working", async () => {
    expect(await answer("start", PROFILES.standard)).toEqual({
      context: "## Recent Learnings\nlearnt before",
    });
    expect(await answer("prompt", PROFILES.standard)).toEqual({ context: "agent memory" });
    expect(await answer("reminder", PROFILES.standard)).toBeUndefined();
    expect(await answer("stop", PROFILES.standard)).toEqual(APPROVED);
    expect(await answer("compact", PROFILES.standard)).toMatchObject({
      extras: { claude: { status: "success" } },
    });
  });
});

it("a project cannot choose", async () => {
  const system = busyProject(undefined);
  system.put(`${ROOT}/.amplihack/config.jsonc`, '{"parts": ["guard"]}');
  expect(await CALLS["stop"]?.(system)).toMatchObject({ decision: { kind: "deny" } });
});

describe("a skill that is not there", () => {
  const SKILL = "dev-orchestrator/SKILL.md";
  it.each([
    // A project's needs trust: `intent-routing.test.ts`.
    ["claude-code", `${ROOT}/.claude/skills/${SKILL}`, false],
    ["claude-code", `/home/user/.claude/skills/${SKILL}`, true],
    ["claude-code", `/home/user/.codex/skills/${SKILL}`, false],
    ["codex", `/home/user/.codex/skills/${SKILL}`, true],
    ["gemini-cli", `${ROOT}/.claude/skills/${SKILL}`, false],
    ["copilot-cli", `${ROOT}/.github/skills/${SKILL}`, false],
    ["opencode", `/home/user/.config/opencode/skills/${SKILL}`, true],
    ["amplifier", `${ROOT}/.claude/skills/${SKILL}`, false],
  ])("is not named to %s with %s: %s", async (host, path, isNamed) => {
    const system = busyProject(undefined);
    system.put(path, "---\nname: dev-orchestrator\n---\n");
    const hook = workflowClassificationReminder();
    const text = (await runHook(hook, system, { session_id: "s1", prompt: "build it" }, host))?.context ?? "";
    expect(text.includes("invoke the dev-orchestrator skill first")).toBe(isNamed);
    expect(text.includes("amplihack recipe run default-workflow")).toBe(!isNamed);
  });
});
