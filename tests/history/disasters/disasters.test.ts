import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { Projects } from "../commands/projects.ts";
import { isGood, type Outcome, outcomeOf } from "./carry-out.ts";
import { HELD_OUT } from "./disasters.held-out.ts";
import { CASES } from "./disasters.ts";
import type { Disaster } from "./row.ts";

// A whole run carries out some of each family, which takes seconds; `npm run test:disasters` all of them, with those that
// are held out. AMPLIHACK_DISASTER_RATES=FILE writes the rates there, AMPLIHACK_DISASTER_SHOWN=1 names the rows held out that
// failed, once they are measured, and AMPLIHACK_DISASTER_FAMILY=PATTERN takes only those of some families.

const IS_LONG = process.env["AMPLIHACK_TEST_LONG"] === "1";
const RATES = process.env["AMPLIHACK_DISASTER_RATES"];
const IS_SHOWN = process.env["AMPLIHACK_DISASTER_SHOWN"] === "1";
const FAMILY = new RegExp(process.env["AMPLIHACK_DISASTER_FAMILY"] ?? "");
const projects = new Projects();
const results: { readonly set: string; readonly row: Disaster; readonly outcome: Outcome }[] = [];

const NONE = {
  rows: 0,
  good: 0,
  asked: 0,
  restored: 0,
  conflict: 0,
  lost: 0,
  nothing: 0,
  /** undo ended with 0 although something was not as before */
  saidDone: 0,
};
type Counts = typeof NONE;

afterAll(() => {
  if (RATES === undefined) return;
  const rates: Record<string, Record<string, Counts>> = {};
  for (const { set } of results) rates[set] = {};
  for (const { set, row, outcome } of results) {
    const families = rates[set] ?? {};
    const counts = families[row.family] ?? { ...NONE };
    counts.rows += 1;
    counts.good += isGood(row, outcome) ? 1 : 0;
    counts[outcome.kind] += 1;
    counts.saidDone += outcome.isLie ? 1 : 0;
    families[row.family] = counts;
  }
  writeFileSync(RATES, `${JSON.stringify(rates, null, 2)}\n`);
});

/** Of each family the first and every tenth. */
function someOfEach(cases: readonly Disaster[]): readonly Disaster[] {
  const seen = new Map<string, number>();
  return cases.filter(({ family }) => {
    const at = seen.get(family) ?? 0;
    seen.set(family, at + 1);
    return at % 10 === 0;
  });
}

describe("disasters that really ran are asked about or come back", () => {
  it.each(
    (IS_LONG ? CASES.filter(({ family }) => FAMILY.test(family)) : someOfEach(CASES)).map(
      row => [row.name, row] as const,
    ),
  )("%s", async (_, row) => {
    const outcome = await outcomeOf(projects, row);
    results.push({ set: "to be mended", row, outcome });
    if (!isGood(row, outcome)) throw new Error(`${outcome.kind}\n${outcome.wrong.join("\n")}`);
  });
});

describe.runIf(IS_LONG)("those held out too", () => {
  // One test for all: their names are not shown.
  it("all of them", async () => {
    let bad = 0;
    for (const row of HELD_OUT.filter(({ family }) => FAMILY.test(family))) {
      const outcome = await outcomeOf(projects, row);
      results.push({ set: "held out", row, outcome });
      if (isGood(row, outcome)) continue;
      bad += 1;
      if (IS_SHOWN) process.stderr.write(`${row.name}\n${outcome.kind} ${outcome.wrong.join("\n")}\n\n`);
    }
    expect(bad).toBe(0);
  });
});
