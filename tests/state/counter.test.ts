import { describe, expect, it } from "vitest";
import { Counter } from "../../src/state/index.ts";
import { createMemorySystem, type MemorySystem, type SeedEntry } from "../../src/system/memory.ts";

const PATH = "/c/count";
const withContent = (content: SeedEntry) => createMemorySystem({ files: { [PATH]: content } });
const strict = (system: MemorySystem) => new Counter(PATH, { system });
const shown = (system: MemorySystem) => new Counter(PATH, { system, onMalformed: "restart" });

describe("a counter", () => {
  it("starts at zero, counts in plain digits, and can be reset", () => {
    const system = createMemorySystem();
    const counter = strict(system);
    expect(counter.read()).toBe(0);
    expect([counter.increment(), counter.increment()]).toEqual([1, 2]);
    expect(system.peek(PATH)).toBe("2");
    expect(system.files.inspect(PATH)?.mode).toBe(0o600);
    expect(system.files.list("/c")).toEqual(["count"]);
    counter.reset();
    counter.reset();
    expect(counter.increment()).toBe(1);
  });

  it.each([
    ["", 0],
    [" \n", 0],
    ["7", 7],
    [" 41\n", 41],
    ["007", 7],
    ['{"value": 12}', 12],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])("reads %j as %d", (content, value) => {
    expect(strict(withContent(content)).read()).toBe(value);
  });

  it.each([
    "abc",
    "-3",
    "+3",
    "2.5",
    "1e3",
    "0x10",
    "٣",
    "1 2",
    '{"value": "12"}',
    '{"value": -1}',
    '{"value": 1.5}',
    "[1]",
    "9007199254740992",
    "9".repeat(2000),
  ])("finds %j malformed: an error where it limits something, zero where it is shown", content => {
    const system = withContent(content);
    const problem = expect.objectContaining({ code: "malformed", subject: PATH });
    expect(() => strict(system).read()).toThrow(problem);
    expect(() => strict(system).increment()).toThrow(problem);
    expect(system.peek(PATH)).toBe(content);
    expect(shown(system).read()).toBe(0);
    expect(shown(system).increment()).toBe(1);
  });

  it("does not count beyond what it can tell apart", () => {
    const system = withContent(String(Number.MAX_SAFE_INTEGER));
    expect(() => strict(system).increment()).toThrow(/can still grow/);
  });

  it("does not take a failing disk for a malformed counter", () => {
    const system = withContent("5");
    system.faults.failUnder(PATH, "EIO", ["read"]);
    expect(() => shown(system).increment()).toThrow(/EIO/);
  });

  it("keeps its value when the process dies at any moment", () => {
    const measure = withContent("5");
    strict(measure).increment();
    for (let step = 1; step <= measure.faults.count; step++) {
      const system = withContent("5");
      system.faults.dieAt(step);
      expect(() => strict(system).increment()).toThrow();
      system.processes.die();
      const heir = createMemorySystem({ machine: system.machine });
      const survived = strict(heir).read();
      expect([5, 6]).toContain(survived);
      expect(strict(heir).increment()).toBe(survived + 1);
    }
  });
});
