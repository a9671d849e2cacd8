import { describe, expect, it } from "vitest";
import { FileLock, type FileLockOptions, StateError } from "../../src/state/index.ts";
import { createMemorySystem, type MemorySystem } from "../../src/system/memory.ts";

const PATH = "/locks/a.lock";
const lock = (system: MemorySystem, more: Partial<FileLockOptions> = {}) =>
  new FileLock(PATH, { system, timeoutMs: 500, ...more });
const neighbour = (system: MemorySystem, onSleep?: (ms: number) => void) =>
  createMemorySystem({ machine: system.machine, ...(onSleep === undefined ? {} : { onSleep }) });
const holderOf = (system: MemorySystem) => JSON.parse(system.peek(PATH) ?? "null");

describe("a file lock", () => {
  it("tells who holds it, privately, and is gone when released", () => {
    const system = createMemorySystem({ nowMs: Date.UTC(2026, 0, 2) });
    const held = lock(system);
    held.acquire();
    const { pid, host, start } = system.processes.self;
    expect(holderOf(system)).toEqual({
      pid,
      host,
      start,
      created: "2026-01-02T00:00:00.000Z",
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(system.files.inspect(PATH)?.mode).toBe(0o600);
    expect(held.isHeld).toBe(true);
    held.release();
    held.release();
    expect(held.isHeld).toBe(false);
    expect(system.files.list("/locks")).toEqual([]);
  });

  it("is released when the work throws", () => {
    const system = createMemorySystem();
    expect(() =>
      lock(system).run(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(system.files.list("/locks")).toEqual([]);
  });

  it("is held until a promise is settled, either way", async () => {
    const system = createMemorySystem();
    await lock(system).runAsync(async () => {
      await Promise.resolve();
      expect(system.files.list("/locks")).toEqual(["a.lock"]);
    });
    expect(system.files.list("/locks")).toEqual([]);
    await expect(lock(system).runAsync(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(system.files.list("/locks")).toEqual([]);
  });

  it("is released when the process ends", () => {
    const system = createMemorySystem();
    lock(system).acquire();
    system.processes.end();
    expect(system.files.list("/locks")).toEqual([]);
  });

  it("waits in pauses of 10 to 50 ms and then gives up, naming path, time and holder", () => {
    const pauses: number[] = [];
    const one = createMemorySystem();
    const two = neighbour(one, ms => pauses.push(ms));
    lock(one).acquire();
    expect(() => lock(two).acquire()).toThrow(
      expect.objectContaining({
        code: "lock-timeout",
        subject: PATH,
        message: expect.stringMatching(`${PATH} within 500 ms.*process ${one.processes.self.pid} `),
      }),
    );
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(500);
    for (const pause of pauses.slice(0, -1)) {
      expect(pause).toBeGreaterThanOrEqual(10);
      expect(pause).toBeLessThanOrEqual(50);
    }
  });

  it("makes one attempt when the timeout is 0", () => {
    const pauses: number[] = [];
    const one = createMemorySystem();
    const two = neighbour(one, ms => pauses.push(ms));
    lock(one).acquire();
    expect(lock(two, { timeoutMs: 0 }).tryAcquire()).toBe(false);
    expect(pauses).toEqual([]);
  });

  it("is taken as soon as the holder lets go", () => {
    const one = createMemorySystem();
    const held = lock(one);
    held.acquire();
    const two = neighbour(one, () => held.release());
    lock(two).acquire();
    expect(holderOf(one).pid).toBe(two.processes.self.pid);
  });

  it("times out for the process that holds it, too", () => {
    const system = createMemorySystem();
    const held = lock(system);
    held.acquire();
    expect(() => held.acquire()).toThrow(StateError);
    expect(() => lock(system).acquire()).toThrow(StateError);
    expect(held.isHeld).toBe(true);
    held.release();
    lock(system).acquire();
  });

  it("is not taken away by its former holder", () => {
    const system = createMemorySystem();
    const held = lock(system);
    held.acquire();
    const foreign = JSON.stringify({ pid: 1, host: "elsewhere", start: null, nonce: "another" });
    system.put(PATH, foreign);
    held.release();
    expect(system.peek(PATH)).toBe(foreign);
  });

  it("works where hard links do not exist", () => {
    const one = createMemorySystem();
    one.faults.failUnder("/locks", "EPERM", ["link"]);
    lock(one).acquire();
    expect(lock(neighbour(one), { timeoutMs: 0 }).tryAcquire()).toBe(false);
    one.processes.die();
    const two = neighbour(one);
    two.faults.failUnder("/locks", "EPERM", ["link"]);
    lock(two, { timeoutMs: 0 }).acquire();
    expect(holderOf(two).pid).toBe(two.processes.self.pid);
  });

  it("lets errors of the disk through", () => {
    const system = createMemorySystem();
    system.faults.failUnder("/locks", "EROFS");
    expect(() => lock(system).acquire()).toThrow(/EROFS/);
  });
});

describe("a lock whose holder is dead", () => {
  it("is broken at once, even by a single attempt, and that is reported", () => {
    const said: string[] = [];
    const one = createMemorySystem();
    lock(one).acquire();
    one.processes.die();
    const two = neighbour(one);
    lock(two, { timeoutMs: 0, onBroken: message => said.push(message) }).acquire();
    expect(holderOf(two).pid).toBe(two.processes.self.pid);
    expect(said).toEqual([expect.stringContaining(PATH)]);
    expect(two.files.list("/locks")).toEqual(["a.lock"]);
  });

  it("is broken when its pid belongs to a later process", () => {
    const one = createMemorySystem();
    lock(one).acquire();
    one.machine.alive.set(one.processes.self.pid, "another start");
    const two = neighbour(one);
    lock(two, { timeoutMs: 0 }).acquire();
    expect(holderOf(two).pid).toBe(two.processes.self.pid);
  });

  it("is not broken when start times are unknown and the pid lives", () => {
    const one = createMemorySystem();
    const { pid, host } = one.processes.self;
    one.put(PATH, JSON.stringify({ pid, host, start: null, created: "", nonce: "n" }));
    expect(lock(neighbour(one)).tryAcquire()).toBe(false);
  });

  const ofAnotherHost = () =>
    createMemorySystem({
      files: { [PATH]: JSON.stringify({ pid: 999_999, host: "elsewhere", start: "1", nonce: "n" }) },
    });

  it("is not judged when the holder is on another host", () => {
    expect(() => lock(ofAnotherHost()).acquire()).toThrow(/on host elsewhere/);
  });

  it("on another host is broken once it is older than anybody holds it", () => {
    const system = ofAnotherHost();
    system.advance(9 * 60_000);
    expect(lock(system, { timeoutMs: 0 }).tryAcquire()).toBe(false);
    system.advance(2 * 60_000);
    expect(lock(system, { timeoutMs: 0, foreignMs: 3_600_000 }).tryAcquire()).toBe(false);
    expect(lock(system, { timeoutMs: 0 }).tryAcquire()).toBe(true);
    expect(holderOf(system).pid).toBe(system.processes.self.pid);
  });

  it("is held by nobody, and leaves no file, where the disk is full or refuses", () => {
    const system = createMemorySystem();
    lock(system).acquire();
    const steps = system.faults.count;
    for (const code of ["ENOSPC", "EACCES"])
      for (let step = 1; step <= steps; step++) {
        const one = createMemorySystem({ files: { "/locks/other": "" } });
        one.faults.failAt(step, code);
        const taken = lock(one, { timeoutMs: 0 });
        try {
          taken.acquire();
        } catch {
          expect(taken.isHeld).toBe(false);
          const failed = one.calls[step - 1];
          const left = one.files.list("/locks").map(name => `/locks/${name}`);
          const excused = failed?.operation === "remove" ? failed.path : "";
          expect(left.filter(path => path !== "/locks/other" && path !== excused)).toEqual([]);
        }
      }
  });

  it.each(["", "{", "[]", '{"pid": 5}', '{"pid":-1,"host":"memory","nonce":"n"}', "x".repeat(5000)])(
    "with content %j counts as unfinished for two seconds, then as dead",
    content => {
      const system = createMemorySystem({ files: { [PATH]: content } });
      system.advance(1_400);
      expect(lock(system).tryAcquire()).toBe(false);
      system.advance(101);
      expect(lock(system, { timeoutMs: 0 }).tryAcquire()).toBe(true);
    },
  );

  it.each([
    ["a directory", { kind: "directory" } as const],
    ["a symlink", { target: "/nowhere" }],
  ])("cannot be %s: that is left alone", (_name, entry) => {
    const system = createMemorySystem({ files: { [PATH]: entry } });
    system.advance(60_000);
    expect(() => lock(system).acquire()).toThrow(/has its name/);
  });

  it("is not concluded from a file that may not be read", () => {
    const system = createMemorySystem({ files: { [PATH]: "" } });
    system.advance(60_000);
    system.faults.failUnder(PATH, "EACCES", ["read"]);
    expect(lock(system).tryAcquire()).toBe(false);
    expect(system.files.list("/locks")).toEqual(["a.lock"]);
  });
});

describe("breaking a dead lock", () => {
  /** The number of operations one break takes. */
  const total = (() => {
    const dead = deadLock();
    const breaker = neighbour(dead);
    lock(breaker, { timeoutMs: 0 }).acquire();
    return breaker.faults.count;
  })();

  function deadLock(): MemorySystem {
    const dead = createMemorySystem();
    lock(dead).acquire();
    dead.processes.die();
    return dead;
  }

  it.each(Array.from({ length: total }, (_, index) => index + 1))(
    "survives the death of the breaker in step %i",
    step => {
      const dead = deadLock();
      const breaker = neighbour(dead);
      breaker.faults.dieAt(step);
      expect(() => lock(breaker, { timeoutMs: 0 }).acquire()).toThrow();
      breaker.processes.die();
      const heir = neighbour(dead);
      lock(heir, { timeoutMs: 0 }).acquire();
      expect(holderOf(heir).pid).toBe(heir.processes.self.pid);
    },
  );

  it.each(Array.from({ length: total }, (_, index) => index + 1))(
    "never leads to two holders when another process does all of it before step %i",
    step => {
      const dead = deadLock();
      const slow = neighbour(dead);
      const fast = neighbour(dead);
      let hasFastActed = false;
      let isFastHolding = false;
      const files = interrupted(slow, step, () => {
        hasFastActed = true;
        isFastHolding = lock(fast, { timeoutMs: 0 }).tryAcquire();
      });
      const isSlowHolding = new FileLock(PATH, { system: { ...slow, files }, timeoutMs: 0 }).tryAcquire();
      expect(hasFastActed).toBe(true);
      expect(isSlowHolding && isFastHolding).toBe(false);
      const winner = isSlowHolding ? slow : fast;
      if (isSlowHolding || isFastHolding) expect(holderOf(dead).pid).toBe(winner.processes.self.pid);
    },
  );

  it("never leads to two holders when three processes interrupt each other anywhere", () => {
    for (let outer = 1; outer <= total; outer++) {
      for (let inner = 1; inner <= total; inner++) {
        const dead = deadLock();
        const [first, second, third] = [neighbour(dead), neighbour(dead), neighbour(dead)];
        let holders = 0;
        const compete = (system: MemorySystem, files: MemorySystem["files"]) => {
          if (new FileLock(PATH, { system: { ...system, files }, timeoutMs: 0 }).tryAcquire()) holders++;
        };
        const competeThird = () => compete(third, third.files);
        const competeSecond = () => compete(second, interrupted(second, inner, competeThird));
        compete(first, interrupted(first, outer, competeSecond));
        expect(holders, `interrupted at ${outer} and ${inner}`).toBeLessThanOrEqual(1);
      }
    }
  });

  it("puts back a lock that turns out to be somebody else's", () => {
    // At the deepest level there is no further lock to guard the breaking: only the check after the rename.
    const dead = deadLock();
    const slow = neighbour(dead);
    const fast = neighbour(dead);
    const files = interruptedBefore(slow, "rename", () => lock(fast, { timeoutMs: 0 }).acquire());
    const deepest = new FileLock(PATH, { system: { ...slow, files }, timeoutMs: 0 }, 3);
    expect(deepest.tryAcquire()).toBe(false);
    expect(holderOf(dead).pid).toBe(fast.processes.self.pid);
    expect(dead.files.list("/locks")).toEqual(["a.lock"]);
  });
});

/** The files of a system, where something else happens just before the n-th operation. */
function interrupted(system: MemorySystem, step: number, meanwhile: () => void): MemorySystem["files"] {
  let count = 0;
  return watched(system, () => {
    if (++count === step) meanwhile();
  });
}

function interruptedBefore(
  system: MemorySystem,
  operation: string,
  meanwhile: () => void,
): MemorySystem["files"] {
  let isDone = false;
  return watched(system, name => {
    if (name !== operation || isDone) return;
    isDone = true;
    meanwhile();
  });
}

function watched(system: MemorySystem, before: (name: string) => void): MemorySystem["files"] {
  return new Proxy(system.files, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        before(String(name));
        return Reflect.apply(member, target, args);
      };
    },
  });
}
