import { HOSTS, type HostId, type InstallScope, listEntries } from "../hosts/index.ts";
import {
  booleanAt,
  isJsonObject,
  isSameJson,
  type Json,
  memberAt,
  StrictMembers,
  stringAt,
} from "../protocol/index.ts";
import { AtomicJsonFile, isStateError, Problem, serialise, type UserDirectories } from "../state/index.ts";
import { isAbsolute, type System, writeAtomically } from "../system/index.ts";
import { type FileChange, hashText, installProblem } from "./file-edit.ts";
import { registerEntries } from "./hook-entries.ts";
import { findEmptyList } from "./mcp-entries.ts";
import { manifestPath } from "./package.ts";

/** One registration with one host. */
export interface HostRecord {
  readonly host: string;
  readonly scope: InstallScope;
  readonly settings_path: string;
  readonly backup_path: string | null;
  readonly created_file: boolean;
  readonly entries: readonly {
    readonly event: string;
    readonly subcommand: string;
    readonly command: string;
  }[];
  /** always empty: permissions are never touched */
  readonly permissions_added: readonly string[];
  /** every file that this registration wrote; two hosts may share one */
  readonly paths: readonly string[];
}

const FILE_KINDS = ["entries", "trust", "generated", "profile", "mcp"] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** What has to be known to take one file back to what it was. */
export interface FileRecord {
  /**
   * `entries`: our entries among others'; `trust`: fingerprints; `generated`: ours as a whole; `profile`: our block;
   * `mcp`: our MCP server alone, where the file holds nothing else of ours
   */
  readonly kind: FileKind;
  /** whose layout the file has; null for a file of no host */
  readonly host: string | null;
  /** what was there before our first entry; null when there was nothing */
  readonly backup_path: string | null;
  /** every backup that an installation made, oldest first */
  readonly backups: readonly string[];
  readonly created_file: boolean;
  readonly sha256_before: string | null;
  readonly sha256_after: string;
  readonly created_dirs: readonly string[];
  readonly empty_containers: Readonly<Record<string, string>>;
}

/** Our MCP server among those of one host. */
interface ServerRecord {
  readonly host: string;
  readonly scope: InstallScope;
  readonly path: string;
}

export interface Manifest {
  readonly version: 1;
  readonly amplihack_version: string;
  readonly installed_at: string;
  readonly hosts: readonly HostRecord[];
  readonly mcp_servers: readonly ServerRecord[];
  readonly edited_files: Readonly<Record<string, FileRecord>>;
  /** below the state home */
  readonly files: readonly string[];
  readonly dirs: readonly string[];
  /** absolute */
  readonly binaries: readonly string[];
  /** by relative name for files, by absolute name for binaries */
  readonly sha256: Readonly<Record<string, string>>;
  readonly default_tool?: string;
  readonly update_check_preference?: string;
}

export function emptyManifest(version: string): Manifest {
  return {
    version: 1,
    amplihack_version: version,
    installed_at: "",
    hosts: [],
    mcp_servers: [],
    edited_files: {},
    files: [],
    dirs: [],
    binaries: [],
    sha256: {},
  };
}

/** Undefined when nothing is installed. A manifest that cannot be used is an error, not an empty one. */
export function readManifest(
  system: System,
  places: Pick<UserDirectories, "stateHome">,
): Manifest | undefined {
  const path = manifestPath(places);
  try {
    return new AtomicJsonFile<Manifest>(path, { system, parse: parseManifest }).read();
  } catch (error) {
    if (!isStateError(error, "malformed")) throw error;
    throw installProblem("the record of the installation is damaged", {
      causes: [error.message],
      fix: "use --force to go by what the hosts' settings hold",
    });
  }
}

/** Writes it where it differs by more than its date. The caller holds the installation's lock. */
function writeManifest(
  system: System,
  places: Pick<UserDirectories, "stateHome">,
  manifest: Manifest,
): Manifest {
  const path = manifestPath(places);
  const known = tryReadManifest(system, places);
  if (known !== undefined && isSame(known, manifest)) return known;
  const dated = { ...manifest, installed_at: new Date(system.clock.nowMs()).toISOString() };
  writeAtomically(system, path, system.text.encode(`${serialise(dated, path, 2)}\n`));
  return dated;
}

/** Undefined also for one that is damaged. */
export function tryReadManifest(
  system: System,
  places: Pick<UserDirectories, "stateHome">,
): Manifest | undefined {
  try {
    return readManifest(system, places);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function isSame(one: Manifest, other: Manifest): boolean {
  const undated = (manifest: Manifest): Json => JSON.parse(JSON.stringify({ ...manifest, installed_at: "" }));
  return isSameJson(undated(one), undated(other));
}

/** Reads a file that others can change: names that could lead elsewhere are refused. */
function parseManifest(value: Json): Manifest {
  const top = new StrictMembers(value);
  if (top.number("version") !== 1) throw new Error("its version is not 1");
  const tool = stringAt(value, "default_tool");
  const preference = stringAt(value, "update_check_preference");
  return {
    version: 1,
    amplihack_version: top.string("amplihack_version"),
    installed_at: top.string("installed_at"),
    hosts: top.list("hosts").map(hostRecord),
    mcp_servers: (top.optional("mcp_servers", top.list) ?? []).map(serverRecord),
    edited_files: mapMembers(value, "edited_files", (record, path) => {
      checkAbsolute(path);
      return fileRecord(record);
    }),
    files: top.strings("files").map(checkRelative),
    dirs: top.strings("dirs").map(checkRelative),
    binaries: top.strings("binaries").map(checkAbsolute),
    sha256: mapMembers(value, "sha256", checkString),
    ...(tool === undefined ? {} : { default_tool: tool }),
    ...(preference === undefined ? {} : { update_check_preference: preference }),
  };
}

function hostRecord(value: Json): HostRecord {
  const record = new StrictMembers(value, "hosts");
  const settingsPath = checkAbsolute(record.string("settings_path"));
  return {
    host: record.string("host"),
    scope: readScope(value),
    settings_path: settingsPath,
    backup_path: backupPath(record),
    created_file: booleanAt(value, "created_file") === true,
    entries: (record.optional("entries", record.list) ?? []).map(entry => {
      const members = new StrictMembers(entry, "entries");
      return {
        event: members.string("event"),
        subcommand: members.string("subcommand"),
        command: members.string("command"),
      };
    }),
    permissions_added: [],
    paths: (record.optional("paths", record.strings) ?? [settingsPath]).map(checkAbsolute),
  };
}

function serverRecord(value: Json): ServerRecord {
  const record = new StrictMembers(value, "mcp_servers");
  return {
    host: record.string("host"),
    scope: readScope(value),
    path: checkAbsolute(record.string("path")),
  };
}

function readScope(value: Json): InstallScope {
  return stringAt(value, "scope") === "project" ? "project" : "user";
}

function fileRecord(value: Json): FileRecord {
  const record = new StrictMembers(value, "edited_files");
  return {
    kind: record.oneOf("kind", FILE_KINDS),
    host: record.optional("host", record.string) ?? null,
    backup_path: backupPath(record),
    backups: (record.optional("backups", record.strings) ?? []).map(checkAbsolute),
    created_file: booleanAt(value, "created_file") === true,
    sha256_before: record.optional("sha256_before", record.string) ?? null,
    sha256_after: record.string("sha256_after"),
    created_dirs: (record.optional("created_dirs", record.strings) ?? []).map(checkAbsolute),
    empty_containers: mapMembers(value, "empty_containers", checkString),
  };
}

function backupPath(record: StrictMembers): string | null {
  const path = record.optional("backup_path", record.string);
  return path === undefined ? null : checkAbsolute(path);
}

function isSafe(path: string): boolean {
  return path !== "" && !path.split("/").includes("..") && !path.includes("\0");
}

function checkAbsolute(path: string): string {
  if (!isAbsolute(path) || !isSafe(path)) throw new Error(`"${path}" must be an absolute path without ".."`);
  return path;
}

function checkRelative(path: string): string {
  if (isAbsolute(path) || !isSafe(path)) throw new Error(`"${path}" must be a relative path without ".."`);
  return path;
}

function checkString(value: Json, name: string): string {
  if (typeof value !== "string") throw new Error(`"${name}" must be a string`);
  return value;
}

/** The members of an object that may be missing, each read. */
function mapMembers<T>(
  value: Json,
  name: string,
  read: (value: Json, name: string) => T,
): Readonly<Record<string, T>> {
  const members = memberAt(value, name) ?? {};
  if (!isJsonObject(members)) throw new Error(`"${name}" must be an object`);
  return Object.fromEntries(Object.entries(members).map(([key, each]) => [key, read(each, key)]));
}

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
    const record = recordFile(kind, host, change, known);
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

function recordFile(
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
  if (servers !== undefined) return findEmptyList(before, servers);
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
