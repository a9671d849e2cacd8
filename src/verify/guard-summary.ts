import { judgeTool } from "../guard/index.ts";
import { openGuard } from "../hooks/guard-context.ts";
import { normalise } from "../hosts/normalise.ts";
import { checkInput } from "../protocol/index.ts";
import type { System } from "../system/system.ts";
import type { TranscriptInput } from "./transcript-inputs.ts";

interface StoppedCall {
  readonly file: string;
  readonly line: number;
  readonly verdict: "ask" | "deny";
  readonly rules: readonly string[];
  readonly command: string;
}

/** What the guard would have done with the tool calls of past sessions. */
export interface GuardSummary {
  judged: number;
  allowed: number;
  asked: number;
  denied: number;
  readonly byRule: Map<string, number>;
  /** the first ones, at most `MAX_SHOWN` */
  readonly stopped: StoppedCall[];
  /** time spent judging, without reading */
  judgingMs: number;
}

const MAX_SHOWN = 50;
const COMMAND_LENGTH = 300;

export function emptySummary(): GuardSummary {
  return { judged: 0, allowed: 0, asked: 0, denied: 0, byRule: new Map(), stopped: [], judgingMs: 0 };
}

/** Adds one tool call; everything else is passed over. The directories of the past may be gone: nothing is run. */
export function addCall(system: System, summary: GuardSummary, file: string, input: TranscriptInput): void {
  if (input.event !== "PreToolUse") return;
  const normalised = normalise(JSON.stringify(input.payload), {
    env: { get: () => undefined },
    event: "PreToolUse",
  });
  const checked = normalised.ok ? checkInput(normalised.value) : undefined;
  if (checked?.ok !== true || checked.input.kind !== "tool") return;
  const began = system.clock.monotonicMs();
  const { context } = openGuard(system, checked.input.cwd, () => {});
  const judgement = judgeTool(checked.input, {
    ...context,
    cwd: checked.input.cwd ?? context.cwd,
    machineKey: undefined,
  });
  summary.judgingMs += system.clock.monotonicMs() - began;
  summary.judged += 1;
  if (judgement.verdict === "allow") {
    summary.allowed += 1;
    return;
  }
  if (judgement.verdict === "ask") summary.asked += 1;
  else summary.denied += 1;
  const rules = [...new Set(judgement.findings.map(finding => finding.rule))];
  for (const rule of rules) summary.byRule.set(rule, (summary.byRule.get(rule) ?? 0) + 1);
  if (summary.stopped.length < MAX_SHOWN) {
    const { command, paths } = checked.input.facts;
    const shown = command ?? `${checked.input.tool.canonicalName} ${paths.join(" ")}`;
    const { line } = input;
    const { verdict } = judgement;
    summary.stopped.push({ file, line, verdict, rules, command: shown.slice(0, COMMAND_LENGTH) });
  }
}
