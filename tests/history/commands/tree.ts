import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What stands at a path; times in microseconds. */
interface Entry {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly mode: number;
  readonly modifiedUs: bigint;
  /** of a file the digest, of a link its target */
  readonly content: string;
  /** of a file with several names, device and inode */
  readonly inode?: bigint;
}

/** By path relative to the home, one character a byte: names need not be UTF-8. */
export type Tree = ReadonlyMap<string, Entry>;

/** The hooks' own files, and what programs keep in a home. */
const NOT_OURS = /^(\.amplihack|\.npm|\.cache|\.config|\.local)$|(^|\/)\.claude(\/runtime)?$/;
/** What git keeps for itself. Refs, stashes and the index are compared by what git prints of them. */
const OF_GIT =
  /(^|\/)(objects|logs|refs|packed-refs|index|ORIG_HEAD|COMMIT_EDITMSG|FETCH_HEAD|AUTO_MERGE|gc\.log)(\/|$)/;

export function readTree(home: string): Tree {
  const tree = new Map<string, Entry>();
  const root = Buffer.from(home);
  const walk = (relative: string, isInGit: boolean): void => {
    for (const name of readdirSync(bytesOf(root, relative), { encoding: "buffer" })) {
      const path = relative === "" ? name.toString("latin1") : `${relative}/${name.toString("latin1")}`;
      if (NOT_OURS.test(path) || (isInGit && OF_GIT.test(path.slice(path.indexOf(".git"))))) continue;
      const entry = readEntry(bytesOf(root, path));
      tree.set(path, entry);
      if (entry.kind === "directory") walk(path, isInGit || /\.git$/.test(path));
    }
  };
  walk("", false);
  return tree;
}

function bytesOf(root: Buffer, relative: string): Buffer {
  return relative === "" ? root : Buffer.concat([root, Buffer.from("/"), Buffer.from(relative, "latin1")]);
}

function readEntry(path: Buffer): Entry {
  const facts = lstatSync(path, { bigint: true });
  const modifiedUs = facts.mtimeNs / 1000n;
  const mode = Number(facts.mode & 0o7777n);
  if (facts.isDirectory()) return { kind: "directory", mode, modifiedUs, content: "" };
  if (facts.isSymbolicLink()) {
    // A link has no mode of its own.
    return { kind: "link", mode: 0, modifiedUs, content: readlinkSync(path, "latin1") };
  }
  if (!facts.isFile()) return { kind: "other", mode, modifiedUs, content: "" };
  const shared = facts.nlink > 1n ? { inode: facts.ino } : {};
  return { kind: "file", mode, modifiedUs, content: digest(readFileSync(path)), ...shared };
}

function digest(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/** Paths at which two trees differ, times left out. */
export function changedPaths(first: Tree, second: Tree): readonly string[] {
  return [...new Set([...first.keys(), ...second.keys()])]
    .filter(path => !isSame(first.get(path), second.get(path)))
    .sort();
}

function isSame(first: Entry | undefined, second: Entry | undefined): boolean {
  if (first === undefined || second === undefined) return first === second;
  return first.kind === second.kind && first.mode === second.mode && first.content === second.content;
}

/** Git knows content and, of the mode, whether somebody may execute the file. */
function isSameToGit(first: Entry | undefined, second: Entry | undefined): boolean {
  if (first === undefined || second === undefined) return false;
  const isExecutable = ({ mode }: Entry) => (mode & 0o111) !== 0;
  return isSame(first, { ...second, mode: first.mode }) && isExecutable(first) === isExecutable(second);
}

export interface Comparison {
  readonly before: Tree;
  /** when the call had run */
  readonly after: Tree;
  readonly undone: Tree;
  /** tracked files that git had unchanged: only what git knows of them is promised once a call changed them */
  readonly clean: ReadonlySet<string>;
}

/**
 * What is not as it was, in words. Times of files and links count where the call changed nothing, and where the
 * history had to keep the file. Those of directories do not, because every change in them moves them, nor those of
 * git's own files.
 */
export function differences({ before, after, undone, clean }: Comparison): readonly string[] {
  const wrong = changedPaths(before, undone)
    .filter(path => !(clean.has(path) && isSameToGit(before.get(path), undone.get(path))))
    .map(path => describe(path, before.get(path), undone.get(path)));
  for (const [path, was] of before) {
    const now = undone.get(path);
    if (was.kind === "directory" || /\.git\//.test(path) || now === undefined || !isSame(was, now)) continue;
    if (was.modifiedUs === now.modifiedUs) continue;
    const ran = after.get(path);
    const isUntouched = isSame(was, ran) && ran?.modifiedUs === was.modifiedUs;
    if (isUntouched) wrong.push(`${shown(path)}: touched by the undo alone`);
    else if (!clean.has(path)) wrong.push(`${shown(path)}: time ${was.modifiedUs} became ${now.modifiedUs}`);
  }
  return wrong;
}

/** Paths that were names of one file and are no longer, or the other way round. */
export function unlinked(before: Tree, undone: Tree): readonly string[] {
  const was = namesByFile(before);
  const is = namesByFile(undone);
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter(path => was.get(path) !== is.get(path))
    .map(path => `${shown(path)}: one file with ${was.get(path)} became one with ${is.get(path)}`);
}

function namesByFile(tree: Tree): ReadonlyMap<string, string> {
  const groups = new Map<bigint, string[]>();
  for (const [path, { inode }] of tree)
    if (inode !== undefined && !/\.git\//.test(path)) groups.set(inode, [...(groups.get(inode) ?? []), path]);
  return new Map([...groups.values()].flatMap(names => names.map(name => [name, names.join(" ")])));
}

function describe(path: string, was: Entry | undefined, is: Entry | undefined): string {
  return `${shown(path)}: ${inWords(was)} became ${inWords(is)}`;
}

function inWords(entry: Entry | undefined): string {
  if (entry === undefined) return "nothing";
  return `${entry.kind} ${entry.mode.toString(8)} ${entry.content.slice(0, 60)}`.trimEnd();
}

function shown(path: string): string {
  return JSON.stringify(Buffer.from(path, "latin1").toString());
}

/** Content of a file in a scene, for the few tests that name one. */
export function textAt(...path: readonly string[]): string {
  return readFileSync(join(...path), "utf8");
}
