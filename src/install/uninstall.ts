import { type HostId, type InstallScope, resolveHost } from "../hosts/index.ts";
import { isWrapper } from "../programs/index.ts";
import {
  FileLock,
  ifPresent,
  Problem,
  requireDirectories,
  runtimeFolders,
  type UserDirectories,
} from "../state/index.ts";
import { basename, dirname, isInside, join, removeTree, type System } from "../system/index.ts";
import {
  describeProblem,
  type FileChange,
  hashBytes,
  removeEmptyDirectories,
  unifiedDiff,
} from "./file-edit.ts";
import { findRegistrations } from "./hook-entries.ts";
import type { PlannedChange } from "./install-report.ts";
import { emptyManifest, type HostRecord, type Manifest, ManifestWriter, readManifest } from "./manifest.ts";
import type { ServerFile } from "./mcp-entries.ts";
import { findServerFiles, planWithoutServers, unregisterServers } from "./mcp-servers.ts";
import { manifestPath, programFolder, versionStampPath } from "./package.ts";
import { removeBundle } from "./stage.ts";
import { type RegistrationTarget, targetAt } from "./targets.ts";
import {
  matchesTarget,
  planUnregister,
  removeGenerated,
  restoreFile,
  restoreProfile,
  unregisterTarget,
} from "./unregister.ts";

interface RemovalOptions {
  readonly isDataKept: boolean;
  readonly isPurging: boolean;
  readonly isForced: boolean;
}

const PROGRAMS = ["amplihack-hooks", "amplihack", "amplihack-sandbox"];
const PROGRAM_BYTES = 256 * 1024 * 1024;
/** What running hooks leave behind: of no use without them. */
const RUN_TIME_DATA = [
  ".claude/runtime",
  "runtime",
  "cache",
  ".claude/shims",
  "sandbox/layers.json",
  "sandbox/calls",
  "sandbox/notices",
];
const RUN_LOG = /^runs\.jsonl(\.\d+)?$/;
/** What the user may want to have again. What stays also after a purge is what a person made: hooks, worktrees, plugins. */
const LASTING_DATA = [
  "hooks/.build",
  "hooks/.types",
  "hooks/.state",
  "hooks/.trusted.json",
  "memory.db",
  "memory.db-wal",
  "memory.db-shm",
  "memory-sync.json",
  "memory-sync.lock",
  "history",
  "guard",
  "usage",
  "recipes",
  "session-trees",
  "multitask",
  "protection",
  "sandbox",
  "mcp",
  "ship",
  "server.json",
  "questions",
  "logs",
  "config.jsonc",
];

/** Whether memory, history, configuration or logs are still there. */
export function hasLastingData({ files }: System, { stateHome }: UserDirectories): boolean {
  return LASTING_DATA.some(name => files.inspect(join(stateHome, name)) !== undefined);
}

/** Removes what is left once no host is registered any more. What a person changed stays and is named. */
function removeInstallation(
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
  const data = findUserData(system, places, manifest, options);
  for (const path of data) {
    removeTree(system.files, path);
    removed.push(path);
  }
  // A folder of a project that held nothing else.
  removeEmptyDirectories(
    system,
    data.filter(path => !isInside(places.stateHome, path)).map(path => dirname(path)),
  );
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
    join(places.stateHome, "sandbox"),
    join(places.stateHome, "hooks"),
  ]);
  return { removed, kept };
}

/** The same list, without removing anything. */
function listInstallation(
  system: System,
  places: UserDirectories,
  manifest: Manifest,
  options: RemovalOptions,
): readonly string[] {
  const own = ownFiles(system, places, manifest).filter(path => isUntouched(system, places, manifest, path));
  const isInstalled = own.length > 0 || options.isPurging || manifest.hosts.length > 0;
  return isInstalled ? [...own, ...findUserData(system, places, manifest, options)] : [];
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
  const bytes = ifPresent(() => system.files.read(path, PROGRAM_BYTES));
  if (bytes === undefined) return false;
  const name = path.startsWith(`${places.stateHome}/`) ? path.slice(places.stateHome.length + 1) : path;
  const recorded = manifest.sha256[path] ?? manifest.sha256[name];
  if (recorded !== undefined && hashBytes(bytes) === recorded) return true;
  return PROGRAMS.includes(basename(path)) && isWrapper(system.text.decode(bytes).text);
}

function findUserData(
  system: System,
  { stateHome }: UserDirectories,
  manifest: Manifest,
  { isDataKept, isPurging }: RemovalOptions,
): readonly string[] {
  const { files } = system;
  const isCleared = !isDataKept || isPurging;
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
    ...(isCleared ? [...RUN_TIME_DATA, ...runLogs] : []),
    ...(isPurging ? LASTING_DATA : []),
  ];
  const own = [...new Set(names)]
    .filter(name => !names.some(other => name.startsWith(`${other}/`)))
    .map(name => join(stateHome, name))
    .filter(path => files.inspect(path) !== undefined);
  return isCleared ? [...runtimeFolders(system, stateHome), ...own] : own;
}

export interface UninstallRequest {
  /** all when absent */
  readonly hosts: readonly HostId[] | undefined;
  readonly scope: InstallScope | undefined;
  readonly isBackupWanted: boolean;
  readonly isDryRun: boolean;
  readonly isDataKept: boolean;
  readonly isPurging: boolean;
  readonly isForced: boolean;
}

interface UninstalledHost {
  readonly host: HostId;
  readonly scope: InstallScope;
  readonly status: "removed" | "unchanged" | "failed";
  readonly settings_path: string;
  readonly reason?: string;
}

export interface UninstallReport {
  readonly success: boolean;
  readonly dry_run: boolean;
  /** false when there was nothing to uninstall */
  readonly was_installed: boolean;
  readonly hosts: readonly UninstalledHost[];
  readonly removed: readonly string[];
  /** files that were changed by hand and stay */
  readonly kept: readonly string[];
  readonly warnings: readonly string[];
  readonly changes: readonly PlannedChange[];
}

const LOCK_TIMEOUT_MS = 60_000;

/** Removes what installations wrote, as far as it was asked for. */
export async function uninstall(system: System, request: UninstallRequest): Promise<UninstallReport> {
  const places = requireDirectories(system);
  if (request.isDryRun) return preview(system, places, request);
  if (!isAnythingThere(system, places, request)) return NOTHING_DONE;
  const lock = new FileLock(`${manifestPath(places)}.lock`, { system, timeoutMs: LOCK_TIMEOUT_MS });
  const report = await lock.runAsync(() => perform(system, places, request));
  removeEmptyFolders(system, places);
  return report;
}

async function perform(
  system: System,
  places: UserDirectories,
  request: UninstallRequest,
): Promise<UninstallReport> {
  const known = openManifest(system, places, request.isForced);
  const writer = new ManifestWriter(system, places, known ?? emptyManifest(""));
  const warnings: string[] = [];
  const kept: string[] = [];
  const targets = chooseTargets(system, places, writer.manifest, request);
  // They were written last, so they go first.
  const servers = unregisterServers(system, chooseServers(system, places, writer.manifest, request), writer);
  const failed = servers.flatMap(({ host, scope, path, status, reason = "" }) =>
    status === "failed" ? [{ host, scope, status, settings_path: path, reason }] : [],
  );
  const unhooked = forEachTarget(targets, target => {
    const unregistered = unregisterTarget(system, places, target, writer, request);
    kept.push(...unregistered.kept);
    warnings.push(...unregistered.notes);
    return unregistered.changes;
  });
  const hosts = [...unhooked, ...failed];
  const report = { ...NOTHING_DONE, was_installed: true, success: isSuccess(hosts), hosts };
  const isLast = writer.manifest.hosts.length === 0 && !isStillRegistered(system, places);
  if (!report.success || !isLast) {
    if (known !== undefined) writer.save();
    return { ...report, kept, warnings };
  }
  warnings.push(...(await removeBundle(system)));
  const gone = removeInstallation(system, places, writer, request);
  return { ...report, removed: gone.removed, kept: [...kept, ...gone.kept], warnings };
}

function preview(system: System, places: UserDirectories, request: UninstallRequest): UninstallReport {
  if (!isAnythingThere(system, places, request)) return { ...NOTHING_DONE, dry_run: true };
  const manifest = openManifest(system, places, request.isForced) ?? emptyManifest("");
  const changes = new Map<string, FileChange>();
  const targets = chooseTargets(system, places, manifest, request);
  const hosts = forEachTarget(targets, target => {
    const planned = planUnregister(system, places, target, manifest, request);
    for (const change of planned) if (change.isChanged) changes.set(change.path, change);
    return planned;
  });
  for (const change of planWithoutServers(system, chooseServers(system, places, manifest, request), manifest))
    if (change.isChanged && !changes.has(change.path)) changes.set(change.path, change);
  const isLast = manifest.hosts.every(record => targets.some(target => matchesTarget(target, record)));
  return {
    ...NOTHING_DONE,
    dry_run: true,
    was_installed: true,
    success: isSuccess(hosts),
    hosts,
    removed: isLast ? listInstallation(system, places, manifest, request) : [],
    changes: [...changes.values()].map(({ path, before, after }) => ({
      path,
      diff: unifiedDiff(path, before, after),
    })),
  };
}

/** Does, or only plans, the same for every target. One that fails does not stop the others. */
function forEachTarget(
  targets: readonly RegistrationTarget[],
  act: (target: RegistrationTarget) => readonly FileChange[],
): readonly UninstalledHost[] {
  return targets.map(target => {
    const { host, scope, path } = target;
    try {
      const isChanged = act(target).some(change => change.isChanged);
      return { host, scope, status: isChanged ? "removed" : "unchanged", settings_path: path };
    } catch (error) {
      return { host, scope, status: "failed", settings_path: path, reason: describeProblem(error) };
    }
  });
}

function isSuccess(hosts: readonly UninstalledHost[]): boolean {
  return hosts.every(({ status }) => status !== "failed");
}

const NOTHING_DONE: UninstallReport = {
  success: true,
  dry_run: false,
  was_installed: false,
  hosts: [],
  removed: [],
  kept: [],
  warnings: [],
  changes: [],
};

/** A damaged record is an error, because an empty one would leave things behind; `--force` goes without it. */
function openManifest(system: System, places: UserDirectories, isForced: boolean): Manifest | undefined {
  try {
    return readManifest(system, places);
  } catch (error) {
    if (isForced && error instanceof Problem) return undefined;
    throw error;
  }
}

function isAnythingThere(system: System, places: UserDirectories, request: UninstallRequest): boolean {
  if (system.files.inspect(manifestPath(places)) !== undefined) return true;
  if (listInstallation(system, places, emptyManifest(""), request).length > 0) return true;
  return isStillRegistered(system, places);
}

function isStillRegistered(system: System, places: UserDirectories): boolean {
  return findRegistrations(system, places).some(({ entries }) => entries.length > 0);
}

/** What the manifest knows, of any project, and what stands in the settings without its knowledge. */
function chooseTargets(
  system: System,
  places: UserDirectories,
  manifest: Manifest,
  { hosts, scope }: UninstallRequest,
): readonly RegistrationTarget[] {
  const isWanted = (target: Pick<RegistrationTarget, "host" | "scope">) =>
    (hosts === undefined || hosts.includes(target.host)) && (scope === undefined || scope === target.scope);
  const recorded = manifest.hosts.flatMap(record => recordedTarget(record) ?? []).filter(isWanted);
  const found = findRegistrations(system, places)
    .filter(({ entries }) => entries.length > 0)
    .map(({ target }) => target)
    .filter(isWanted)
    .filter(target => !recorded.some(other => other.path === target.path));
  // A host without files of its own goes with the file of the host whose files it reads.
  const isOwner = (target: RegistrationTarget) => target.host === target.owner;
  return [...recorded, ...found.filter(isOwner)];
}

function chooseServers(
  system: System,
  places: UserDirectories,
  manifest: Manifest,
  { hosts, scope }: UninstallRequest,
): readonly ServerFile[] {
  return findServerFiles(
    system,
    places,
    manifest,
    file => (hosts?.includes(file.host) ?? true) && (scope === undefined || scope === file.scope),
  );
}

function recordedTarget({ host, scope, settings_path: path }: HostRecord): RegistrationTarget | undefined {
  const id = resolveHost(host);
  return id === undefined ? undefined : targetAt(id, scope, path);
}

/** The lock lay in one of them until now. */
function removeEmptyFolders(system: System, places: UserDirectories): void {
  let folder = dirname(manifestPath(places));
  while (isInside(places.stateHome, folder)) {
    if (system.files.inspect(folder) !== undefined && system.files.list(folder).length > 0) return;
    if (system.files.inspect(folder) !== undefined) system.files.removeDirectory(folder);
    folder = join(folder, "..");
  }
}
