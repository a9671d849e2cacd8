import { booleanAt, defined, isJsonObject, type JsonObject, readJson } from "../../protocol/index.ts";
import { EnvVar, envParsers } from "../../state/index.ts";
import { type ProcessResult, resolve, type System } from "../../system/index.ts";
import type { GroupWatcher } from "../../system/node.ts";
import { isFile } from "../find/find-recipe.ts";
import { loadRecipe } from "../find/load-recipe.ts";
import { endText } from "../steps/execute-process.ts";
import { clipCharacters } from "../steps/snippet.ts";
import { inferContext } from "../values/recipe-context.ts";
import { valueText } from "../values/value.ts";
import {
  inheritedEnvironment,
  type RunFacts,
  readGitFacts,
  restoreCoreBare,
  runVariables,
} from "./base-environment.ts";
import { Interruption, SIGNAL_EXIT_CODES } from "./interruption.ts";
import type { RunOutcome } from "./result.ts";
import { RunRefusal, type RunRequest, type RunSettings } from "./run-request.ts";

const TIMEOUT = new EnvVar(
  "AMPLIHACK_RECIPE_RUNNER_TIMEOUT_SECS",
  envParsers.integer({ atLeast: 1 }),
  21_600,
);
const GRACE = new EnvVar("AMPLIHACK_TEARDOWN_GRACE_SECS", envParsers.integer({ atLeast: 0 }), 5);
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;
const MAX_ARGUMENT_BYTES = 120 * 1024;

/** The runner named by the environment; undefined when none is. A name that leads nowhere is refused. */
export function findRunner({ env, files }: System, currentDir: string): string | undefined {
  const named = env.get("RECIPE_RUNNER_RS_PATH") ?? "";
  if (named === "") return undefined;
  const path = resolve(currentDir, named);
  if (isFile(files, path) && ((files.follow(path)?.mode ?? 0) & 0o111) !== 0) return path;
  throw new RunRefusal(
    "bad_args",
    "RECIPE_RUNNER_RS_PATH does not name an executable file; correct it or unset it",
  );
}

/** Hands the run to another program. */
export async function delegateRun(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  delegation: {
    readonly runner: string;
    readonly recipePath: string;
    readonly facts: RunFacts;
    readonly watcher: GroupWatcher;
    readonly warn: (message: string) => void;
  },
): Promise<RunOutcome> {
  const { runner, recipePath, facts, watcher, warn } = delegation;
  refuseUnsupported(request);
  const { search, workingDir } = settings;
  const git = readGitFacts(system, workingDir);
  const inherited = inheritedEnvironment(system);
  const { loaded } = loadRecipe(system, recipePath, search);
  const inferred = loaded === undefined ? {} : inferContext(system, loaded.recipe.context, settings.given);
  const ended = await startRunner(system, request, watcher, {
    argv: [
      runner,
      recipePath,
      "--output-format",
      "json",
      "-C",
      workingDir,
      ...search.recipeDirs.flatMap(directory => ["-R", resolve(search.currentDir, directory)]),
      ...(request.isDryRun === true ? ["--dry-run"] : []),
      ...contextArguments({ ...inferred, ...settings.given }),
    ],
    cwd: workingDir,
    env: { ...inherited, ...runVariables(system, facts) },
  });
  const outcome = readOutcome(system, ended, {
    runner,
    runId: facts.runId,
    recipeName: loaded?.recipe.name ?? request.recipe,
  });
  if (outcome.exitCode !== 0 && git !== undefined) {
    const repaired = await restoreCoreBare(system, git, inherited);
    if (repaired !== undefined) warn(repaired);
  }
  return outcome;
}

/** An option that the runner does not have must not be dropped silently. */
function refuseUnsupported(request: RunRequest): void {
  const asked: readonly (readonly [string, boolean])[] = [
    ["--resume", request.resume !== undefined],
    ["--include-tags", (request.includeTags ?? []).length > 0],
    ["--exclude-tags", (request.excludeTags ?? []).length > 0],
    ["--audit-dir", request.auditDir !== undefined],
    ["--auto-stage", request.autoStage === true],
    ["--strict", request.isStrict === true],
  ];
  const unsupported = asked.filter(([, isAsked]) => isAsked).map(([flag]) => flag);
  if (unsupported.length === 0) return;
  throw new RunRefusal(
    "bad_args",
    `The external recipe runner cannot take ${unsupported.join(", ")}; unset RECIPE_RUNNER_RS_PATH to use it`,
  );
}

function contextArguments(context: JsonObject): readonly string[] {
  return Object.entries(context).flatMap(([key, value]) => {
    const setting = `${key}=${valueText(value)}`.replaceAll("\0", "");
    if (setting.length * 3 > MAX_ARGUMENT_BYTES) {
      throw new RunRefusal(
        "bad_args",
        `The value of '${key}' is too long to hand to the external recipe runner`,
      );
    }
    return ["--set", setting];
  });
}

interface EndedRunner {
  readonly result: ProcessResult;
  readonly pid: number | undefined;
  readonly timeoutSeconds: number;
  readonly interruptedBy: Interruption["signal"];
}

async function startRunner(
  system: System,
  { observer, interruption = new Interruption() }: RunRequest,
  watcher: GroupWatcher,
  command: {
    readonly argv: readonly [string, ...string[]];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<EndedRunner> {
  const timeoutSeconds = TIMEOUT.getOrError(system);
  const running = system.processes.start({
    ...command,
    input: new Uint8Array(0),
    timeoutMs: timeoutSeconds * 1000,
    limits: {
      stdoutBytes: MAX_DOCUMENT_BYTES,
      tailBytes: 0,
      stderrBytes: 64 * 1024,
      drainBytes: Number.POSITIVE_INFINITY,
    },
    killAfterMs: GRACE.getOrError(system) * 1000,
    endsGroup: true,
    onOutput: (stream, chunk) => {
      if (stream !== "stderr" || observer === undefined) return;
      for (const line of system.text.decode(chunk).text.trimEnd().split("\n"))
        observer(
          isMachineLine(line) ? { kind: "pointer", line } : { kind: "notice", text: line, isWarning: false },
        );
    },
  });
  const { pid } = running;
  if (pid !== undefined) watcher.watch(pid);
  const stopping = interruption.onInterrupt(() => running.stop());
  const result = await running.done;
  stopping.dispose();
  if (pid !== undefined) watcher.forget(pid);
  return { result, pid, timeoutSeconds, interruptedBy: interruption.signal };
}

interface RunnerNames {
  readonly runner: string;
  readonly runId: string;
  readonly recipeName: string;
}

/** The runner's own document, members we do not know included; ours when it printed none. */
function readOutcome(
  system: System,
  { result, pid, timeoutSeconds, interruptedBy }: EndedRunner,
  names: RunnerNames,
): RunOutcome {
  const { end } = result;
  const fail = (status: string, error: string, exitCode = 1): RunOutcome => ({
    document: failureDocument(names, status, error, end.kind === "not-started", pid),
    exitCode,
  });
  if (interruptedBy !== undefined)
    return fail("FAILURE", `interrupted by ${interruptedBy}`, SIGNAL_EXIT_CODES[interruptedBy]);
  if (end.kind === "not-started")
    return fail("ERROR", `Recipe runner ${names.runner} could not be started: ${end.code}`);
  if (end.kind === "timeout") return fail("FAILURE", `Recipe runner timed out after ${timeoutSeconds}s`);
  const isExitZero = end.kind === "exit" && end.code === 0;
  const stderr = meaningfulLines(system.text.decode(result.stderr).text);
  const text = system.text.decode(result.stdout).text;
  if (text.trim() === "") {
    const error = `Recipe runner printed no result (${endText(end)})${stderr}`;
    return fail(isExitZero ? "HOLLOW_SUCCESS" : "FAILURE", error);
  }
  const read = readJson(text, { recover: false, maxDepth: 200 });
  if (!read.ok || !isJsonObject(read.value)) {
    const shown = clipCharacters(text.trim(), 200, "…");
    return fail("ERROR", `Recipe runner did not print JSON (${endText(end)}): ${shown}${stderr}`);
  }
  const isSuccess = isExitZero && booleanAt(read.value, "success") !== false;
  return { document: read.value, documentText: text, exitCode: isSuccess ? 0 : 1 };
}

/** Runners tell programs on stderr where their logs are. */
function isMachineLine(line: string): boolean {
  return line.startsWith("amplihack.recipe.");
}

function meaningfulLines(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "" && !isMachineLine(line));
  return lines.length === 0 ? "" : `\n${lines.slice(-5).join("\n")}`;
}

function failureDocument(
  { runner, runId, recipeName }: RunnerNames,
  status: string,
  error: string,
  isSpawnFailure: boolean,
  pid: number | undefined,
): JsonObject {
  return {
    recipe_name: recipeName,
    success: false,
    status,
    run_id: runId,
    step_results: [],
    duration: 0,
    error,
    error_kind: "internal",
    log_pointer: {
      run_id: runId,
      recipe_name: recipeName,
      status: isSpawnFailure ? "spawn_failure" : status === "ERROR" ? "parse_failure" : "failure",
      ...defined({ child_pid: pid }),
      runner_path: runner,
    },
  };
}
