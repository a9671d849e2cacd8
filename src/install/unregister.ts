import { HOSTS, type McpServers, resolveHost, unregisterEntries } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import {
  applyEdit,
  type Computed,
  type FileChange,
  type FileEdit,
  hashText,
  planEdit,
  readFile,
  removeEmptyDirectories,
} from "./file-edit.ts";
import { isGenerated, listFiles } from "./hook-entries.ts";
import {
  type FileKind,
  type FileRecord,
  type HostRecord,
  holdsOwnEntries,
  type Manifest,
  type ManifestWriter,
} from "./manifest.ts";
import { findServer, removeServer } from "./mcp-entries.ts";
import { namedProgram } from "./package.ts";
import type { RegistrationTarget } from "./targets.ts";
import { changeTrust, hasFingerprints, type TrustChange, trustedName, trustFile } from "./trust.ts";
import { withoutBlock } from "./user-commands.ts";
import { isSkill, isWorkflowFile } from "./workflow-files.ts";

interface RestoreOptions {
  /** the hook program of this installation */
  readonly program: string;
  /** put back the recorded backup even where it holds entries of an earlier version */
  readonly isBackupWanted: boolean;
  readonly isForced: boolean;
}

/** How one file goes back to what it was before us. */
interface Restoration {
  readonly kind: FileKind;
  readonly path: string;
  readonly record: FileRecord | undefined;
  /** the file as it was before us is known, and the file was not changed since */
  readonly isExact: boolean;
  readonly edit: FileEdit;
}

interface ExactText {
  readonly from: string;
  readonly to: string | undefined;
}

function restoration(
  kind: FileKind,
  path: string,
  record: FileRecord | undefined,
  exact: ExactText | undefined,
  remove: (current: string) => Computed,
): Restoration {
  const compute = (current: string | undefined): Computed => {
    if (current === undefined) return { ok: true, text: undefined };
    return exact !== undefined && current === exact.from ? { ok: true, text: exact.to } : remove(current);
  };
  return { kind, path, record, isExact: exact !== undefined, edit: { path, compute } };
}

/** Takes our entries out of a host's settings. */
function restoreSettings(
  system: System,
  { registration, owner, path }: RegistrationTarget,
  record: FileRecord | undefined,
  { isBackupWanted, program }: RestoreOptions,
): Restoration {
  const { layout, files } = registration;
  // A file that is named after us holds nothing else.
  const isOwnFile = Object.values(files).some(file => /(^|\/)amplihack/.test(file));
  // Entries of an earlier version come back only on request, those of this installation never.
  const exact = findExact(
    system,
    path,
    record,
    backup => !holdsOwnEntries(owner, backup, isBackupWanted ? program : undefined),
  );
  const restored = restoration("entries", path, record, exact, current => {
    const edited = unregisterEntries(current, layout, { emptyBefore: record?.empty_containers ?? {} });
    if (!edited.ok) return edited;
    const isGone = edited.isBare && (record?.created_file === true || isOwnFile);
    return { ok: true, text: isGone ? undefined : edited.text };
  });
  const check = (written: string | undefined) =>
    written !== undefined && holdsOwnEntries(owner, written) && exact === undefined
      ? "entries of ours are still there"
      : undefined;
  return { ...restored, edit: { ...restored.edit, check } };
}

/** Takes the fingerprints of our hooks out. `hooks` is how their file will change. */
function restoreTrust(
  system: System,
  path: string,
  record: FileRecord | undefined,
  hooks: Omit<TrustChange, "isAgreed">,
): Restoration {
  return restoration("trust", path, record, findExact(system, path, record), current => {
    // An attempt that ended half-way had put it back already.
    if (hashText(current) === record?.sha256_before) return { ok: true, text: current };
    const changed = changeTrust(current, { ...hooks, isAgreed: false });
    const isGone = changed.ok && record?.created_file === true && changed.text?.trim() === "";
    return isGone ? { ok: true, text: undefined } : changed;
  });
}

/** Takes our MCP server out of a file that holds nothing else of ours. */
export function restoreServers(
  system: System,
  path: string,
  servers: McpServers,
  record: FileRecord | undefined,
): Restoration {
  return restoration("mcp", path, record, findExact(system, path, record), current => {
    const edited = removeServer(current, servers, record?.empty_containers ?? {});
    const isGone = edited.ok && edited.isBare && record?.created_file === true;
    return isGone ? { ok: true, text: undefined } : edited;
  });
}

/** A file that is ours as a whole goes; what a person made of it is kept under another name. */
export function removeGenerated(path: string, record: FileRecord | undefined): Restoration {
  const removed = restoration("generated", path, record, undefined, current => ({
    ok: true,
    text: isGenerated(current) ? undefined : current,
  }));
  return { ...removed, isExact: true };
}

export function restoreProfile(system: System, path: string, record: FileRecord | undefined): Restoration {
  return restoration("profile", path, record, findExact(system, path, record), current => ({
    ok: true,
    text: withoutBlock(current),
  }));
}

/** The text before us, when the file still holds exactly what we made of it. */
function findExact(
  system: System,
  path: string,
  record: FileRecord | undefined,
  isAcceptable: (backup: string) => boolean = () => true,
): ExactText | undefined {
  const current = readFile(system, path);
  if (record === undefined || current === undefined || hashText(current) !== record.sha256_after)
    return undefined;
  if (record.created_file && record.sha256_before === null) return { from: current, to: undefined };
  const { backup_path: backup } = record;
  if (backup === null || !backup.startsWith(`${path}.backup.`)) return undefined;
  const before = readFile(system, backup);
  const isWhole = before !== undefined && hashText(before) === record.sha256_before;
  return isWhole && isAcceptable(before) && !holdsServer(record, before)
    ? { from: current, to: before }
    : undefined;
}

/** A file may hold the MCP server beside other entries of ours; it never comes back with them. */
function holdsServer({ host }: FileRecord, text: string): boolean {
  const id = host === null ? undefined : resolveHost(host);
  const servers = id === undefined ? undefined : HOSTS[id].setup?.().mcp;
  return servers !== undefined && findServer(text, servers) !== undefined;
}

/** Does it, and tidies up: empty folders that we made, backups that say nothing more than the file itself. */
export function restoreFile(
  system: System,
  { path, record, edit, isExact, kind }: Restoration,
  { isForced }: Pick<RestoreOptions, "isForced">,
): { readonly change: FileChange; readonly keptAs: string | undefined } {
  const { before, isChanged } = planEdit(system, edit, isForced);
  const isModified = before !== undefined && record !== undefined && hashText(before) !== record.sha256_after;
  const keptAs =
    kind === "generated" && isChanged && isModified && !isForced
      ? keepModified(system, path, before)
      : undefined;
  const change = applyEdit(system, edit, { isBackedUp: !isExact, isForced });
  removeRedundantBackups(system, path, record);
  removeEmptyDirectories(system, record?.created_dirs ?? []);
  return { change, keptAs };
}

function keepModified(system: System, path: string, text: string): string {
  const name = `${path}.kept-${Math.floor(system.clock.nowMs() / 1000)}`;
  system.files.createExclusive(name, system.text.encode(text), 0o600);
  return name;
}

function removeRedundantBackups(system: System, path: string, record: FileRecord | undefined): void {
  const current = readFile(system, path);
  for (const backup of record?.backups ?? []) {
    if (!backup.startsWith(`${path}.backup.`)) continue;
    if (current !== undefined && readFile(system, backup) === current) system.files.remove(backup);
  }
}

type UnregisterRequest = Omit<RestoreOptions, "program">;

interface Unregistered {
  readonly changes: readonly FileChange[];
  /** files that a person had changed, under their new names */
  readonly kept: readonly string[];
  /** why a backup that was asked for was not put back */
  readonly notes: readonly string[];
}

export function matchesTarget({ host, path }: RegistrationTarget, record: HostRecord): boolean {
  return record.host === host && record.settings_path === path;
}

/** What taking one registration away would change. */
export function planUnregister(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  manifest: Manifest,
  request: UnregisterRequest,
): readonly FileChange[] {
  return restorations(system, places, target, manifest, request).map(({ edit }) =>
    planEdit(system, edit, request.isForced),
  );
}

/** Takes one registration away and strikes it from the manifest, which the caller saves. */
export function unregisterTarget(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  writer: ManifestWriter,
  request: UnregisterRequest,
): Unregistered {
  const others = writer.manifest.hosts.filter(record => !matchesTarget(target, record));
  const changes: FileChange[] = [];
  const kept: string[] = [];
  const notes: string[] = [];
  const found = restorations(system, places, target, writer.manifest, request);
  for (const restoration of found) {
    const { path, isExact } = restoration;
    const { change, keptAs } = restoreFile(system, restoration, request);
    changes.push(change);
    if (keptAs !== undefined) kept.push(keptAs);
    if (request.isBackupWanted && change.isChanged && !isExact)
      notes.push(`${path} changed since the installation, so only our entries were taken out of it`);
    if (!others.some(record => record.paths.includes(path))) writer.forgetFile(path, undefined);
  }
  // A folder that was made for one file may have held the others.
  for (const { record } of found) removeEmptyDirectories(system, record?.created_dirs ?? []);
  writer.dropHosts(record => matchesTarget(target, record));
  return { changes, kept, notes };
}

/** The files of a registration that no other one needs, in the order in which they have to change. */
function restorations(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  manifest: Manifest,
  request: UnregisterRequest,
): readonly Restoration[] {
  const { layout } = target.registration;
  const others = manifest.hosts.filter(record => !matchesTarget(target, record));
  const isShared = (path: string) => others.some(record => record.paths.includes(path));
  const recordOf = (path: string) => manifest.edited_files[path];
  const { paths = [] } = manifest.hosts.find(record => matchesTarget(target, record)) ?? {};
  const skills = paths
    .filter(path => (isSkill(path) || isWorkflowFile(path)) && !isShared(path))
    .map(path => removeGenerated(path, recordOf(path)));
  if (layout.kind === "module" || layout.kind === "executables")
    return [...skills, ...listFiles(target).map(path => removeGenerated(path, recordOf(path)))];
  // Two hosts may be served by one file: it stays until the last of them goes.
  if (isShared(target.path)) return skills;
  const options = { ...request, program: namedProgram(places, target.scope) };
  const entries = restoreSettings(system, target, recordOf(target.path), options);
  if (!hasFingerprints(target)) return [...skills, entries];
  const config = trustFile(system, places, target);
  const before = readFile(system, target.path) ?? "";
  const unregistered = unregisterEntries(before, layout);
  const after = unregistered.ok ? unregistered.text : before;
  // With other registrations in the file only the fingerprints of this one may go.
  const record = isShared(config) ? undefined : recordOf(config);
  return [
    ...skills,
    restoreTrust(system, config, record, { hooksFile: trustedName(system, target), before, after }),
    entries,
  ];
}
