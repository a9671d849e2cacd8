import { describe, expect, it } from "vitest";
import { AtomicFlag } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const PATH = "/flags/deep/.active";

describe("an atomic flag", () => {
  it("is set once, by whoever comes first", () => {
    const system = createMemorySystem();
    const flag = new AtomicFlag(PATH, { system });
    const other = new AtomicFlag(PATH, { system: createMemorySystem({ machine: system.machine }) });
    expect(flag.isSet()).toBe(false);
    expect(flag.set("first")).toBe(true);
    expect(other.set("second")).toBe(false);
    expect(other.isSet()).toBe(true);
    expect(other.content()).toBe("first");
    expect(system.files.inspect(PATH)?.mode).toBe(0o600);
    expect(system.files.inspect("/flags/deep")?.mode).toBe(0o700);
  });

  it("is cleared, and clearing it again is fine", () => {
    const flag = new AtomicFlag(PATH, { system: createMemorySystem() });
    flag.clear();
    flag.set();
    flag.clear();
    flag.clear();
    expect(flag.isSet()).toBe(false);
    expect(flag.content()).toBeUndefined();
    expect(flag.set()).toBe(true);
  });

  it.each([
    ["a directory", { kind: "directory" } as const],
    ["a dangling link", { target: "/nowhere" }],
    ["something else", { kind: "other" } as const],
  ])("counts %s as set, and can clear it", (_name, entry) => {
    const flag = new AtomicFlag(PATH, { system: createMemorySystem({ files: { [PATH]: entry } }) });
    expect(flag.isSet()).toBe(true);
    expect(flag.set()).toBe(false);
    flag.clear();
    expect(flag.isSet()).toBe(false);
  });

  it("does not follow a link to set what is elsewhere", () => {
    const system = createMemorySystem({ files: { [PATH]: { target: "/victim" } } });
    new AtomicFlag(PATH, { system }).set("x");
    expect(system.peek("/victim")).toBeUndefined();
  });

  it("lets every other failure through", () => {
    const system = createMemorySystem();
    const flag = new AtomicFlag(PATH, { system });
    flag.set();
    system.faults.failUnder("/flags", "EACCES");
    expect(() => flag.set()).toThrow(/EACCES/);
    expect(() => flag.isSet()).toThrow(/EACCES/);
    expect(() => flag.clear()).toThrow(/EACCES/);
  });
});
