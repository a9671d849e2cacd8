import { findProgram, programPath } from "../state/index.ts";
import { childEnvironment, type ProcessResult, type System } from "../system/index.ts";

/** The program of that name that we would start; relative entries of PATH and folders of the project are passed over. */
export function findOnPath(
  system: Pick<System, "env" | "files" | "text">,
  name: string,
  isWanted: (path: string) => boolean = () => true,
): string | undefined {
  return findProgram(system, name, { isWanted });
}

const LIMITS = { stdoutBytes: 262_144, tailBytes: 0, stderrBytes: 16_384, drainBytes: 1_000_000 };

interface RunOptions {
  readonly timeoutMs: number;
  readonly input?: string;
  /** this process's directory when absent */
  readonly cwd?: string;
  /** this process's environment when absent */
  readonly env?: Readonly<Record<string, string>>;
}

interface ProgramResult {
  /** undefined when it did not end by itself */
  readonly code: number | undefined;
  readonly end: ProcessResult["end"];
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, or to the end of its time. */
export async function runProgram(
  system: System,
  argv: readonly [string, ...string[]],
  { timeoutMs, input = "", cwd, env }: RunOptions,
): Promise<ProgramResult> {
  const { end, stdout, stderr } = await system.processes.start({
    argv,
    cwd: cwd ?? system.files.workingDirectory() ?? "/",
    env: env ?? wholeEnvironment(system),
    input: system.text.encode(input),
    timeoutMs,
    limits: LIMITS,
  }).done;
  return {
    code: end.kind === "exit" ? end.code : undefined,
    end,
    stdout: system.text.decode(stdout).text,
    stderr: system.text.decode(stderr).text,
  };
}

function wholeEnvironment(system: Pick<System, "env" | "files" | "text">): Readonly<Record<string, string>> {
  return childEnvironment(system, { PATH: programPath(system) });
}

/** For a hook that is only tried: another home, and no real bridge. */
export function trialEnvironment(
  { env }: Pick<System, "env">,
  home: string,
): Readonly<Record<string, string>> {
  return {
    PATH: env.get("PATH") ?? "",
    HOME: home,
    AMPLIHACK_TESTING: "1",
    AMPLIHACK_TEST_BRIDGE_COMMAND: "true",
  };
}
