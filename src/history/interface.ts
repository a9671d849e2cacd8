import type { Change, FileState, GitChange, NotKept, PathState } from "./change.ts";
import type { LiveSession } from "./live-sessions.ts";

export interface HistoryPlaces {
  /** the history lies in `history/` below it */
  readonly stateHome: string;
  /** top of the project at hand, as `findProjectRoot` gives it */
  readonly project: string;
}

/** Which changes; every member given must hold. Newest first. */
export interface ChangeQuery {
  /** all projects when absent; else this directory and projects below it */
  readonly project?: string;
  readonly session?: string;
  /** that or something below it was changed; absolute */
  readonly path?: string;
  readonly sinceMs?: number;
  readonly limit?: number;
}

/** A live session with the files that it wrote and that are in no commit. */
export interface SessionAtWork extends LiveSession {
  readonly files: readonly string[];
}

export interface ChangeList {
  readonly changes: readonly Change[];
  /** lines that cannot be read, in sentences: the rest stands */
  readonly problems: readonly string[];
}

/** What to undo: one of these kinds, of the project at hand but for ids. Undos are never picked. */
export type UndoSelection = (
  | { readonly kind: "newest" }
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  /** the last turns that have something to undo */
  | { readonly kind: "turns"; readonly count: number }
  /** the newest session of the project when no id is given */
  | { readonly kind: "session"; readonly session?: string }
  | { readonly kind: "since"; readonly sinceMs: number }
) & {
  /** absolute; only these and what is below them */
  readonly paths?: readonly string[];
};

/** What becomes of one path. */
export interface PathStep {
  readonly path: string;
  /**
   * `restore`: it gets its former content, also where it was deleted. `remove`: it was created then. `keep`: it is as
   * it was before already, or a directory that is in use since. `attributes`: mode or time only.
   */
  readonly action: "restore" | "remove" | "keep" | "attributes";
  readonly present: PathState;
  readonly target: PathState;
  /** where the call moved it; it is moved back from there */
  readonly movedTo?: string;
  /** it is written where it is, since other names lead to the same file */
  readonly isInPlace?: boolean;
  /** it becomes another name of the file that is there */
  readonly linkTo?: string;
}

export interface Conflict {
  /** a path, or what of a repository: `branch main of /home/u/p` */
  readonly subject: string;
  readonly why: string;
  /** what the person can do */
  readonly advice: string;
}

/** One repository whose state goes back; `lines` say what in words: `branch main: 3f2a91c → 77e0d12`. */
export interface GitStep {
  readonly change: GitChange;
  readonly lines: readonly string[];
}

/** What an undo or a redo would do. Nothing is written yet. */
export interface UndoPlan {
  readonly kind: "undo" | "redo";
  /** newest first */
  readonly changes: readonly Change[];
  readonly steps: readonly PathStep[];
  readonly git: readonly GitStep[];
  readonly conflicts: readonly Conflict[];
  /** what cannot come back, and why; the rest can */
  readonly gone: readonly NotKept[];
  readonly paths: readonly string[] | undefined;
}

export interface UndoResult {
  /** the change that the undo or redo itself is; undefined when there was nothing to do */
  readonly id: string | undefined;
  readonly restored: number;
  readonly removed: number;
  readonly kept: number;
  /** what did not come back, and why */
  readonly missing: readonly NotKept[];
  readonly problems: readonly string[];
}

export interface ApplyOptions {
  /** overwrites what is in conflict; the present state is recorded first */
  readonly force?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PruneOptions {
  /** default: `history.maxAgeDays` */
  readonly olderThanMs?: number;
  /** default: `history.maxTotalMb` */
  readonly toBytes?: number;
}

export interface PruneResult {
  readonly changes: number;
  readonly objects: number;
  readonly bytes: number;
}

export interface VerifyReport {
  readonly changes: number;
  readonly objects: number;
  readonly bytes: number;
  /** in sentences; none: everything is as it was written */
  readonly problems: readonly string[];
}

/**
 * The history of one machine, seen from one project. Only undo, redo, prune and clear write. Failures are thrown as
 * `Problem` with a kind: `conflict`, `nothing`, `not-found`, `failed`.
 */
export interface History {
  listChanges(query: ChangeQuery): ChangeList;
  /** Reads what background calls changed that have ended since, so that lists show it. */
  finishEnded(): Promise<void>;
  /** Sessions that have not ended, of the project at hand or of all, with what they wrote and did not commit. */
  listLive(project: string | undefined): Promise<readonly SessionAtWork[]>;
  /** by its id or an unambiguous beginning of it */
  readChange(id: string): Change | undefined;
  /** in words, for an id that `readChange` does not find */
  whyNoChange(id: string): string;
  planUndo(selection: UndoSelection): Promise<UndoPlan>;
  /** the newest undo of the project that is not taken back, or the one of that id; as a whole, or these paths of it */
  planRedo(id?: string, paths?: readonly string[]): Promise<UndoPlan>;
  applyUndo(plan: UndoPlan, options?: ApplyOptions): Promise<UndoResult>;
  /** The bytes of a file as it was; undefined when they are kept nowhere. At most `limitBytes`. */
  readContent(path: string, state: FileState, limitBytes: number): Promise<Uint8Array | undefined>;
  prune(options?: PruneOptions): PruneResult;
  verify(): VerifyReport;
  /** Everything, of all projects. The number of changes that went. */
  clear(): number;
  storeSize(): { readonly changes: number; readonly objects: number; readonly bytes: number };
  /** why nothing can be written there; undefined when it can */
  whyNotWritable(): string | undefined;
}
