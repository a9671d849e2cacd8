import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { appendChainedLine, findHead, parseHead, verifyChain } from "../../src/state/chained-log.ts";
import { appendJsonLine, FileLock, listRotations } from "../../src/state/index.ts";
import { createMemorySystem, type MemorySystem } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { bundleProgram } from "../bundle-program.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const PATH = "/logs/audit.jsonl";
const KEEP = 5;
const rotation = { limitBytes: 1_000_000, keep: KEEP };
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function machine(lines = 0, system = createMemorySystem()): MemorySystem {
  for (let n = 1; n <= lines; n++) appendChainedLine(system, PATH, { n }, { rotation });
  return system;
}

const linesIn = (system: MemorySystem, path = PATH) => (system.peek(path) ?? "").split("\n").slice(0, -1);
const verify = (system: MemorySystem, head?: string) =>
  verifyChain(system, PATH, { keep: KEEP, head: head === undefined ? undefined : parseHead(head) });

/** What verify says once the lines were changed. */
function breakAfter(change: (lines: string[]) => readonly string[], count = 6) {
  const system = machine(count);
  system.put(PATH, `${change(linesIn(system)).join("\n")}\n`);
  return verify(system).broken;
}

describe("a chained log", () => {
  it("numbers its lines, each with the hash of the one before", () => {
    const [one = "", two = "", three = ""] = linesIn(machine(3));
    expect(JSON.parse(one)).toEqual({ n: 1, seq: 1, prev: "" });
    expect(JSON.parse(two)).toEqual({ n: 2, seq: 2, prev: sha256(one) });
    expect(JSON.parse(three)).toEqual({ n: 3, seq: 3, prev: sha256(two) });
  });

  it("is whole, names its head and says what nobody can know from it alone", () => {
    const system = machine(4);
    const report = verify(system);
    const hash = sha256(linesIn(system)[3] ?? "");
    expect(report).toMatchObject({
      lines: 4,
      chained: 4,
      broken: undefined,
      notes: [],
      head: { seq: 4, hash },
    });
    expect(report.unknown.join()).toContain("cut off at the end");
    expect(findHead(system, PATH)).toEqual({ seq: 4, hash });
  });

  it("reads only the end of a long log", () => {
    const system = machine(2_000);
    const before = system.calls.length;
    appendChainedLine(system, PATH, { n: 0 }, { rotation });
    const reads = system.calls
      .slice(before)
      .filter(({ path, operation }) => path === PATH && operation === "read");
    expect(reads).toEqual([]);
    expect(verify(system)).toMatchObject({ chained: 2_001, broken: undefined });
  });

  it("goes on over files that are put away, and begins where the oldest is gone", () => {
    const system = createMemorySystem();
    const small = { limitBytes: 300, keep: KEEP };
    for (let n = 1; n <= 12; n++) {
      appendChainedLine(system, PATH, { n }, { rotation: small });
      system.advance(1000);
    }
    expect(listRotations(system, PATH).length).toBe(2);
    expect(verify(system)).toMatchObject({ chained: 12, broken: undefined, notes: [] });
    for (let n = 13; n <= 60; n++) appendChainedLine(system, PATH, { n }, { rotation: small });
    const report = verify(system);
    expect(report.broken).toBeUndefined();
    expect(report.notes.join()).toMatch(/begins with number \d+: older lines are no longer kept/);
    expect(report.head?.seq).toBe(60);
  });

  it("goes on after a process was killed between putting away and writing", () => {
    const system = machine(3);
    system.files.rename(PATH, "/logs/audit.20260101_000000.jsonl");
    appendChainedLine(system, PATH, { n: 4 }, { rotation });
    expect(verify(system)).toMatchObject({ chained: 4, broken: undefined });
  });

  it("finds the order of its files by their numbers when the clock went back", () => {
    const system = machine(2);
    system.files.rename(PATH, "/logs/audit.20261025_023000.jsonl");
    machine(2, system);
    system.files.rename(PATH, "/logs/audit.20261025_021000.jsonl");
    const late = linesIn(system, "/logs/audit.20261025_021000.jsonl")[1] ?? "";
    system.put(PATH, `${JSON.stringify({ n: 5, seq: 5, prev: sha256(late) })}\n`);
    expect(verify(system)).toMatchObject({ chained: 5, broken: undefined });
  });

  it("covers a line that was cut off, and whatever was written without a number", () => {
    const system = machine(2);
    system.put(PATH, `${system.peek(PATH)}{"n":3,"se`);
    expect(verify(system).notes.join()).toContain("line 3 of /logs/audit.jsonl was cut off");
    appendChainedLine(system, PATH, { n: 4 }, { rotation });
    appendJsonLine(system, PATH, { n: "older" });
    appendChainedLine(system, PATH, { n: 5 }, { rotation });
    const report = verify(system);
    expect(report).toMatchObject({ lines: 6, chained: 4, broken: undefined, head: { seq: 4 } });
    expect(report.notes).toHaveLength(2);
    const gone = linesIn(system).filter(line => !line.includes("older"));
    system.put(PATH, `${gone.join("\n")}\n`);
    expect(verify(system).broken).toMatchObject({ kind: "changed", line: 4 });
  });

  it("goes on from a log of an older version, whose lines have no hash", () => {
    const system = createMemorySystem();
    for (const n of [1, 2]) appendJsonLine(system, PATH, { n });
    expect(verify(system)).toMatchObject({ lines: 2, chained: 0, broken: undefined, head: undefined });
    expect(findHead(system, PATH)).toBeUndefined();
    machine(2, system);
    expect(verify(system)).toMatchObject({ lines: 4, chained: 2, broken: undefined });
    expect(verify(system).notes.join()).toContain(
      "of an older version, without hashes: 2 lines at the beginning",
    );
    system.put(PATH, (system.peek(PATH) ?? "").replace('{"n":2}', '{"n":9}'));
    expect(verify(system).broken).toMatchObject({ kind: "changed", line: 3 });
  });

  it("loses no line when the lock cannot be had, and says so", () => {
    const system = machine(1);
    const held = new FileLock(`${PATH}.lock`, { system: createMemorySystem({ machine: system.machine }) });
    held.acquire();
    appendChainedLine(system, PATH, { n: 2 }, { rotation, lockTimeoutMs: 0 });
    held.release();
    expect(verify(system).notes.join()).toContain(
      "without a number at the end: 1 line; nothing covers them yet",
    );
    machine(1, system);
    expect(verify(system)).toMatchObject({ lines: 3, chained: 2, broken: undefined });
  });

  it("does not write through a symlink, nor what is not JSON", () => {
    const system = createMemorySystem({ files: { [PATH]: { target: "/home/user/.profile" } } });
    expect(() => appendChainedLine(system, PATH, { n: 1 }, { rotation })).toThrow(/ELOOP/);
    expect(() => appendChainedLine(system, PATH, { n: undefined }, { rotation })).toThrow(/\$\.n/);
    expect(system.files.inspect(`${PATH}.lock`)).toBeUndefined();
  });

  it("takes a line with forged members of the chain, or a very long one, for no link of it", () => {
    const system = machine(1);
    for (const line of ['{"seq":"2","prev":"x"}', '{"seq":1e99,"prev":""}', `"prev"${"x".repeat(700_000)}`])
      system.put(PATH, `${system.peek(PATH)}${line}\n`);
    appendChainedLine(system, PATH, {}, { rotation });
    // Further back than half a mebibyte nothing is looked for, so that the numbers begin again.
    expect(verify(system).broken?.kind).toBe("inserted");
  });
});

describe("the first break of a chain", () => {
  const swap = ([a = "", b = "", c = "", ...rest]: string[]) => [a, c, b, ...rest];
  it.each<[string, string, number, (lines: string[]) => readonly string[]]>([
    ["a changed line", "changed", 3, lines => lines.with(2, (lines[2] ?? "").replace('"n":3', '"n":7'))],
    ["a removed line", "removed", 3, lines => lines.toSpliced(2, 1)],
    ["removed lines at the beginning", "removed", 1, lines => lines.slice(2)],
    ["a line put in without a number", "inserted", 4, lines => lines.toSpliced(3, 0, '{"n":0}')],
    ["a copied line", "inserted", 4, lines => lines.toSpliced(3, 0, lines[2] ?? "")],
    ["two lines in another order", "reordered", 2, swap],
    [
      "a forged line with a right hash",
      "inserted",
      4,
      lines => lines.toSpliced(2, 0, JSON.stringify({ n: 0, seq: 3, prev: sha256(lines[1] ?? "") })),
    ],
  ])("is %s: %s", (_, kind, line, change) => {
    expect(breakAfter(change)).toMatchObject({ kind, file: PATH, line });
  });

  it.each([
    ["a directory", "it is not a file", 0],
    ["binary", "it is not a line of an audit log", 1],
    ["a line without end", "it is too long for a line of this log", 2],
  ])("is something else in the place of the log: %s", (what, message, line) => {
    const system = machine(1);
    const good = system.peek(PATH) ?? "";
    system.files.remove(PATH);
    if (what === "a directory") system.files.makeDirectory(PATH, 0o700);
    else system.put(PATH, what === "binary" ? "\u0000\u0001\n\u0002\n" : good + "x".repeat(17 * 1024 * 1024));
    expect(verify(system).broken).toEqual({ kind: "changed", file: PATH, line, message });
  });

  it("is nothing where the log is empty, or its last line was cut off", () => {
    const system = machine(2);
    system.put(PATH, (system.peek(PATH) ?? "").slice(0, -10));
    expect(verify(system)).toMatchObject({ broken: undefined, chained: 1 });
    system.put(PATH, '{"ts":');
    expect(verify(system)).toMatchObject({ broken: undefined, chained: 0 });
    system.put(PATH, "");
    expect(verify(system)).toMatchObject({ broken: undefined, lines: 0 });
  });

  it("is the number of lines that are missing", () => {
    expect(breakAfter(lines => lines.toSpliced(1, 3))?.message).toContain(": 3 lines (numbers 2 to 4)");
  });

  it("is a whole file that is missing", () => {
    const system = machine(2);
    for (const name of ["20260101_000000", "20260102_000000"]) {
      system.files.rename(PATH, `/logs/audit.${name}.jsonl`);
      machine(2, system);
    }
    system.files.remove("/logs/audit.20260102_000000.jsonl");
    expect(verify(system).broken).toMatchObject({ kind: "removed", file: PATH, line: 1 });
  });
});

describe("a head that was kept elsewhere", () => {
  const headOf = (system: MemorySystem) => {
    const head = findHead(system, PATH);
    return `${head?.seq}:${head?.hash}`;
  };

  it("is found as long as its line is there, also when more followed", () => {
    const system = machine(3);
    const head = headOf(system);
    machine(2, system);
    expect(verify(system, head)).toMatchObject({ broken: undefined });
    expect(verify(system, head.split(":")[1])).toMatchObject({ broken: undefined });
  });

  it("shows that the end was cut off, or that the log was written anew", () => {
    const system = machine(5);
    const head = headOf(system);
    system.put(PATH, `${linesIn(system).slice(0, 3).join("\n")}\n`);
    expect(verify(system).broken).toBeUndefined();
    expect(verify(system, head).broken).toMatchObject({ kind: "truncated", line: 3 });
    expect(verify(system, head).broken?.message).toContain("missing: 2 lines");
    expect(verify(system, head.split(":")[1]).broken).toMatchObject({ kind: "truncated" });
    machine(4, system);
    expect(verify(system, head).broken).toMatchObject({ kind: "changed" });
    expect(verify(createMemorySystem(), head).broken).toMatchObject({ kind: "truncated", line: 0 });
  });

  it("cannot be looked up when it is older than what is kept", () => {
    const system = machine(1);
    const head = headOf(system);
    for (let n = 0; n < 30; n++)
      appendChainedLine(system, PATH, { n }, { rotation: { limitBytes: 200, keep: KEEP } });
    expect(verify(system, head)).toMatchObject({ broken: undefined });
    expect(verify(system, head).notes.join()).toContain("cannot be looked up");
  });

  it.each(["", "12", "0:".padEnd(66, "a"), "xyz"])("is refused as %j", text => {
    expect(parseHead(text)).toBeUndefined();
  });
});

describe("many processes", () => {
  const worker = bundleProgram(new URL("./programs/worker.ts", import.meta.url));
  const PROCESSES = 16;
  const LINES = runs(12, 100);

  it(
    `keep one chain: ${PROCESSES} of them, ${LINES} lines each, over rotations, some killed with SIGKILL`,
    async () => {
      const directory = temporaryDirectory();
      const children = Array.from({ length: PROCESSES }, (_, index) => {
        const child = spawn(process.execPath, [worker, "chain", directory, String(LINES)], {
          env: {},
          stdio: ["ignore", "pipe", "inherit"],
        });
        onTestFinished(() => {
          child.kill("SIGKILL");
        });
        let written = 0;
        // Killed at a line of its own, wherever the others are then.
        child.stdout.on("data", (chunk: Buffer) => {
          written += chunk.filter(byte => byte === 10).length;
          if (index % 4 === 0 && written > index / 2) child.kill("SIGKILL");
        });
        return once(child, "close").then(() => written);
      });
      const written = (await Promise.all(children)).reduce((sum, count) => sum + count);
      const path = join(directory, "chain.jsonl");
      const report = verifyChain(createNodeSystem(), path, { keep: 1000 });
      expect(report.broken).toBeUndefined();
      // A killed process wrote one line more than it told, at most.
      expect(report.lines).toBeGreaterThanOrEqual(written);
      expect(report.lines).toBeLessThanOrEqual(written + 4);
      expect(report.files.length).toBeGreaterThan(1);
      expect(readdirSync(directory).filter(name => !/^chain.*\.jsonl(\.lock)?$|\.tmp$/.test(name))).toEqual(
        [],
      );
    },
    runs(900_000, 3_600_000),
  );
});
