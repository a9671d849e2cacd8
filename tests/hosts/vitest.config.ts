import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      root: new URL("../..", import.meta.url).pathname,
      include: ["tests/hosts/**/*.test.ts"],
      testTimeout: 600_000,
      // One host at a time: they are heavy, and their limits are in seconds.
      maxWorkers: 1,
      fileParallelism: false,
    },
  }),
);
