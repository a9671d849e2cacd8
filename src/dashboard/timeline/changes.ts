import type { HistorySettings } from "../../config/index.ts";
import {
  type Change,
  figuresOf,
  gitLines,
  type History,
  type HistoryFigures,
  isFolder,
  openHistory,
  type PathChange,
} from "../../history/index.ts";
import type { System } from "../../system/index.ts";
import { clip } from "../../text/index.ts";

/** A change as lists show it: its files only as far as a person reads them. */
export interface ChangeSummary {
  readonly id: string;
  readonly kind: Change["kind"];
  readonly timeMs: number;
  readonly host: string;
  readonly session: string;
  readonly turn: number;
  readonly tool: string;
  readonly call: string;
  readonly command: string;
  readonly project: string;
  readonly durationMs: number | undefined;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  readonly isComplete: boolean;
  /** how many, folders left out */
  readonly fileCount: number;
  readonly files: readonly Pick<PathChange, "path" | "what">[];
  readonly git: readonly string[];
  readonly undoneBy: string | undefined;
  readonly isPartlyUndone: boolean;
  /** an undo: what it took back */
  readonly of: readonly string[];
}

/** What agents changed, as far as it is kept here. */
export interface ChangeSource {
  /** undefined where nothing is kept */
  readonly history: History | undefined;
  /** Newest first, undos and redos among them. */
  list(): readonly ChangeSummary[];
  figures(): HistoryFigures;
  /** Differs when something was changed or undone since. */
  version(): string;
}

/** Histories stay on their machines. */
export const NO_CHANGES: ChangeSource = {
  history: undefined,
  list: () => [],
  figures: () => NO_FIGURES,
  version: () => "",
};

const REREAD_MS = 1_000;
const NO_FIGURES: HistoryFigures = { changes: 0, files: 0, undoable: 0 };
const MAX_FILES = 200;
const COMMAND_LENGTH = 500;

/** What agents changed on this machine. The history is read again when some time has passed. */
export class Changes implements ChangeSource {
  readonly history: History;
  private readonly system: System;
  private summaries: readonly ChangeSummary[] = [];
  private counted: HistoryFigures = NO_FIGURES;
  private readMs = Number.NEGATIVE_INFINITY;
  private mark = "";

  constructor(system: System, stateHome: string, settings: HistorySettings) {
    this.system = system;
    // Ids name changes of every project; which one is at hand does not matter.
    this.history = openHistory(system, { stateHome, project: "/" }, settings);
  }

  list(): readonly ChangeSummary[] {
    this.readAgain();
    return this.summaries;
  }

  figures(): HistoryFigures {
    this.readAgain();
    return this.counted;
  }

  version(): string {
    this.readAgain();
    return this.mark;
  }

  /** An undo was just made here: the next look sees it. */
  forget(): void {
    this.readMs = Number.NEGATIVE_INFINITY;
  }

  private readAgain(): void {
    const nowMs = this.system.clock.monotonicMs();
    if (nowMs - this.readMs < REREAD_MS) return;
    const { changes } = this.history.listChanges({});
    this.readMs = nowMs;
    this.summaries = changes.map(summarise);
    this.counted = figuresOf(changes);
    const undone = changes.filter(({ undoneBy }) => undoneBy !== undefined).length;
    const open = changes.filter(({ status }) => status !== "done").length;
    this.mark = `${changes.length} ${changes[0]?.id ?? ""} ${undone} ${open}`;
  }
}

export function summarise(change: Change): ChangeSummary {
  const files = change.files.filter(file => !isFolder(file));
  const named = files.length === 0 ? change.files : files;
  return {
    id: change.id,
    kind: change.kind,
    timeMs: change.timeMs,
    host: change.host,
    session: change.session ?? "",
    turn: change.turn,
    tool: change.tool,
    call: change.toolUseId ?? "",
    command: clip(change.command, COMMAND_LENGTH),
    project: change.project,
    durationMs: change.durationMs,
    isFailed: change.exit === "failed",
    isOpen: change.status !== "done",
    isComplete: change.isComplete,
    fileCount: named.length,
    files: named.slice(0, MAX_FILES).map(({ path, what }) => ({ path, what })),
    git: gitLines(change),
    undoneBy: change.undoneBy,
    isPartlyUndone: change.undoneBy === undefined && change.undonePaths.length > 0,
    of: change.of,
  };
}

/** There is something left that an undo would take back. */
export function canUndo({ kind, undoneBy }: Pick<ChangeSummary, "kind" | "undoneBy">): boolean {
  return kind === "call" && undoneBy === undefined;
}
