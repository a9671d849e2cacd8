import { describe, expect, it } from "vitest";
import { preToolUse } from "../../src/hooks/stock/pre-tool-use.ts";
import { FileLock } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { projectSystem, ROOT, runHook } from "./run-hook.ts";

const GUARD = "/home/user/.amplihack/guard";
const AUDIT = "/home/user/.amplihack/logs/audit.jsonl";
const LOCKED = [AUDIT, `${GUARD}/allow-once.json`, `${GUARD}/sessions/s1.json`];

describe("records that another living process keeps locked", () => {
  it.each([
    ["a refusal", "rm -rf ~"],
    ["a refusal with a code", "git push --force"],
    ["a question", "git reset --hard"],
  ])("do not hold up the call: %s", async (_, command) => {
    const system = projectSystem();
    const other = createMemorySystem({ machine: system.machine });
    for (const path of LOCKED) new FileLock(`${path}.lock`, { system: other }).acquire();
    const before = system.clock.monotonicMs();
    const call = { tool_name: "Bash", tool_input: { command }, cwd: ROOT, session_id: "s1" };
    const effect = await runHook(preToolUse(), system, call);
    expect(effect?.decision?.kind).toMatch(/deny|ask/);
    // Three locks at most, in the machine's own time.
    expect(system.clock.monotonicMs() - before).toBeLessThan(1_000);
    expect(system.peek(AUDIT)).toContain(`"command":"${command}"`);
  });
});
