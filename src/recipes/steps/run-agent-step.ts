import { filteredPaths, runGit } from "../../history/index.ts";
import { printModeArguments } from "../../hosts/index.ts";
import { defined, errorText } from "../../protocol/index.ts";
import { EnvVar, envParsers, readText } from "../../state/index.ts";
import { type System, sha256Hex } from "../../system/index.ts";
import { findAgent } from "../find/find-agent.ts";
import type { StepReference } from "../logs/events.ts";
import { failure, type RecipeRun, type StepOutcome, type StepTask } from "../run/run.ts";
import { describeMissing, renderTemplate } from "../values/template.ts";
import { extractJson } from "../values/value.ts";
import { type Execution, effectiveTimeout, endText, executeProcess, failureText } from "./execute-process.ts";
import { isAsShown, notAsShown } from "./guard-step.ts";
import { cutWarning, executionReport, stepDirectory } from "./run-bash-step.ts";
import { settleOutput, variablesAfterFailure, wantsJson } from "./settle-output.ts";
import { lastCharacters } from "./snippet.ts";

interface AgentQuestion {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly directory: string;
  readonly model: string | undefined;
  readonly timeoutSeconds: number | undefined;
}

interface AgentAnswer {
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

const AGENT_FILE_LIMIT = 1_000_000;
/** It describes the agent to a host and is no instruction; some programs would take its dashes for an option. */
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const NOTICE =
  "You are running inside one step of a recipe. Do the task of this step only, and do not start another workflow or recipe.";
const JSON_REMINDER =
  "Your last answer was not valid JSON. Answer again with the JSON value alone: no explanation, no code fence.";

export async function runAgentStep(task: StepTask): Promise<StepOutcome> {
  const { run, frame, step, context } = task;
  const place = stepDirectory(task);
  if (!place.exists) {
    return failure("prepare", `Working directory does not exist: ${place.directory}`, {
      warnings: place.warnings,
    });
  }
  const instructions = readInstructions(task);
  if (typeof instructions === "string") return failure("prepare", instructions, { warnings: place.warnings });
  const prompt = renderTemplate(step.prompt ?? "", context);
  const warnings = [...place.warnings, ...instructions.warnings, ...describeMissing(prompt.missing)];
  const ask = (text: string): Promise<AgentAnswer> =>
    askAgent(run, task.reference, {
      prompt: text,
      systemPrompt: instructions.text,
      directory: place.directory,
      model: step.model,
      timeoutSeconds: effectiveTimeout(run, frame, run.stepTimeoutSeconds ?? step.timeoutSeconds),
    });

  let answer = await ask(prompt.value);
  const isUnreadable = wantsJson(step) && answer.text !== "" && extractJson(answer.text) === undefined;
  if (answer.error === undefined && isUnreadable) answer = await ask(`${prompt.value}\n\n${JSON_REMINDER}`);
  const common = {
    ...executionReport(answer.execution),
    warnings: [...warnings, ...cutWarning(answer.execution)],
  };
  if (answer.error !== undefined) {
    const variables = variablesAfterFailure(step, answer.text);
    return failure("execute", answer.error, { ...common, output: answer.text, variables });
  }
  const staging = await stageChanges(task, place.directory);
  return { ...common, ...settleOutput(step, answer.text), warnings: [...common.warnings, ...staging] };
}

/** The agent's own instructions and our notice; a text says why the step does not run. */
function readInstructions(task: StepTask): { text: string; warnings: readonly string[] } | string {
  const { run, step } = task;
  const notice = step.mode === undefined ? NOTICE : `${NOTICE}\nMode of this step: ${step.mode}`;
  if (step.agent === undefined || step.agent.trim() === "") return { text: notice, warnings: [] };
  const found = findAgent(run.system, step.agent, run.workingDir);
  if (found.kind === "bad-reference") return `Agent reference '${step.agent}' is not allowed`;
  const without = (why: string) => ({
    text: notice,
    warnings: [`Agent '${step.agent}' ${why}; running without its instructions`],
  });
  if (found.kind === "missing") return without("was not found");
  try {
    const text = readText(run.system, found.path, AGENT_FILE_LIMIT);
    if (text !== undefined && !isAsShown(run, found.path, sha256Hex(run.system.text.encode(text))))
      return notAsShown(found.path);
    return text === undefined
      ? without("was not found")
      : {
          text: `${text.replace(FRONT_MATTER, "").trim()}\n\n${notice}`,
          warnings: found.passedOver === undefined ? [] : [passedOver(step.agent, found.passedOver)],
        };
  } catch (error) {
    return without(`could not be read (${errorText(error)})`);
  }
}

/** A person trusts an agent of the project by taking it into their own folder, as it is then. */
function passedOver(agent: string, path: string): string {
  return `'${agent}' is an agent of amplihack, and ${path}, which has its name, does not take its place. To use that file, copy it to ~/.amplihack/.claude/agents, or give it another name`;
}

/** As `git add -A` after an agent step, only where the step or the run asks for it. */
async function stageChanges(task: StepTask, directory: string): Promise<readonly string[]> {
  const { run, step } = task;
  if (!(step.autoStage ?? run.autoStage)) return [];
  const problem = await stage(run.system, directory);
  return problem === undefined ? [] : [`Changes could not be staged: ${problem}`];
}

const STAGE_MS = 60_000;

/**
 * Nothing of the repository's is run: `git add` asks git in every submodule, which heeds the settings there. What a filter
 * would have to make is left to a person, and so is a repository in the tree that is no submodule.
 */
async function stage(system: System, cwd: string): Promise<string | undefined> {
  const options = { cwd, timeoutMs: STAGE_MS };
  const listed = await runGit(
    system,
    ["ls-files", "-z", "-m", "-o", "--exclude-standard", "--", ":/"],
    options,
  );
  if (!listed.isOk) return listed.problem;
  const paths = listed.text.split("\0").filter(path => path !== "" && !path.endsWith("/"));
  const [filtered] = await filteredPaths(system, paths, options);
  if (filtered !== undefined) return `${filtered} needs a filter of the repository; run git add yourself`;
  const input = paths.map(path => `${path}\0`).join("");
  const added = await runGit(system, ["update-index", "-z", "--add", "--remove", "--stdin"], {
    ...options,
    input,
  });
  return added.isOk ? undefined : added.problem;
}
