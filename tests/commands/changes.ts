import type { Change, FileState, PathChange, PathState } from "../../src/history/index.ts";

/** Changes as values, for what is printed about them. */

export const NOW_MS: number = Date.UTC(2026, 10, 15, 20, 0, 0);
export const HOME = "/home/ana";
export const PROJECT = "/home/ana/shop";
export const ABSENT: PathState = { kind: "absent" };

export function fileState(size: number, id = "aa", more: Partial<FileState> = {}): FileState {
  return { kind: "file", size, mode: 0o644, modifiedNs: "1", content: { in: "store", id }, ...more };
}

export function pathChange(
  name: string,
  what: PathChange["what"],
  before: PathState,
  after: PathState,
): PathChange {
  return { path: name.startsWith("/") ? name : `${PROJECT}/${name}`, what, before, after };
}

/** A deletion of as many files in one folder. */
export function deletions(number: number, folder: string): readonly PathChange[] {
  return Array.from({ length: number }, (_, index) =>
    pathChange(`${folder}/file${index}.ts`, "deleted", fileState(1000), ABSENT),
  );
}

export function change(more: Partial<Change> = {}): Change {
  return {
    id: "k3f9",
    kind: "call",
    timeMs: NOW_MS - 3 * 60_000,
    host: "claude-code",
    session: "s-1",
    turn: 3,
    tool: "Bash",
    toolUseId: undefined,
    command: "rm -rf src/old",
    project: PROJECT,
    verdict: "allow",
    rules: [],
    durationMs: 12,
    exit: undefined,
    status: "done",
    isComplete: true,
    notKept: [],
    files: deletions(2, "src/old"),
    git: [],
    undoneBy: undefined,
    undonePaths: [],
    of: [],
    only: undefined,
    ...more,
  };
}

/** A terminal that shows colours as marks, so that a test sees them. */
export const PLAIN = { paint: (_: string, text: string): string => text };
