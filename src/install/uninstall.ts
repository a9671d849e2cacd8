import { HOSTS, resolveHost } from "../hosts/index.ts";
import { FileLock } from "../state/index.ts";
import { requireDirectories } from "../state/user-directories.ts";
import { dirname, isInside, join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { removeBundle } from "./amplifier-bundle.ts";
import { findRegistrations } from "./doubles.ts";
import type { FileChange } from "./file-edit.ts";
import type { PlannedChange } from "./install-report.ts";
import { Ledger } from "./ledger.ts";
import { emptyManifest, type HostRecord, type Manifest, readManifest } from "./manifest.ts";
import { manifestPath, type Places, type Scope } from "./places.ts";
import { describeProblem, InstallProblem } from "./problem.ts";
import { listInstallation, removeInstallation } from "./remove-installation.ts";
import { planTakeBack, takeBackTarget } from "./take-back-target.ts";
import { type InstallableHost, isInstallable, type Target } from "./targets.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface UninstallRequest {
  /** all when absent */
  readonly hosts: readonly InstallableHost[] | undefined;
  readonly scope: Scope | undefined;
  readonly isBackupWanted: boolean;
  readonly isDryRun: boolean;
  readonly isDataKept: boolean;
  readonly isPurging: boolean;
  readonly isForced: boolean;
}

export interface UninstalledHost {
  readonly host: InstallableHost;
  readonly scope: Scope;
  readonly status: "removed" | "unchanged" | "failed";
  readonly settings_path: string;
  readonly reason?: string;
}

export interface UninstallReport {
  readonly success: boolean;
  readonly dry_run: boolean;
  /** false when there was nothing to take back */
  readonly was_installed: boolean;
  readonly hosts: readonly UninstalledHost[];
  readonly removed: readonly string[];
  /** files that were changed by hand and stay */
  readonly kept: readonly string[];
  readonly warnings: readonly string[];
  readonly changes: readonly PlannedChange[];
}

const LOCK_TIMEOUT_MS = 60_000;

/** Takes back what installations wrote, as far as it was asked for. */
export async function uninstall(system: System, request: UninstallRequest): Promise<UninstallReport> {
  const places = requireDirectories(system);
  if (request.isDryRun) return preview(system, places, request);
  if (!isAnythingThere(system, places, request)) return nothingToDo(request);
  const lock = new FileLock(`${manifestPath(places)}.lock`, { system, timeoutMs: LOCK_TIMEOUT_MS });
  const report = await lock.runAsync(() => perform(system, places, request));
  removeEmptyFolders(system, places);
  return report;
}

async function perform(system: System, places: Places, request: UninstallRequest): Promise<UninstallReport> {
  const known = openManifest(system, places, request.isForced);
  const ledger = new Ledger(system, places, known ?? emptyManifest(""));
  const warnings: string[] = [];
  const kept: string[] = [];
  const hosts = chooseTargets(system, places, ledger.manifest, request).map((target): UninstalledHost => {
    const { host, scope, path } = target;
    try {
      const taken = takeBackTarget(system, places, target, ledger, request);
      kept.push(...taken.kept);
      warnings.push(...taken.notes);
      const isChanged = taken.changes.some(change => change.isChanged);
      return { host, scope, status: isChanged ? "removed" : "unchanged", settings_path: path };
    } catch (error) {
      return { host, scope, status: "failed", settings_path: path, reason: describeProblem(error) };
    }
  });
  const isFailed = hosts.some(({ status }) => status === "failed");
  const isLast = ledger.manifest.hosts.length === 0 && !isStillRegistered(system, places);
  if (isFailed || !isLast) {
    if (known !== undefined) ledger.save();
    return { ...base(request), success: !isFailed, hosts, removed: [], kept, warnings };
  }
  warnings.push(...(await removeBundle(system)));
  const gone = removeInstallation(system, places, ledger, request);
  return {
    ...base(request),
    success: true,
    hosts,
    removed: gone.removed,
    kept: [...kept, ...gone.kept],
    warnings,
  };
}

function preview(system: System, places: Places, request: UninstallRequest): UninstallReport {
  if (!isAnythingThere(system, places, request)) return nothingToDo(request);
  const manifest = openManifest(system, places, request.isForced) ?? emptyManifest("");
  const changes = new Map<string, FileChange>();
  const targets = chooseTargets(system, places, manifest, request);
  const hosts = targets.map((target): UninstalledHost => {
    const { host, scope, path } = target;
    try {
      const planned = planTakeBack(system, places, target, manifest, request).filter(each => each.isChanged);
      for (const change of planned) changes.set(change.path, change);
      return { host, scope, status: planned.length > 0 ? "removed" : "unchanged", settings_path: path };
    } catch (error) {
      return { host, scope, status: "failed", settings_path: path, reason: describeProblem(error) };
    }
  });
  const isLast = manifest.hosts.every(record => targets.some(target => isSame(record, target)));
  return {
    ...base(request),
    success: hosts.every(({ status }) => status !== "failed"),
    hosts,
    removed: isLast ? listInstallation(system, places, manifest, request) : [],
    kept: [],
    warnings: [],
    changes: [...changes.values()].map(({ path, before, after }) => ({
      path,
      diff: unifiedDiff(path, before, after),
    })),
  };
}

function base(request: UninstallRequest) {
  return { dry_run: request.isDryRun, was_installed: true, changes: [] as readonly PlannedChange[] };
}

function nothingToDo(request: UninstallRequest): UninstallReport {
  return {
    ...base(request),
    success: true,
    was_installed: false,
    hosts: [],
    removed: [],
    kept: [],
    warnings: [],
  };
}

/** A damaged record is an error, because an empty one would leave things behind; `--force` goes without it. */
function openManifest(system: System, places: Places, isForced: boolean): Manifest | undefined {
  try {
    return readManifest(system, places);
  } catch (error) {
    if (isForced && error instanceof InstallProblem) return undefined;
    throw error;
  }
}

function isAnythingThere(system: System, places: Places, request: UninstallRequest): boolean {
  if (system.files.inspect(manifestPath(places)) !== undefined) return true;
  if (listInstallation(system, places, emptyManifest(""), request).length > 0) return true;
  return isStillRegistered(system, places);
}

function isStillRegistered(system: System, places: Places): boolean {
  return findRegistrations(system, places).some(({ entries }) => entries.length > 0);
}

/** What the manifest knows, of any project, and what stands in the settings without its knowledge. */
function chooseTargets(
  system: System,
  places: Places,
  manifest: Manifest,
  { hosts, scope }: UninstallRequest,
): readonly Target[] {
  const isWanted = (target: Pick<Target, "host" | "scope">) =>
    (hosts === undefined || hosts.includes(target.host)) && (scope === undefined || scope === target.scope);
  const recorded = manifest.hosts.flatMap(record => targetOf(record) ?? []).filter(isWanted);
  const found = findRegistrations(system, places)
    .filter(({ entries }) => entries.length > 0)
    .map(({ target }) => target)
    .filter(isWanted)
    .filter(target => !recorded.some(other => other.path === target.path));
  // VS Code has no file of its own: it goes with the file of Claude Code.
  const isOwner = (target: Target) => target.host === target.owner;
  return [...recorded, ...found.filter(isOwner)];
}

function targetOf(record: HostRecord): Target | undefined {
  const host = resolveHost(record.host);
  if (host === undefined || !isInstallable(host)) return undefined;
  const owner = host === "vscode-copilot" ? "claude-code" : host;
  const { registration } = HOSTS[owner];
  if (registration === undefined) return undefined;
  const isShared = registration.files.some(file => file.scope === record.scope && file.isShared);
  return { host, scope: record.scope, owner, registration, path: record.settings_path, isShared };
}

function isSame(record: HostRecord, target: Target): boolean {
  return record.host === target.host && record.settings_path === target.path;
}

/** The lock lay in one of them until now. */
function removeEmptyFolders(system: System, places: Places): void {
  let folder = dirname(manifestPath(places));
  while (isInside(places.stateHome, folder)) {
    if (system.files.inspect(folder) !== undefined && system.files.list(folder).length > 0) return;
    if (system.files.inspect(folder) !== undefined) system.files.removeDirectory(folder);
    folder = join(folder, "..");
  }
}
