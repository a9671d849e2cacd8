import { describe, expect, it } from "vitest";
import { defined } from "../../src/protocol/members.ts";

describe("the members that have a value", () => {
  it("are kept in their order, and undefined ones are left out", () => {
    const members = defined({ a: 1, b: undefined, c: null, d: "", e: false });
    expect(Object.entries(members)).toEqual([
      ["a", 1],
      ["c", null],
      ["d", ""],
      ["e", false],
    ]);
  });

  it("have types that fit exact optional members", () => {
    const reason: string | undefined = undefined;
    const decision: { readonly kind: string; readonly reason?: string } = {
      kind: "deny",
      ...defined({ reason }),
    };
    expect(decision).toStrictEqual({ kind: "deny" });
  });
});
