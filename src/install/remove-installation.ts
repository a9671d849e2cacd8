import { isWrapper } from "../programs/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { basename, dirname, hasErrorCode, join, type System } from "../system/index.ts";
import { removeEmptyDirectories } from "./file-edit.ts";
import { hashBytes } from "./hash.ts";
import type { Manifest } from "./manifest.ts";
import type { ManifestWriter } from "./manifest-writer.ts";
import { manifestPath, programFolder, versionStampPath } from "./places.ts";
import { removeTree } from "./remove-tree.ts";
import { removeGenerated, restoreFile, restoreProfile } from "./restore-file.ts";

export interface RemovalOptions {
  readonly isDataKept: boolean;
  readonly isPurging: boolean;
  readonly isForced: boolean;
}

const PROGRAMS = ["amplihack-hooks", "amplihack"];
const PROGRAM_BYTES = 256 * 1024 * 1024;
/** What running hooks leave behind: of no use without them. */
const RUN_TIME_DATA = [".claude/runtime", "cache", ".claude/shims"];
const RUN_LOG = /^runs\.jsonl(\.\d+)?$/;
/** What the user may want to have again. */
const LASTING_DATA = [
  "memory.db",
  "memory.db-wal",
  "memory.db-shm",
  "history",
  "guard",
  "recipes",
  "logs",
  "config.jsonc",
];

/** Whether memory, history, configuration or logs are still there. */
export function hasLastingData({ files }: System, { stateHome }: UserDirectories): boolean {
  return LASTING_DATA.some(name => files.inspect(join(stateHome, name)) !== undefined);
}

/** Removes what is left once no host is registered any more. What a person changed stays and is named. */
export function removeInstallation(
  system: System,
  places: UserDirectories,
  { manifest }: ManifestWriter,
  options: RemovalOptions,
): { readonly removed: readonly string[]; readonly kept: readonly string[] } {
  const { files } = system;
  const kept: string[] = [];
  const removed: string[] = [];
  for (const [path, record] of Object.entries(manifest.edited_files)) {
    if (record.host !== null) continue;
    const restoration =
      record.kind === "profile" ? restoreProfile(system, path, record) : removeGenerated(path, record);
    const { change, keptAs } = restoreFile(system, restoration, options);
    if (change.isChanged) removed.push(record.kind === "profile" ? `${path} (our block)` : path);
    if (keptAs !== undefined) kept.push(keptAs);
  }
  for (const path of ownFiles(system, places, manifest)) {
    if (isUntouched(system, places, manifest, path) || options.isForced) {
      files.remove(path);
      removed.push(path);
    } else {
      kept.push(path);
    }
  }
  for (const path of dataOf(system, places, manifest, options)) {
    removeTree(system, path);
    removed.push(path);
  }
  if (files.inspect(manifestPath(places)) !== undefined) files.remove(manifestPath(places));
  const made = Object.values(manifest.edited_files).flatMap(record => record.created_dirs);
  const folders = [
    ...made,
    ...manifest.dirs.map(name => join(places.stateHome, name)),
    programFolder(places),
  ];
  removeEmptyDirectories(system, [
    ...folders,
    join(places.stateHome, "versions"),
    join(places.stateHome, "logs"),
  ]);
  return { removed, kept };
}

/** The same list, without removing anything. */
export function listInstallation(
  system: System,
  places: UserDirectories,
  manifest: Manifest,
  options: RemovalOptions,
): readonly string[] {
  const own = ownFiles(system, places, manifest).filter(path => isUntouched(system, places, manifest, path));
  const isInstalled = own.length > 0 || options.isPurging || manifest.hosts.length > 0;
  return isInstalled ? [...own, ...dataOf(system, places, manifest, options)] : [];
}

/** Files of ours as a whole that are there; only in places where an installation puts them. */
function ownFiles({ files }: System, places: UserDirectories, manifest: Manifest): readonly string[] {
  const staged = PROGRAMS.map(name => join(programFolder(places), name));
  const assets = manifest.files.map(name => join(places.stateHome, name));
  const found = new Set([...assets, ...staged, ...userCommands(places, manifest), versionStampPath(places)]);
  return [...found].filter(path => files.inspect(path)?.kind === "file");
}

/** Commands for the user's shell; nothing but these two names, in this one folder. */
function userCommands({ home }: UserDirectories, { binaries }: Manifest): readonly string[] {
  const folder = join(home, ".local", "bin");
  return binaries.filter(path => dirname(path) === folder && PROGRAMS.includes(basename(path)));
}

function isUntouched(system: System, places: UserDirectories, manifest: Manifest, path: string): boolean {
  if (path === versionStampPath(places)) return true;
  const bytes = readBytes(system, path);
  if (bytes === undefined) return false;
  const name = path.startsWith(`${places.stateHome}/`) ? path.slice(places.stateHome.length + 1) : path;
  const recorded = manifest.sha256[path] ?? manifest.sha256[name];
  if (recorded !== undefined && hashBytes(bytes) === recorded) return true;
  return PROGRAMS.includes(basename(path)) && isWrapper(system.text.decode(bytes).text);
}

function readBytes({ files }: System, path: string): Uint8Array | undefined {
  try {
    return files.read(path, PROGRAM_BYTES);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function dataOf(
  { files }: System,
  { stateHome }: UserDirectories,
  manifest: Manifest,
  { isDataKept, isPurging }: RemovalOptions,
): readonly string[] {
  const versions = manifest.dirs.filter(name => /^versions\/[\w.+-]+$/.test(name));
  const logs = join(stateHome, "logs");
  const runLogs =
    files.inspect(logs)?.kind === "directory"
      ? files
          .list(logs)
          .filter(name => RUN_LOG.test(name))
          .map(name => join("logs", name))
      : [];
  const names = [
    ...versions,
    ...(isDataKept && !isPurging ? [] : [...RUN_TIME_DATA, ...runLogs]),
    ...(isPurging ? LASTING_DATA : []),
  ];
  return [...new Set(names)]
    .map(name => join(stateHome, name))
    .filter(path => files.inspect(path) !== undefined);
}
