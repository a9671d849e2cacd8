import { type Change, type GitChange, octal, type PathState } from "../../history/index.ts";
import type { Json } from "../../protocol/index.ts";

/** A change as `--format json` prints it. Members are added, never renamed or taken away. */
export function changeDocument(change: Change): { readonly [name: string]: Json } {
  const { id, kind, host, turn, tool, command, project, verdict, status } = change;
  return {
    id,
    kind,
    time: new Date(change.timeMs).toISOString(),
    host,
    session: change.session ?? null,
    turn,
    tool,
    command,
    project,
    verdict,
    rules: [...change.rules],
    durationMs: change.durationMs ?? null,
    exit: change.exit ?? null,
    status,
    complete: change.isComplete,
    notKept: change.notKept.map(({ path, why }) => ({ path, why })),
    files: change.files.map(({ path, what, from, before, after }) => ({
      path,
      what,
      from: from ?? null,
      before: stateDocument(before),
      after: stateDocument(after),
    })),
    git: change.git.map(gitDocument),
    undone: change.undoneBy !== undefined,
    undoneBy: change.undoneBy ?? null,
    of: [...change.of],
  };
}

function gitDocument({ gitDirectory, top, head, refs, stashes, index, files }: GitChange): Json {
  return {
    repository: top ?? gitDirectory,
    head: head === undefined ? null : { before: head.before, after: head.after },
    refs: refs.map(({ name, before, after }) => ({ name, before: before ?? null, after: after ?? null })),
    stashes:
      stashes === undefined
        ? null
        : { before: stashes.before.map(({ id }) => id), after: stashes.after.map(({ id }) => id) },
    indexChanged: index !== undefined,
    files: files.map(({ path, what }) => ({ path, what })),
  };
}

function stateDocument(state: PathState): { readonly [name: string]: Json } {
  switch (state.kind) {
    case "absent":
    case "other":
      return { kind: state.kind };
    case "link":
      return { kind: state.kind, target: state.target };
    case "directory":
      return { kind: state.kind, mode: octal(state.mode) };
    case "file": {
      const { content, size, mode } = state;
      return {
        kind: state.kind,
        size,
        mode: octal(mode),
        content: content.in === "nowhere" ? null : content.id,
        keptIn: content.in,
      };
    }
  }
}
