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
    coverage: {
      provider: "v8",
      include: ["protocol", "state", "config", "hosts", "shell", "guard", "hooks"].map(
        folder => `src/${folder}/**/*.ts`,
      ),
      reporter: ["text", "json-summary"],
    },
  },
});
