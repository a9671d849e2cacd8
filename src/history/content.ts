import { type Files, hasErrorCode, isInside, relative } from "../system/index.ts";
import type { Change, FileState, PathState } from "./change.ts";
import { digestOf, type HistoryContext } from "./context.ts";
import { factsAt } from "./path-state.ts";
import { runGit, withoutTree } from "./run-git.ts";
import type { Store } from "./store.ts";
import { walkTree } from "./walk.ts";

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
    if (factsAt(system.files, path)?.kind !== "file" || digestOf(system, path) !== content.id)
      return undefined;
    return system.files.read(path, limitBytes);
  } catch (error) {
    if (hasErrorCode(error, "EFBIG")) return undefined;
    throw error;
  }
}

const CHECKOUT_MS = 60_000;

interface Wanted {
  readonly gitDirectory: string;
  readonly path: string;
  readonly id: string;
  readonly mode: number;
}

/**
 * Brings content that is in git's objects into the store, as git would write it to the disk: line endings and filters
 * applied. Nothing of the repository is written: the files are checked out from an index of our own, elsewhere.
 */
export async function bringFromGit(
  store: Store,
  changes: readonly Change[],
): Promise<(path: string, state: PathState) => PathState> {
  const byRepository = new Map<string, Map<string, Wanted>>();
  const want = (path: string, state: PathState) => {
    if (state.kind !== "file" || state.content.in !== "git") return;
    const { id, repository, gitDirectory } = state.content;
    if (!isInside(repository, path)) return;
    const wanted = byRepository.get(repository) ?? new Map<string, Wanted>();
    byRepository.set(repository, wanted.set(`${id}\0${path}`, { path, id, mode: state.mode, gitDirectory }));
  };
  for (const { files } of changes) for (const { path, before } of files) want(path, before);
  const found = new Map<string, string>();
  for (const [repository, wanted] of byRepository)
    for (const [key, id] of await checkOut(store, repository, [...wanted.values()])) found.set(key, id);
  return (path, state) => {
    if (state.kind !== "file" || state.content.in !== "git") return state;
    const id = found.get(`${state.content.id}\0${path}`);
    const why = "git no longer has its content";
    return { ...state, content: id === undefined ? { in: "nowhere", why } : { in: "store", id } };
  };
}

/** Object ids of the store by git's object and path. Versions of one path are checked out one after the other. */
async function checkOut(
  store: Store,
  repository: string,
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let rest = wanted;
  while (rest.length > 0) {
    const paths = new Set<string>();
    const now = rest.filter(({ path }) => !paths.has(path) && paths.add(path));
    rest = rest.filter(one => !now.includes(one));
    await checkOutOnce(store, repository, now, found);
  }
  return found;
}

async function checkOutOnce(
  store: Store,
  repository: string,
  wanted: readonly Wanted[],
  found: Map<string, string>,
): Promise<void> {
  const { system } = store;
  const directory = store.temporaryPath();
  const indexFile = `${directory}.index`;
  system.files.makeDirectory(directory, 0o700);
  try {
    const isThere = system.files.follow(repository)?.kind === "directory";
    const env = {
      GIT_INDEX_FILE: indexFile,
      GIT_DIR: wanted[0]?.gitDirectory ?? "",
      GIT_WORK_TREE: isThere ? repository : directory,
    };
    const options = { cwd: isThere ? repository : directory, timeoutMs: CHECKOUT_MS, env };
    const entries = wanted.map(({ path, id, mode }) => {
      const kind = (mode & 0o100) === 0 ? "100644" : "100755";
      return `${kind} ${id}\t${relative(repository, path)}\0`;
    });
    await runGit(system, ["update-index", "-z", "--index-info"], { ...options, input: entries.join("") });
    const names = wanted.map(({ path }) => `${relative(repository, path)}\0`).join("");
    const args = ["checkout-index", "-z", "--stdin", "-f", `--prefix=${directory}/`];
    await runGit(system, args, { ...options, input: names });
    for (const { path, id } of wanted) {
      const written = `${directory}/${relative(repository, path)}`;
      const facts = system.files.inspect(written);
      if (facts?.kind === "file") found.set(`${id}\0${path}`, store.keepFile(written, facts.size));
    }
  } finally {
    removeTree(system.files, directory);
    for (const path of [indexFile, `${indexFile}.lock`])
      if (system.files.inspect(path)) system.files.remove(path);
  }
}

/** Removes a directory of our own with everything in it. */
export function removeTree(files: Files, top: string): void {
  const directories: string[] = [top];
  walkTree(files, top, {
    visit(path, { kind }) {
      if (kind === "directory") directories.push(path);
      else files.remove(path);
      return true;
    },
    fail() {
      // What cannot be listed cannot be removed either; the removal below tells.
    },
    isLate: () => false,
  });
  for (const directory of directories.sort((one, other) => other.length - one.length)) {
    try {
      files.removeDirectory(directory);
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
    }
  }
}
