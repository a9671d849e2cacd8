import { findHome, readText } from "../state/index.ts";
import { isInside, join, type System } from "../system/index.ts";
import { createDisk, currentBranch, type Repository, trackedFiles } from "../workspace/index.ts";
import { parseStatus, readStatus, type StatusResult } from "./git-status.ts";
import { projectKey } from "./journal.ts";
import { OWN_FILES } from "./keeper.ts";
import { isChangedSince } from "./path-state.ts";
import { MAX_OWN_BYTES, type Store, seal, unseal } from "./store.ts";
import { isGitEntry, walkTree } from "./walk.ts";

/**
 * Git is not asked again while nothing was touched that its answer depends on: the tracked files, every folder of the
 * tree, rules of what is ignored, the index, HEAD and settings. In larger trees git is quicker than a look at all of that.
 */
const MAX_INDEX_BYTES = 150_000;
const MAX_WATCHED = 2_000;
/** Rules of what is ignored may stand in any file that settings name. */
const NAMES_OTHER_FILES = /^[ \t]*(excludesfile|attributesfile|\[\s*include)/im;
const MAX_CONFIG = 1024 * 1024;

/** Git's answer is remembered here. */
export function isSmallTree({ files }: Pick<System, "files">, { gitDirectory }: Repository): boolean {
  return (files.inspect(`${gitDirectory}/index`)?.size ?? 0) <= MAX_INDEX_BYTES;
}

interface Head {
  readonly statusLength: number;
  readonly pathsLength: number;
  /** of the index, with how much of the paths follows from it */
  readonly index: string;
  readonly trackedLength: number;
}

/** `msForGit` is asked only when git has to be started. `isKnown`: nothing was touched since git said so. */
export async function readKnownStatus(
  store: Store,
  repository: Repository,
  msForGit: () => number,
): Promise<StatusResult & { readonly isKnown?: boolean }> {
  const { top = "" } = repository;
  const { system } = store;
  const known = readKnown(store, top);
  if (known !== undefined && system.files.stampsOf(known.paths) === known.stamps)
    return { ok: true, text: known.status, isKnown: true };
  const sinceMs = system.clock.nowMs();
  const result = await readStatus(system, top, msForGit());
  if (result.ok) remember(store, repository, result.text, sinceMs, known);
  return result;
}

interface Known {
  readonly head: Head;
  readonly status: string;
  readonly paths: string;
  readonly stamps: string;
}

/** The file holds a head, the words of git, the paths, and the stamps of these. */
function readKnown(store: Store, top: string): Known | undefined {
  const text = readText(store.system, knownPath(store, top), MAX_OWN_BYTES) ?? "";
  const end = text.indexOf("\n");
  const head = end < 0 ? undefined : unseal<Head>(text.slice(0, end));
  if (head === undefined) return undefined;
  const pathsAt = end + 1 + head.statusLength;
  const stampsAt = pathsAt + head.pathsLength;
  return {
    head,
    status: text.slice(end + 1, pathsAt),
    paths: text.slice(pathsAt, stampsAt),
    stamps: text.slice(stampsAt),
  };
}

function remember(
  store: Store,
  repository: Repository,
  status: string,
  sinceMs: number,
  known: Known | undefined,
): void {
  const { files } = store.system;
  const { top = "", gitDirectory } = repository;
  const index = `${gitDirectory}/index`;
  if (!isSmallTree(store.system, repository)) return;
  const settings = settingsOf(store, repository);
  const folders = settings === undefined ? undefined : foldersOf(store, top, status);
  if (settings === undefined || folders === undefined) return;
  const stamp = files.stampsOf(index);
  const tracked =
    known?.head.index === stamp
      ? known.paths.slice(0, known.head.trackedLength)
      : trackedPaths(store, repository);
  if (tracked === undefined) return;
  const paths = [tracked, index, ...settings, ...folders].join("\0");
  const stamps = files.stampsOf(paths);
  const all = stamps.split("\n");
  if (all.length > MAX_WATCHED || all.some(one => isChangedSince(one, sinceMs))) return;
  const head: Head = {
    statusLength: status.length,
    pathsLength: paths.length,
    index: stamp,
    trackedLength: tracked.length,
  };
  store.replace(knownPath(store, top), `${seal(head)}\n${status}${paths}${stamps}`);
}

function trackedPaths(store: Store, repository: Repository): string | undefined {
  const { top = "" } = repository;
  const found = trackedFiles(createDisk(store.system), repository);
  if (found === undefined) return undefined;
  const paths = [...found.keys()];
  // A name that is no UTF-8 cannot be looked at, and a folder that stands for all of its files says nothing of them.
  if (paths.some(path => path.includes("\ufffd") || path.endsWith("/"))) return undefined;
  return paths.map(path => join(top, path)).join("\0");
}

/** Files outside the tree that git reads; undefined where they name others. */
function settingsOf(store: Store, repository: Repository): readonly string[] | undefined {
  const { system } = store;
  const { gitDirectory, commonDirectory } = repository;
  const home = findHome(system) ?? "/";
  const general = `${system.env.get("XDG_CONFIG_HOME") ?? `${home}/.config`}/git`;
  const configs = [
    "/etc/gitconfig",
    `${home}/.gitconfig`,
    `${general}/config`,
    `${commonDirectory}/config`,
    `${gitDirectory}/config.worktree`,
  ];
  if (configs.some(path => NAMES_OTHER_FILES.test(readText(system, path, MAX_CONFIG) ?? "")))
    return undefined;
  const branch = currentBranch(createDisk(system), repository);
  return [
    ...configs,
    `${general}/ignore`,
    `${general}/attributes`,
    ...[
      "info/exclude",
      "info/attributes",
      "packed-refs",
      ...(branch === undefined ? [] : [`refs/heads/${branch}`]),
    ].map(name => `${commonDirectory}/${name}`),
    ...["HEAD", "info/sparse-checkout"].map(name => `${gitDirectory}/${name}`),
  ];
}

/** Every folder in which git looks for files, and the rules in them; undefined when there are too many. */
function foldersOf(store: Store, top: string, status: string): readonly string[] | undefined {
  const { ignored, nested } = parseStatus(status);
  const left = new Set(
    [...ignored.filter(path => path.endsWith("/")), ...nested].map(path => join(top, path)),
  );
  const found = [top];
  let isWhole = true;
  walkTree(store.system.files, top, {
    visit(path, { kind }) {
      if (kind === "directory") {
        // What the hooks write there is left out everywhere.
        if (isGitEntry(path) || left.has(path) || path.endsWith(OWN_FILES) || isInside(store.root, path))
          return false;
        found.push(path);
        return true;
      }
      if (path.endsWith("/.gitignore") || path.endsWith("/.gitattributes")) found.push(path);
      return false;
    },
    fail() {
      isWhole = false;
    },
    isLate: () => found.length > MAX_WATCHED,
  });
  return isWhole && found.length <= MAX_WATCHED ? found : undefined;
}

function knownPath(store: Store, top: string): string {
  return store.path("seen", `${projectKey(store, top)}.status`);
}
