import { type Conflict, countWith, shownPath, type UndoPlan } from "../../history/index.ts";
import { quoteWord } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { MAX_SHOWN, type PreviewView, paint } from "./preview.ts";

/** The command as it was meant, without options that say how. */
export interface TypedAgain {
  readonly words: readonly string[];
  /** only these; as typed */
  readonly paths: readonly string[];
}

export function typeAgain({ words, paths }: TypedAgain, ...options: readonly string[]): string {
  const all = [...words, ...options, ...(paths.length > 0 ? ["--", ...paths] : [])];
  return escapeControls(all.map(quoteWord).join(" "));
}

/** What is in the way, and what to do about it. */
export function renderConflicts(
  { kind, changes, conflicts }: UndoPlan,
  view: PreviewView,
  typed: TypedAgain,
): string {
  const isFiles = conflicts.every(({ subject }) => subject.startsWith("/"));
  const what = countWith(conflicts.length, isFiles ? "file" : "thing", ["is", "are"]);
  const title = `Nothing was changed, because ${what} different since:`;
  const shown = conflicts
    .slice(0, view.isWhole ? undefined : MAX_SHOWN)
    .map(conflict => renderConflict(conflict, view));
  const more = conflicts.length - shown.length;
  const ways = [
    ...changes.slice(0, 1).map(({ id }) => [`amplihack history show ${id}`, "shows what it changed"]),
    ...(kind === "undo"
      ? [[typeAgain({ ...typed, paths: ["PATH"] }), "takes back only the files that you name"]]
      : []),
    [typeAgain(typed, "--force"), `does it anyway; what is there now is kept too, so this can be reversed`],
  ];
  return [
    `${paint(view, "bold", title)}\n`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more\n`] : []),
    "\nYou can:\n",
    ...ways.map(([command = "", does]) => `  ${paint(view, "cyan", command)}\n      ${does}\n`),
  ].join("");
}

/** What to do about a file is told below for all of them, as commands; the rest brings its own advice. */
function renderConflict({ subject, why, advice }: Conflict, view: PreviewView): string {
  const isPath = subject.startsWith("/");
  const name = isPath ? shownPath(subject, view.project, view.home) : escapeControls(subject);
  const told = isPath ? "" : `      ${escapeControls(advice)}\n`;
  return `  ${paint(view, "yellow", name)}: ${escapeControls(why)}\n${told}`;
}
