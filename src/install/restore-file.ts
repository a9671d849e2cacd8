import { HOSTS, type McpServers, resolveHost, unregisterEntries } from "../hosts/index.ts";
import type { System } from "../system/index.ts";
import { changeTrust, type TrustChange } from "./codex-trust.ts";
import {
  applyEdit,
  type Computed,
  type FileChange,
  type FileEdit,
  planEdit,
  readFile,
  removeEmptyDirectories,
} from "./file-edit.ts";
import { hashText } from "./hash.ts";
import type { FileKind, FileRecord } from "./manifest.ts";
import { holdsOwnEntries } from "./manifest-writer.ts";
import { findServer, removeServer } from "./mcp/server-entry.ts";
import { withoutBlock } from "./profile-block.ts";
import { isGenerated } from "./registrations.ts";
import type { RegistrationTarget } from "./targets.ts";

export interface RestoreOptions {
  /** the hook program of this installation */
  readonly program: string;
  /** put back the recorded backup even where it holds entries of an earlier version */
  readonly isBackupWanted: boolean;
  readonly isForced: boolean;
}

/** How one file goes back to what it was before us. */
export interface Restoration {
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
export function restoreSettings(
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
export function restoreTrust(
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
