import { encodeRawName, type System } from "../system/index.ts";
import { type GitOptions, runGit, withoutTree } from "./run-git.ts";

/** A tracked path that differs from HEAD or from the index, with what HEAD has. */
export interface TrackedPath {
  /** below the top of the working tree */
  readonly path: string;
  /** object in HEAD; undefined when HEAD does not have the path */
  readonly id: string | undefined;
  /** as git writes it: `100755` */
  readonly mode: string;
}

/** What `git status` tells of a working tree. Paths are below its top. */
export interface WorkTreeStatus {
  /** the commit; undefined before the first one */
  readonly head: string | undefined;
  readonly changed: readonly TrackedPath[];
  readonly untracked: readonly string[];
  /** repositories in the tree that it does not track */
  readonly nested: readonly string[];
  /** files and, with a slash at the end, directories */
  readonly ignored: readonly string[];
  /** tracked files that git has otherwise than they are on the disk, by a filter of the repository or by line endings */
  readonly converted: readonly string[];
}

const STATUS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--branch",
  "--no-renames",
  "--untracked-files=all",
  "--ignored=matching",
  "--ignore-submodules=all",
];

/** Records of ours behind those of git. */
const CONVERTED = /^converted ([\s\S]+)$/;

export function describeConverted(paths: Iterable<string>): string {
  return [...paths].map(path => `converted ${path}\0`).join("");
}

export type StatusResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** What git says, for `parseStatus`. */
export async function readStatus(system: System, top: string, timeoutMs: number): Promise<StatusResult> {
  const run = await runGit(system, STATUS, { cwd: top, timeoutMs });
  return run.isOk ? { ok: true, text: run.text } : { ok: false, problem: run.problem };
}

export function parseStatus(text: string): WorkTreeStatus {
  let head: string | undefined;
  const changed: TrackedPath[] = [];
  const untracked: string[] = [];
  const nested: string[] = [];
  const ignored: string[] = [];
  const converted: string[] = [];
  for (const record of text.split("\0")) {
    const kind = record[0];
    if (kind === "#") head = /^# branch\.oid ([0-9a-f]+)$/.exec(record)?.[1] ?? head;
    else if (kind === "1") changed.push(trackedPath(record, 8, 3, 6));
    // Of an unmerged path the second version is that of HEAD.
    else if (kind === "u") changed.push(trackedPath(record, 10, 4, 8));
    else if (kind === "?") (record.endsWith("/") ? nested : untracked).push(record.slice(2));
    else if (kind === "!") ignored.push(record.slice(2));
    else converted.push(...(CONVERTED.exec(record)?.slice(1) ?? []));
  }
  return { head, changed, untracked, nested: nested.map(path => path.slice(0, -1)), ignored, converted };
}

/** Fields are parted by blanks; the path, which may have some, comes last. */
function trackedPath(record: string, fields: number, modeAt: number, idAt: number): TrackedPath {
  const parts = record.split(" ");
  const mode = parts[modeAt] ?? "000000";
  return {
    path: parts.slice(fields).join(" "),
    id: mode === "000000" ? undefined : parts[idAt],
    mode,
  };
}

/** Tracked paths whose files differ from a commit, with what the commit has. */
export async function differencesFrom(
  system: System,
  top: string,
  commit: string,
  timeoutMs: number,
): Promise<readonly TrackedPath[] | undefined> {
  const args = ["diff-index", "--raw", "-z", "--no-renames", "--ignore-submodules=all", commit, "--"];
  const run = await runGit(system, args, { cwd: top, timeoutMs });
  if (!run.isOk) return undefined;
  const fields = run.text.split("\0");
  const found: TrackedPath[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = ":000000", , id] = (fields[at] ?? "").split(" ");
    const isThere = mode !== ":000000";
    found.push({ path: fields[at + 1] ?? "", id: isThere ? id : undefined, mode: mode.slice(1) });
  }
  return found;
}

/** The files of a commit. */
export async function listCommitFiles(
  system: System,
  gitDirectory: string,
  commit: string,
  timeoutMs: number,
): Promise<readonly TrackedPath[]> {
  const args = ["ls-tree", "-r", "-z", commit];
  const run = await runGit(system, args, { ...withoutTree(gitDirectory), timeoutMs });
  return run.text.split("\0").flatMap(record => {
    const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(record) ?? [];
    return path === "" ? [] : [{ path, id, mode }];
  });
}

/** By path, the object id that git would give to the file there; not of those that it cannot be asked for. */
export async function hashWithGit(
  system: System,
  cwd: string,
  paths: readonly string[],
  timeoutMs: number,
): Promise<ReadonlyMap<string, string>> {
  // A path ends at the end of its line.
  const asked = paths.filter(path => !path.includes("\n"));
  if (asked.length === 0) return new Map();
  const input = `${asked.join("\n")}\n`;
  const run = await runGit(system, ["hash-object", "--stdin-paths"], { cwd, timeoutMs, input });
  const ids = run.text.split("\n");
  return new Map(asked.map((path, at) => [path, ids[at] ?? ""]));
}

export interface IndexEntry {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
  /** not in the working tree on purpose, or not looked at by git */
  readonly isHidden: boolean;
  readonly isSkipped: boolean;
  readonly stage: string;
}

export interface IndexOptions {
  readonly indexFile?: string;
  readonly paths?: readonly string[];
  /** of a repository whose working tree is gone */
  readonly gitDirectory?: string;
}

/** The entries of an index, of the repository's own or of one that was kept. */
export async function readIndex(
  system: System,
  top: string,
  timeoutMs: number,
  options: IndexOptions = {},
): Promise<readonly IndexEntry[] | undefined> {
  const { indexFile, gitDirectory } = options;
  // Words of a command line are UTF-8. Without paths git tells of all.
  const paths = options.paths?.every(path => encodeRawName(path) === undefined) ? options.paths : [];
  const place: Pick<GitOptions, "cwd" | "env"> =
    gitDirectory === undefined ? { cwd: top } : withoutTree(gitDirectory);
  const env = {
    GIT_LITERAL_PATHSPECS: "1",
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
  };
  // Otherwise git takes an entry for one of the working tree as soon as a file is there.
  const args = ["-c", "sparse.expectFilesOutsideOfPatterns=true", "ls-files", "-z", "-v", "--stage", "--"];
  const run = await runGit(system, [...args, ...paths], {
    cwd: place.cwd,
    timeoutMs,
    env: { ...place.env, ...env },
  });
  return run.isOk ? parseIndex(run.text) : undefined;
}

export function parseIndex(text: string): readonly IndexEntry[] {
  const entries: IndexEntry[] = [];
  for (const record of text.split("\0")) {
    const found = /^(.) (\d+) ([0-9a-f]+) (\d)\t([\s\S]*)$/.exec(record);
    if (found === null) continue;
    const [, tag = "", mode = "", id = "", stage = "", path = ""] = found;
    entries.push({ path, mode, id, stage, isHidden: tag !== "H" && tag !== "M", isSkipped: /s/i.test(tag) });
  }
  return entries;
}

/** By object id, the size of its content; not of those that git does not have. */
export async function readBlobSizes(
  system: System,
  place: Pick<GitOptions, "cwd" | "env">,
  ids: readonly string[],
  timeoutMs: number,
): Promise<ReadonlyMap<string, number>> {
  const input = `${[...new Set(ids)].join("\n")}\n`;
  const run = await runGit(system, ["cat-file", "--buffer", "--batch-check"], { ...place, timeoutMs, input });
  const lines = run.text.split("\n").map(line => line.split(" "));
  return new Map(lines.map(([id = "", , size = "0"]) => [id, Number(size) || 0]));
}
