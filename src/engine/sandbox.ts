import type { SandboxSettings } from "../config/index.ts";
import type { GuardContext, Judgement } from "../guard/index.ts";
import type { Hook } from "../protocol/index.ts";
import type { System } from "../system/index.ts";

/** What an agent's author may say about the sandbox. Other settings are those of the machine's and user's configuration. */
export interface SandboxOptions extends Partial<SandboxSettings> {
  /** the user's home directory; default: that of the process */
  readonly home?: string;
  /** what `amplihack history` and `amplihack try list` call the agent; default: `engine` */
  readonly agent?: string;
  /** runs the command with `-c`; default: `bash` */
  readonly shell?: string;
}

export interface SandboxRunOptions {
  /** default: the engine's `projectDir` */
  readonly cwd?: string;
  /**
   * `auto` (default): tried where the guard would ask, run where it has nothing against the command. `try`: its changes of
   * the project are caught and judged first in any case.
   */
  readonly mode?: "auto" | "try";
  readonly session?: string;
  readonly input?: string | Uint8Array;
  /** ends the command */
  readonly signal?: AbortSignal;
  /** hears output as it comes */
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

/**
 * How a command ended. `ran`: its changes were made as it ran. `unchanged`, `applied`, `held`: it was tried; held changes
 * wait for the person (`amplihack try`), and the code is 1 if it was 0. `refused`: it was not started, code 126.
 */
export interface SandboxRun {
  readonly outcome: "ran" | "unchanged" | "applied" | "held" | "refused";
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** why it is held, or was refused */
  readonly reason?: string;
  /** the id of what is held */
  readonly held?: string;
  /** the change by which `engine.history` takes back what was applied */
  readonly change?: string;
  /** what the history could not keep, or not write into the audit log */
  readonly problem?: string;
}

/** What a history does about a command that is run without a call of a tool. */
export interface CommandKeeping {
  /** Keeps what it may change, runs it, and writes down what it changed. */
  around(work: () => Promise<number>): Promise<{ readonly code: number; readonly problem?: string }>;
  /** It is not started: writes a line into the audit log, and tells what went wrong. */
  refused(judgement: Judgement, context: GuardContext): Promise<string | undefined>;
}

/** Runs commands of a shell tool in the sandbox: `engine.use(sandbox({ … }))`, then `engine.run(command)`. */
export function sandbox(options: SandboxOptions = {}): SandboxPart {
  return new SandboxPart(options);
}

/** What an engine attaches: no hook, only the way to run a command. */
export class SandboxPart {
  readonly id = "sandbox";
  readonly hook: Hook<System> = { id: this.id, event: "Sandbox", run: () => undefined };
  private readonly options: SandboxOptions;

  constructor(options: SandboxOptions) {
    this.options = options;
  }

  async run(
    system: System,
    projectDir: string,
    command: string,
    options: SandboxRunOptions = {},
    keeping?: CommandKeeping,
  ): Promise<SandboxRun> {
    const { runSandboxed } = await import("./sandbox-run.ts");
    return runSandboxed(system, this.options, command, { cwd: projectDir, ...options }, keeping);
  }
}
