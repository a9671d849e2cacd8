import type { HistorySettings } from "../config/index.ts";
import type {
  Change,
  ChangeQuery,
  FileTexts,
  UndoPlan,
  UndoResult,
  UndoSelection,
} from "../history/index.ts";
import type { Diagnostic } from "../protocol/index.ts";

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

/** What the history does at an event of a session. */
export type SessionStep = "openSession" | "beginPrompt" | "closeSession" | "leaveSession";

export function toDiagnostic(problem: string): Diagnostic {
  return {
    code: "history-incomplete",
    severity: "warning",
    detail: `the history is not complete: ${problem}`,
  };
}
