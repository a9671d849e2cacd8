import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8")) as {
  version: string;
};

export default defineConfig({
  define: { __AMPLIHACK_VERSION__: JSON.stringify(version) },
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
