import { readdirSync, readFileSync } from "node:fs";
import { getActiveResourcesInfo } from "node:process";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/exports/engine.ts";
import { claudeCommands, makeEngine, source } from "./fixture.ts";
import { heapBytes } from "./memory-use.ts";

/** The full length is for the night: `AMPLIHACK_SOAK=200000 npx vitest run tests/engine/soak.test.ts`. */
const DISPATCHES = Number(process.env["AMPLIHACK_SOAK"] ?? 4000);
const WITH_PROCESSES = Math.max(40, Math.floor(DISPATCHES / 100));
const PATIENCE_MS = 900_000 + DISPATCHES * 5;

const payload = (index: number): JsonObject => ({
  session_id: `s${index % 50}`,
  agent_id: `a${index % 7}`,
  tool_name: index % 3 === 0 ? "Bash" : `tool-${index % 600}`,
  tool_input: { command: `echo ${index}` },
});

function children(): string[] {
  return readdirSync("/proc").filter(name => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return (
        readFileSync(`/proc/${name}/stat`, "latin1").split(") ")[1]?.split(" ")[1] === String(process.pid)
      );
    } catch {
      return false;
    }
  });
}

/** The test runner keeps a few of its own, and not always the same number. */
const NOISE = 3;
function resources(): string[] {
  return getActiveResourcesInfo().filter(kind => kind !== "Immediate");
}

function processHandles(): number {
  return resources().filter(kind => kind === "ProcessWrap").length;
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

describe("a long session", () => {
  it(`of ${DISPATCHES} dispatches with functions grows nothing`, { timeout: PATIENCE_MS }, async () => {
    const engine = makeEngine({ sources: [source("claude", claudeCommands("Stop", ["true"]))] });
    let calls = 0;
    engine.beforeToolCall("*", ({ args }) =>
      calls++ % 2 === 0 ? undefined : { args: { ...(args as JsonObject), n: calls } },
    );
    engine.on("PreToolUse", "^tool-", async () => undefined);
    engine.on("PreToolUse", "*", () => undefined, { once: true });
    engine.observe("PreToolUse", () => {});
    const run = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        const registration = index % 100 === 0 ? engine.on("PostToolUse", "*", () => undefined) : undefined;
        const controller = new AbortController();
        await engine.dispatch("PreToolUse", payload(index), { signal: controller.signal });
        registration?.[Symbol.dispose]();
        if (index % 500 === 0) engine.reload([source("claude", claudeCommands("Stop", ["true"]))]);
      }
    };
    await run(Math.min(2000, DISPATCHES));
    const before = heapBytes();
    await run(DISPATCHES);
    expect(calls).toBe(Math.min(2000, DISPATCHES) + DISPATCHES);
    expect(heapBytes() - before).toBeLessThan(1024 * 1024);
    expect(engine.list().filter(({ kind }) => kind === "function")).toHaveLength(3);
  });

  it(`of ${WITH_PROCESSES} dispatches with processes leaves no process, handle or timer`, {
    timeout: PATIENCE_MS,
  }, async () => {
    const commands = [
      `cat > /dev/null; echo '{"systemMessage":"x"}'`,
      "exit 2",
      { command: "sleep 60", timeout: 0.02 },
      "sleep 0.01 & exit 0",
      { command: "true", async: true },
    ];
    // Tests of other files may have left one to the process that they share.
    const others = { children: children(), handles: processHandles() };
    const engine = makeEngine({
      grace: { killMs: 20, pipeMs: 20 },
      sources: [source("claude", claudeCommands("PreToolUse", commands))],
    });
    const run = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        const outcome = await engine.dispatch("PreToolUse", payload(index));
        expect(outcome.runs).toHaveLength(5);
      }
    };
    await run(3);
    const before = { files: openFiles(), resources: resources().length };
    await run(WITH_PROCESSES);
    await engine.close();
    // A process that was given up after its grace ends a moment later, and its handles with it.
    await vi.waitFor(
      () => {
        expect(children().filter(child => !others.children.includes(child))).toEqual([]);
        expect(openFiles()).toBeLessThanOrEqual(before.files);
        expect(processHandles()).toBeLessThanOrEqual(others.handles);
        expect(resources().length).toBeLessThanOrEqual(before.resources + NOISE);
      },
      { timeout: 200_000, interval: 20 },
    );
  });
});
