import { describe, expect, it } from "vitest";
import { NODE_PROGRAM } from "../hooks/executable.ts";
import { compareSession, expectAsRecorded, SESSIONS } from "./recorded-sessions.ts";

describe("sessions recorded in the real Claude Code", () => {
  it("are at least three", () => {
    expect(SESSIONS.length).toBeGreaterThanOrEqual(3);
  });

  it.each(SESSIONS)("are answered by the program on Node as recorded, call by call: %s", name => {
    expectAsRecorded(name, NODE_PROGRAM);
  });

  it("show a decision that has changed", () => {
    const { code, result } = compareSession("refused-commands", NODE_PROGRAM, answers =>
      answers.replace('"permissionDecision":"deny"', '"permissionDecision":"ask"'),
    );
    expect([code, result.mismatched]).toEqual([1, 1]);
  });
});
