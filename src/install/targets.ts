import { readJsonc } from "../config/index.ts";
import {
  HOST_LIST,
  HOSTS,
  type HostId,
  type HostSetup,
  type InstallScope,
  isHostId,
  type Registration,
  settingsPath,
} from "../hosts/index.ts";
import { isJsonObject, memberAt } from "../protocol/index.ts";
import { Problem, readText, type UserDirectories } from "../state/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { findOnPath } from "./find-program.ts";

const SETTINGS_BYTES = 16 * 1024 * 1024;

const READ_BY_OTHERS = new Set(
  HOST_LIST.flatMap(({ setup }) => {
    const { registeredBy, alsoReads = [] } = setup?.() ?? {};
    return [registeredBy, ...alsoReads.map(({ host }) => host)];
  }),
);

/** Hosts we register with, in the order in which it is done: those that others read along come first. */
export const INSTALLABLE_HOSTS: readonly HostId[] = HOST_LIST.filter(({ setup }) => setup)
  .map(({ id }) => id)
  .sort((one, other) => Number(READ_BY_OTHERS.has(other)) - Number(READ_BY_OTHERS.has(one)));

export function isInstallable(host: HostId): boolean {
  return HOSTS[host].setup !== undefined;
}

/** What an installation knows about a host that it registers with. */
export function setupOf(host: HostId): HostSetup {
  return HOSTS[host].setup?.() ?? { title: host, folders: [], programs: [], live: "it has no driver" };
}

/** Whose rules and files count for a host: its own, or those of the host whose files it reads instead. */
export function ownerOf(host: HostId): HostId {
  const { registeredBy = host } = setupOf(host);
  return isHostId(registeredBy) ? registeredBy : host;
}

/** Where one host reads our hooks in one scope. */
export interface RegistrationTarget {
  readonly host: HostId;
  readonly scope: InstallScope;
  /** whose rules the file follows */
  readonly owner: HostId;
  readonly registration: Registration;
  /** a file, or the folder of a host that takes one program per event */
  readonly path: string;
}

/** The target at a known path; undefined for a host that we do not register with. */
export function targetAt(host: HostId, scope: InstallScope, path: string): RegistrationTarget | undefined {
  const owner = ownerOf(host);
  const { registration } = HOSTS[owner];
  if (registration === undefined || !isInstallable(host)) return undefined;
  return { host, scope, owner, registration, path };
}

export function findTarget(
  system: Pick<System, "env" | "files" | "text">,
  places: UserDirectories,
  host: HostId,
  scope: InstallScope,
): RegistrationTarget {
  const owner = ownerOf(host);
  const { registration } = HOSTS[owner];
  // A host that reads another's settings looks in the usual place, wherever users moved the other's folder.
  const env = host === owner ? system.env : { get: () => undefined };
  const path = registration === undefined ? undefined : settingsPath(registration, scope, places, env);
  const target = path === undefined ? undefined : targetAt(host, scope, actualPath(system, owner, path));
  if (target === undefined)
    throw new Problem(`${host} has no place for hooks of a ${scope}`, { kind: "install" });
  return target;
}

/** The file itself, or the other one in its folder where that already holds hooks and this one does not exist. */
function actualPath(system: Pick<System, "files" | "text">, owner: HostId, path: string): string {
  const { alternativeFile } = HOSTS[owner].registration ?? {};
  if (alternativeFile === undefined || system.files.follow(path) !== undefined) return path;
  const settings = join(dirname(path), alternativeFile);
  const read = readJsonc(readText(system, settings, SETTINGS_BYTES) ?? "");
  return read.ok && isJsonObject(memberAt(read.value, "hooks")) ? settings : path;
}

/** Whether the user has this host: a folder of it in the home directory, or its program on PATH. */
export function isPresent(
  system: Pick<System, "env" | "files">,
  { home }: Pick<UserDirectories, "home">,
  host: HostId,
): boolean {
  const { folders } = setupOf(host);
  const hasFolder = folders.some(folder => system.files.follow(join(home, folder))?.kind === "directory");
  const { relocation } = HOSTS[host].registration ?? {};
  const isMoved =
    relocation !== undefined &&
    relocation.folder === folders[0] &&
    (system.env.get(relocation.variable) ?? "") !== "";
  return hasFolder || isMoved || findHostProgram(system, host) !== undefined;
}

/** The program that starts a host, when it is on PATH. */
export function findHostProgram(system: Pick<System, "env" | "files">, host: HostId): string | undefined {
  return setupOf(host)
    .programs.map(name => findOnPath(system, name))
    .find(found => found !== undefined);
}
