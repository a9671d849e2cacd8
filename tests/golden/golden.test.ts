import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complaints } from "./complaints.ts";
import { goldenCases, goldenHooks, type RunGolden } from "./golden-case.ts";
import { runInMemory } from "./run-in-memory.ts";
import { runProgram } from "./run-program.ts";

// Every case says what the specification wants, never what the program happened to say. In memory unless
// GOLDEN_PROGRAM names a program, as words parted by blanks: GOLDEN_PROGRAM="node dist/bin/amplihack-hooks.cjs".

const WANTED: Readonly<Record<string, number>> = {
  pre_tool_use: 200,
  stop: 100,
  post_tool_use: 100,
  user_prompt_submit: 100,
  session_start: 50,
  pre_compact: 50,
  session_stop: 30,
};

const run = chooseRunner(process.env["GOLDEN_PROGRAM"]);

function chooseRunner(words: string | undefined): RunGolden {
  const [program, ...rest] = words?.split(" ").filter(word => word !== "") ?? [];
  if (program === undefined) return runInMemory;
  const resolved = rest.map(word => (word.endsWith("js") ? `${process.cwd()}/${word}` : word));
  return runProgram([program, ...resolved]);
}

for (const hook of goldenHooks()) {
  const cases = goldenCases(hook);
  describe(`${hook} answers as written`, () => {
    it.each(cases.map(golden => [golden.name, golden] as const))("%s", async (_, golden) => {
      expect(complaints(golden, await run(golden))).toEqual([]);
    });
  });
}

describe("the golden set", () => {
  it.each(Object.entries(WANTED))("has enough cases of %s: %d", (hook, wanted) => {
    expect(goldenCases(hook).length).toBeGreaterThanOrEqual(wanted);
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
