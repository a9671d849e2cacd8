import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stop } from "../../../src/hooks/stock/stop/stop.ts";
import { assistant, claudeSession, user, write } from "../recorded.ts";
import { projectSystem, runHook } from "../run-hook.ts";
import { EARLY_STOPS, LATER_EARLY_STOPS } from "./endings/early-stops.ts";
import { LAST_EARLY_STOPS, LAST_RIGHT_STOPS } from "./endings/last-stops.ts";
import { LATER_RIGHT_STOPS, RIGHT_STOPS } from "./endings/right-stops.ts";
import { FAILED_TESTS, PASSED_TESTS } from "./endings/test-programs.ts";

const TRANSCRIPT = "/home/user/.claude/projects/p/s1.jsonl";
const RECORDED = new URL("../../fixtures/transcripts/", import.meta.url);

async function isHeld(transcript: string): Promise<boolean> {
  const system = projectSystem({ files: { [TRANSCRIPT]: transcript }, env: { HOME: "/home/user" } });
  const effect = await runHook(stop(), system, { session_id: "s1", transcript_path: TRANSCRIPT });
  return effect?.decision !== undefined;
}

async function heldOf(endings: typeof RIGHT_STOPS): Promise<readonly string[]> {
  const held: string[] = [];
  for (const [name, said] of Object.entries(endings)) {
    if (await isHeld(claudeSession(said.flat()))) held.push(name);
  }
  return held;
}

/** By whether their user got what was asked for: in the second kind the commit was refused and not made in another way. */
const RECORDINGS = {
  right: ["delegation.jsonl", "delegation-agent.jsonl", "edit-and-check.jsonl"],
  early: ["refused-commands.jsonl"],
};

async function heldRecordings(names: readonly string[]): Promise<readonly string[]> {
  const held: string[] = [];
  for (const name of names) {
    if (await isHeld(readFileSync(new URL(name, RECORDED), "utf8"))) held.push(name);
  }
  return held;
}

describe("power steering at the end of a session", () => {
  it("holds nearly all early stops and hardly any other", async () => {
    const right = { ...RIGHT_STOPS, ...LATER_RIGHT_STOPS, ...PASSED_TESTS };
    const early = { ...EARLY_STOPS, ...LATER_EARLY_STOPS, ...FAILED_TESTS };
    const wronglyHeld = [...(await heldOf(right)), ...(await heldRecordings(RECORDINGS.right))];
    const held = [...(await heldOf(early)), ...(await heldRecordings(RECORDINGS.early))];
    const rightCount = Object.keys(right).length + RECORDINGS.right.length;
    const earlyNames = [...Object.keys(early), ...RECORDINGS.early];
    const missed = earlyNames.filter(name => !held.includes(name));
    process.stdout.write(
      `power steering: ${wronglyHeld.length} of ${rightCount} right stops held, ${held.length} of ${earlyNames.length} early stops held\n`,
    );
    expect(rightCount + earlyNames.length).toBeGreaterThanOrEqual(40);
    expect(wronglyHeld.length / rightCount, wronglyHeld.join(", ")).toBeLessThanOrEqual(0.05);
    expect(held.length / earlyNames.length, missed.join(", ")).toBeGreaterThanOrEqual(0.9);
  });

  it("holds fewer of those that were written without a look at the rules, and still no right one", async () => {
    const held = await heldOf(LAST_EARLY_STOPS);
    process.stdout.write(
      `power steering, others: ${(await heldOf(LAST_RIGHT_STOPS)).length} of ${Object.keys(LAST_RIGHT_STOPS).length} right stops held, ${held.length} of ${Object.keys(LAST_EARLY_STOPS).length} early stops held\n`,
    );
    expect(await heldOf(LAST_RIGHT_STOPS)).toEqual([]);
    expect(held.length).toBeGreaterThanOrEqual(10);
  });

  it("looks again after the user's turn: only an end of the work is remembered", async () => {
    const said = RIGHT_STOPS["a decision needed with open entries"] ?? [];
    const system = projectSystem({
      files: { [TRANSCRIPT]: claudeSession(said.flat()) },
      env: { HOME: "/home/user" },
    });
    const again = () => runHook(stop(), system, { session_id: "s1", transcript_path: TRANSCRIPT });
    expect((await again())?.decision).toBeUndefined();
    const more = [user("give them to admin"), write("src/owner.py", "x = 1\n"), assistant("Done.")];
    system.put(TRANSCRIPT, claudeSession([...said.flat(), ...more]));
    expect((await again())?.decision?.kind).toBe("deny");
  });
});
