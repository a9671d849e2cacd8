import { readText } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { basename } from "../system/index.ts";
import type { Change, GitChange, NotKept, PathChange, PathState, RefChange, Stash } from "./change.ts";
import { type HistoryContext, tryDigest } from "./context.ts";
import { digestIndex, PASSING_FILES, readRefs, readStashes } from "./git-snapshot.ts";
import type { Conflict, GitStep } from "./interface.ts";
import { contentId, isSameState, presentState } from "./path-state.ts";
import { runGit } from "./run-git.ts";
import type { Store } from "./store.ts";

const GIT_MS = 30_000;
const MAX_HEAD = 64 * 1024;
const ADVICE = "look at it with git; --force undoes it anyway, and amplihack redo reverses that";

/** What git rewrites in a linked worktree whenever it is looked at. */
const BOOKKEEPING = /\/worktrees\/[^/]+\/(index|logs\/.*|ORIG_HEAD|COMMIT_EDITMSG)$/;

interface GitPlan {
  readonly steps: readonly GitStep[];
  readonly conflicts: readonly Conflict[];
  readonly gone: readonly NotKept[];
}

/** How the repositories of these changes go back. Nothing is restored that does not stand where it was left. */
export async function planGit(context: HistoryContext, changes: readonly Change[]): Promise<GitPlan> {
  const byDirectory = new Map<string, GitChange[]>();
  for (const change of changes)
    for (const git of change.git)
      byDirectory.set(git.gitDirectory, [...(byDirectory.get(git.gitDirectory) ?? []), git]);
  const steps: GitStep[] = [];
  const conflicts: Conflict[] = [];
  const gone: NotKept[] = [];
  for (const list of byDirectory.values()) {
    const merged = mergeChanges(list);
    const found = await planRepository(context, merged);
    conflicts.push(...found.conflicts);
    gone.push(...found.gone);
    const lines = describeStep(found.change, changes.some(isPush));
    if (lines.length > 0) steps.push({ change: found.change, lines });
  }
  return { steps, conflicts, gone };
}

/** Newest first in, one change out: where the oldest began and where the newest ended. */
function mergeChanges(changes: readonly GitChange[]): GitChange {
  const [newest, ...older] = changes;
  if (newest === undefined) throw new Error("no change to merge");
  let merged = newest;
  for (const change of older) {
    const refs = new Map(merged.refs.map(ref => [ref.name, ref]));
    for (const ref of change.refs) refs.set(ref.name, { ...ref, after: (refs.get(ref.name) ?? ref).after });
    const files = new Map(merged.files.map(file => [file.path, file]));
    for (const file of change.files)
      files.set(file.path, { ...file, after: (files.get(file.path) ?? file).after });
    merged = {
      ...merged,
      refs: [...refs.values()],
      files: [...files.values()],
      ...join("head", merged.head, change.head),
      ...join("stashes", merged.stashes, change.stashes),
      ...join("index", merged.index, change.index),
    };
  }
  return merged;
}

function join<K extends string, B, A>(
  name: K,
  newer: { readonly before: B; readonly after: A } | undefined,
  older: { readonly before: B; readonly after: A } | undefined,
) {
  if (older === undefined) return {};
  return { [name]: { ...older, after: (newer ?? older).after } } as {
    [key in K]: { readonly before: B; readonly after: A };
  };
}

async function planRepository(
  context: HistoryContext,
  change: GitChange,
): Promise<{ readonly change: GitChange; readonly conflicts: Conflict[]; readonly gone: NotKept[] }> {
  const { system } = context;
  const { gitDirectory, commonDirectory, top } = change;
  const place = top ?? gitDirectory;
  const conflicts: Conflict[] = [];
  const clash = (what: string, why: string) =>
    conflicts.push({ subject: `${what} of ${place}`, why, advice: ADVICE });
  const missing = await missingObjects(context, change);
  const gone = [...missing].map(id => ({ path: place, why: `git no longer has object ${id.slice(0, 12)}` }));

  const present = new Map(readRefs(system, commonDirectory));
  const refs = change.refs.filter(({ name, before, after }) => {
    if (present.get(name) === before || (before !== undefined && missing.has(before))) return false;
    if (present.get(name) !== after) clash(nameOfRef(name), "it was moved since");
    return true;
  });
  const head = readText(system, `${gitDirectory}/HEAD`, MAX_HEAD)?.trim() ?? "";
  const hasHead = change.head !== undefined && head !== change.head.before;
  if (hasHead && head !== change.head?.after) clash("HEAD", "something else was checked out since");
  const stashes = readStashes(system, commonDirectory);
  const hasStashes = change.stashes !== undefined && !isSame(stashes, change.stashes.before);
  if (hasStashes && !isSame(stashes, change.stashes?.after ?? []))
    clash("the stashes", "they were changed since");
  const index = await planIndex(context, change, clash);
  const files = change.files.flatMap(file => planFile(context, file, clash));
  const { head: _head, stashes: _stashes, index: _index, ...base } = change;
  return {
    change: {
      ...base,
      refs: refs.map(ref => ({ ...ref, after: present.get(ref.name) })),
      files,
      ...(hasHead && change.head !== undefined ? { head: { before: change.head.before, after: head } } : {}),
      ...(hasStashes && change.stashes !== undefined
        ? { stashes: { before: change.stashes.before.filter(({ id }) => !missing.has(id)), after: stashes } }
        : {}),
      ...(index === undefined ? {} : { index }),
    },
    conflicts,
    gone,
  };
}

async function planIndex(
  { store }: HistoryContext,
  { index, top, gitDirectory }: GitChange,
  clash: (what: string, why: string) => void,
): Promise<GitChange["index"]> {
  if (index === undefined || top === undefined) return undefined;
  const repository = { top, gitDirectory };
  const present = (await digestIndex(store, repository, GIT_MS))?.digest;
  if (present !== index.after) {
    const former = index.before === undefined ? undefined : store.objectPath(index.before);
    const wanted = (await digestIndex(store, repository, GIT_MS, former))?.digest;
    if (present === wanted) return undefined;
    clash("the index", "files were staged or unstaged since");
  }
  return index;
}

/** Small files of git: as other files, but that settings are put back section by section. */
function planFile(
  { system, store }: HistoryContext,
  file: PathChange,
  clash: (what: string, why: string) => void,
): readonly PathChange[] {
  const present = presentState(system.files, file.path, path => tryDigest(system, path));
  if (isSameState(present, file.before)) return [];
  if (isSameState(present, file.after)) return [file];
  if (PASSING_FILES.has(basename(file.path))) return [];
  if (file.before.kind === "absent" && (present.kind === "directory" || BOOKKEEPING.test(file.path)))
    return [file];
  const merged = basename(file.path) === "config" ? mergeSections(system, store, file) : undefined;
  if (merged !== undefined) return [{ ...file, before: merged }];
  clash(basename(file.path), "it was changed since");
  return [file];
}

function isSame(one: readonly Stash[], other: readonly Stash[]): boolean {
  return one.length === other.length && one.every(({ id }, at) => id === other[at]?.id);
}

/** Objects that the state before needs and git no longer has. */
async function missingObjects({ system }: HistoryContext, change: GitChange): Promise<ReadonlySet<string>> {
  const { head, refs, stashes, top, gitDirectory } = change;
  const wanted = [
    ...refs.map(({ before }) => before),
    head?.before,
    ...(stashes?.before.map(({ id }) => id) ?? []),
  ].filter((id): id is string => id !== undefined && /^[0-9a-f]{40,}$/.test(id));
  if (wanted.length === 0) return new Set();
  const input = `${[...new Set(wanted)].join("\n")}\n`;
  const cwd = top !== undefined && system.files.follow(top)?.kind === "directory" ? top : gitDirectory;
  const run = await runGit(system, ["cat-file", "--batch-check"], { cwd, timeoutMs: GIT_MS, input });
  return new Set(
    run.text.split("\n").flatMap(line => (line.endsWith(" missing") ? [line.split(" ")[0] ?? ""] : [])),
  );
}

function isPush({ command }: Change): boolean {
  return /\bgit\b[^\n]*\bpush\b/.test(command);
}

function describeStep(
  { head, refs, stashes, index, files }: GitChange,
  isPushed: boolean,
): readonly string[] {
  return [
    ...(head === undefined ? [] : [`HEAD: ${shortHead(head.after)} → ${shortHead(head.before)}`]),
    ...refs.flatMap(ref => [describeRef(ref), ...(isPushed ? describeServer(ref) : [])]),
    ...(stashes === undefined ? [] : [`stashes: ${stashes.after.length} → ${stashes.before.length}`]),
    ...(index === undefined ? [] : ["staged files as before"]),
    ...files.map(
      ({ path, before }) => `${basename(path)}: ${before.kind === "absent" ? "removed" : "restored"}`,
    ),
  ];
}

function describeRef({ name, before, after }: RefChange): string {
  const shown = (id: string | undefined) => id?.slice(0, 10) ?? "none";
  return `${nameOfRef(name)}: ${shown(after)} → ${shown(before)}`;
}

/** What was pushed stays on the server: undo changes what is local. */
function describeServer({ name, before, after }: RefChange): readonly string[] {
  const [, remote, branch] = /^refs\/remotes\/([^/]+)\/(.*)$/.exec(name) ?? [];
  if (branch === undefined || after === undefined) return [];
  const command =
    before === undefined
      ? `git push ${remote} --delete ${branch}`
      : `git push --force-with-lease=${branch}:${after.slice(0, 10)} ${remote} ${before.slice(0, 10)}:${branch}`;
  return [`the commits stay on ${remote}; to take them back there: ${command}`];
}

function nameOfRef(name: string): string {
  const found = /^refs\/(heads|tags|remotes)\/(.*)$/.exec(name);
  if (found === null) return name;
  return `${found[1] === "heads" ? "branch" : found[1] === "tags" ? "tag" : "your record of"} ${found[2]}`;
}

function shortHead(head: string): string {
  return head.startsWith("ref: ") ? nameOfRef(head.slice(5)) : head.slice(0, 10);
}

const MAX_CONFIG = 1024 * 1024;

/**
 * The settings of a repository with the sections as they were that a call changed, and all others as they are now.
 * Undefined when such a section was changed again.
 */
function mergeSections(
  system: System,
  store: Store,
  { path, before, after }: PathChange,
): PathState | undefined {
  const read = (state: PathState) => {
    const id = contentId(state);
    const bytes = id === undefined ? undefined : store.readObject(id, MAX_CONFIG);
    return bytes === undefined ? undefined : sections(system.text.decode(bytes).text);
  };
  const old = read(before);
  const left = read(after);
  const present = readText(system, path, MAX_CONFIG);
  if (old === undefined || left === undefined || present === undefined || before.kind !== "file")
    return undefined;
  const merged = sections(present);
  for (const name of new Set([...old.keys(), ...left.keys()])) {
    if (old.get(name) === left.get(name)) continue;
    if (merged.get(name) !== left.get(name) && merged.get(name) !== old.get(name)) return undefined;
    const text = old.get(name);
    if (text === undefined) merged.delete(name);
    else merged.set(name, text);
  }
  const id = store.keepBytes(system.text.encode([...merged.values()].join("")));
  return { ...before, content: { in: "store", id } };
}

/** Text by header line; a section that is written twice counts as one. */
function sections(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let name = "";
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line)) name = line.trim();
    found.set(name, (found.get(name) ?? "") + line);
  }
  return found;
}
