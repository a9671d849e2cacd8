import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { inParallel, NODE_PROGRAM } from "../hooks/executable.ts";
import { complaints } from "./complaints.ts";
import { goldenCases, goldenHooks } from "./golden-case.ts";
import { runInMemory } from "./run-in-memory.ts";
import { runProgram } from "./run-program.ts";

// Every case says what the specification wants, never what the program happened to say. Each is run in memory, where
// nothing else can disturb it; some of each hook also through the real executable, in a sandbox of their own: those prove
// that the machine in memory is like a real one. The long run and tests/native give a real executable all of them.

const WANTED: Readonly<Record<string, number>> = {
  pre_tool_use: 200,
  stop: 100,
  post_tool_use: 100,
  user_prompt_submit: 100,
  session_start: 100,
  pre_compact: 100,
  session_stop: 100,
  workflow_classification_reminder: 100,
};

const AT_A_TIME = 4;
const THROUGH_PROGRAM = runs(5, Number.POSITIVE_INFINITY);
const runNode = runProgram([NODE_PROGRAM[0] ?? "", ...NODE_PROGRAM.slice(1)]);

for (const hook of goldenHooks()) {
  const cases = goldenCases(hook);
  describe(`${hook} answers as written`, () => {
    it.each(cases.map(golden => [golden.name, golden] as const))("%s", async (_, golden) => {
      expect(complaints(golden, await runInMemory(golden))).toEqual([]);
    });

    const step = Math.max(1, Math.floor(cases.length / THROUGH_PROGRAM));
    it(`through the real executable, every ${step}. of them`, async () => {
      const tasks = cases
        .filter((_, index) => index % step === 0)
        .map(golden => async () => ({
          name: golden.name,
          found: complaints(golden, await runNode(golden)),
        }));
      const results = await inParallel(AT_A_TIME, tasks);
      expect(results.filter(({ found }) => found.length > 0)).toEqual([]);
    });
  });
}

describe("the golden set", () => {
  it.each(Object.entries(WANTED))("has enough cases of %s: %d", (hook, wanted) => {
    expect(goldenCases(hook).length).toBeGreaterThanOrEqual(wanted);
  });

  it("says why each case is as it is", () => {
    const silent = goldenHooks()
      .flatMap(goldenCases)
      .filter(({ meta }) => typeof meta.note !== "string");
    expect(silent.map(({ hook, name }) => `${hook}/${name}`)).toEqual([]);
  });

  it("lists every corrected fault of the original in BUGS.md", () => {
    const list = readFileSync(join(import.meta.dirname, "BUGS.md"), "utf8");
    const corrected = goldenHooks()
      .flatMap(goldenCases)
      .filter(({ meta }) => meta.reference_bug !== undefined);
    const missing = corrected.filter(
      ({ name, meta }) => !list.includes(`\`${name}\``) || !list.includes(meta.reference_bug ?? ""),
    );
    expect(missing.map(({ hook, name }) => `${hook}/${name}`)).toEqual([]);
  });
});
