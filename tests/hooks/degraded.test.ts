import { describe, expect, it } from "vitest";
import { openDegraded } from "../../src/hooks/program/degraded.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const env = { HOME: "/home/user" };

describe("what does not work as it should", () => {
  it("is told once a session, numbers aside, and again in the next one", () => {
    const system = createMemorySystem({ env });
    const tell = (session: string, ...problems: string[]) => {
      const degraded = openDegraded(system, session, problems);
      degraded.remember([]);
      return degraded.message;
    };
    expect(tell("s1", "the log has 12 bytes too many")).toContain("the log has 12 bytes too many");
    expect(tell("s1", "the log has 13 bytes too many")).toBeUndefined();
    expect(tell("s1", "another")).toContain("another");
    expect(tell("s2", "the log has 14 bytes too many")).toContain("14 bytes");
    expect(tell("s1")).toBeUndefined();
  });

  it("is told by the next answer when it came after this one", () => {
    const system = createMemorySystem({ env });
    openDegraded(system, "s1", []).remember(["the audit line was not written: ENOSPC"]);
    const next = openDegraded(system, "s1", []);
    expect(next.message).toContain("the audit line was not written: ENOSPC");
    next.remember(["the audit line was not written: ENOSPC"]);
    expect(openDegraded(system, "s1", []).message).toBeUndefined();
  });

  it("is told by the next answer of a host that names no session, once", () => {
    const system = createMemorySystem({ env });
    openDegraded(system, undefined, []).remember(["the audit line was not written: ENOSPC"]);
    const next = openDegraded(system, undefined, []);
    expect(next.message).toContain("the audit line was not written: ENOSPC");
    next.remember([]);
    expect(openDegraded(system, undefined, []).message).toBeUndefined();
    expect(openDegraded(system, undefined, ["x"]).message).toContain("x");
    expect(openDegraded(system, undefined, ["x"]).message).toContain("x");
  });

  it("is told each time where nothing can be remembered, and never fails", () => {
    const system = createMemorySystem({ env });
    system.faults.failUnder("/home/user", "ENOSPC", ["makeDirectory"]);
    for (const _ of [1, 2]) {
      const degraded = openDegraded(system, "s1", ["the disk is full\u001b[2J"]);
      degraded.remember([]);
      expect(degraded.message).toContain("the disk is full\\u001b[2J");
    }
  });
});
