import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/protocol/index.ts";
import { AtomicJsonFile, StateError } from "../../src/state/index.ts";
import { createMemorySystem, type MemorySystem, ProcessDied } from "../../src/system/memory.ts";

const PATH = "/state/file.json";

interface Tally {
  readonly count: number;
}
function parseTally(value: Json): Tally {
  const count = typeof value === "object" && value !== null && "count" in value ? value["count"] : undefined;
  if (typeof count !== "number") throw new Error('"count" must be a number');
  return { count };
}
const tally = (system: MemorySystem) => new AtomicJsonFile(PATH, { system, parse: parseTally });
const withContent = (content: string | Uint8Array) => createMemorySystem({ files: { [PATH]: content } });
const increment = (current: Tally): Tally => ({ count: current.count + 1 });

describe("reading a JSON file", () => {
  it("tells an absent file from every other", () => {
    const file = tally(createMemorySystem());
    expect(file.read()).toBeUndefined();
    expect(file.readOrDefault({ count: 3 })).toEqual({ count: 3 });
  });

  it("gives the parsed value", () => {
    expect(tally(withContent('\ufeff{"count": 2}\n')).read()).toEqual({ count: 2 });
  });

  it("takes null for a value, not for absence", () => {
    expect(new AtomicJsonFile(PATH, { system: withContent("null") }).readOrDefault(5)).toBeNull();
  });

  it.each([
    ["nothing", "", "empty"],
    ["broken JSON", '{"count": 2', "not valid JSON"],
    ["trailing text", '{"count": 2} x', "not valid JSON"],
    ["the wrong shape", '{"count": "2"}', '"count" must be a number'],
    ["bytes that are no text", Uint8Array.of(0x22, 0xff, 0x22), "not UTF-8"],
    ["endless nesting", "[".repeat(100_000), "not valid JSON"],
  ])("is an error that names the path and leaves the file when it holds %s", (_name, content, problem) => {
    const system = withContent(content);
    const before = system.files.read(PATH, 1_000_000);
    for (const attempt of [
      () => tally(system).read(),
      () => tally(system).readOrDefault({ count: 1 }),
      () => tally(system).update(increment, { count: 1 }),
    ]) {
      expect(attempt).toThrow(
        expect.objectContaining({
          code: "malformed",
          subject: PATH,
          message: expect.stringContaining(problem),
        }),
      );
    }
    expect(system.files.read(PATH, 1_000_000)).toEqual(before);
    expect(system.files.list("/state")).toEqual(["file.json"]);
  });

  it("is an error when the file is too long or may not be read", () => {
    const system = withContent('{"count": 2}');
    expect(() => new AtomicJsonFile(PATH, { system, limitBytes: 5 }).read()).toThrow(/longer than 5 bytes/);
    system.faults.failUnder(PATH, "EACCES", ["read"]);
    expect(() => tally(system).readOrDefault({ count: 1 })).toThrow(/EACCES/);
  });

  it("does not let stored keys reach prototypes", () => {
    const system = withContent('{"__proto__": {"bad": true}, "good": 1}');
    expect(new AtomicJsonFile(PATH, { system }).read()).toEqual({ good: 1 });
  });
});

describe("writing a JSON file", () => {
  it("makes parents, writes two-space JSON, private, and leaves no lock", () => {
    const system = createMemorySystem();
    tally(system).write({ count: 1 });
    expect(system.peek(PATH)).toBe('{\n  "count": 1\n}');
    expect(system.files.inspect(PATH)?.mode).toBe(0o600);
    expect(system.files.inspect("/state")?.mode).toBe(0o700);
    expect(system.files.list("/state")).toEqual(["file.json"]);
  });

  it("uses the modes and the lock it was told to", () => {
    const system = createMemorySystem();
    const lockPath = "/state/.special.lock";
    const file = new AtomicJsonFile(PATH, { system, mode: 0o644, directoryMode: 0o755, lockPath });
    file.update(() => {
      expect(system.files.list("/state")).toEqual([".special.lock"]);
      return 1;
    }, 0);
    expect(system.files.inspect(PATH)?.mode).toBe(0o644);
    expect(system.files.inspect("/state")?.mode).toBe(0o755);
  });

  it("reads back every JSON value it wrote", () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const file = new AtomicJsonFile(PATH, { system: createMemorySystem() });
        const json: Json = JSON.parse(JSON.stringify(value));
        file.write(json);
        expect(file.read()).toEqual(withoutProto(json));
      }),
    );
  });

  it("refuses what is not JSON before touching the disk", () => {
    const system = createMemorySystem();
    expect(() => tally(system).write({ count: Number.NaN })).toThrow(StateError);
    expect(system.faults.count).toBe(0);
  });

  it("replaces what a symlink points to", () => {
    const system = createMemorySystem({
      files: { "/real.json": '{"count":1}', [PATH]: { target: "/real.json" } },
    });
    tally(system).update(increment, { count: 0 });
    expect(system.peek("/real.json")).toBe('{\n  "count": 2\n}');
    expect(system.files.inspect(PATH)?.kind).toBe("symlink");
  });
});

describe("a JSON file that must stay within a directory", () => {
  const within = (system: MemorySystem) => new AtomicJsonFile(PATH, { system, within: "/state" });

  it("is written there, also through links that stay", () => {
    const system = createMemorySystem({ files: { [PATH]: { target: "real/file.json" } } });
    within(system).write(1);
    expect(system.peek("/state/real/file.json")).toBe("1");
  });

  it("is not written where a link leads elsewhere", () => {
    const system = createMemorySystem({ files: { [PATH]: { target: "/home/user/.profile" } } });
    expect(() => within(system).write(1)).toThrow(expect.objectContaining({ code: "outside-root" }));
    expect(system.peek("/home/user/.profile")).toBeUndefined();
    expect(system.files.list("/state")).toEqual(["file.json"]);
  });
});

describe("updating a JSON file", () => {
  it("starts from the default and returns the new value", () => {
    const system = createMemorySystem();
    expect(tally(system).update(increment, { count: 5 })).toEqual({ count: 6 });
    expect(tally(system).update(increment, { count: 5 })).toEqual({ count: 7 });
  });

  it("hands out a copy of the default", () => {
    const system = createMemorySystem();
    const initial: { list: number[] } = { list: [] };
    const parse = (value: Json) => JSON.parse(JSON.stringify(value)) as { list: number[] };
    new AtomicJsonFile(PATH, { system, parse }).update(current => {
      current.list.push(1);
      return current;
    }, initial);
    expect(initial).toEqual({ list: [] });
    expect(system.peek(PATH)).toContain("1");
  });

  it("writes nothing when the change throws or gives something that is not JSON", () => {
    const system = withContent('{"count":1}');
    const file = tally(system);
    expect(() =>
      file.update(
        () => {
          throw new Error("no");
        },
        { count: 0 },
      ),
    ).toThrow("no");
    expect(() => file.update(() => ({ count: Number.NaN }), { count: 0 })).toThrow(/\$\.count/);
    expect(system.peek(PATH)).toBe('{"count":1}');
    expect(system.files.list("/state")).toEqual(["file.json"]);
  });

  it("is an error, and changes nothing, while another process holds the lock", () => {
    const one = withContent('{"count":1}');
    const two = createMemorySystem({ machine: one.machine });
    expect(() =>
      tally(one).update(
        current => {
          expect(() => tally(two).update(increment, { count: 0 })).toThrow(
            expect.objectContaining({ code: "lock-timeout" }),
          );
          return increment(current);
        },
        { count: 0 },
      ),
    ).not.toThrow();
    expect(one.peek(PATH)).toBe('{\n  "count": 2\n}');
  });

  it("sets a malformed file aside where the caller must go on, and keeps three of them", () => {
    const system = createMemorySystem({ nowMs: 1_700_000_000_500 });
    const kept: string[] = [];
    for (let round = 0; round < 5; round++) {
      system.put(PATH, `broken ${round}`);
      const value = tally(system).update(
        increment,
        { count: 0 },
        { onMalformed: "set-aside", onSetAside: path => kept.push(path) },
      );
      expect(value).toEqual({ count: 1 });
    }
    expect(kept[0]).toBe(`${PATH}.corrupt-1700000000`);
    expect(system.files.list("/state")).toEqual([
      "file.json",
      "file.json.corrupt-1700000002",
      "file.json.corrupt-1700000003",
      "file.json.corrupt-1700000004",
    ]);
    expect(system.peek(`${PATH}.corrupt-1700000004`)).toBe("broken 4");
  });

  it("does not set aside a file that it merely may not read", () => {
    const system = withContent('{"count":1}');
    system.faults.failUnder(PATH, "EIO", ["read"]);
    expect(() => tally(system).update(increment, { count: 0 }, { onMalformed: "set-aside" })).toThrow(/EIO/);
    expect(system.files.list("/state")).toEqual(["file.json"]);
  });
});

describe("an update that is interrupted", () => {
  const steps = (() => {
    const system = withContent('{"count":1}');
    tally(system).update(increment, { count: 0 });
    return Array.from({ length: system.faults.count }, (_, index) => index + 1);
  })();

  it.each(steps)("by death in step %i leaves the old value or the new, and the next update works", step => {
    const system = withContent('{"count":1}');
    system.faults.dieAt(step);
    let isDead = false;
    try {
      tally(system).update(increment, { count: 0 });
    } catch (error) {
      expect(error).toBeInstanceOf(ProcessDied);
      isDead = true;
    }
    expect(isDead).toBe(true);
    system.processes.die();
    const heir = createMemorySystem({ machine: system.machine });
    const survived = tally(heir).readOrDefault({ count: -1 }).count;
    expect([1, 2]).toContain(survived);
    expect(tally(heir).update(increment, { count: 0 })).toEqual({ count: survived + 1 });
  });

  it.each(steps)("by a full disk in step %i leaves the old value or the new, and no temporary file", step => {
    const system = withContent('{"count":1}');
    system.faults.failAt(step, "ENOSPC");
    let failed = false;
    try {
      tally(system).update(increment, { count: 0 });
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
      failed = true;
    }
    system.faults.clear();
    const count = tally(system).readOrDefault({ count: -1 }).count;
    expect(count === 2 || failed).toBe(true);
    expect([1, 2]).toContain(count);
    const leftBehind = system.files
      .list("/state")
      .filter(name => /\.tmp$/.test(name) && !name.includes(".lock."));
    expect(leftBehind).toEqual([]);
  });
});

function withoutProto(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutProto);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "__proto__")
      .map(([key, member]) => [key, withoutProto(member)]),
  );
}
