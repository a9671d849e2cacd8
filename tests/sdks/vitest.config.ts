import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";

const source = (path: string): string => new URL(`../../src/${path}`, import.meta.url).pathname;

/** Examples and tests import the package by its name, as its users do. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [], globalSetup: [] } },
  defineConfig({
    resolve: {
      alias: [
        { find: /^amplihack\/engine$/, replacement: source("exports/engine.ts") },
        { find: /^amplihack\/engine\/(.+)$/, replacement: source("engine/adapters/$1.ts") },
        { find: /^amplihack\/guard$/, replacement: source("exports/guard.ts") },
      ],
    },
    test: { root: new URL("../..", import.meta.url).pathname, include: ["tests/sdks/*.test.ts"] },
  }),
);
