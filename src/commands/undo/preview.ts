import type { Style, Terminal } from "../../cli/terminal.ts";
import type { Change } from "../../history/change.ts";
import { cutToWidth } from "../../recipes/progress/cut-to-width.ts";
import { escapeControls } from "../../state/index.ts";
import { dirname } from "../../system/paths.ts";
import { ageOf, count, countWith, hostTitle, shownPath, whatOf } from "../history/words.ts";

/** What an undo or a redo would do, sorted by what a person wants to know. Paths are absolute. */
export interface Preview {
  readonly verb: "undo" | "redo";
  /** newest first */
  readonly changes: readonly Change[];
  /** not there now, and there afterwards */
  readonly comesBack: readonly string[];
  /** there now, and with other content, permissions or time afterwards */
  readonly changesBack: readonly string[];
  /** there now, and not afterwards */
  readonly goesAway: readonly string[];
  /** sentences about what git remembers */
  readonly git: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** cannot be restored, and why */
  readonly lost: readonly { readonly path: string; readonly why: string }[];
}

export interface Conflict {
  readonly path: string;
  readonly why: string;
  /** the later change that is in the way, where one is recorded */
  readonly by: string | undefined;
}

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

export const MAX_SHOWN_FILES = 8;
const MAX_SHOWN_CHANGES = 8;
const DEFAULT_COLUMNS = 100;

const WORDS = {
  undo: {
    content: "earlier content",
    removed: (files: number) => `: ${files === 1 ? "it was" : "they were"} not there before`,
  },
  redo: { content: "later content", removed: () => " again" },
} as const;

export function renderPreview(preview: Preview, view: PreviewView): string {
  const { changesBack, comesBack, goesAway, git, lost } = preview;
  const words = WORDS[preview.verb];
  const counted = (paths: readonly string[], verbs: readonly [string, string]) =>
    countWith(paths.length, "file", verbs);
  const parts = [
    renderHeading(preview, view),
    section(view, "green", `${counted(comesBack, ["comes", "come"])} back`, comesBack),
    section(
      view,
      "green",
      `${counted(changesBack, ["gets its", "get their"])} ${words.content} back`,
      changesBack,
    ),
    section(
      view,
      "yellow",
      `${counted(goesAway, ["is", "are"])} removed${words.removed(goesAway.length)}`,
      goesAway,
    ),
    git.map(line => `  ${paint(view, "green", "git:")} ${escapeControls(line)}\n`).join(""),
    lost.length === 0 ? "" : renderLost(lost, view),
    renderDoubt(preview.changes, view),
  ];
  return parts.filter(part => part !== "").join("");
}

function renderHeading({ verb, changes }: Preview, view: PreviewView): string {
  const [newest] = changes;
  const oldest = changes.at(-1);
  if (newest === undefined || oldest === undefined) return "";
  const bold = (text: string) => paint(view, "bold", text);
  const width = (view.columns ?? DEFAULT_COLUMNS) - 3 - newest.id.length;
  const named = changes
    .slice(0, MAX_SHOWN_CHANGES)
    .map(change => `  ${paint(view, "cyan", change.id)} ${cutToWidth(whatOf(change, view.home), width)}\n`)
    .join("");
  const more = changes.length - MAX_SHOWN_CHANGES;
  const rest = more > 0 ? `  and ${more} more\n` : "";
  const age = ageOf(view.nowMs, newest.timeMs);
  if (verb === "redo") return `${bold(`This reverses an undo made ${age}:`)}\n${named}${rest}\n`;
  const hosts = [...new Set(changes.map(({ host }) => hostTitle(host)))].join(" and ");
  const sessions = new Set(changes.map(({ session }) => session)).size;
  const of = sessions > 1 ? ` in ${sessions} sessions` : "";
  const what =
    changes.length === 1
      ? `This takes back what ${hosts} did ${age}:`
      : `This takes back ${changes.length} calls of ${hosts}${of}, from ${ageOf(view.nowMs, oldest.timeMs)} to ${age}:`;
  return `${bold(what)}\n${named}${rest}\n`;
}

function section(view: PreviewView, style: Style, title: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const { project, home } = view;
  const shown = paths.map(path => shownPath(path, project, home));
  const lines = view.isWhole || shown.length <= MAX_SHOWN_FILES ? shown : groupByFolder(shown);
  const width = (view.columns ?? DEFAULT_COLUMNS) - 6;
  return [
    `  ${paint(view, style, title)}\n`,
    ...lines.map(line => `      ${cutToWidth(line, width)}\n`),
  ].join("");
}

/** Folders with their number of files; what they all lie in is more telling than some names. */
function groupByFolder(paths: readonly string[]): readonly string[] {
  const folders = new Map<string, number>();
  for (const path of paths) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
  const lines = [...folders].map(([folder, files]) =>
    folder === "." ? `${count(files, "file")} here` : `${folder}/  (${count(files, "file")})`,
  );
  const more = lines.length - MAX_SHOWN_FILES;
  return more > 1 ? [...lines.slice(0, MAX_SHOWN_FILES), `and ${more} more folders`] : lines;
}

function renderLost(lost: Preview["lost"], view: PreviewView): string {
  const title = `${countWith(lost.length, "file", ["cannot", "cannot"])} come back`;
  const lines = lost
    .slice(0, view.isWhole ? undefined : MAX_SHOWN_FILES)
    .map(({ path, why }) => `      ${shownPath(path, view.project, view.home)}: ${escapeControls(why)}\n`);
  const more = lost.length - lines.length;
  return `  ${paint(view, "red", title)}\n${lines.join("")}${more > 0 ? `      and ${more} more\n` : ""}`;
}

/** What the person should know before they trust the list. */
function renderDoubt(changes: readonly Change[], view: PreviewView): string {
  const open = changes.filter(({ status }) => status === "open").map(({ id }) => id);
  const incomplete = changes.filter(one => !one.isComplete && one.notKept.length === 0).map(({ id }) => id);
  const lines = [
    ...(open.length === 0 ? [] : [`${open.join(", ")}: its end was never seen; it may still be running`]),
    ...(incomplete.length === 0
      ? []
      : [
          `${incomplete.join(", ")}: not everything was looked at before it began; other files stay as they are`,
        ]),
  ];
  return lines.map(line => `  ${paint(view, "yellow", "note:")} ${line}\n`).join("");
}

export function paint({ terminal, stream }: PreviewView, style: Style, text: string): string {
  return terminal.paint(style, text, stream);
}
