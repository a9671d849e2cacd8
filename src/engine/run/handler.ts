import type { Effect, Power, Run } from "../../protocol/index.ts";
import type { Core } from "../core.ts";
import type { Interruption } from "../interruption.ts";
import { interpretAtomcode } from "../output/atomcode.ts";
import { interpretBatuta } from "../output/batuta.ts";
import { interpretClaude } from "../output/claude.ts";
import { applyFailure } from "../output/failure.ts";
import { interpretModel } from "../output/model.ts";
import { failed, type RawResult, type Reading, type Verdict } from "../output/result.ts";
import type { Step } from "../plan.ts";
import { type CommandResult, runCommand } from "./command.ts";
import { runMcpTool, runModel } from "./delegate.ts";
import { runHttp } from "./http.ts";
import { describeError, type Stage } from "./stage.ts";
import { endFacts, statusOf } from "./status.ts";

/** One finished run of a configured handler. */
export interface Finished {
  readonly effect: Effect;
  readonly run: Run;
  readonly failureCode: string | undefined;
  readonly queueMs: number | undefined;
  /** the handler went to the background: what it says in the end */
  readonly later?: Promise<Finished>;
}

/** What the handlers of one dispatch have in common. */
export interface Setting {
  readonly event: Stage["event"];
  readonly power: Power;
  readonly payload: Stage["payload"];
  readonly payloadText: Stage["payloadText"];
  /** the declared tool of the call, whose schema a new input must fit */
  readonly tool: string | undefined;
}

/** Runs a handler and says what it means. Never rejects. */
export async function runHandler(
  core: Core,
  step: Step,
  setting: Setting,
  interruption: Interruption,
  mayDetach: boolean,
): Promise<Finished> {
  const begunMs = core.seams.timers.nowMs();
  const { result, queueMs, later } = await execute(core, step, setting, interruption, mayDetach);
  const finish = (raw: RawResult): Promise<Finished> => conclude(core, step, setting, raw, begunMs, queueMs);
  if (later === undefined) return finish(result);
  const run: Run = {
    hook: step.handler.spec.id,
    status: "async",
    durationMs: core.seams.timers.nowMs() - begunMs,
  };
  return {
    effect: {},
    run,
    failureCode: undefined,
    queueMs,
    later: later.then(raw => finish(withoutAnnouncement(raw))),
  };
}

/** The line that announced the background is not part of the answer. */
function withoutAnnouncement(raw: RawResult): RawResult {
  const { text } = raw.stdout;
  const newline = text.indexOf("\n");
  return { ...raw, stdout: { ...raw.stdout, text: newline < 0 ? "" : text.slice(newline + 1) } };
}

interface Executed extends Omit<CommandResult, "queueMs"> {
  readonly queueMs: number | undefined;
}

async function execute(
  core: Core,
  step: Step,
  setting: Setting,
  interruption: Interruption,
  mayDetach: boolean,
): Promise<Executed> {
  const { spec } = step.handler;
  const { event, payload, payloadText } = setting;
  const { seams, limits } = core;
  const stage: Stage = {
    seams,
    limits,
    event,
    payload,
    payloadText,
    timeoutMs: step.timeoutMs,
    interruption,
  };
  try {
    switch (spec.action.kind) {
      case "command":
        return await runCommand(spec, spec.action, stage, core.house, mayDetach && spec.dialect === "claude");
      case "http":
        return { result: await runHttp(spec.action, stage, core.http), queueMs: undefined };
      case "mcp_tool":
        return { result: await runMcpTool(spec.action, stage, core.delegates), queueMs: undefined };
      case "prompt":
      case "agent":
        return { result: await runModel(spec.action, stage, core.delegates), queueMs: undefined };
    }
  } catch (error) {
    return { result: failed("spawn-failed", describeError(error)), queueMs: undefined };
  }
}

async function conclude(
  core: Core,
  step: Step,
  setting: Setting,
  raw: RawResult,
  begunMs: number,
  queueMs: number | undefined,
): Promise<Finished> {
  const { spec } = step.handler;
  const verdict = await checkRewrite(core, setting, interpret(core, step, setting, raw));
  const run: Run = {
    hook: spec.id,
    status: statusOf(verdict.effect, verdict.failure),
    durationMs: core.seams.timers.nowMs() - begunMs - (queueMs ?? 0),
    ...endFacts(raw.end),
    ...(raw.stdout.isTruncated ? { truncated: true } : {}),
  };
  const effect = applyFailure(spec.id, verdict, step.onFailure, setting.power);
  return { effect, run, failureCode: verdict.failure?.code, queueMs };
}

function interpret(core: Core, { handler }: Step, { event }: Setting, raw: RawResult): Verdict {
  if (raw.end.kind === "aborted")
    return {
      effect: { diagnostics: raw.diagnostics },
      failure: { code: "aborted", detail: "the host gave up waiting" },
    };
  const { action, dialect } = handler.spec;
  const reading: Reading = { event, limits: core.limits };
  if (action.kind === "prompt" || action.kind === "agent") return interpretModel(raw, reading);
  switch (dialect) {
    case "claude":
      return interpretClaude(raw, reading);
    case "batuta":
      return interpretBatuta(raw, reading);
    case "atomcode":
      return interpretAtomcode(raw, { ...reading, promptNonZero: core.promptNonZero });
  }
}

/** A new input that its tool would not accept is a failure of the handler that wrote it. */
async function checkRewrite(core: Core, { tool }: Setting, verdict: Verdict): Promise<Verdict> {
  const { input, ...rest } = verdict.effect;
  if (input === undefined || tool === undefined) return verdict;
  const problem = await problemOf(core, tool, input);
  if (problem === undefined) return verdict;
  return {
    effect: rest,
    failure: { code: "rewrite-invalid", detail: `the new input of ${tool} does not fit: ${problem}` },
  };
}

async function problemOf(
  core: Core,
  tool: string,
  input: NonNullable<Effect["input"]>,
): Promise<string | undefined> {
  try {
    const checked = await core.tools.checkInput(tool, input);
    return checked.ok ? undefined : checked.problem;
  } catch (error) {
    return describeError(error);
  }
}
