import type { Change } from "../history/index.ts";
import type { TriedChanges } from "./try-changes.ts";
import type { TryRecord } from "./try-store.ts";

/** Held changes as the history would show them. */
export function heldAsChange(record: TryRecord, changes: Pick<TriedChanges, "files">): Change {
  const { id, timeMs, project, host, session } = record;
  return {
    ...{ id, timeMs, project, host, session, kind: "call", turn: 0, tool: "try", toolUseId: undefined },
    ...{
      command: record.command.join(" "),
      verdict: "ask",
      rules: [],
      durationMs: undefined,
      exit: undefined,
    },
    ...{ status: "open", isComplete: true, notKept: [], files: changes.files, git: [], undoneBy: undefined },
    ...{ undonePaths: [], of: [], only: undefined },
  };
}
