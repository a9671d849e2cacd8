import type { Style, Terminal } from "../../cli/index.ts";
import {
  type Change,
  countPaths,
  countWith,
  describeChange,
  formatAge,
  isFolderStep,
  type PathStep,
  shownPath,
  sortSteps,
  type UndoPlan,
} from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import { cutToWidth } from "../../recipes/index.ts";
import { dirname } from "../../system/index.ts";
import { count, escapeControls } from "../../text/index.ts";

export interface PreviewView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly stream: "stdout" | "stderr";
  readonly columns: number | undefined;
  readonly nowMs: number;
  readonly home: string;
  readonly project: string;
  /** names every file, however many */
  readonly isWhole: boolean;
}

export const MAX_SHOWN = 8;
const DEFAULT_COLUMNS = 100;
/** Long enough for a person to save something meanwhile. */
const A_WHILE_MS = 2_000;
const WORDS = {
  undo: {
    content: "earlier content",
    removed: (one: boolean) => `: ${one ? "it was" : "they were"} not there before`,
  },
  redo: { content: "later content", removed: () => " again" },
} as const;

/** What the plan would do, for a person who must decide. */
export function renderPreview(plan: UndoPlan, view: PreviewView): string {
  const { comesBack, changesBack, goesAway } = sortSteps(plan);
  const words = WORDS[plan.kind];
  return [
    renderHeading(plan, view),
    section(view, "green", comesBack, one => `${one ? "comes" : "come"} back`),
    section(view, "green", changesBack, one => `${one ? "gets its" : "get their"} ${words.content} back`),
    section(view, "yellow", goesAway, one => `${one ? "is" : "are"} removed${words.removed(one)}`),
    ...plan.git
      .flatMap(({ lines }) => lines)
      .map(line => `  ${paint(view, "green", "git")} ${escapeControls(line)}\n`),
    renderGone(plan, view),
    ...unkeptLines(plan, view).map(line => `  ${paint(view, "yellow", "note")} ${line}`),
    renderDoubt(plan, view),
  ].join("");
}

function renderHeading({ kind, changes }: UndoPlan, view: PreviewView): string {
  const [newest, oldest] = [changes[0], changes.at(-1)];
  if (newest === undefined || oldest === undefined) return "";
  const [to, from] = [formatAge(view.nowMs, newest.timeMs), formatAge(view.nowMs, oldest.timeMs)];
  const hosts = [...new Set(changes.map(({ host }) => hostTitle(host)))].join(" and ");
  const calls = countWith(changes.length, "call", ["", ""]).trim();
  const what =
    kind === "redo"
      ? `This reverses the undo of ${to}:`
      : changes.length === 1
        ? `This takes back what ${hosts} did ${to}:`
        : `This takes back ${calls} of ${hosts}, ${from === to ? to : `from ${from} to ${to}`}:`;
  const shown = changes.slice(0, MAX_SHOWN);
  const idWidth = Math.max(...shown.map(({ id }) => id.length));
  const width = (view.columns ?? DEFAULT_COLUMNS) - 4 - idWidth;
  const named = shown.map(
    change =>
      `  ${paint(view, "cyan", change.id.padEnd(idWidth))}  ${cutToWidth(describeChange(change, view.home), width)}\n`,
  );
  const more = changes.length - named.length;
  return `${paint(view, "bold", what)}\n${named.join("")}${more > 0 ? `  and ${more} more\n` : ""}\n`;
}

function section(
  view: PreviewView,
  style: Style,
  steps: readonly PathStep[],
  happens: (isOne: boolean) => string,
): string {
  if (steps.length === 0) return "";
  const title = `${countPaths(steps)} ${happens(steps.length === 1)}`;
  const width = (view.columns ?? DEFAULT_COLUMNS) - 6;
  const lines = previewLines(steps, view).map(line => `      ${cutToWidth(line, width)}\n`);
  return `  ${paint(view, style, title)}\n${lines.join("")}`;
}

/** Files, and folders with none of them inside. Too many are told by the folders they lie in. */
function previewLines(
  steps: readonly PathStep[],
  { project, home, isWhole }: PreviewView,
): readonly string[] {
  const files = steps.filter(step => !isFolderStep(step)).map(({ path }) => path);
  const parents = new Set(steps.map(({ path }) => dirname(path)));
  const empty = steps.filter(step => isFolderStep(step) && !parents.has(step.path)).map(({ path }) => path);
  const names = [
    ...files.map(path => shownPath(path, project, home)),
    ...empty.map(path => `${shownPath(path, project, home)}/`),
  ];
  if (isWhole || names.length <= MAX_SHOWN) return names;
  const folders = new Map<string, number>();
  for (const name of names) folders.set(dirname(name), (folders.get(dirname(name)) ?? 0) + 1);
  const lines = [...folders].map(([folder, inside]) => `${folder}/  (${inside})`);
  const more = lines.length - MAX_SHOWN;
  return more > 1 ? [...lines.slice(0, MAX_SHOWN), `and in ${more} more folders`] : lines;
}

function renderGone({ gone }: UndoPlan, view: PreviewView): string {
  return gone.length === 0 ? "" : renderMissing(gone, view);
}

/** What does not come back, with the reason and the command that may help. */
export function renderMissing(gone: UndoPlan["gone"], view: PreviewView): string {
  const shown = gone
    .slice(0, view.isWhole ? undefined : MAX_SHOWN)
    .map(({ path, why }) => `      ${shownPath(path, view.project, view.home)}: ${escapeControls(why)}\n`);
  const more = gone.length - shown.length;
  const title = paint(view, "red", `${count(gone.length, "file")} cannot come back`);
  return `  ${title}\n${shown.join("")}${more > 0 ? `      and ${more} more\n` : ""}`;
}

/** What the calls took away and no copy was made of. */
export function unkeptLines({ kind, changes, steps, gone }: UndoPlan, view: PreviewView): readonly string[] {
  if (kind === "redo") return [];
  // A folder that is made again is empty then.
  const restored = steps.filter(({ target }) => target.kind !== "directory");
  const told = new Set([...restored, ...gone].map(({ path }) => path));
  const unkept = new Map(changes.flatMap(({ notKept }) => notKept.map(({ path, why }) => [path, why])));
  return [...unkept]
    .filter(([path]) => !told.has(path))
    .slice(0, MAX_SHOWN)
    .map(([path, why]) => `not kept: ${shownPath(path, view.project, view.home)}: ${escapeControls(why)}\n`);
}

/** What a person should know before they trust the list. */
function renderDoubt({ changes }: UndoPlan, view: PreviewView): string {
  const say = (isDoubtful: (change: Change) => boolean, why: string): string => {
    const ids = changes.filter(isDoubtful).map(({ id }) => id);
    return ids.length === 0 ? "" : `  ${paint(view, "yellow", "note")} ${ids.join(", ")}: ${why}\n`;
  };
  return (
    say(({ status }) => status === "running", "it is still running, and may change these files again") +
    say(({ status }) => status === "open", "its end was not seen; it may still be running") +
    say(
      ranForAWhile,
      "it ran for a while, and what you saved meanwhile looks like its own; to take back only some: -- PATH…",
    ) +
    say(
      mayNotHaveRun,
      "you were asked about it, and it may not have run: what you saved since looks like its own; to take back only some: -- PATH…",
    ) +
    say(
      ({ isComplete, notKept }) => !isComplete && notKept.length === 0,
      "it may have changed more; files that are not named here stay as they are",
    )
  );
}

/** A person may have saved meanwhile, however short that was, which cannot be told from what the call did. */
export function mayHoldSaves(change: Change): boolean {
  return change.isCompared === true || mayNotHaveRun(change);
}

function ranForAWhile({ isCompared, durationMs = 0 }: Change): boolean {
  return isCompared === true && durationMs >= A_WHILE_MS;
}

/** A no is not told to hooks: the call just never ends. */
function mayNotHaveRun({ kind, verdict, status, exit }: Change): boolean {
  return kind === "call" && verdict === "ask" && status === "done" && exit === undefined;
}

export function paint({ terminal, stream }: PreviewView, style: Style, text: string): string {
  return terminal.paint(style, text, stream);
}
