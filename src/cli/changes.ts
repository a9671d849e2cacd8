import {
  type Change,
  type ContentReader,
  describeKinds,
  type GitChange,
  octal,
  type PathChange,
  type PathState,
  readFileTexts,
  shownPath,
} from "../history/index.ts";
import { unifiedDiff } from "../install/index.ts";
import type { Json } from "../protocol/index.ts";
import { isInside, relative } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";
import type { Terminal } from "./terminal.ts";

interface DiffView extends ContentReader {
  readonly terminal: Pick<Terminal, "paint">;
  /** the text is shown to a person: colours, and nothing that the terminal would obey */
  readonly isShown: boolean;
}

/** What happened to one path: a unified diff of a text file, a sentence for everything else. */
export async function renderDiff(file: PathChange, change: Change, view: DiffView): Promise<string> {
  const name = shownPath(file.path, change.project, view.home);
  const lines = describeKinds(file, change.project, view.home).map(fact =>
    view.terminal.paint("bold", `${name}: ${fact}`),
  );
  const texts = await readFileTexts(file, change, view);
  if (texts === undefined) return lines.map(line => `${line}\n`).join("");
  if (typeof texts === "string") return `${[...lines, `${name}: ${texts}`].join("\n")}\n`;
  const diff = unifiedDiff(nameInDiff(file.path, change.project), texts[0], texts[1]);
  return lines.map(line => `${line}\n`).join("") + (view.isShown ? shown(diff, view) : diff);
}

/** Names with control characters are quoted in the way of git, which can read them back. */
function nameInDiff(path: string, project: string): string {
  return isInside(project, path) ? relative(project, path) : path;
}

function shown(diff: string, { terminal }: DiffView): string {
  return diff
    .split("\n")
    .map((line, index) => paintLine(line.split("\t").map(escapeControls).join("\t"), index, terminal))
    .join("\n");
}

function paintLine(line: string, index: number, { paint }: Pick<Terminal, "paint">): string {
  if (index < 2) return paint("bold", line);
  if (line.startsWith("@@")) return paint("cyan", line);
  if (line.startsWith("-")) return paint("red", line);
  return line.startsWith("+") ? paint("green", line) : line;
}

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
