import { errorText } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { inheritedEnvironment, sessionLimits } from "../run/base-environment.ts";
import { type Interruption, SIGNAL_EXIT_CODES } from "../run/interruption.ts";
import { createPrivateDirectory, removePrivateDirectory } from "../run/private-directory.ts";
import { endText } from "../steps/execute-process.ts";
import type { Workstream } from "./workstreams.ts";
import { findTop, keepOrRemove, openWorktree, type Worktree, worktreeDirectory } from "./worktrees.ts";

interface WorkstreamsRequest {
  readonly workstreams: readonly Workstream[];
  /** a directory of the repository */
  readonly repository: string;
  /** how this program is started: what stands in front of `recipe run` */
  readonly launcher: readonly [string, ...string[]];
  readonly interruption: Interruption;
  /** gets every line of the runs, and the report at the end */
  readonly print: (text: string) => void;
}

/** How one workstream ended. */
interface WorkstreamEnd {
  readonly branch: string;
  readonly isOk: boolean;
  /** in a few words, for the report */
  readonly text: string;
}

const OUTPUT_LIMITS = {
  stdoutBytes: 0,
  tailBytes: 0,
  stderrBytes: 0,
  drainBytes: Number.POSITIVE_INFINITY,
};
const KILL_AFTER_MS = 5_000;

/** Runs every workstream in a worktree of its own, some at a time; the exit code. Nothing they made is lost. */
export async function runWorkstreams(system: System, request: WorkstreamsRequest): Promise<number> {
  const { workstreams, interruption, print } = request;
  const top = await findTop(system, request.repository);
  const ends: WorkstreamEnd[] = [];
  const waiting = [...workstreams.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, stream] = next;
      if (interruption.signal !== undefined) return;
      ends[index] = await runOne(system, request, top, stream);
    }
  };
  const { maxSessions } = sessionLimits(system);
  await Promise.all(Array.from({ length: Math.min(maxSessions, workstreams.length) }, work));
  print(renderReport(workstreams, ends));
  if (interruption.signal !== undefined) return SIGNAL_EXIT_CODES[interruption.signal];
  return ends.every(({ isOk }) => isOk) ? 0 : 1;
}

async function runOne(
  system: System,
  request: WorkstreamsRequest,
  top: string,
  stream: Workstream,
): Promise<WorkstreamEnd> {
  const { branch } = stream;
  let worktree: Worktree;
  try {
    worktree = await openWorktree(system, top, worktreeDirectory(system, top, branch), branch);
  } catch (error) {
    return { branch, isOk: false, text: `no worktree: ${errorText(error)}` };
  }
  request.print(`[${branch}] ${stream.recipe} in ${worktree.path}\n`);
  const failure = await runRecipe(system, request, stream, worktree.path);
  const left = await keepOrRemove(system, top, worktree);
  return { branch, isOk: failure === undefined, text: [failure ?? "done", left].join("; ") };
}

/** Why the run failed; undefined when it went well. What it is given stands in a file: no argument is that long. */
async function runRecipe(
  system: System,
  request: WorkstreamsRequest,
  stream: Workstream,
  directory: string,
): Promise<string | undefined> {
  const { launcher, interruption, print } = request;
  const temporary = createPrivateDirectory(system);
  const context = join(temporary, "context.json");
  const bytes = system.text.encode(JSON.stringify(recipeContext(stream, directory)));
  system.files.createExclusive(context, bytes, 0o600);
  const prefix = `[${stream.branch}] `;
  const lines = { stdout: new PrefixedLines(prefix, print), stderr: new PrefixedLines(prefix, print) };
  const running = system.processes.start({
    argv: [...launcher, "recipe", "run", stream.recipe, "-w", directory, "--context-file", context],
    cwd: directory,
    env: { ...inheritedEnvironment(system), AMPLIHACK_NONINTERACTIVE: "1" },
    input: new Uint8Array(0),
    timeoutMs: timeLimit(stream),
    limits: OUTPUT_LIMITS,
    killAfterMs: KILL_AFTER_MS,
    endsGroup: true,
    onOutput: (source, chunk) => lines[source].push(chunk),
  });
  const stopping = interruption.onInterrupt(() => running.stop());
  const { end } = await running.done;
  stopping.dispose();
  for (const each of Object.values(lines)) each.finish();
  removePrivateDirectory(system, temporary);
  if (end.kind === "exit" && end.code === 0) return undefined;
  return end.kind === "timeout" ? `stopped after ${stream.maxRuntimeSeconds} s` : endText(end);
}

function timeLimit({ maxRuntimeSeconds, timeoutPolicy }: Workstream): number {
  if (maxRuntimeSeconds === undefined || timeoutPolicy === "continue-preserve")
    return Number.POSITIVE_INFINITY;
  return maxRuntimeSeconds * 1000;
}

function recipeContext({ issue, task }: Workstream, directory: string): Readonly<Record<string, string>> {
  const number = /^#?(\d+)$/.exec(issue)?.[1];
  return {
    task_description: task,
    repo_path: directory,
    ...(number === undefined ? {} : { issue_number: number }),
  };
}

/** Whole lines with a prefix, so that the lines of several runs can be told apart. */
class PrefixedLines {
  private readonly prefix: string;
  private readonly print: (text: string) => void;
  private readonly decoder = new TextDecoder();
  private line = "";

  constructor(prefix: string, print: (text: string) => void) {
    this.prefix = prefix;
    this.print = print;
  }

  push(chunk: Uint8Array): void {
    const lines = (this.line + this.decoder.decode(chunk, { stream: true })).split("\n");
    this.line = lines.pop() ?? "";
    for (const line of lines) this.print(`${this.prefix}${line}\n`);
  }

  finish(): void {
    if (this.line !== "") this.print(`${this.prefix}${this.line}\n`);
    this.line = "";
  }
}

/** Recipes of others look for the title in what a parallel run printed. */
const TITLE = "PARALLEL WORKSTREAM REPORT";

function renderReport(workstreams: readonly Workstream[], ends: readonly WorkstreamEnd[]): string {
  const rows = workstreams.map(({ branch }, index) => {
    const { isOk = false, text = "not started" } = ends[index] ?? {};
    return `  ${isOk ? "✓" : "✗"} ${branch}: ${text}`;
  });
  const succeeded = ends.filter(end => end?.isOk === true).length;
  return `\n${[TITLE, ...rows, `${succeeded} of ${workstreams.length} succeeded`].join("\n")}\n`;
}
