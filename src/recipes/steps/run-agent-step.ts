import { errorText } from "../../protocol/index.ts";
import { readText } from "../../state/index.ts";
import { findAgent } from "../find/find-agent.ts";
import { failure, type StepOutcome, type StepTask } from "../run/run.ts";
import { extractJson } from "../values/extract-json.ts";
import { describeMissing, renderTemplate } from "../values/template.ts";
import { type AgentAnswer, askAgent } from "./ask-agent.ts";
import { effectiveTimeout } from "./execute-process.ts";
import { cutWarning, executionReport, stepDirectory } from "./run-bash-step.ts";
import { settleOutput, variablesAfterFailure, wantsJson } from "./settle-output.ts";

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
  if (instructions === undefined) {
    return failure("prepare", `Agent reference '${step.agent}' is not allowed`, { warnings: place.warnings });
  }
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

/** The agent's own instructions and our notice; undefined when the reference is not a reference. */
function readInstructions(task: StepTask): { text: string; warnings: readonly string[] } | undefined {
  const { run, step } = task;
  const notice = step.mode === undefined ? NOTICE : `${NOTICE}\nMode of this step: ${step.mode}`;
  if (step.agent === undefined || step.agent.trim() === "") return { text: notice, warnings: [] };
  const found = findAgent(run.system, step.agent, run.workingDir);
  if (found.kind === "bad-reference") return undefined;
  const without = (why: string) => ({
    text: notice,
    warnings: [`Agent '${step.agent}' ${why}; running without its instructions`],
  });
  if (found.kind === "missing") return without("was not found");
  try {
    const text = readText(run.system, found.path, AGENT_FILE_LIMIT);
    return text === undefined
      ? without("was not found")
      : { text: `${text.replace(FRONT_MATTER, "").trim()}\n\n${notice}`, warnings: [] };
  } catch (error) {
    return without(`could not be read (${errorText(error)})`);
  }
}

/** `git add -A` after an agent step, only where the step or the run asks for it. */
async function stageChanges(task: StepTask, directory: string): Promise<readonly string[]> {
  const { run, step } = task;
  if (!(step.autoStage ?? run.autoStage)) return [];
  const { end, stderr } = await stage(run, directory);
  if (end.kind === "exit" && end.code === 0) return [];
  const detail = end.kind === "not-started" ? end.code : stderr.trim();
  return [`Changes could not be staged: ${detail}`];
}

async function stage(run: StepTask["run"], directory: string) {
  const { system, environment } = run;
  const result = await system.processes.start({
    argv: ["git", "add", "-A"],
    cwd: directory,
    env: { ...environment.inherited, ...environment.engine },
    input: new Uint8Array(0),
    timeoutMs: 60_000,
    limits: { stdoutBytes: 0, tailBytes: 0, stderrBytes: 4_096, drainBytes: Number.POSITIVE_INFINITY },
    endsGroup: true,
  }).done;
  return { end: result.end, stderr: system.text.decode(result.stderr).text };
}
