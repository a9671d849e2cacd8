import { isJsonObject, isSameJson, type Json, type JsonObject, ownValue } from "../protocol/index.ts";
import { AtomicJsonFile, isStateError, serialise } from "../state/index.ts";
import { writeAtomically } from "../system/atomic-write.ts";
import type { System } from "../system/system.ts";
import { manifestPath, type Places, type Scope } from "./places.ts";
import { InstallProblem } from "./problem.ts";

/** One registration with one host. */
export interface HostRecord {
  readonly host: string;
  readonly scope: Scope;
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

const FILE_KINDS = ["entries", "trust", "generated", "profile"] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** What has to be known to take one file back to what it was. */
export interface FileRecord {
  /** `entries`: our entries among others'; `trust`: fingerprints; `generated`: ours as a whole; `profile`: our block */
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

export interface Manifest {
  readonly version: 1;
  readonly amplihack_version: string;
  readonly installed_at: string;
  readonly hosts: readonly HostRecord[];
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
    edited_files: {},
    files: [],
    dirs: [],
    binaries: [],
    sha256: {},
  };
}

/** Undefined when nothing is installed. A manifest that cannot be used is an error, not an empty one. */
export function readManifest(system: System, places: Pick<Places, "stateHome">): Manifest | undefined {
  const path = manifestPath(places);
  try {
    return new AtomicJsonFile<Manifest>(path, { system, parse: parseManifest }).read();
  } catch (error) {
    if (!isStateError(error, "malformed")) throw error;
    throw new InstallProblem("the record of the installation is damaged", {
      causes: [error.message],
      fix: "use --force to go by what the hosts' settings hold",
    });
  }
}

/** Writes it where it differs by more than its date. The caller holds the installation's lock. */
export function writeManifest(
  system: System,
  places: Pick<Places, "stateHome">,
  manifest: Manifest,
): Manifest {
  const path = manifestPath(places);
  const known = tryRead(system, places);
  if (known !== undefined && isSame(known, manifest)) return known;
  const dated = { ...manifest, installed_at: new Date(system.clock.nowMs()).toISOString() };
  writeAtomically(system, path, system.text.encode(`${serialise(dated, path, 2)}\n`));
  return dated;
}

function tryRead(system: System, places: Pick<Places, "stateHome">): Manifest | undefined {
  try {
    return readManifest(system, places);
  } catch (error) {
    if (error instanceof InstallProblem) return undefined;
    throw error;
  }
}

function isSame(one: Manifest, other: Manifest): boolean {
  const undated = (manifest: Manifest): Json => JSON.parse(JSON.stringify({ ...manifest, installed_at: "" }));
  return isSameJson(undated(one), undated(other));
}

/** Reads what may have been changed by anybody: names that could lead elsewhere are refused. */
function parseManifest(value: Json): Manifest {
  const top = object(value, "the top");
  if (ownValue(top, "version") !== 1) throw new Error("its version is not 1");
  const tool = ownValue(top, "default_tool");
  const preference = ownValue(top, "update_check_preference");
  return {
    version: 1,
    amplihack_version: text(ownValue(top, "amplihack_version"), "amplihack_version"),
    installed_at: text(ownValue(top, "installed_at"), "installed_at"),
    hosts: list(ownValue(top, "hosts"), "hosts").map(hostRecord),
    edited_files: mapValues(
      object(ownValue(top, "edited_files") ?? {}, "edited_files"),
      fileRecord,
      absolute,
    ),
    files: list(ownValue(top, "files"), "files").map(each => relativeName(each, "files")),
    dirs: list(ownValue(top, "dirs"), "dirs").map(each => relativeName(each, "dirs")),
    binaries: list(ownValue(top, "binaries"), "binaries").map(each => absolute(each, "binaries")),
    sha256: mapValues(object(ownValue(top, "sha256") ?? {}, "sha256"), text),
    ...(typeof tool === "string" ? { default_tool: tool } : {}),
    ...(typeof preference === "string" ? { update_check_preference: preference } : {}),
  };
}

function hostRecord(value: Json): HostRecord {
  const record = object(value, "hosts");
  const settingsPath = absolute(ownValue(record, "settings_path"), "settings_path");
  const paths = ownValue(record, "paths");
  return {
    host: text(ownValue(record, "host"), "host"),
    scope: ownValue(record, "scope") === "project" ? "project" : "user",
    settings_path: settingsPath,
    backup_path: nullable(ownValue(record, "backup_path"), absolute, "backup_path"),
    created_file: ownValue(record, "created_file") === true,
    entries: list(ownValue(record, "entries") ?? [], "entries").map(entry => {
      const members = object(entry, "entries");
      return {
        event: text(ownValue(members, "event"), "event"),
        subcommand: text(ownValue(members, "subcommand"), "subcommand"),
        command: text(ownValue(members, "command"), "command"),
      };
    }),
    permissions_added: [],
    paths: paths === undefined ? [settingsPath] : list(paths, "paths").map(each => absolute(each, "paths")),
  };
}

function fileRecord(value: Json): FileRecord {
  const record = object(value, "edited_files");
  const kind = FILE_KINDS.find(each => each === ownValue(record, "kind"));
  if (kind === undefined) throw new Error(`"kind" must be one of ${FILE_KINDS.join(", ")}`);
  return {
    kind,
    host: nullable(ownValue(record, "host"), text, "host"),
    backup_path: nullable(ownValue(record, "backup_path"), absolute, "backup_path"),
    backups: list(ownValue(record, "backups") ?? [], "backups").map(each => absolute(each, "backups")),
    created_file: ownValue(record, "created_file") === true,
    sha256_before: nullable(ownValue(record, "sha256_before"), text, "sha256_before"),
    sha256_after: text(ownValue(record, "sha256_after"), "sha256_after"),
    created_dirs: list(ownValue(record, "created_dirs") ?? [], "created_dirs").map(each =>
      absolute(each, "created_dirs"),
    ),
    empty_containers: mapValues(object(ownValue(record, "empty_containers") ?? {}, "empty_containers"), text),
  };
}

function object(value: Json | undefined, name: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`"${name}" must be an object`);
  return value;
}

function list(value: Json | undefined, name: string): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`"${name}" must be a list`);
  return value;
}

function text(value: Json | undefined, name: string): string {
  if (typeof value !== "string") throw new Error(`"${name}" must be text`);
  return value;
}

function absolute(value: Json | undefined, name: string): string {
  const path = text(value, name);
  if (!path.startsWith("/") || path.split("/").includes("..") || path.includes("\0"))
    throw new Error(`"${name}" must be an absolute path without ".."`);
  return path;
}

function relativeName(value: Json | undefined, name: string): string {
  const path = text(value, name);
  if (path === "" || path.startsWith("/") || path.split("/").includes("..") || path.includes("\0"))
    throw new Error(`"${name}" must be a relative path without ".."`);
  return path;
}

function nullable<T>(
  value: Json | undefined,
  read: (value: Json, name: string) => T,
  name: string,
): T | null {
  return value === undefined || value === null ? null : read(value, name);
}

function mapValues<T>(
  members: JsonObject,
  read: (value: Json, name: string) => T,
  checkName: (name: string, where: string) => string = name => name,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [checkName(name, "a file name"), read(value, name)]),
  );
}
