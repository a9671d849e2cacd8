import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSessionId, generateSessionId, sanitiseSessionId } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { anyCharacter } from "../generated-inputs.ts";

describe("a session id as a file name", () => {
  it.each([
    ["abc-DEF_123", "abc-DEF_123"],
    ["../../etc/passwd", "______etc_passwd"],
    ["a b\nc\0d", "a_b_c_d"],
    ["ä😀", "__"],
    ["", "unknown"],
    [".", "_"],
  ])("makes %j into %j", (raw, clean) => {
    expect(sanitiseSessionId(raw)).toBe(clean);
  });

  it("is always safe, never too long, and stays as it is when it was safe", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), raw => {
        const clean = sanitiseSessionId(raw);
        expect(clean).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
        expect(sanitiseSessionId(clean)).toBe(clean);
      }),
    );
  });
});

describe("the session at hand", () => {
  const env = { AMPLIHACK_SESSION_ID: "a/1", CLAUDE_SESSION_ID: "b", CLAUDE_CODE_SESSION_ID: "c" };

  it("is named by the payload, then by the variables in their order", () => {
    const system = createMemorySystem({ env });
    expect(findSessionId(system, "p q")).toBe("p_q");
    expect(findSessionId(system, "")).toBe("a_1");
    expect(findSessionId(system, undefined)).toBe("a_1");
    system.variables.set("AMPLIHACK_SESSION_ID", "");
    expect(findSessionId(system, undefined)).toBe("b");
    system.variables.delete("CLAUDE_SESSION_ID");
    expect(findSessionId(system, undefined)).toBe("c");
  });

  it("is unknown when nothing names it", () => {
    expect(findSessionId(createMemorySystem(), undefined)).toBeUndefined();
  });

  it("can be made up from the clock for file names", () => {
    const system = createMemorySystem({ nowMs: new Date(2026, 10, 9, 8, 7, 6, 5).getTime() });
    expect(generateSessionId(system)).toBe("20261109_080706_005000");
  });
});
