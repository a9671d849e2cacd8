import { defineConfig } from "vitest/config";
import { buildConstants } from "./scripts/build-constants.mjs";

export default defineConfig({
  define: buildConstants(),
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/hosts/**"],
    reporters: ["default", "./tests/plain-summary.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
