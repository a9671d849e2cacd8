import { HOSTS, type HostId, listEntries } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { FileChange } from "./file-edit.ts";
import { hashText } from "./hash.ts";
import {
  type FileKind,
  type FileRecord,
  type HostRecord,
  type Manifest,
  type ServerRecord,
  writeManifest,
} from "./manifest.ts";
import { emptyListOf } from "./mcp/server-entry.ts";
import { registerEntries } from "./register-entries.ts";

const MAX_BACKUPS = 5;

/**
 * The manifest while an installation goes on. It is written before a file changes, so that whatever happens in
 * between, what was there can be found again.
 */
export class ManifestWriter {
  private current: Manifest;
  private readonly system: System;
  private readonly places: UserDirectories;

  constructor(system: System, places: UserDirectories, manifest: Manifest) {
    this.system = system;
    this.places = places;
    this.current = manifest;
  }

  get manifest(): Manifest {
    return this.current;
  }

  /** Changes what is known, without writing it yet. */
  revise(change: Partial<Manifest>): void {
    this.current = { ...this.current, ...change };
  }

  save(): void {
    this.current = writeManifest(this.system, this.places, this.current);
  }

  /** A file is about to change. */
  noteFile(kind: FileKind, host: HostId | undefined, change: FileChange): void {
    const known = this.current.edited_files[change.path];
    const record = fileRecord(kind, host, change, known);
    this.revise({ edited_files: { ...this.current.edited_files, [change.path]: record } });
    if (change.isChanged) this.save();
  }

  /** A file that was about to change did not. */
  forgetFile(path: string, known: FileRecord | undefined): void {
    const { [path]: _, ...others } = this.current.edited_files;
    this.revise({ edited_files: known === undefined ? others : { ...others, [path]: known } });
  }

  fileRecord(path: string): FileRecord | undefined {
    return this.current.edited_files[path];
  }

  noteHost(record: HostRecord): void {
    const isSame = (other: HostRecord) =>
      other.host === record.host &&
      other.scope === record.scope &&
      other.settings_path === record.settings_path;
    const index = this.current.hosts.findIndex(isSame);
    const hosts = [...this.current.hosts];
    hosts[index < 0 ? hosts.length : index] = record;
    this.revise({ hosts });
  }

  dropHosts(isDropped: (record: HostRecord) => boolean): void {
    this.revise({ hosts: this.current.hosts.filter(record => !isDropped(record)) });
  }

  noteServer({ host, scope, path }: ServerRecord): void {
    if (this.current.mcp_servers.some(known => known.path === path)) return;
    this.revise({ mcp_servers: [...this.current.mcp_servers, { host, scope, path }] });
  }

  dropServer({ path }: Pick<ServerRecord, "path">): void {
    this.revise({ mcp_servers: this.current.mcp_servers.filter(known => known.path !== path) });
  }

  /** The newest backups of a file stay, and the one from before our first entry. */
  pruneBackups(path: string): void {
    const record = this.fileRecord(path);
    if (record === undefined || record.backups.length <= MAX_BACKUPS) return;
    const others = record.backups.filter(each => each !== record.backup_path);
    const surplus = others.slice(0, record.backups.length - MAX_BACKUPS);
    for (const each of surplus) {
      if (this.system.files.inspect(each) !== undefined) this.system.files.remove(each);
    }
    const backups = record.backups.filter(each => !surplus.includes(each));
    this.revise({ edited_files: { ...this.current.edited_files, [path]: { ...record, backups } } });
  }
}

function fileRecord(
  kind: FileKind,
  host: HostId | undefined,
  change: FileChange,
  known: FileRecord | undefined,
): FileRecord {
  if (!change.isChanged && known !== undefined) return known;
  const before = change.before === undefined ? null : hashText(change.before);
  const isBaselineKept =
    known !== undefined && (before === known.sha256_after || before === known.sha256_before);
  const isCreated = change.isChanged && change.before === undefined;
  const fresh = {
    backup_path: change.backupPath ?? null,
    created_file: isCreated || (known?.created_file ?? false),
    sha256_before: change.isChanged ? before : null,
  };
  const baseline = isBaselineKept
    ? {
        backup_path: known.backup_path ?? change.backupPath ?? null,
        created_file: known.created_file || isCreated,
        sha256_before: known.sha256_before,
      }
    : fresh;
  return {
    // A file that holds hooks and a server goes by its hooks.
    kind: kind === "mcp" ? (known?.kind ?? kind) : kind,
    host: host ?? null,
    ...baseline,
    backups: [...(known?.backups ?? []), ...(change.backupPath === undefined ? [] : [change.backupPath])],
    sha256_after: hashText(change.after ?? ""),
    created_dirs: [...new Set([...(known?.created_dirs ?? []), ...change.madeDirectories])],
    empty_containers: { ...known?.empty_containers, ...emptyContainers(kind, host, change.before) },
  };
}

/** Containers that were there and empty: `uninstall` puts them back as they were. */
function emptyContainers(
  kind: FileKind,
  host: HostId | undefined,
  before: string | undefined,
): Readonly<Record<string, string>> {
  const servers = kind === "mcp" && host !== undefined ? HOSTS[host].setup?.().mcp : undefined;
  if (servers !== undefined) return emptyListOf(before, servers);
  const layout = host === undefined ? undefined : HOSTS[host].registration?.layout;
  if (kind !== "entries" || layout === undefined || before === undefined) return {};
  const edited = registerEntries(before, layout, []);
  return edited.ok ? edited.emptyBefore : {};
}

/** Whether a text holds entries of ours; with `program`, only those that start it. */
export function holdsOwnEntries(host: HostId, text: string, program?: string): boolean {
  const layout = HOSTS[host].registration?.layout;
  const listed = layout === undefined ? undefined : listEntries(text, layout);
  if (listed?.ok !== true) return false;
  return listed.entries.some(
    ({ owned }) => owned !== undefined && (program === undefined || owned.program === program),
  );
}
