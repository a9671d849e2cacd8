import { type CommandInvocation, loadChanges } from "../../cli/index.ts";
import { type Change, changeMark, countFiles, describeChange, formatAge } from "../../history/index.ts";
import { loadProcessTree } from "../../hooks/index.ts";
import { cutToWidth } from "../../recipes/index.ts";
import { escapeControls } from "../../text/index.ts";
import type { OpenedHistory } from "../history/open.ts";

/** One change in the list, with the words that typing is compared with. */
export interface PickRow {
  readonly id: string;
  readonly line: string;
  readonly words: string;
}

export interface PickState {
  readonly rows: readonly PickRow[];
  readonly filter: string;
  /** among those that match */
  readonly at: number;
  readonly marked: ReadonlySet<string>;
  readonly end?: "chosen" | "left";
}

export function startPicking(rows: readonly PickRow[]): PickState {
  return { rows, filter: "", at: 0, marked: new Set() };
}

export function matching({ rows, filter }: Pick<PickState, "rows" | "filter">): readonly PickRow[] {
  const wanted = filter.toLowerCase();
  return rows.filter(({ words }) => words.toLowerCase().includes(wanted));
}

/** What was chosen: the marked ones, or the one that the cursor is on. */
export function chosenIds(state: PickState): readonly string[] {
  if (state.marked.size > 0) return state.rows.map(({ id }) => id).filter(id => state.marked.has(id));
  return matching(state)
    .slice(state.at, state.at + 1)
    .map(({ id }) => id);
}

const UP = /^\u001b(\[|O)A$|^\u0010$/;
const DOWN = /^\u001b(\[|O)B$|^\u000e$/;

/** What a key makes of the list. */
export function press(state: PickState, key: string): PickState {
  const found = matching(state);
  const current = found[state.at];
  if (key === "\r" || key === "\n") return current === undefined ? state : { ...state, end: "chosen" };
  if (key === "\u0003" || key === "\u0004" || key === "\u001b") return { ...state, end: "left" };
  if (UP.test(key)) return { ...state, at: Math.max(0, state.at - 1) };
  if (DOWN.test(key)) return { ...state, at: Math.min(Math.max(0, found.length - 1), state.at + 1) };
  if (key === "\u007f" || key === "\b") return { ...state, filter: state.filter.slice(0, -1), at: 0 };
  if (key === " ") {
    if (current === undefined) return state;
    const marked = new Set(state.marked);
    if (!marked.delete(current.id)) marked.add(current.id);
    return { ...state, marked };
  }
  return /^[^\p{Cc}]$/u.test(key) ? { ...state, filter: state.filter + key, at: 0 } : state;
}

/** Several keys may come at once; arrows are several characters. */
export function keysIn(text: string): readonly string[] {
  return text.match(/\u001b[[O][0-9;]*[A-Za-z~]|[\s\S]/gu) ?? [];
}

const MAX_CHANGES = 200;
const MAX_LISTED = 8;
const MAX_DIFF_LINES = 12;
const MAX_DIFF_FILES = 3;
const DEFAULT_COLUMNS = 80;
const HELP = "↑↓ move · type to filter · space marks · Enter takes back · Esc leaves";

/** Changes that can be undone, for a person to choose from; undefined when there is no choice. */
export function changesToPick({
  history,
  project,
}: {
  readonly history: Pick<OpenedHistory["history"], "listChanges">;
  readonly project: string;
}): readonly Change[] | undefined {
  const { changes } = history.listChanges({ project, limit: MAX_CHANGES });
  const standing = changes.filter(({ kind, undoneBy }) => kind === "call" && undoneBy === undefined);
  if (standing.length < 2) return undefined;
  // A call that was asked about and may never have run is no good first choice.
  const isEmpty = ({ files, git }: Change) => files.length + git.length === 0;
  return [...standing.filter(change => !isEmpty(change)), ...standing.filter(isEmpty)];
}

/** Lets a person choose at the terminal. Undefined when they leave. */
export async function pickChanges(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
  opened: OpenedHistory,
  changes: readonly Change[],
): Promise<readonly string[] | undefined> {
  const nowMs = system.clock.nowMs();
  let state = startPicking(changes.map(change => toRow(change, nowMs, opened)));
  const diffs = new Map<string, readonly string[]>();
  let drawn = 0;
  const draw = async (): Promise<void> => {
    const [current] = matching(state).slice(state.at, state.at + 1);
    const change = changes.find(({ id }) => id === current?.id);
    if (change !== undefined && !diffs.has(change.id))
      diffs.set(change.id, await renderPathDiff(system, terminal, opened, change));
    const lines = render(
      state,
      diffs.get(current?.id ?? "") ?? [],
      process.stderr.columns || DEFAULT_COLUMNS,
    );
    terminal.warn(`${clear(drawn)}${lines.map(line => `${line}\n`).join("")}`);
    drawn = lines.length;
  };
  await draw();
  for await (const keys of typedKeys()) {
    for (const key of keys) if (state.end === undefined) state = press(state, key);
    if (state.end !== undefined) break;
    await draw();
  }
  terminal.warn(clear(drawn));
  return state.end === "chosen" ? chosenIds(state) : undefined;
}

/** The terminal gives each key at once until this ends. */
async function* typedKeys(): AsyncGenerator<readonly string[]> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  try {
    for await (const text of stdin.iterator({ destroyOnReturn: false })) yield keysIn(String(text));
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

function clear(lines: number): string {
  return lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`;
}

function toRow(change: Change, nowMs: number, { home, project }: OpenedHistory): PickRow {
  const what = describeChange(change, home);
  const mark = changeMark(change);
  const files = countFiles(change.files);
  const line = [formatAge(nowMs, change.timeMs).padStart(10), files.padStart(8), what, mark]
    .filter(part => part !== "")
    .join("  ");
  const paths = change.files.map(({ path }) => path.replace(`${project}/`, "")).join(" ");
  return { id: change.id, line, words: `${change.id} ${what} ${escapeControls(paths)}` };
}

function render(state: PickState, diff: readonly string[], columns: number): readonly string[] {
  const found = matching(state);
  const from = Math.max(0, Math.min(state.at - Math.floor(MAX_LISTED / 2), found.length - MAX_LISTED));
  const rows = found.slice(from, from + MAX_LISTED).map((row, index) => {
    const cursor = from + index === state.at ? "›" : " ";
    const mark = state.marked.has(row.id) ? "●" : " ";
    return `${cursor}${mark} ${row.line}`;
  });
  const title = `What do you want to take back? ${state.filter === "" ? "" : `“${state.filter}” `}(${found.length})`;
  const none = found.length === 0 ? ["   nothing matches; Backspace"] : [];
  const lines = [title, ...rows, ...none, HELP, ...diff.slice(0, MAX_DIFF_LINES).map(line => `  │ ${line}`)];
  return lines.map(line => cutToWidth(line, columns - 1));
}

/** What the change did, in few lines. */
async function renderPathDiff(
  system: CommandInvocation["system"],
  terminal: CommandInvocation["terminal"],
  { history, home, guard }: OpenedHistory,
  change: Change,
): Promise<readonly string[]> {
  const { renderDiff } = await loadChanges();
  const { agentAbove } = await loadProcessTree();
  const view = {
    terminal: { ...terminal, paint: (_: unknown, text: string) => text },
    text: system.text,
    home,
    isShown: true,
    agentSettings: agentAbove(system) === undefined ? undefined : guard,
    readContent: history.readContent,
  };
  const parts: string[] = [];
  for (const file of change.files.slice(0, MAX_DIFF_FILES)) parts.push(await renderDiff(file, change, view));
  return parts
    .join("")
    .split("\n")
    .filter(line => line !== "")
    .map(escapeControls);
}
