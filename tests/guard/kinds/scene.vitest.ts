import { defineConfig } from "vitest/config";
import whole from "../../../vitest.config.ts";

/** Runs what is still pending. Nothing here is part of a whole run. */
export default defineConfig({
  ...whole,
  test: {
    ...whole.test,
    include: ["tests/guard/kinds/scene-*.pending.ts"],
    testTimeout: 3_600_000,
  },
});
