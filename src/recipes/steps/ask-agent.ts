import { printModeArguments } from "../../hosts/index.ts";
import { defined } from "../../protocol/index.ts";
import { EnvVar, envParsers } from "../../state/index.ts";
import type { StepReference } from "../logs/events.ts";
import type { RecipeRun } from "../run/run.ts";
import { type Execution, endText, executeProcess, failureText } from "./execute-process.ts";
import { lastCharacters } from "./snippet.ts";

interface AgentQuestion {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly directory: string;
  readonly model: string | undefined;
  readonly timeoutSeconds: number | undefined;
}

export interface AgentAnswer {
  readonly execution: Execution;
  /** trimmed stdout */
  readonly text: string;
  /** undefined when the agent ended well */
  readonly error: string | undefined;
}

const UNATTENDED = "Work on your own and do not ask questions: no one can answer.";

const RETRIES = new EnvVar("AMPLIHACK_RATELIMIT_MAX_RETRIES", envParsers.integer({ atLeast: 0 }), 5);
const MAX_RETRIES = 100;
const BASE_DELAY = new EnvVar("AMPLIHACK_RATELIMIT_BASE_DELAY_SECS", envParsers.integer({ atLeast: 0 }), 60);
const MAX_DELAY = new EnvVar("AMPLIHACK_RATELIMIT_MAX_DELAY_SECS", envParsers.integer({ atLeast: 0 }), 600);

/** Asks the active agent once; only a rate limit makes it ask again. */
export async function askAgent(
  run: RecipeRun,
  step: StepReference,
  question: AgentQuestion,
): Promise<AgentAnswer> {
  const limits = readLimits(run);
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt === limits.retries;
    const model = isLast && attempt > 0 && limits.fallsBack ? "auto" : question.model;
    const answer = await askOnce(run, step, { ...question, model });
    if (answer.error === undefined || isLast || run.interruption.signal !== undefined) return answer;
    if (!isRateLimited(answer.execution)) return answer;
    const waitSeconds = Math.min(limits.baseSeconds * 2 ** attempt, limits.maxSeconds);
    run.observe({
      kind: "notice",
      text: `Step '${step.id}': rate limit; waiting ${waitSeconds}s before retry ${attempt + 1} of ${limits.retries}`,
      isWarning: false,
    });
    await run.interruption.pause(waitSeconds * 1000);
    if (run.interruption.signal !== undefined) return answer;
  }
}

async function askOnce(run: RecipeRun, step: StepReference, question: AgentQuestion): Promise<AgentAnswer> {
  const { args, stdin } = printModeArguments(run.agent, {
    prompt: `${question.prompt}\n\n${UNATTENDED}`,
    systemPrompt: question.systemPrompt,
    directory: question.directory,
    ...defined({ model: question.model }),
    allowAllTools: (run.system.env.get("AMPLIHACK_NO_ALLOW_ALL_TOOLS") ?? "") === "",
  });
  const execution = await executeProcess(run, step, {
    argv: [...run.launcher, run.agent, "--", ...args.map(argument => argument.replaceAll("\0", ""))],
    cwd: question.directory,
    env: {
      ...run.environment.inherited,
      PATH: run.environment.pathFor(question.prompt),
      ...run.environment.engine,
      AMPLIHACK_STEP_ID: step.id,
    },
    input: stdin ?? "",
    timeoutSeconds: question.timeoutSeconds,
  });
  return {
    execution,
    text: execution.stdout.trim(),
    error: describeAnswer(run, execution, question.timeoutSeconds),
  };
}

function describeAnswer(
  run: RecipeRun,
  execution: Execution,
  timeoutSeconds: number | undefined,
): string | undefined {
  const what = `amplihack ${run.agent}`;
  const { end } = execution;
  if (end.kind !== "exit" && end.kind !== "signal") return failureText(run, execution, what, timeoutSeconds);
  if (end.kind === "exit" && end.code === 0) return undefined;
  return [
    `${what} failed (${endText(end)})`,
    ...section("stdout", lastCharacters(execution.stdout, 2000)),
    ...section("stderr", lastCharacters(execution.stderr, 4000)),
  ].join("\n");
}

function section(name: string, text: string): readonly string[] {
  return text.trim() === "" ? [] : [`${name}: ${text.trim()}`];
}

function isRateLimited({ end, stdout, stderr }: Execution): boolean {
  if (end.kind !== "exit" || end.code === 0) return false;
  return /rate limit|too many requests|\b429\b|reset in/i.test(
    `${lastCharacters(stdout, 100_000)}\n${stderr}`,
  );
}

function readLimits({ system, warn }: RecipeRun) {
  const baseSeconds = BASE_DELAY.get(system, warn);
  return {
    retries: Math.min(RETRIES.get(system, warn), MAX_RETRIES),
    baseSeconds,
    maxSeconds: Math.max(MAX_DELAY.get(system, warn), baseSeconds),
    fallsBack: (system.env.get("AMPLIHACK_RATELIMIT_FALLBACK_AUTO_MODEL") ?? "") !== "",
  };
}
