import type { Change } from "./change.ts";

/** Changes in numbers; undos and redos do not count. */
export interface HistoryFigures {
  readonly changes: number;
  /** different paths */
  readonly files: number;
  /** changes of which nothing, or only a part, was taken back */
  readonly undoable: number;
}

export function figuresOf(changes: readonly Change[]): HistoryFigures {
  const calls = changes.filter(({ kind }) => kind === "call");
  return {
    changes: calls.length,
    files: new Set(calls.flatMap(({ files }) => files.map(({ path }) => path))).size,
    undoable: calls.filter(({ undoneBy }) => undoneBy === undefined).length,
  };
}
