import type { Change } from "../../history/index.ts";
import { type Json, listAt, memberAt, StrictMembers } from "../../protocol/index.ts";
import { isInside, type ProcessIdentity } from "../../system/index.ts";

/** One task that runs beside others, as it is remembered. */
export interface Task {
  readonly name: string;
  /** what is to be done, as it was given */
  readonly task: string;
  readonly recipe: string;
  readonly branch: string;
  readonly worktree: string;
  /** the commit that the branch began at */
  readonly base: string;
  readonly startedMs: number;
  readonly process: ProcessIdentity;
}

/** A file in a place of one that a session of another wrote, as the history says. */
export interface Crossing {
  readonly path: string;
  /** the task whose session wrote it; undefined for a session of none */
  readonly by: string | undefined;
  /** the task in whose worktree it lies; undefined for the repository itself */
  readonly into: string | undefined;
  readonly session: string | undefined;
}

/** Who wrote where another works. A session belongs to the task in whose worktree it began. */
export function findCrossings(
  tasks: readonly Task[],
  top: string,
  changes: readonly Change[],
): readonly Crossing[] {
  const taskAt = (path: string): Task | undefined => tasks.find(({ worktree }) => isInside(worktree, path));
  const found = new Map<string, Crossing>();
  for (const { kind, project, session, files, undoneBy, undonePaths } of changes) {
    if (kind !== "call" || undoneBy !== undefined) continue;
    const by = taskAt(project);
    for (const { path, what } of files) {
      const into = taskAt(path);
      if (by === into || what === "time" || undonePaths.includes(path)) continue;
      if (into === undefined && !isInside(top, path)) continue;
      const crossing = { path, by: by?.name, into: into?.name, session };
      found.set(JSON.stringify(crossing), crossing);
    }
  }
  return [...found.values()];
}

export function parseTasks(value: Json): readonly Task[] {
  return listAt({ tasks: value }, "tasks").map(each => {
    const task = new StrictMembers(each);
    const own = new StrictMembers(memberAt(each, "process"), "process");
    return {
      name: task.string("name"),
      task: task.string("task"),
      recipe: task.string("recipe"),
      branch: task.string("branch"),
      worktree: task.string("worktree"),
      base: task.string("base"),
      startedMs: task.number("startedMs"),
      process: { pid: own.number("pid"), host: own.string("host"), start: own.optional("start", own.string) },
    };
  });
}
