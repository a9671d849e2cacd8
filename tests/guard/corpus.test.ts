import { beforeAll, describe, expect, it } from "vitest";
import { judge, readCorpus } from "./scene.ts";

/** Every command once: there are thousands. */
function judgeAll(commands: readonly string[]) {
  return commands.map(command => ({ command, ...judge(command, { machineKey: () => "k".repeat(64) }) }));
}

describe("commands of ordinary days", () => {
  const commands = ["ordinary.txt", "ordinary-more.txt", "ordinary-third.txt", "ordinary-fourth.txt"].flatMap(
    readCorpus,
  );

  it("are many", () => expect(new Set(commands).size).toBeGreaterThanOrEqual(2600));

  const withVerdict = (verdict: string) =>
    judged.flatMap(one => (one.verdict === verdict ? one.command : []));
  let judged: ReturnType<typeof judgeAll> = [];
  beforeAll(() => {
    judged = judgeAll(commands);
  });

  it("are never denied", () => {
    expect(withVerdict("deny")).toEqual([]);
  });

  it("are interrupted in less than one of a hundred cases", () => {
    const asked = withVerdict("ask");
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

  let judged: ReturnType<typeof judgeAll> = [];
  beforeAll(() => {
    judged = judgeAll(commands);
  });

  it("are stopped", () => {
    expect(judged.flatMap(one => (one.verdict === "allow" ? one.command : []))).toEqual([]);
  });

  it("are explained: rule, target, safer command and who can permit it, in 600 characters", () => {
    for (const { command, verdict, reason, texts, findings } of judged) {
      if (verdict === "allow") continue;
      expect(texts?.person, command).toMatch(/^\[[a-z]+(\.[a-z-]+)?\] /);
      expect(texts?.person, command).not.toMatch(/your user|Safer: |Agent: /);
      expect(texts?.person.length, command).toBeLessThanOrEqual(400);
      expect(texts?.model, command).toMatch(/Safer: `[^`]+`.* Don't work around it\./s);
      expect(texts?.model, command).toMatch(
        / amplihack guard allow-once [A-Z2-9]{6}$|in their own terminal\.$/,
      );
      expect(texts?.model, command).not.toContain("your own terminal");
      expect(texts?.model.length, command).toBeLessThanOrEqual(600);
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

  it("are answered with a safer way that is free", () => {
    const ways = new Set(judged.flatMap(({ findings }) => findings.map(finding => finding.safer)));
    expect([...ways].filter(safer => judge(safer).verdict !== "allow")).toEqual([]);
  });

  it("never make the guard fail", () => {
    expect(judged.flatMap(one => (one.failure === undefined ? [] : one.command))).toEqual([]);
  });
});
