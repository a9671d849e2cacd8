import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/shell/limits.ts";
import { calls, read } from "./reading.ts";

const NESTED = [
  "for i in {1..50}; do for j in {1..50}; do rm t$i.$j; done; done",
  "for i in {1..50}; do for j in {1..50}; do for k in {1..50}; do rm t$i.$j.$k; done; done; done",
  "for i in {1..16}; do for j in {1..16}; do for k in {1..16}; do rm -rf $i/$j/$k; done; done; done",
  "while true; do for i in {1..60}; do for j in {1..60}; do cp a$i b$j c; mv x$i y$j; done; done; done",
];

describe("loops in loops", () => {
  it.each(NESTED)("start a bounded number of programs: %s", command => {
    expect(read(command).invocations.length).toBeLessThan(2 * LIMITS.closeStarts);
  });

  it("keep the items that reach out of the directory", () => {
    const items = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const inner = `for b in ${items.slice(0, 20).join(" ")} /etc ${items.slice(20).join(" ")}; do rm -rf $b; done`;
    const command = `for a in ${items.join(" ")}; do ${inner}; done`;
    expect(calls(command, "rm")).toContain("rm -rf /etc");
  });

  it("are walked item by item while they are few", () => {
    expect(calls("for a in x y; do for b in 1 2; do rm $a$b; done; done", "rm")).toEqual([
      "rm x1",
      "rm x2",
      "rm y1",
      "rm y2",
    ]);
  });
});
