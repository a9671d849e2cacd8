import {
  ancestors,
  basename,
  dirname,
  type Files,
  hasErrorCode,
  isInside,
  relative,
  removeTree,
} from "../system/index.ts";
import type { Change, FileState, PathState } from "./change.ts";
import { type HistoryContext, tryDigest } from "./context.ts";
import { hashWithGit } from "./git-status.ts";
import { contentId, factsAt } from "./path-state.ts";
import { filteredPaths, type GitOptions, runGit, withoutTree } from "./run-git.ts";
import type { Store } from "./store.ts";

const GIT_MS = 10_000;

/** The bytes of a file as it was: from the store, from git, or from the disk where it is still the same. */
export async function readContent(
  { store, system }: HistoryContext,
  path: string,
  { content }: FileState,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  if (content.in === "nowhere") return undefined;
  if (content.in === "git") {
    const args = ["cat-file", "--filters", `--path=${path.slice(content.repository.length + 1)}`, content.id];
    const run = await runGit(system, args, { ...withoutTree(content.gitDirectory), timeoutMs: GIT_MS });
    return run.isOk && run.stdout.length <= limitBytes ? run.stdout : undefined;
  }
  try {
    const kept = store.readObject(content.id, limitBytes);
    if (kept !== undefined) return kept;
    if (factsAt(system.files, path)?.kind !== "file" || tryDigest(system, path) !== content.id)
      return undefined;
    return system.files.read(path, limitBytes);
  } catch (error) {
    if (hasErrorCode(error, "EFBIG")) return undefined;
    throw error;
  }
}

/** A person waits for it, and sees that it goes on. */
const CHECKOUT_MS = 15 * 60_000;

/** A file whose content is an object of git. */
export interface InGit {
  readonly path: string;
  readonly state: FileState;
}

type Source = Extract<FileState["content"], { readonly in: "git" }>;
type Wanted = Source & { readonly path: string; readonly mode: number };

const GONE_FROM_GIT = "git no longer has its content; git fsck --lost-found may find it";

function byRepository(files: Iterable<InGit>): ReadonlyMap<string, readonly Wanted[]> {
  const found = new Map<string, Map<string, Wanted>>();
  for (const { path, state } of files) {
    const { content, mode } = state;
    if (content.in !== "git" || !isInside(content.repository, path)) continue;
    const wanted = found.get(content.repository) ?? new Map<string, Wanted>();
    found.set(content.repository, wanted.set(contentKey(content.id, path), { ...content, path, mode }));
  }
  return new Map([...found].map(([repository, wanted]) => [repository, [...wanted.values()]]));
}

/** Files of git's attributes that changes wrote or removed, as they were before. */
export type FormerAttributes = ReadonlyMap<string, PathState>;

/** Newest first: the oldest of the changes tells what was there. */
export function formerAttributes(changes: readonly Pick<Change, "files">[]): FormerAttributes {
  const files = changes.flatMap(change => change.files);
  return new Map(
    files.flatMap(({ path, before }) => (basename(path) === ATTRIBUTES ? [[path, before] as const] : [])),
  );
}

const ATTRIBUTES = ".gitattributes";

function contentKey(id: string, path: string): string {
  return `${id}\0${path}`;
}

/**
 * Brings content that is in git's objects into the store, as git would write it to the disk: line endings applied.
 * Nothing of the repository is written: the files are checked out from an index of our own, elsewhere.
 */
export async function bringFromGit(
  store: Store,
  files: Iterable<InGit>,
  former: FormerAttributes,
): Promise<(path: string, state: PathState) => PathState> {
  const found = new Map<string, string>();
  for (const [repository, wanted] of byRepository(files)) {
    // Versions of one path are checked out one after the other.
    for (let rest = wanted; rest.length > 0; ) {
      const versions = new Map(rest.map(one => [one.path, one]));
      const now = [...versions.values()];
      rest = rest.filter(one => versions.get(one.path) !== one);
      const directory = store.temporaryPath();
      store.system.files.makeDirectory(directory, 0o700);
      try {
        await checkOut(store, repository, now, directory, former);
        for (const { path, id } of now) {
          const written = `${directory}/${relative(repository, path)}`;
          const facts = store.system.files.inspect(written);
          if (facts?.kind === "file") found.set(contentKey(id, path), store.keepFile(written, facts.size));
        }
      } finally {
        removeTree(store.system.files, directory);
      }
    }
  }
  return (path, state) => {
    if (state.kind !== "file" || state.content.in !== "git") return state;
    const id = found.get(contentKey(state.content.id, path));
    return {
      ...state,
      content: id === undefined ? { in: "nowhere", why: GONE_FROM_GIT } : { in: "store", id },
    };
  };
}

/** Paths of these whose files are not what git writes there. A conversion that cannot be reversed is done again. */
export async function differFromGit(
  store: Store,
  files: readonly InGit[],
  former: FormerAttributes,
): Promise<readonly string[]> {
  const ids = new Map<string, string>();
  for (const [repository, wanted] of byRepository(files)) {
    const paths = wanted.map(({ path }) => path);
    for (const one of await hashWithGit(store.system, repository, paths, CHECKOUT_MS)) ids.set(...one);
  }
  const unequal = files.filter(({ path, state: { content } }) => {
    return content.in !== "git" || ids.get(path) !== content.id;
  });
  const bring = await bringFromGit(store, unequal, former);
  return unequal.flatMap(({ path, state }) => {
    const id = contentId(bring(path, state));
    return id !== undefined && tryDigest(store.system, path) === id ? [] : path;
  });
}

/** By path, why git cannot give the content any more. One process for each repository. */
export async function missingInGit(
  store: Store,
  files: Iterable<InGit>,
  former: FormerAttributes,
): Promise<ReadonlyMap<string, string>> {
  const { system } = store;
  const missing = new Map<string, string>();
  for (const [repository, wanted] of byRepository(files)) {
    const names = wanted.map(({ path }) => relative(repository, path));
    const isThere = system.files.follow(repository)?.kind === "directory";
    const filtered = isThere
      ? await inOwnIndex(store, repository, wanted, former, options => filteredPaths(system, names, options))
      : [];
    for (const name of filtered)
      missing.set(
        `${repository}/${name}`,
        `a filter of the repository makes its content: git checkout -- ${name}`,
      );
    const ids = [...new Set(wanted.map(({ id }) => id))];
    // Asked for the name alone, git does not open the objects.
    const run = await runGit(system, ["cat-file", "--buffer", "--batch-check=%(objectname)"], {
      ...withoutTree(wanted[0]?.gitDirectory ?? ""),
      timeoutMs: CHECKOUT_MS,
      input: `${ids.join("\n")}\n`,
    });
    const there = new Set(run.text.split("\n"));
    for (const { id, path } of wanted) if (!there.has(id)) missing.set(path, GONE_FROM_GIT);
  }
  return missing;
}

/** Where a repository's files are written before they take their places: on the same disk, where that is possible. */
export function checkOutPlace(store: Store, repository: string, mark: string): string {
  const isThere = store.system.files.inspect(repository)?.kind === "directory";
  return isThere ? `${repository}/.amplihack-undo.${mark}.tmp` : store.temporaryPath();
}

/** By path, the file or folder to be renamed there. The directories are the caller's to remove. */
export async function checkOutBeside(
  store: Store,
  mark: string,
  files: readonly InGit[],
  former: FormerAttributes,
): Promise<{ readonly sources: ReadonlyMap<string, string>; readonly directories: readonly string[] }> {
  const sources = new Map<string, string>();
  const directories: string[] = [];
  for (const [repository, wanted] of byRepository(files)) {
    const directory = checkOutPlace(store, repository, mark);
    store.system.files.makeDirectory(directory, 0o700);
    directories.push(directory);
    await checkOut(store, repository, wanted, directory, former);
    const add = (path: string) => {
      if (path === repository || sources.has(path)) return;
      sources.set(path, `${directory}/${relative(repository, path)}`);
      add(dirname(path));
    };
    for (const { path } of wanted) add(path);
  }
  return { sources, directories };
}

/** Writes files of git below a directory of our own. */
async function checkOut(
  store: Store,
  repository: string,
  wanted: readonly Wanted[],
  directory: string,
  former: FormerAttributes,
): Promise<void> {
  const { system } = store;
  await inOwnIndex(store, repository, wanted, former, async options => {
    const all = wanted.map(({ path }) => relative(repository, path));
    const filtered = await filteredPaths(system, all, options);
    const names = all.flatMap(name => (filtered.has(name) ? [] : [`${name}\0`])).join("");
    const args = ["checkout-index", "-z", "--stdin", "-f", `--prefix=${directory}/`];
    await runGit(system, args, { ...options, input: names });
  });
}

/**
 * Uses an index of our own with the wanted files, where git's attributes are those of the time from which the files are:
 * line endings depend on them, and what changed the files may have changed them too.
 */
async function inOwnIndex<T>(
  store: Store,
  repository: string,
  wanted: readonly Wanted[],
  former: FormerAttributes,
  use: (options: GitOptions) => Promise<T>,
): Promise<T> {
  const { system } = store;
  const { files } = system;
  const indexFile = `${store.temporaryPath()}.index`;
  const isThere = files.follow(repository)?.kind === "directory";
  const isChanged = [...former.keys()].some(path => isInside(repository, path));
  const tree = isThere && !isChanged ? repository : store.temporaryPath();
  try {
    if (tree !== repository) files.makeDirectory(tree, 0o700);
    const ofGit = tree === repository ? [] : placeAttributes(store, repository, wanted, former, tree);
    const entries = [...wanted, ...ofGit].map(({ path, id, mode }) => {
      const kind = (mode & 0o100) === 0 ? "100644" : "100755";
      return `${kind} ${id}\t${relative(repository, path)}\0`;
    });
    const options = {
      cwd: tree,
      timeoutMs: CHECKOUT_MS,
      env: { GIT_INDEX_FILE: indexFile, GIT_DIR: wanted[0]?.gitDirectory ?? "", GIT_WORK_TREE: tree },
    };
    await runGit(system, ["update-index", "-z", "--index-info"], { ...options, input: entries.join("") });
    return await use(options);
  } finally {
    if (tree !== repository) removeTree(files, tree);
    for (const path of [indexFile, `${indexFile}.lock`]) if (files.inspect(path)) files.remove(path);
  }
}

/**
 * Puts the files of attributes that govern the wanted paths into a tree of our own: those that stand there still, and of
 * the others the former ones. Those that git has are returned: git reads them from its index.
 */
function placeAttributes(
  store: Store,
  repository: string,
  wanted: readonly Wanted[],
  former: FormerAttributes,
  tree: string,
): readonly Pick<Wanted, "path" | "id" | "mode">[] {
  const { files } = store.system;
  const folders = new Set(
    wanted.flatMap(({ path }) => ancestors(dirname(path)).filter(each => isInside(repository, each))),
  );
  const ofGit: Pick<Wanted, "path" | "id" | "mode">[] = [];
  for (const folder of folders) {
    const path = `${folder}/${ATTRIBUTES}`;
    const state = former.get(path);
    if (state?.kind === "file" && state.content.in === "git") {
      ofGit.push({ path, id: state.content.id, mode: state.mode });
      continue;
    }
    const kept = state === undefined ? undefined : contentId(state);
    const from = kept === undefined ? path : store.objectPath(kept);
    if ((state !== undefined && kept === undefined) || files.inspect(from)?.kind !== "file") continue;
    const to = `${tree}/${relative(repository, path)}`;
    files.makeDirectory(dirname(to), 0o700);
    files.copy(from, to, 0o600);
  }
  return ofGit;
}

/** Removes a directory of our own with everything in it; one into which somebody writes meanwhile stays. */
export function removeFolder(files: Files, top: string): void {
  removeTree(files, top, error => {
    if (!hasErrorCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  });
}
