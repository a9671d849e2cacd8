import { readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

type State = "passed" | "failed" | "skipped";

const SLOWEST = 10;

/**
 * Ends the run with its slowest files and one plain line, `N passed, N failed, N skipped`, that any machine can read.
 * Runs that share a file AMPLIHACK_TEST_TALLY count each other's tests: one that was skipped and then run has run.
 */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const text = `${slowest(modules)}${count(addTally(statesOf(modules)))}\n`;
    // The coverage is printed after this moment, and nothing is to come after the line.
    process.once("exit", () => process.stdout.write(text));
  }
}

function slowest(modules: readonly TestModule[]): string {
  const files = modules
    .map(module => ({ name: module.relativeModuleId, ms: timeOf(module) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, SLOWEST);
  const lines = files.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}\n`);
  return lines.length === 0 ? "" : `\nSlowest files:\n${lines.join("")}\n`;
}

function timeOf(module: TestModule): number {
  const { collectDuration, duration, setupDuration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
}

/** The state of every test by its id; a file that could not be loaded counts as one that failed. */
function statesOf(modules: readonly TestModule[]): Map<string, State> {
  const states = new Map<string, State>();
  for (const module of modules) {
    if (module.errors().length > 0) states.set(module.id, "failed");
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      states.set(test.id, state === "pending" ? "skipped" : state);
    }
  }
  return states;
}

function addTally(states: Map<string, State>): Iterable<State> {
  const file = process.env["AMPLIHACK_TEST_TALLY"];
  if (file === undefined) return states.values();
  const earlier = JSON.parse(readFileSync(file, "utf8") || "[]") as [string, State][];
  const all = new Map([...earlier, ...states]);
  writeFileSync(file, JSON.stringify([...all]));
  return all.values();
}

function count(states: Iterable<State>): string {
  const counted = { passed: 0, failed: 0, skipped: 0 };
  for (const state of states) counted[state]++;
  return `${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped`;
}
