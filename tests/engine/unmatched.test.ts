import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/exports/engine.ts";
import { claudeCommands, makeEngine, source } from "./fixture.ts";
import { heapBytes } from "./memory-use.ts";

const CALLS = 2_000_000;
const MAX_BYTES = 512 * 1024;

/** What so many calls leave on the heap, before anything is collected. */
function growth(call: () => unknown): number {
  for (let index = 0; index < 20_000; index++) call();
  const before = heapBytes();
  const start = process.memoryUsage().heapUsed;
  for (let index = 0; index < CALLS; index++) call();
  const grown = process.memoryUsage().heapUsed - start;
  return Math.max(grown, heapBytes() - before);
}

describe("the path without hooks", () => {
  const engine = makeEngine({ sources: [source("claude", claudeCommands("PreToolUse", ["true"], "Edit"))] });
  const payload: JsonObject = { tool_name: "Bash", tool_input: { command: "ls" } };
  const thunk = () => payload;

  it.each<[string, () => unknown]>([
    ["has, of an event without hooks", () => engine.has("Stop")],
    ["has, of a subject that nothing matches", () => engine.has("PreToolUse", "Bash")],
    ["dispatch, of an event without hooks", () => engine.dispatch("Stop", thunk)],
    ["dispatch, of a subject that nothing matches", () => engine.dispatch("PreToolUse", payload)],
  ])("allocates nothing: %s", (_, call) => {
    expect(growth(call)).toBeLessThan(MAX_BYTES);
  });
});
