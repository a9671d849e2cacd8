import { describe, expect, it } from "vitest";
import { appendJsonLine, appendLine, FileLock, LogFile, listRotations } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const PATH = "/logs/deep/events.jsonl";

describe("appending a JSON line", () => {
  it("adds one line in one write to a private file, making parents", () => {
    const system = createMemorySystem();
    appendJsonLine(system, PATH, { text: "a\nb", n: 1 });
    appendJsonLine(system, PATH, [2]);
    expect(system.peek(PATH)).toBe('{"text":"a\\nb","n":1}\n[2]\n');
    expect(system.files.inspect(PATH)?.mode).toBe(0o600);
    expect(system.files.inspect("/logs")?.mode).toBe(0o700);
    expect(system.calls.filter(call => call.operation === "append" && call.path === PATH)).toHaveLength(3);
    expect(system.calls.some(call => call.path.includes(".lock"))).toBe(false);
  });

  it("takes a lock for a line that is over 4 kB, and needs none below", () => {
    const system = createMemorySystem();
    const other = createMemorySystem({ machine: system.machine });
    const held = new FileLock(`${PATH}.lock`, { system: other });
    held.acquire();
    appendJsonLine(system, PATH, "x".repeat(4096 - 3));
    expect(() => appendJsonLine(system, PATH, "x".repeat(4096 - 2))).toThrow(
      expect.objectContaining({ code: "lock-timeout" }),
    );
    held.release();
    appendJsonLine(system, PATH, "x".repeat(100_000));
    expect(
      system
        .peek(PATH)
        ?.split("\n")
        .map(line => line.length),
    ).toEqual([4095, 100_002, 0]);
  });

  it("does not write through a symlink, wherever it leads", () => {
    const system = createMemorySystem({ files: { [PATH]: { target: "/home/user/.profile" } } });
    expect(() => appendJsonLine(system, PATH, 1)).toThrow(/ELOOP/);
    expect(system.peek("/home/user/.profile")).toBeUndefined();
  });

  it("refuses what is not JSON before it writes anything", () => {
    const system = createMemorySystem();
    expect(() => appendJsonLine(system, PATH, { a: undefined })).toThrow(/\$\.a/);
    expect(system.peek(PATH)).toBeUndefined();
  });
});

describe("rotation", () => {
  const rotation = { limitBytes: 10, keep: 2 };

  it("puts a file away once it is over its limit, and keeps the newest", () => {
    const system = createMemorySystem();
    for (let line = 1; line <= 5; line++) {
      appendLine(system, PATH, `line ${line} of the log`, { rotation });
      system.advance(1000);
    }
    expect(system.peek(PATH)).toBe("line 5 of the log\n");
    expect(listRotations(system, PATH).map(path => system.peek(path))).toEqual([
      "line 4 of the log\n",
      "line 3 of the log\n",
    ]);
    expect(listRotations(system, PATH)[0]).toMatch(/^\/logs\/deep\/events\.\d{8}_\d{6}\.jsonl$/);
    expect(system.files.list("/logs/deep")).toHaveLength(3);
  });

  it("does not lose a file that is put away in the same second as another", () => {
    const system = createMemorySystem();
    for (let line = 1; line <= 3; line++) appendLine(system, PATH, `line ${line} of the log`, { rotation });
    expect(listRotations(system, PATH).map(path => system.peek(path))).toEqual([
      "line 2 of the log\n",
      "line 1 of the log\n",
    ]);
  });

  it("leaves a file that another process has just put away and begun anew", () => {
    const system = createMemorySystem({ files: { [PATH]: "long ago: a long line\n" } });
    const other = createMemorySystem({ machine: system.machine });
    const files = new Proxy(system.files, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (name === "link") appendLine(other, PATH, "new", { rotation });
          return Reflect.apply(member, target, args);
        };
      },
    });
    appendLine({ ...system, files }, PATH, "mine", { rotation });
    expect(system.peek(PATH)).toBe("new\nmine\n");
    expect(listRotations(system, PATH)).toHaveLength(1);
  });

  it("does not touch files that only look similar", () => {
    const system = createMemorySystem({
      files: { "/logs/deep/events.other.jsonl": "", "/logs/deep/events.20260101_000000.txt": "" },
    });
    expect(listRotations(system, PATH)).toEqual([]);
    expect(listRotations(system, "/nowhere/x.log")).toEqual([]);
  });
});

describe("a log file", () => {
  it("has lines of local time, level and message", () => {
    const system = createMemorySystem({ nowMs: new Date(2026, 0, 2, 3, 4, 5, 67).getTime() });
    new LogFile("/l/hook.log", { system }).write("WARNING", "careful");
    expect(system.peek("/l/hook.log")).toBe("[2026-01-02T03:04:05.067000] WARNING: careful\n");
    expect(system.files.inspect("/l/hook.log")?.mode).toBe(0o600);
  });

  it("cannot be made to hold a forged line, or an endless one", () => {
    const system = createMemorySystem();
    const log = new LogFile("/l/hook.log", { system });
    log.write("INFO", "a\r\n[2026] ERROR: forged\u001b[2J\u2028\u202e");
    log.write("INFO", "x".repeat(10_000_000));
    const lines = system.peek("/l/hook.log")?.split("\n") ?? [];
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/INFO: a\\r\\n\[2026\] ERROR: forged\\u001b\[2J\\u2028\\u202e$/);
    expect(lines[1]?.length).toBeLessThan(2_100);
  });

  it("rotates at 10 MiB and keeps five", () => {
    const system = createMemorySystem();
    const log = new LogFile("/l/hook.log", { system });
    const large = new Uint8Array(10 * 1024 * 1024 + 1);
    for (let round = 0; round < 7; round++) {
      system.put("/l/hook.log", large);
      log.write("INFO", "next");
      system.advance(1000);
    }
    expect(listRotations(system, "/l/hook.log")).toHaveLength(5);
    expect(system.peek("/l/hook.log")).toMatch(/INFO: next\n$/);
  });

  it("says once on stderr that it cannot be written, and throws nothing", () => {
    const system = createMemorySystem();
    system.faults.failUnder("/l", "EROFS");
    const log = new LogFile("/l/hook.log", { system });
    log.write("INFO", "secret");
    log.write("INFO", "secret");
    expect(system.stderr()).toMatch(/^amplihack: the log cannot be written: .*EROFS\n$/);
    expect(system.stderr()).not.toContain("secret");
  });
});
