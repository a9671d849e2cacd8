import { isJsonObject, type JsonObject, ownValue, readJson } from "../../protocol/index.ts";
import { EnvVar, envParsers } from "../../state/index.ts";
import type { GroupWatcher } from "../../system/group-watcher.ts";
import { resolve } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import { isFile } from "../find/look.ts";
import { firstCharacters } from "../steps/snippet.ts";
import { textOf } from "../values/value.ts";
import type { Interruption } from "./interruption.ts";
import { SIGNAL_EXIT_CODES } from "./interruption.ts";
import { RunRefusal } from "./run-request.ts";

/** Another program that runs the recipe in our place. */
export interface Delegation {
  readonly runner: string;
  readonly recipePath: string;
  readonly recipeName: string;
  readonly runId: string;
  readonly workingDir: string;
  readonly recipeDirs: readonly string[];
  readonly isDryRun: boolean;
  readonly context: JsonObject;
  readonly env: Readonly<Record<string, string>>;
  readonly interruption: Interruption;
  readonly watcher: GroupWatcher;
  readonly onError: (chunk: Uint8Array) => void;
}

export interface DelegatedRun {
  /** the runner's own document, members we do not know included */
  readonly document: JsonObject;
  /** that document exactly as it was printed; undefined when it is ours */
  readonly text: string | undefined;
  readonly exitCode: number;
  readonly pid: number | undefined;
}

const TIMEOUT = new EnvVar(
  "AMPLIHACK_RECIPE_RUNNER_TIMEOUT_SECS",
  envParsers.integer({ atLeast: 1 }),
  21_600,
);
const GRACE = new EnvVar("AMPLIHACK_TEARDOWN_GRACE_SECS", envParsers.integer({ atLeast: 0 }), 5);
const DOCUMENT_BYTES = 256 * 1024 * 1024;
const ARGUMENT_BYTES = 120 * 1024;

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

export async function startRunner(system: System, delegation: Delegation): Promise<DelegatedRun> {
  const { runner, recipePath, workingDir, recipeDirs, isDryRun, interruption, watcher } = delegation;
  const seconds = TIMEOUT.getOrError(system);
  const running = system.processes.start({
    argv: [
      runner,
      recipePath,
      "--output-format",
      "json",
      "-C",
      workingDir,
      ...recipeDirs.flatMap(directory => ["-R", directory]),
      ...(isDryRun ? ["--dry-run"] : []),
      ...settings(delegation.context),
    ],
    cwd: workingDir,
    env: delegation.env,
    input: new Uint8Array(0),
    timeoutMs: seconds * 1000,
    limits: {
      stdoutBytes: DOCUMENT_BYTES,
      tailBytes: 0,
      stderrBytes: 64 * 1024,
      drainBytes: Number.POSITIVE_INFINITY,
    },
    killAfterMs: GRACE.getOrError(system) * 1000,
    endsGroup: true,
    onOutput: (stream, chunk) => {
      if (stream === "stderr") delegation.onError(chunk);
    },
  });
  const { pid } = running;
  if (pid !== undefined) watcher.watch(pid);
  const stopping = interruption.onInterrupt(() => running.stop());
  const result = await running.done;
  stopping.dispose();
  if (pid !== undefined) watcher.forget(pid);
  const { end } = result;
  const stderr = system.text.decode(result.stderr).text;
  const fail = (status: string, error: string, exitCode = 1): DelegatedRun => ({
    document: failureDocument(delegation, status, error, end.kind === "not-started", pid),
    text: undefined,
    exitCode,
    pid,
  });
  if (interruption.signal !== undefined) {
    return fail("FAILURE", `interrupted by ${interruption.signal}`, SIGNAL_EXIT_CODES[interruption.signal]);
  }
  if (end.kind === "not-started")
    return fail("ERROR", `Recipe runner ${runner} could not be started: ${end.code}`);
  if (end.kind === "timeout") return fail("FAILURE", `Recipe runner timed out after ${seconds}s`);
  const text = system.text.decode(result.stdout).text;
  const ending =
    end.kind === "exit" ? `exit ${end.code}` : end.kind === "signal" ? `signal ${end.signal}` : end.kind;
  if (text.trim() === "") {
    const isHollow = end.kind === "exit" && end.code === 0;
    return fail(
      isHollow ? "HOLLOW_SUCCESS" : "FAILURE",
      `Recipe runner printed no result (${ending})${meaningfulLines(stderr)}`,
    );
  }
  const read = readJson(text, { recover: false, maxDepth: 200 });
  if (!read.ok || !isJsonObject(read.value)) {
    const shown = firstCharacters(text.trim(), 200, "…");
    return fail("ERROR", `Recipe runner did not print JSON (${ending}): ${shown}${meaningfulLines(stderr)}`);
  }
  const isSuccess = end.kind === "exit" && end.code === 0 && ownValue(read.value, "success") !== false;
  return { document: read.value, text, exitCode: isSuccess ? 0 : 1, pid };
}

function settings(context: JsonObject): readonly string[] {
  return Object.entries(context).flatMap(([key, value]) => {
    const setting = `${key}=${textOf(value)}`.replaceAll("\0", "");
    if (setting.length * 3 > ARGUMENT_BYTES) {
      throw new RunRefusal(
        "bad_args",
        `The value of '${key}' is too long to hand to the external recipe runner`,
      );
    }
    return ["--set", setting];
  });
}

function meaningfulLines(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "" && !line.startsWith("amplihack.recipe."));
  return lines.length === 0 ? "" : `\n${lines.slice(-5).join("\n")}`;
}

function failureDocument(
  delegation: Delegation,
  status: string,
  error: string,
  isSpawnFailure: boolean,
  pid: number | undefined,
): JsonObject {
  const { recipeName, runId, runner } = delegation;
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
      ...(pid === undefined ? {} : { child_pid: pid }),
      runner_path: runner,
    },
  };
}
