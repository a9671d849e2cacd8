import { createHash } from "node:crypto";
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";
import type { InvalidText } from "../config/index.ts";
import { errorText } from "../protocol/index.ts";
import {
  backUp,
  FileLock,
  Problem,
  type ProblemDetails,
  readExactText,
  resolvePath,
} from "../state/index.ts";
import { ancestors, dirname, hasErrorCode, type System, writeAtomically } from "../system/index.ts";

/** Why something could not be installed, uninstalled or checked. */
export function installProblem(message: string, details: Omit<ProblemDetails, "kind"> = {}): Problem {
  return new Problem(message, { kind: "install", ...details });
}

/** The arguments contradict each other. */
export function usageProblem(message: string): Problem {
  return new Problem(message, { kind: "usage", exitCode: 2 });
}

/** Why a plugin could not be handled. */
export function pluginProblem(message: string, fix?: string): Problem {
  return new Problem(message, { kind: "plugin", fix });
}

/** What went wrong with one of several things, in one line with its remedy. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Problem) || error.fix === undefined) return errorText(error);
  return `${error.message}; fix: ${error.fix}`;
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

const CONTEXT_LINES = 3;
/** Long texts with little in common would take minutes to compare; beyond this all old lines go and all new come. */
const MAX_EDITS = 2_000;

/**
 * The change of one text file in the form that `patch` and `git apply` take. `undefined` stands for a file that
 * is not there. Empty when nothing changes.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const name = path.replace(/^\//, "");
  const names = [
    before === undefined ? "/dev/null" : `a/${name}`,
    after === undefined ? "/dev/null" : `b/${name}`,
  ] as const;
  const texts = [before ?? "", after ?? ""] as const;
  const patch = texts.includes("")
    ? undefined
    : structuredPatch(...names, ...texts, undefined, undefined, {
        context: CONTEXT_LINES,
        maxEditLength: MAX_EDITS,
      });
  return formatPatch(patch ?? replacement(names, texts), FILE_HEADERS_ONLY);
}

function replacement(
  [oldFileName, newFileName]: readonly [string, string],
  [before, after]: readonly [string, string],
): StructuredPatch {
  const old = markedLines("-", before);
  const fresh = markedLines("+", after);
  const hunk = {
    oldStart: 1,
    oldLines: old.filter(line => line !== NO_END).length,
    newStart: 1,
    newLines: fresh.filter(line => line !== NO_END).length,
    lines: [...old, ...fresh],
  };
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

const NO_END = "\\ No newline at end of file";

function markedLines(mark: "+" | "-", text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n").map(line => mark + line);
  if (!text.endsWith("\n")) return [...lines, NO_END];
  return lines.slice(0, -1);
}

const FILE_BYTES = 16 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 5_000;
/** Hosts write their own settings, too, and know nothing of our lock. */
const MAX_ATTEMPTS = 5;
const OWNER_MAY_WRITE = 0o200;

/** What a file should hold instead of what it holds; `undefined` is a file that is not there. */
export type Computed = { readonly ok: true; readonly text: string | undefined } | InvalidText;

/** A change of one file that others own or write to as well. */
export interface FileEdit {
  readonly path: string;
  readonly compute: (current: string | undefined) => Computed;
  /** what is wrong with the file as it was written; undefined when it is as wanted */
  readonly check?: (written: string | undefined) => string | undefined;
  /** of a new file; an existing one keeps its own. Default 0600. */
  readonly mode?: number;
  /** of directories that have to be made. Default 0700. */
  readonly directoryMode?: number;
}

interface EditOptions {
  /** what is there is kept beside the file before it changes */
  readonly isBackedUp: boolean;
  /** write a file that its owner made read-only */
  readonly isForced?: boolean;
  /** called with the change as it will be made, before the file changes */
  readonly onBefore?: (change: FileChange) => void;
}

export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isChanged: boolean;
  readonly backupPath: string | undefined;
  /** directories that were not there */
  readonly madeDirectories: readonly string[];
}

/** What an edit would do, without doing it. Throws a `Problem` for a file that cannot be edited safely. */
export function planEdit(system: System, { path, compute }: FileEdit, isForced = false): FileChange {
  const before = readFile(system, path);
  const computed = compute(before);
  if (!computed.ok) throw unusable(path, computed);
  const isChanged = computed.text !== before;
  if (isChanged) refuseReadOnly(system, path, isForced);
  return {
    path,
    before,
    after: computed.text,
    isChanged,
    backupPath: undefined,
    madeDirectories: isChanged ? missingDirectories(system, dirname(path)) : [],
  };
}

/**
 * Makes the change: lock, read, compute, back up, write atomically, read again and check. Whatever goes wrong, the
 * file is as it was or as it should be. Writes nothing when nothing changes.
 */
export function applyEdit(system: System, edit: FileEdit, options: EditOptions): FileChange {
  const planned = planEdit(system, edit, options.isForced);
  if (!planned.isChanged) return planned;
  const lock = new FileLock(`${edit.path}.amplihack.lock`, {
    system,
    timeoutMs: LOCK_TIMEOUT_MS,
    directoryMode: edit.directoryMode ?? 0o700,
  });
  try {
    return lock.run(() => change(system, edit, options, planned.madeDirectories));
  } catch (error) {
    removeEmptyDirectories(system, planned.madeDirectories);
    throw error;
  }
}

function change(
  system: System,
  edit: FileEdit,
  options: EditOptions,
  madeDirectories: readonly string[],
): FileChange {
  for (let attempt = 1; ; attempt++) {
    const plan = { ...planEdit(system, edit, options.isForced), madeDirectories };
    if (!plan.isChanged) return plan;
    const backupPath =
      options.isBackedUp && plan.before !== undefined
        ? backUp(system, edit.path, system.text.encode(plan.before))
        : undefined;
    const made = { ...plan, backupPath };
    options.onBefore?.(made);
    if (readFile(system, edit.path) !== plan.before) {
      if (backupPath !== undefined) system.files.remove(backupPath);
      if (attempt < MAX_ATTEMPTS) continue;
      throw installProblem(`${edit.path} is being changed by another program all the time`, {
        fix: "close the agent that uses it and try again",
      });
    }
    replaceFile(system, edit, plan.after);
    rollBackUnlessRight(system, edit, made);
    return made;
  }
}

function replaceFile(system: System, edit: FileEdit, text: string | undefined): void {
  if (text === undefined) {
    // Through a symbolic link the target is removed, because the target is what would be written.
    system.files.remove(resolvePath(system.files, edit.path));
    return;
  }
  writeAtomically(system, edit.path, system.text.encode(text), {
    mode: edit.mode ?? 0o600,
    directoryMode: edit.directoryMode ?? 0o700,
    keepsNames: true,
  });
}

function rollBackUnlessRight(system: System, edit: FileEdit, { before, after }: FileChange): void {
  const written = readFile(system, edit.path);
  const problem = written === after ? edit.check?.(written) : "it is not what was written";
  if (problem === undefined) return;
  replaceFile(system, edit, before);
  throw installProblem(`${edit.path} was put back as it was: ${problem}`, {
    fix: "amplihack doctor",
  });
}

/** The text of a file that can be written back byte for byte. */
export function readFile(system: Pick<System, "files" | "text">, path: string): string | undefined {
  let read: ReturnType<typeof readExactText>;
  try {
    read = readExactText(system, path, FILE_BYTES);
  } catch (error) {
    if (hasErrorCode(error, "EFBIG"))
      throw installProblem(`${path} is longer than ${FILE_BYTES} bytes, so it is left alone`);
    throw error;
  }
  if (read?.replaced === true)
    throw installProblem(`${path} is not UTF-8, so it is left alone`, {
      fix: "save the file as UTF-8 and try again",
    });
  return read?.text;
}

function unusable(path: string, { problem, line, column }: InvalidText): Problem {
  return installProblem(`${path} is left alone: ${problem} (line ${line}, column ${column})`, {
    fix: `repair ${path} and try again`,
  });
}

function refuseReadOnly({ files }: System, path: string, isForced: boolean): void {
  const facts = files.follow(path);
  if (isForced || facts === undefined || (facts.mode & OWNER_MAY_WRITE) !== 0) return;
  throw installProblem(`${path} is read-only, so it is left alone`, {
    fix: `chmod u+w ${path}, or use --force`,
  });
}

/** Directories on the way that do not exist yet, the innermost first. */
function missingDirectories({ files }: Pick<System, "files">, directory: string): readonly string[] {
  const found = ancestors(directory);
  const first = found.findIndex(each => files.follow(each) !== undefined);
  return found.slice(0, Math.max(first, 0));
}

/** Innermost first; one that is not empty, or gone, ends it. */
export function removeEmptyDirectories(
  { files }: Pick<System, "files">,
  directories: readonly string[],
): readonly string[] {
  const removed: string[] = [];
  for (const directory of directories) {
    try {
      files.removeDirectory(directory);
      removed.push(directory);
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EACCES", "EPERM")) throw error;
    }
  }
  return removed;
}
