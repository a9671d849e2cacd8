import { describe, expect, it } from "vitest";
import { judge, readCorpus } from "./scene.ts";

describe("commands of ordinary days", () => {
  const commands = ["ordinary.txt", "ordinary-more.txt", "ordinary-third.txt", "ordinary-fourth.txt"].flatMap(
    readCorpus,
  );

  it("are many", () => expect(new Set(commands).size).toBeGreaterThanOrEqual(2600));

  it("are never denied", () => {
    expect(commands.filter(command => judge(command).verdict === "deny")).toEqual([]);
  });

  it("are interrupted in less than one of a hundred cases", () => {
    const asked = commands.filter(command => judge(command).verdict === "ask");
    expect(asked.length / commands.length, asked.join("\n")).toBeLessThan(0.01);
  });
});

describe("dangerous commands in many forms", () => {
  const commands = [
    "dangerous.txt",
    "dangerous-more.txt",
    "dangerous-third.txt",
    "dangerous-fourth.txt",
  ].flatMap(readCorpus);

  it("are many", () => expect(new Set(commands).size).toBeGreaterThanOrEqual(3200));

  it("are stopped", () => {
    expect(commands.filter(command => judge(command).verdict === "allow")).toEqual([]);
  });

  it("are explained: rule, target, safer command and who can permit it, in 600 characters", () => {
    for (const command of commands) {
      const { verdict, reason, findings } = judge(command, { machineKey: () => "k".repeat(64) });
      if (verdict === "allow") continue;
      expect(reason, command).toMatch(/\[[a-z]+(\.[a-z-]+)?\]/);
      expect(reason, command).toMatch(/Safer: `[^`]+`/);
      expect(reason, command).toMatch(/allow-once [A-Z2-9]{6}$|in their own terminal\.$/);
      expect(reason?.length, command).toBeLessThanOrEqual(600);
      expect(findings.length, command).toBeLessThanOrEqual(5);
      expect(
        findings.every(finding => finding.target !== ""),
        command,
      ).toBe(true);
    }
  });

  it("never make the guard fail", () => {
    expect(commands.filter(command => judge(command).failure !== undefined)).toEqual([]);
  });
});
