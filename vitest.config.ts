import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { buildConstants } from "./scripts/build-constants.mjs";
import LongestFirst from "./tests/longest-first.ts";

/** What runs in the native program too: only there are lines counted. */
const PORTABLE =
  "src/{text,protocol,state,config,hosts,shell,code,programs,workspace,guard,history,transcripts,handlers,hooks}/**/*.ts";
const BAR = { lines: 94, branches: 88 };

export default defineConfig({
  define: buildConstants(),
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/hosts/**", "tests/sdks/**", "tests/runtimes/**"],
    globalSetup: ["./tests/disk-in-memory.ts", "./tests/build-folder.ts"],
    setupFiles: ["./tests/generated-inputs.ts"],
    reporters: ["default", "./tests/plain-summary.ts"],
    // For what hangs. A machine that is busy with other things takes ten times as long, and that is no failure.
    testTimeout: process.env["AMPLIHACK_TEST_LONG"] === "1" ? 3_600_000 : 900_000,
    hookTimeout: 900_000,
    pool: "forks",
    // One more than there are cores: many tests wait for children, locks and timeouts.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    // A process for each file would load the same modules 250 times, a fifth of the whole run. So no test leaves a
    // changed environment, working directory or global behind.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: "v8",
      include: [PORTABLE],
      reporter: ["text-summary"],
      // A part of the tests reaches a part of the code: only a whole run is held to this.
      ...(process.argv.slice(2).some(word => word.startsWith("tests/"))
        ? {}
        : { thresholds: { [PORTABLE]: BAR } }),
    },
  },
});
