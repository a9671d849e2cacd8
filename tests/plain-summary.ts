import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with one plain line, `N passed, N failed, N skipped`, that any machine can read. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) count[test.result().state]++;
    }
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped\n`;
    // The coverage is printed after this moment, and nothing is to come after the line.
    process.once("exit", () => process.stdout.write(line));
  }
}
