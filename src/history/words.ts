import { escapeControls } from "../state/index.ts";
import { isInside, relative } from "../system/index.ts";
import { count } from "../text/index.ts";
import type { Change, PathChange } from "./change.ts";
import { isFolder } from "./figures.ts";

/** Texts about changes, short enough for a list and free of anything that a terminal would obey. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MAX_NAMED_FILES = 2;
const MAX_NAMED_CHANGES = 3;

export function ageOf(nowMs: number, timeMs: number): string {
  const passed = Math.max(0, nowMs - timeMs);
  if (passed < MINUTE_MS) return "just now";
  if (passed < 2 * HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`;
  if (passed < 2 * DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`;
  return `${Math.floor(passed / DAY_MS)} days ago`;
}

/** `1 file is`, `3 files are` */
export function countWith(number: number, noun: string, verbs: readonly [string, string]): string {
  return `${count(number, noun)} ${number === 1 ? verbs[0] : verbs[1]}`;
}

/** Relative to the project where it lies there, with `~` for the home directory elsewhere. */
export function shownPath(path: string, project: string, home: string): string {
  return isInside(project, path) ? escapeControls(relative(project, path)) : shownPlace(path, home);
}

export function shownPlace(path: string, home: string): string {
  return escapeControls(isInside(home, path) ? `~${path.slice(home.length)}` : path);
}

/** What was done, on one line: the tool with its command, or with its files where it has no command. */
export function whatOf(change: Change, home: string): string {
  if (change.kind !== "call") {
    const named = change.of.slice(0, MAX_NAMED_CHANGES).join(", ");
    const more = change.of.length - MAX_NAMED_CHANGES;
    return `${change.kind} of ${named}${more > 0 ? ` and ${more} more` : ""}`;
  }
  const command = change.command.trim();
  const isInput = command === "" || command.startsWith("{");
  const does = isInput ? filesOf(change, home) : escapeControls(command.replace(/\s+/g, " "));
  return does === "" ? escapeControls(change.tool) : `${escapeControls(change.tool)}: ${does}`;
}

function filesOf({ files, project }: Change, home: string): string {
  const names = files.slice(0, MAX_NAMED_FILES).map(({ path }) => shownPath(path, project, home));
  const more = files.length - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** `14 files`; folders only where there is nothing else. */
export function countFiles(files: readonly PathChange[]): string {
  const others = files.filter(file => !isFolder(file)).length;
  return others === 0 && files.length > 0 ? count(files.length, "folder") : count(others, "file");
}

/** What a reader must know about it beside what it did; empty for most. */
export function markOf({ kind, undoneBy, undonePaths, status, isComplete }: Change): string {
  if (undoneBy !== undefined) return kind === "undo" ? "redone" : "undone";
  if (undonePaths.length > 0) return "partly undone";
  if (status === "open") return "open";
  return isComplete ? "" : "incomplete";
}
