import type { Change, PathChange } from "./change.ts";

/** Changes in numbers; undos and redos do not count. */
export interface HistoryFigures {
  readonly changes: number;
  /** different ones, folders left out */
  readonly files: number;
  /** changes of which nothing, or only a part, was taken back */
  readonly undoable: number;
}

/** What is or was there is a directory. */
export function isFolder({ before, after }: Pick<PathChange, "before" | "after">): boolean {
  return (after.kind === "absent" ? before : after).kind === "directory";
}

export function figuresOf(changes: readonly Change[]): HistoryFigures {
  const calls = changes.filter(({ kind }) => kind === "call");
  return {
    changes: calls.length,
    files: new Set(
      calls.flatMap(({ files }) => files.filter(file => !isFolder(file)).map(({ path }) => path)),
    ).size,
    undoable: calls.filter(({ undoneBy }) => undoneBy === undefined).length,
  };
}
