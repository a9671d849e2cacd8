import { findHome, readText } from "../state/index.ts";
import { isInside, join, type System } from "../system/index.ts";
import { createDisk, currentBranch, hiddenFiles, type Repository, trackedFiles } from "../workspace/index.ts";
import { convertedInTree } from "./conversions.ts";
import { describeConverted, parseStatus, readStatus, type StatusResult } from "./git-status.ts";
import { projectKey } from "./journal.ts";
import { OWN_FILES } from "./keeper.ts";
import { factsAt, isChangedSince } from "./path-state.ts";
import { MAX_OWN_BYTES, type Store, seal, unseal } from "./store.ts";
import { findFolders, type KnownFolders, NO_FOLDERS } from "./tree-folders.ts";

/**
 * Git is not asked again while nothing was touched that its answer depends on: tracked files, every folder of the tree,
 * rules of what is ignored, the index, HEAD and settings. Where the system compares files with the index itself, only those
 * that differ are looked at one by one; elsewhere all are, and in larger trees git is quicker than that.
 */
const MAX_INDEX_BYTES = 150_000;
const MAX_WATCHED = 2_000;
const MAX_UNLIKE = 50_000;
/** Rules of what is ignored may stand in any file that settings name. */
const NAMES_OTHER_FILES = /^[ \t]*(excludesfile|attributesfile|\[\s*include)/im;
/** Entries of the index have another length then. */
const HAS_OTHER_IDS = /^[ \t]*objectformat/im;
const MAX_CONFIG = 1024 * 1024;

/** Every file of it may be looked at. */
export function isSmallTree({ files }: Pick<System, "files">, { gitDirectory }: Repository): boolean {
  return (files.inspect(`${gitDirectory}/index`)?.size ?? 0) <= MAX_INDEX_BYTES;
}

interface Head {
  readonly statusLength: number;
  readonly pathsLength: number;
  /** of the index, with how much of the paths follows from it */
  readonly index: string;
  readonly trackedLength: number;
  /** the folders come last of the paths; these were left out */
  readonly foldersLength: number;
  readonly leftOut: string;
  readonly timeMs: number;
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
  if (known !== undefined && isUntouched(system, repository, known))
    return { ok: true, text: known.status, isKnown: true };
  const sinceMs = system.clock.nowMs();
  const result = await readStatus(system, top, msForGit());
  if (!result.ok) return result;
  const unlike = system.files.unlikeIndex?.(`${repository.gitDirectory}/index`, top);
  const isSameIndex =
    known !== undefined && known.head.index === system.files.stampsOf(`${repository.gitDirectory}/index`);
  const converted = await convertedInTree(
    system,
    repository,
    isSameIndex ? parseStatus(known.status).converted : undefined,
  );
  const hidden = describeHidden(system, repository, result.text, unlike);
  const text = result.text + hidden + describeConverted(converted);
  remember(store, repository, text, sinceMs, known, unlike);
  return { ok: true, text };
}

/**
 * Changed files of which git says nothing, since it was told not to look at them (`update-index --assume-unchanged`,
 * `--skip-worktree`), as it would say it. `unlike`: files that differ from the index, where that is known.
 */
function describeHidden(
  system: System,
  repository: Repository,
  status: string,
  unlike: string | undefined,
): string {
  const { top = "" } = repository;
  const told = new Set(parseStatus(status).changed.map(({ path }) => join(top, path)));
  if (unlike?.split("\0").every(path => path === "" || told.has(path)) === true) return "";
  const hidden = hiddenFiles(createDisk(system), repository) ?? [];
  return hidden
    .flatMap(({ path, mode, id, size, modifiedNs, isSkipped }) => {
      const facts = factsAt(system.files, join(top, path));
      const isAsNoted = facts?.size === size && facts.modifiedNs === modifiedNs;
      if (isSkipped ? facts === undefined : isAsNoted) return [];
      const [sign, now] = facts === undefined ? ["D", "000000"] : ["M", mode];
      return `1 .${sign} N... ${mode} ${mode} ${now} ${id} ${id} ${path}\0`;
    })
    .join("");
}

function isUntouched({ files }: System, { gitDirectory, top = "" }: Repository, known: Known): boolean {
  if (files.stampsOf(known.paths) !== known.stamps) return false;
  return (
    files.unlikeIndex === undefined ||
    files.unlikeIndex(`${gitDirectory}/index`, top) === readTrackedPaths(known)
  );
}

function readTrackedPaths({ head, paths }: Known): string {
  return paths.slice(0, head.trackedLength);
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
  unlike: string | undefined,
): void {
  const { files } = store.system;
  const { top = "", gitDirectory } = repository;
  const index = `${gitDirectory}/index`;
  const settings = settingsFiles(store, repository);
  if (settings === undefined) return;
  const stamp = files.stampsOf(index);
  const isSame = known?.head.index === stamp;
  const tracked =
    files.unlikeIndex !== undefined
      ? unlike
      : isSame && known !== undefined
        ? readTrackedPaths(known)
        : trackedPaths(store, repository);
  const found = tracked === undefined ? undefined : watchedFolders(store, top, status, known);
  if (tracked === undefined || found === undefined) return;
  const folders = found.folders.join("\0");
  const paths = [tracked, index, ...settings, ...found.rules, folders].join("\0");
  const stamps = files.stampsOf(paths);
  const all = stamps.split("\n");
  const isTooMany = all.length > (files.unlikeIndex === undefined ? MAX_WATCHED : MAX_UNLIKE);
  if (isTooMany || all.some(one => isChangedSince(one, sinceMs))) return;
  const head: Head = {
    statusLength: status.length,
    pathsLength: paths.length,
    index: stamp,
    trackedLength: tracked.length,
    foldersLength: folders.length,
    leftOut: found.leftOut,
    timeMs: sinceMs,
  };
  store.replace(knownPath(store, top), `${seal(head)}\n${status}${paths}${stamps}`);
}

function trackedPaths(store: Store, repository: Repository): string | undefined {
  const { top = "" } = repository;
  if (!isSmallTree(store.system, repository)) return undefined;
  const found = trackedFiles(createDisk(store.system), repository);
  if (found === undefined) return undefined;
  const paths = [...found.keys()];
  // A name that is no UTF-8 cannot be looked at, and a folder that stands for all of its files says nothing of them.
  if (paths.some(path => path.includes("\ufffd") || path.endsWith("/"))) return undefined;
  return paths.map(path => join(top, path)).join("\0");
}

/** Files outside the tree that git reads; undefined where they name others. */
function settingsFiles(store: Store, repository: Repository): readonly string[] | undefined {
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
  const texts = configs.map(path => readText(system, path, MAX_CONFIG) ?? "");
  if (texts.some(text => NAMES_OTHER_FILES.test(text) || HAS_OTHER_IDS.test(text))) return undefined;
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

interface WatchedFolders {
  readonly folders: readonly string[];
  /** files with rules that git does not track; those that it tracks are watched like others */
  readonly rules: readonly string[];
  readonly leftOut: string;
}

/** Every folder in which git looks for files; undefined when there are too many. Only touched ones are listed anew. */
function watchedFolders(
  { root, system: { files } }: Store,
  top: string,
  status: string,
  known: Known | undefined,
): WatchedFolders | undefined {
  const { ignored, nested, untracked } = parseStatus(status);
  const left = [...ignored.filter(path => path.endsWith("/")), ...nested].map(path => join(top, path));
  const leftOut = left.join("\0");
  const isLeft = new Set(left);
  let count = 0;
  let isWhole = true;
  const found = findFolders(files, top, known?.head.leftOut === leftOut ? knownFolders(known) : NO_FOLDERS, {
    // What the hooks write there is left out everywhere.
    isLeftOut: path => isLeft.has(path) || path.endsWith(OWN_FILES) || isInside(root, path),
    fail() {
      isWhole = false;
    },
    isLate: () => ++count > MAX_WATCHED,
  });
  if (!isWhole || found.length > MAX_WATCHED) return undefined;
  const rules = [...untracked, ...ignored].filter(path => /(^|\/)\.git(ignore|attributes)$/.test(path));
  return { folders: found.map(({ path }) => path), rules: rules.map(path => join(top, path)), leftOut };
}

function knownFolders({ head, paths, stamps }: Known): KnownFolders {
  const folders = paths.slice(paths.length - head.foldersLength).split("\0");
  const all = stamps.split("\n").slice(-folders.length);
  const state = { kind: "directory", mode: 0, modifiedNs: "0" } as const;
  return {
    seen: new Map(folders.map((path, at) => [path, { path, state, stamp: all[at] ?? "" }])),
    timeMs: head.timeMs,
  };
}

function knownPath(store: Store, top: string): string {
  return store.path("seen", `${projectKey(store, top)}.status`);
}
