import { mkdirSync, rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemorySystem } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { type ExactFacts, type FileFacts, type Files, SystemError } from "../../src/system/system.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** One call, as a name for the report and a function of the files and the directory it happens in. */
interface Step {
  readonly name: string;
  run(files: Files, base: string): unknown;
}

const ordinaryPath = fc.constantFrom(
  "a",
  "b",
  "c",
  "a/b",
  "a/c",
  "b/a",
  "a/b/c",
  "a/../b",
  "a/./b",
  "missing/x",
);
/** Not for calls with two paths: which of two impossible names is complained about first is nobody's concern. */
const path = fc.oneof({ arbitrary: ordinaryPath, weight: 12 }, fc.constantFrom("n".repeat(256), "a\0b"));
const target = fc.constantFrom("a", "b", "../a", "a/b", ".", "..", "missing", "loop", "BASE/a", "BASE/b/c");
const content = fc.constantFrom("", "x", "hello", "ä€😀", "x".repeat(100));
const mode = fc.constantFrom(0o600, 0o644, 0o700, 0o755, 0o777);
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** What both must agree on: sizes and times of directories are the file system's own affair. */
function comparable(facts: FileFacts | undefined) {
  if (facts === undefined) return undefined;
  const { kind, size, mode, uid } = facts;
  return { kind, mode, uid, size: kind === "directory" ? "-" : size };
}

function comparableExactly(facts: ExactFacts | undefined) {
  if (facts === undefined) return undefined;
  const { kind, size, mode } = facts;
  return { kind, mode, size: kind === "directory" ? "-" : size };
}

function attempt(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(path, content, mode).map(
    ([p, c, m]): Step => ({
      name: `createExclusive ${p} ${m.toString(8)}`,
      run: (files, base) => files.createExclusive(`${base}/${p}`, bytesOf(c), m),
    }),
  ),
  fc.tuple(path, content, mode).map(
    ([p, c, m]): Step => ({
      name: `append ${p}`,
      run: (files, base) => files.append(`${base}/${p}`, bytesOf(c), m),
    }),
  ),
  fc.tuple(path, fc.nat(8)).map(
    ([p, limit]): Step => ({
      name: `read ${p} limit ${limit}`,
      run: (files, base) => [...files.read(`${base}/${p}`, limit)],
    }),
  ),
  fc.tuple(path, fc.nat(8), fc.integer({ min: 1, max: 8 })).map(
    ([p, offset, length]): Step => ({
      name: `readRange ${p} ${offset}+${length}`,
      run: (files, base) => [...files.readRange(`${base}/${p}`, offset, length)],
    }),
  ),
  fc.tuple(ordinaryPath, ordinaryPath).map(
    ([from, to]): Step => ({
      name: `rename ${from} ${to}`,
      run: (files, base) => files.rename(`${base}/${from}`, `${base}/${to}`),
    }),
  ),
  fc.tuple(ordinaryPath, ordinaryPath).map(
    ([from, to]): Step => ({
      name: `link ${from} ${to}`,
      run: (files, base) => files.link(`${base}/${from}`, `${base}/${to}`),
    }),
  ),
  fc.tuple(target, path).map(
    ([t, p]): Step => ({
      name: `symlink ${t} ${p}`,
      run: (files, base) => files.symlink(t.replace("BASE", base), `${base}/${p}`),
    }),
  ),
  fc.tuple(path, mode).map(
    ([p, m]): Step => ({
      name: `makeDirectory ${p}`,
      run: (files, base) => files.makeDirectory(`${base}/${p}`, m),
    }),
  ),
  fc.tuple(path, mode).map(
    ([p, m]): Step => ({
      name: `changeMode ${p}`,
      run: (files, base) => files.changeMode(`${base}/${p}`, m),
    }),
  ),
  fc
    .tuple(
      fc.constantFrom("readLink", "remove", "removeDirectory", "list", "realPath", "syncDirectory", "digest"),
      path,
    )
    .map(
      ([operation, p]): Step => ({
        name: `${operation} ${p}`,
        run: (files, base) => files[operation as "readLink"](`${base}/${p}`),
      }),
    ),
  fc.tuple(fc.constantFrom("inspect" as const, "follow" as const), path).map(
    ([operation, p]): Step => ({
      name: `${operation} ${p}`,
      run: (files, base) => comparable(files[operation](`${base}/${p}`)),
    }),
  ),
  fc.tuple(ordinaryPath, ordinaryPath, mode).map(
    ([from, to, m]): Step => ({
      name: `copy ${from} ${to} ${m.toString(8)}`,
      run: (files, base) => files.copy(`${base}/${from}`, `${base}/${to}`, m),
    }),
  ),
  path.map(
    (p): Step => ({
      name: `exactFacts ${p}`,
      run: (files, base) => comparableExactly(files.exactFacts(`${base}/${p}`)),
    }),
  ),
  path.map(
    (p): Step => ({
      name: `listFacts ${p}`,
      run: (files, base) =>
        files.listFacts(`${base}/${p}`).map(facts => [facts.name, comparableExactly(facts)]),
    }),
  ),
  fc.tuple(path, fc.constantFrom("0", "1700000000123456000", "2000000000000000000", "soon")).map(
    ([p, time]): Step => ({
      name: `setModified ${p} ${time}`,
      run(files, base) {
        files.setModified(`${base}/${p}`, time);
        return Math.round(Number(files.exactFacts(`${base}/${p}`)?.modifiedNs) / 1000);
      },
    }),
  ),
  // Whether a touch shows in the stamp depends on the clock of a real disk, whether no touch does not.
  fc.tuple(ordinaryPath, ordinaryPath).map(
    ([looked, other]): Step => ({
      name: `stamp ${looked} after looking at ${other}`,
      run(files, base) {
        const before = files.exactFacts(`${base}/${looked}`)?.stamp;
        attempt(() => files.digest(`${base}/${other}`));
        attempt(() => files.listFacts(`${base}/${other}`));
        return before === files.exactFacts(`${base}/${looked}`)?.stamp;
      },
    }),
  ),
  fc.tuple(ordinaryPath, ordinaryPath).map(
    ([one, other]): Step => ({
      name: `same file ${one} ${other}`,
      run: (files, base) =>
        files.inspect(`${base}/${one}`)?.identity === files.inspect(`${base}/${other}`)?.identity,
    }),
  ),
);

function outcome(step: Step, files: Files, base: string): string {
  try {
    return `${step.name} → ${JSON.stringify(step.run(files, base)) ?? "done"}`;
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return `${step.name} → ${error.operation}: ${error.code}`;
  }
}

describe("the memory adapter and the Node adapter", () => {
  it("give the same results and the same errors for the same calls", () => {
    const top = temporaryDirectory();
    const node = createNodeSystem();
    let run = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        // Deep down, so that links with `..` do not lead from one run into another.
        const own = `${top}/${run++}`;
        const base = `${own}/1/2/3/4/5/6/7/8`;
        mkdirSync(base, { recursive: true });
        const memory = createMemorySystem({
          cwd: base,
          uid: process.getuid?.() ?? 0,
          umask: process.umask(),
        });
        for (const each of steps) {
          expect(outcome(each, memory.files, base)).toBe(outcome(each, node.files, base));
        }
        rmSync(own, { recursive: true, force: true });
      }),
      { numRuns: runs(800) },
    );
  });
});
