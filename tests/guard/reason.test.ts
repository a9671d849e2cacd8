import { describe, expect, it } from "vitest";
import { HOME, judge } from "./scene.ts";

describe("what a person is asked about", () => {
  it("has nothing in it that hides or reorders what it says", () => {
    const { reason = "", texts } = judge(
      `rm -rf ~/Documents/'a\u202eb\u200bc\u001b[2Kd\ne\u{e0041}f\ufeff'; cat ~/.ssh/id_rsa`,
    );
    // No line of it comes from the command.
    const lines = [...reason.split("\nAgent: "), texts?.person ?? "", texts?.model ?? ""];
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e\ufeff]/);
      expect(line).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
    }
  });

  it("shows where a long path leads", () => {
    const detour = `${"legacy/../".repeat(60)}`;
    const { reason = "" } = judge(
      `cat ${HOME}/${"a".repeat(100)}/${"b".repeat(200)}/.ssh/id_rsa; cp x ${detour}`,
    );
    expect(reason).toContain(".ssh/id_rsa");
  });
});
