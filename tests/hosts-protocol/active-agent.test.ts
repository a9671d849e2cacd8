import { describe, expect, it } from "vitest";
import { findActiveAgent, parseAgentName } from "../../src/hosts/index.ts";
import { createMemorySystem, type SeedEntry } from "../../src/system/memory.ts";

const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;
const record = (launcher: unknown, ageHours = 1) =>
  JSON.stringify({ launcher, timestamp: new Date(NOW - ageHours * HOUR).toISOString() });

function find(files: Record<string, SeedEntry>, env: Record<string, string> = {}) {
  const warnings: string[] = [];
  const system = createMemorySystem({ files, env, nowMs: NOW });
  return { agent: findActiveAgent(system, "/p/a/b", message => warnings.push(message)), warnings };
}
const NEAR = "/p/a/b/.claude/runtime/launcher_context.json";
const FAR = "/p/.claude/runtime/launcher_context.json";

describe("an agent's name", () => {
  it.each([
    ["claude", "claude"],
    [" Copilot\n", "copilot"],
    ["PI", "pi"],
    ["", undefined],
    ["claude code", undefined],
    ["../claude", undefined],
    ["claude\0", undefined],
    [`${" ".repeat(40)}claude`, undefined],
    ["constructor", undefined],
  ])("%j is %j", (raw, agent) => {
    expect(parseAgentName(raw)).toBe(agent);
  });
});

describe("the active agent", () => {
  it("is the variable's, then the launcher's record in order of nearness, then claude", () => {
    const files = {
      "/run/launcher_context.json": record("codex"),
      [NEAR]: record("gemini"),
      [FAR]: record("pi"),
    };
    const env = { AMPLIHACK_RUNTIME_ROOT: "/run", AMPLIHACK_AGENT_BINARY: "Copilot" };
    expect(find(files, env).agent).toBe("copilot");
    expect(find(files, { AMPLIHACK_RUNTIME_ROOT: "/run" }).agent).toBe("codex");
    expect(find(files).agent).toBe("gemini");
    expect(find({ [FAR]: record("pi") }).agent).toBe("pi");
    expect(find({}, { AMPLIHACK_AGENT_BINARY: "" })).toEqual({ agent: "claude", warnings: [] });
  });

  it("passes over an unknown name with a warning that does not repeat it", () => {
    const { agent, warnings } = find({ [FAR]: record("pi") }, { AMPLIHACK_AGENT_BINARY: "evil; rm" });
    expect(agent).toBe("pi");
    expect(warnings).toEqual([expect.not.stringContaining("evil")]);
  });

  it.each([
    ["an unknown launcher", record("evil")],
    ["no launcher", "{}"],
    ["no object", "[]"],
    ["broken JSON", "{"],
    ["too much", `${record("codex")}${" ".repeat(65 * 1024)}`],
  ])("passes over a record with %s, warning of the file", (_name, content) => {
    const { agent, warnings } = find({ [NEAR]: content, [FAR]: record("pi") });
    expect(agent).toBe("pi");
    expect(warnings).toEqual([expect.stringContaining(NEAR)]);
    expect(warnings[0]).not.toContain("evil");
  });

  it("passes over a record older than a day, by its own word or by the file's time", () => {
    expect(find({ [NEAR]: record("codex", 25) })).toEqual({ agent: "claude", warnings: [] });
    expect(find({ [NEAR]: record("codex", 23) }).agent).toBe("codex");
    const undated = JSON.stringify({ launcher: "codex" });
    expect(find({ [NEAR]: { content: undated, modifiedMs: NOW - 25 * HOUR } }).agent).toBe("claude");
    expect(find({ [NEAR]: { content: undated, modifiedMs: NOW - 23 * HOUR } }).agent).toBe("codex");
  });
});
