import { isInside, relative } from "../system/index.ts";
import { count, escapeControls } from "../text/index.ts";
import type { Change, GitChange, PathChange } from "./change.ts";
import type { PathStep, UndoPlan } from "./interface.ts";

/** Changes in numbers; undos and redos do not count. */
export interface HistoryFigures {
  readonly changes: number;
  /** different ones, folders left out */
  readonly files: number;
  /** changes of which nothing, or only a part, was taken back */
  readonly undoable: number;
}

/** What is or was there is a directory. */
export function isFolder({ before, after }: Pick<PathChange, "before" | "after">): boolean {
  return (after.kind === "absent" ? before : after).kind === "directory";
}

export function countChanges(changes: readonly Change[]): HistoryFigures {
  const calls = changes.filter(({ kind }) => kind === "call");
  return {
    changes: calls.length,
    files: new Set(
      calls.flatMap(({ files }) => files.filter(file => !isFolder(file)).map(({ path }) => path)),
    ).size,
    undoable: calls.filter(({ undoneBy }) => undoneBy === undefined).length,
  };
}

/** Texts about changes, short enough for a list and free of anything that a terminal would obey. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MAX_NAMED_FILES = 2;
const MAX_NAMED_CHANGES = 3;

export function formatAge(nowMs: number, timeMs: number): string {
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
export function describeChange(change: Change, home: string): string {
  if (change.kind !== "call") {
    const named = change.of.slice(0, MAX_NAMED_CHANGES).join(", ");
    const more = change.of.length - MAX_NAMED_CHANGES;
    return `${change.kind} of ${named}${more > 0 ? ` and ${more} more` : ""}`;
  }
  const command = change.command.trim();
  // Of a file tool it is the file, or all of its input.
  const isInput =
    command === "" || command.startsWith("{") || change.files.some(({ path }) => path === command);
  const does = isInput ? describeFiles(change, home) : escapeControls(command.replace(/\s+/g, " "));
  return does === "" ? escapeControls(change.tool) : `${escapeControls(change.tool)}: ${does}`;
}

function describeFiles({ files, project }: Change, home: string): string {
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
export function changeMark({ kind, undoneBy, undonePaths, status, isComplete, verdict }: Change): string {
  if (undoneBy !== undefined) return kind === "undo" ? "redone" : "undone";
  if (undonePaths.length > 0) return "partly undone";
  if (status === "running") return "running";
  if (status === "open") return verdict === "ask" ? "asked" : "open";
  return isComplete ? "" : "incomplete";
}

const ID_LENGTH = 7;

/** What a change did to git's own state, one sentence each. */
export function gitLines({ git }: Pick<Change, "git">): readonly string[] {
  return git.flatMap(gitChangeLines).map(escapeControls);
}

function gitChangeLines({ head, refs, stashes, index, files }: GitChange): readonly string[] {
  const lines = refs.map(({ name, before, after }) => `${refName(name)}: ${short(before)} → ${short(after)}`);
  if (head !== undefined) lines.unshift(`HEAD: ${refName(head.before)} → ${refName(head.after)}`);
  if (stashes !== undefined) {
    const [before, after] = [stashes.before.length, stashes.after.length];
    lines.push(`stashes: ${before} → ${after}`);
  }
  if (index !== undefined) lines.push("what is staged changed");
  if (files.length > 0) lines.push(`${count(files.length, "file")} inside .git`);
  return lines;
}

function short(id: string | undefined): string {
  return id === undefined ? "none" : id.slice(0, ID_LENGTH);
}

function refName(name: string): string {
  const known = /^(?:ref: )?refs\/(heads|tags|remotes)\/(.*)$/.exec(name);
  if (known === null) return /^[0-9a-f]{40,}$/.test(name) ? short(name) : name;
  const [, kind, rest] = known;
  return kind === "heads" ? `branch ${rest}` : kind === "tags" ? `tag ${rest}` : `${rest}`;
}

/** The steps of a plan, by what a person wants to know of them. */
export interface SortedSteps {
  /** not there now, and there afterwards */
  readonly comesBack: readonly PathStep[];
  /** there now, and with other content, permissions or time afterwards */
  readonly changesBack: readonly PathStep[];
  /** there now, and not afterwards */
  readonly goesAway: readonly PathStep[];
}

export function sortSteps({ steps }: Pick<UndoPlan, "steps">): SortedSteps {
  const writes = steps.filter(({ action }) => action === "restore" || action === "attributes");
  return {
    comesBack: writes.filter(({ present }) => present.kind === "absent"),
    changesBack: writes.filter(({ present }) => present.kind !== "absent"),
    goesAway: steps.filter(({ action }) => action === "remove"),
  };
}

/** `12 files and 1 folder` */
export function countPaths(steps: readonly PathStep[]): string {
  const folders = steps.filter(isFolderStep).length;
  const files = steps.length - folders;
  const parts = [
    ...(files > 0 ? [count(files, "file")] : []),
    ...(folders > 0 ? [count(folders, "folder")] : []),
  ];
  return parts.join(" and ");
}

export function isFolderStep({ present, target }: PathStep): boolean {
  return isFolder({ before: present, after: target });
}
