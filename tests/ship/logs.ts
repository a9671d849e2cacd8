import { join } from "node:path";
import { appendChainedLine } from "../../src/state/chained-log.ts";
import { appendJsonLine } from "../../src/state/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";

const system = createNodeSystem();
export const logsIn = (stateHome: string) => ({
  audit: join(stateHome, "logs", "audit.jsonl"),
  runs: join(stateHome, "logs", "runs.jsonl"),
});

let written = 0;

/** So many lines in both logs, as hooks write them. */
export function writeLines(stateHome: string, count: number, limitBytes = 1_000_000, keep = 50): void {
  const logs = logsIn(stateHome);
  const rotation = { limitBytes, keep };
  const common = { host: "claude-code", session: "s-1", project: "/secret/project", rules: ["fs.home"] };
  for (let line = 0; line < count; line++) {
    // Two at a time are alike but for their places.
    const ts = new Date(Date.UTC(2026, 10, 1, 10) + Math.floor(written++ / 2)).toISOString();
    const audit = {
      ts,
      ...common,
      tool: "Bash",
      verdict: line % 2 === 0 ? "deny" : "ask",
      command: `rm -rf secret-${line}`,
    };
    appendChainedLine(
      system,
      logs.audit,
      { ...audit, cwd: "/secret", targets: ["/secret"], level: "standard" },
      { rotation },
    );
    const run = {
      hook: "pre_tool_use",
      duration_us: 4_000,
      result: "ok",
      event: "PreToolUse",
      decision: "deny",
    };
    appendJsonLine(system, logs.runs, { ...run, ts, ...common }, { rotation });
  }
}
