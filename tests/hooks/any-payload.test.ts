import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveSubcommand, STOCK_SUBCOMMANDS } from "../../src/exports/hosts.ts";
import { openProgram } from "../../src/hooks/program/hook-program.ts";
import { openRun } from "../../src/hooks/program/run.ts";
import { classifySession, FactCollector } from "../../src/hooks/stock/stop/power-steering/facts.ts";
import {
  applyHeuristic,
  SHIPPED_CONSIDERATIONS,
} from "../../src/hooks/stock/stop/power-steering/heuristics.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { readTranscript } from "../../src/transcripts/read.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { loadDefinition } from "./definitions.ts";

// Whatever comes in, a stock hook answers with one JSON object and never holds anything because of its own error.

const HOOKS = STOCK_SUBCOMMANDS.map(({ name }) => name).filter(name => name !== "pre-tool-use");
const MEMBERS = [
  "hook_event_name",
  "session_id",
  "sessionId",
  "cwd",
  "transcript_path",
  "prompt",
  "userMessage",
  "tool_name",
  "tool_input",
  "tool_response",
  "tool_use_id",
  "output",
  "task",
  "success",
  "conversation",
  "messages",
  "trigger",
  "source",
  "turnCount",
  "last_assistant_message",
];
const WORDS = ["s1", "/dev x", "/fix it", "Bash", "Stop", "/tmp/t.jsonl", "../x", "", "\u0000", "😀"];
const member = fc.oneof(fc.constantFrom(...WORDS), fc.jsonValue({ maxDepth: 3 }));
const payload = fc.dictionary(fc.constantFrom(...MEMBERS), member);

async function run(name: string, stdin: string, transcript: string) {
  const subcommand = resolveSubcommand(name);
  if (subcommand === undefined) throw new Error(name);
  const definition = await loadDefinition(name);
  const system = createMemorySystem({
    stdin,
    files: { "/tmp/t.jsonl": transcript, "/home/user/project/.claude/x": "" },
  });
  const program = openProgram(definition, subcommand, undefined, system);
  const code = await openRun(program, { host: undefined, nativeEvent: undefined }, system).run();
  return { code, stdout: system.stdout(), stderr: system.stderr() };
}

describe.each(HOOKS)("%s", name => {
  it("answers any object with exit 0, at most one JSON object and a telemetry line", async () => {
    await fc.assert(
      fc.asyncProperty(payload, async value => {
        const { code, stdout, stderr } = await run(name, JSON.stringify(value), "");
        expect(code).toBe(0);
        if (stdout !== "") expect(typeof JSON.parse(stdout)).toBe("object");
        expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^\{"hook":/);
        expect(stderr).not.toContain('"panic"');
      }),
      { numRuns: runs(60) },
    );
  });

  it("answers any bytes with exit 0", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 200 }), async text => {
        const { code, stderr } = await run(name, text, "");
        expect(code).toBe(0);
        expect(stderr).not.toContain('"panic"');
      }),
      { numRuns: runs(30) },
    );
  });
});

const KEYS = [
  "type",
  "message",
  "role",
  "content",
  "data",
  "payload",
  "event",
  "text",
  "name",
  "input",
  "tool_use_id",
  "toolCalls",
  "command",
  "todos",
];
const KINDS = [
  "user",
  "assistant",
  "tool_use",
  "tool_result",
  "text",
  "response_item",
  "function_call",
  "user.message",
  "tool.execution_start",
  "gemini",
  "message",
  "TodoWrite",
  "Bash",
  "Write",
];
const record = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, 1, true, ...KINDS),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("node"), { maxKeys: 6 }),
  ),
})).node;

describe("any transcript", () => {
  it("can be read and judged, whatever stands in it", () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), lines => {
        const content = lines.map(line => `${JSON.stringify(line)}\n`).join("");
        const system = createMemorySystem({ files: { "/t": content } });
        const collector = new FactCollector();
        for (const entry of readTranscript(system, "/t", name => name)) collector.see(entry);
        const facts = collector.facts();
        expect(classifySession(facts)).toMatch(/^[A-Z]+$/);
        for (const { heuristic } of SHIPPED_CONSIDERATIONS) {
          if (heuristic !== undefined) applyHeuristic(heuristic, facts, { forbidsMerge: false, readme: "" });
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
