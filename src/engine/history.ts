import type { HistorySettings } from "../config/index.ts";
import type { GuardHook } from "../guard/index.ts";
import type {
  Change,
  ChangeQuery,
  FileTexts,
  UndoPlan,
  UndoResult,
  UndoSelection,
} from "../history/index.ts";
import { type Effect, errorText, type Hook, type HookInput, type InputOf } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import type { HistoryKeeping } from "./history-keeping.ts";

/** What an agent's author may say about its history. Other settings are those of the machine's and user's configuration. */
export interface HistoryOptions extends Partial<HistorySettings> {
  /** the user's home directory, in which the store lies; default: that of the process, or `AMPLIHACK_HOME` */
  readonly home?: string;
  /** the folder that the changes belong to; default: the project around the directory of a call */
  readonly project?: string;
  /** what `amplihack history` calls the agent; default: `engine` */
  readonly agent?: string;
}

export interface HistoryQuery extends Omit<ChangeQuery, "project"> {
  /** of all projects of this machine */
  readonly allProjects?: boolean;
}

/** A change with the texts of its files; a sentence where they cannot be shown as text. */
export interface ShownChange {
  readonly change: Change;
  readonly texts: ReadonlyMap<string, FileTexts | string>;
}

export interface UndoOptions {
  /** overwrites what was changed since; the present state is recorded first */
  readonly force?: boolean;
  /** only says what would happen */
  readonly dryRun?: boolean;
}

/** What was planned and, but for a dry run, what came of it. */
export interface Undone extends Partial<UndoResult> {
  readonly plan: UndoPlan;
}

/**
 * What this agent and others changed in the project, in the store that `amplihack undo` and the dashboard read. Rejects
 * with an error whose `kind` is `conflict` (nothing was written), `nothing`, `not-found` or `failed`.
 */
export interface EngineHistory {
  /** newest first */
  list(query?: HistoryQuery): Promise<readonly Change[]>;
  show(id: string): Promise<ShownChange>;
  /** without an id the newest change that is not undone; several are undone as one */
  undo(what?: string | readonly string[] | UndoSelection, options?: UndoOptions): Promise<Undone>;
  /** without an id the newest undo */
  redo(id?: string, options?: UndoOptions): Promise<Undone>;
}

/** Keeps what calls may change, so that it can be undone: `engine.use(history({ … }))`. */
export function history(options: HistoryOptions = {}): HistoryPart {
  return new HistoryPart(options);
}

type Answer = ReturnType<Hook<System>["run"]>;
type Step = (keeping: HistoryKeeping, input: HookInput, system: System) => Answer;
export type SessionStep = "openSession" | "beginPrompt" | "closeSession" | "leaveSession";

/** What an engine attaches: the hooks that keep and complete, and what the guard settles its findings with. */
export class HistoryPart {
  readonly id = "history";
  readonly hooks: readonly Hook<System>[];
  private readonly options: HistoryOptions;
  private loaded: Promise<HistoryKeeping> | undefined;

  constructor(options: HistoryOptions) {
    this.options = options;
    this.hooks = [
      this.onTool("PreToolUse", (keeping, input, system) => keeping.before(input, system)),
      this.onTool("PostToolUse", (keeping, input, system) => keeping.complete(input, system)),
      this.onTool("PostToolUseFailure", (keeping, input, system) => keeping.complete(input, system)),
      this.onSession("SessionStart", "openSession"),
      this.onSession("UserPromptSubmit", "beginPrompt"),
      this.onSession("Stop", "closeSession"),
      this.onSession("SessionEnd", "leaveSession"),
    ];
  }

  /** The store as a person of this project sees it. */
  open(system: System, projectDir: string): EngineHistory {
    const opened = async () => (await this.load()).open(system, projectDir);
    return {
      list: async query => (await opened()).list(query),
      show: async id => (await opened()).show(id),
      undo: async (what, options) => (await opened()).undo(what, options),
      redo: async (id, options) => (await opened()).redo(id, options),
    };
  }

  /** The guard's answer to a call: what is kept can come back, and is not asked about. */
  async judge(guard: GuardHook, input: InputOf<"tool">, system: System): Promise<Effect> {
    return (await this.load()).judge(guard, input, system);
  }

  /** A person said yes, perhaps long after the call was judged: what stands there now is kept. */
  async keepAgain(input: HookInput, system: System): Promise<void> {
    await (await this.load()).keepAgain(input, system);
  }

  /** A refused call leaves no change. */
  async forget(input: HookInput, system: System): Promise<void> {
    await (await this.load()).forget(input, system);
  }

  private load(): Promise<HistoryKeeping> {
    this.loaded ??= import("./history-keeping.ts").then(
      ({ HistoryKeeping }) => new HistoryKeeping(this.options),
    );
    return this.loaded;
  }

  private onTool(
    event: string,
    step: (keeping: HistoryKeeping, input: InputOf<"tool">, system: System) => Answer,
  ): Hook<System> {
    return this.on(event, (keeping, input, system) =>
      input.kind === "tool" ? step(keeping, input, system) : undefined,
    );
  }

  private onSession(event: string, step: SessionStep): Hook<System> {
    return this.on(event, (keeping, input, system) => keeping.inSession(input, system, step));
  }

  /** What fails is told and changes no verdict: the guard asks about what is not kept. */
  private on(event: string, step: Step): Hook<System> {
    const run = async (input: HookInput, system: System): Promise<Effect | undefined> => {
      try {
        return await step(await this.load(), input, system);
      } catch (error) {
        return { diagnostics: [toDiagnostic(errorText(error))] };
      }
    };
    return { id: this.id, event, isJudge: event === "PreToolUse", run };
  }
}

export function toDiagnostic(problem: string): NonNullable<Effect["diagnostics"]>[number] {
  return {
    code: "history-incomplete",
    severity: "warning",
    detail: `the history is not complete: ${problem}`,
  };
}
