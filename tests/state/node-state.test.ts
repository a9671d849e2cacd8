import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  AtomicJsonFile,
  Counter,
  EnvVar,
  envParsers,
  FileLock,
  StateError,
} from "../../src/exports/state.ts";

// What somebody gets who imports amplihack/state and gives no system: the disk and environment of the process.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a JSON file without options", () => {
  it("makes its folders and keeps what it is given, for the user alone", () => {
    const path = join(folder, "deep", "x.json");
    const file = new AtomicJsonFile(path, {});
    expect(file.read()).toBeUndefined();
    expect(file.update(() => ({ n: 1 }), {})).toEqual({ n: 1 });
    expect(readFileSync(path, "utf8")).toBe('{\n  "n": 1\n}');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "deep"))).toEqual(["x.json"]);
  });

  it.each([{ lockTimeout: 0 }, { lockTimeoutMs: 0 }])("gives up a lock that is held: %j", options => {
    const path = join(folder, "x.json");
    const lock = new FileLock(`${path}.lock`, 0);
    lock.acquire();
    const file = new AtomicJsonFile(path, options);
    expect(() => file.write({})).toThrow(/within 0 ms/);
    lock.release();
    file.write({});
    expect(file.read()).toEqual({});
  });
});

describe("a lock with a number", () => {
  it("waits that many milliseconds and then names itself and the number", () => {
    const path = join(folder, "l.lock");
    const holder = new FileLock(path, 0);
    holder.acquire();
    expect(() => new FileLock(path, 20).acquire()).toThrow(new RegExp(`${path} within 20 ms`));
    holder.release();
    expect(new FileLock(path, 0).tryAcquire()).toBe(true);
  });
});

describe("a counter without options", () => {
  it("counts in plain digits", () => {
    const path = join(folder, "c", "count");
    expect([new Counter(path).increment(), new Counter(path).increment()]).toEqual([1, 2]);
    expect(readFileSync(path, "utf8")).toBe("2");
  });
});

describe("a variable with a function of one's own", () => {
  const source = (value: string) => ({ env: { get: () => value, names: () => ["PORT"] } });
  const port = new EnvVar("PORT", raw => {
    if (!/^\d+$/.test(raw)) throw new Error("a port");
    return Number(raw);
  });

  it("gives what the function read", () => {
    expect(port.getOrError(source("80"))).toBe(80);
    expect(port.tryGet(source("eighty"))).toBeUndefined();
  });

  it("says what was expected and never what came", () => {
    const read = () => port.getOrError(source("hunter2"));
    expect(read).toThrow(StateError);
    expect(read).toThrow(/PORT is not usable: expected a port$/);
  });

  it("is read from the process when no other source is given", () => {
    expect(new EnvVar("AMPLIHACK_NO_SUCH_VARIABLE", envParsers.integer(), 7).get()).toBe(7);
  });
});
