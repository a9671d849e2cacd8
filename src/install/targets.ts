import { stripVTControlCharacters } from "node:util";
import { coerce, gte } from "semver";
import { readJsonc } from "../config/index.ts";
import {
  abilities,
  DEFAULT_HOST,
  HOST_LIST,
  HOSTS,
  type HostId,
  type HostSetup,
  type InstallScope,
  isHostId,
  planRegistrations,
  type Registration,
  resolveHost,
  settingsPath,
} from "../hosts/index.ts";
import { isJsonObject, memberAt } from "../protocol/index.ts";
import { Problem, readText, type UserDirectories } from "../state/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";
import { findOnPath, runProgram } from "./find-program.ts";

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
export function hostSetup(host: HostId): HostSetup {
  return HOSTS[host].setup?.() ?? { title: host, folders: [], programs: [], live: "it has no driver" };
}

/** Whose rules and files count for a host: its own, or those of the host whose files it reads instead. */
export function filesOwner(host: HostId): HostId {
  const { registeredBy = host } = hostSetup(host);
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
  const owner = filesOwner(host);
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
  const owner = filesOwner(host);
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
  system: Pick<System, "env" | "files" | "text">,
  { home }: Pick<UserDirectories, "home">,
  host: HostId,
): boolean {
  const { folders } = hostSetup(host);
  const hasFolder = folders.some(folder => system.files.follow(join(home, folder))?.kind === "directory");
  const { relocation } = HOSTS[host].registration ?? {};
  const isMoved =
    relocation !== undefined &&
    relocation.folder === folders[0] &&
    (system.env.get(relocation.variable) ?? "") !== "";
  return hasFolder || isMoved || findHostProgram(system, host) !== undefined;
}

/** The program that starts a host, when it is on PATH. */
export function findHostProgram(
  system: Pick<System, "env" | "files" | "text">,
  host: HostId,
): string | undefined {
  return hostSetup(host)
    .programs.map(name => findOnPath(system, name))
    .find(found => found !== undefined);
}

/** Agents are programs of many megabytes; on a busy machine even their version takes seconds. */
const TIMEOUT_MS = 5_000;
const MAX_LINE = 200;

/** The first line that a program says about its version, without colours; undefined when it says none in time. */
export async function askVersion(
  system: System,
  program: string,
  flag = "--version",
  timeoutMs = TIMEOUT_MS,
): Promise<string | undefined> {
  const { code, stdout, stderr } = await runProgram(system, [program, flag], { timeoutMs });
  // Pi tells its version on stderr.
  const [line = ""] = stripVTControlCharacters(stdout.trim() === "" ? stderr : stdout)
    .trim()
    .split("\n");
  return code !== 0 || line.trim() === "" ? undefined : line.trim().slice(0, MAX_LINE);
}

/** Which hosts can be told in their own configuration that a failing hook refuses. */
export async function findClosedHosts(system: System): Promise<(target: RegistrationTarget) => boolean> {
  const known = await Promise.all(
    INSTALLABLE_HOSTS.map(async host => {
      const since = HOSTS[host].registration?.layout.closedMemberSince;
      return since === "any" || (since !== undefined && (await isAtLeast(system, host, since))) ? [host] : [];
    }),
  );
  return target => known.flat().includes(target.owner);
}

/** Whether the installed host is at least of that version; false when it cannot be told. */
async function isAtLeast(system: System, host: HostId, version: string): Promise<boolean> {
  const program = findHostProgram(system, host);
  const answer = program === undefined ? undefined : await askVersion(system, program);
  const found = answer === undefined ? null : coerce(answer);
  return found !== null && gte(found, version);
}

/** A host that was asked for, or found, and whether it gets a registration of its own. */
export type ChosenHost =
  | {
      readonly host: HostId;
      readonly scope: InstallScope;
      readonly target: RegistrationTarget;
      /** no agent was found, so this one is prepared for */
      readonly isAwaited?: boolean;
    }
  | { readonly host: HostId; readonly scope: InstallScope; readonly skipped: string };

/**
 * Which hosts to register with: those named, or those that are there, and the default host where none is. With `all`
 * those that are not there are named, too.
 */
export function chooseHosts(
  system: System,
  places: UserDirectories,
  asked: readonly HostId[] | "all" | undefined,
  scope: InstallScope,
): readonly ChosenHost[] {
  const isThere = (host: HostId) => isPresent(system, places, host);
  const choose = (host: HostId) => ({ host, scope, target: findTarget(system, places, host, scope) });
  if (asked === undefined || asked === "all") {
    const present = INSTALLABLE_HOSTS.filter(isThere);
    const wanted = present.length === 0 ? [DEFAULT_HOST] : present;
    return (asked === "all" ? INSTALLABLE_HOSTS : wanted).map(host =>
      wanted.includes(host)
        ? { ...choose(host), isAwaited: present.length === 0 }
        : { host, scope, skipped: "not found on this machine" },
    );
  }
  return INSTALLABLE_HOSTS.filter(host => asked.includes(host)).map(host => {
    const { mustBePresent, title, folders, programs } = hostSetup(host);
    if (mustBePresent !== true || scope !== "user" || isThere(host)) return choose(host);
    const skipped = `${title} was not found: there is no ~/${folders[0]} and no ${programs[0]} on PATH`;
    return { host, scope, skipped };
  });
}

/** `Claude Code` for `claude-code`; a host that is not known keeps its name. */
export function hostTitle(host: string): string {
  const known = resolveHost(host);
  return known === undefined ? escapeControls(host) : hostSetup(known).title;
}

/** What our hooks can do for the user of one host, and what they cannot do there. */
export interface Protections {
  readonly can: readonly string[];
  readonly cannot: readonly string[];
}

const ANSWERS = "answer questions about calls that are understood, if you switch autonomy on";

/** What each hook is for, in the user's words. */
const PURPOSES: Readonly<Record<string, string>> = {
  "pre-tool-use": "refuse a dangerous command before it runs",
  "permission-request": ANSWERS,
  "post-tool-use": "count what tools did",
  stop: "hold a stop while work is unfinished",
  "session-start": "give a new session its context",
  "user-prompt-submit": "add preferences and memories to a prompt",
  "workflow-classification-reminder": "remind of the workflow at a prompt",
  "pre-compact": "keep the conversation before it is compacted",
  "session-stop": "keep what a session learned",
};

export function describeProtections(host: HostId): Protections {
  const { registrations, omitted } = planRegistrations(filesOwner(host));
  const can = new Set<string>();
  const cannot = new Set<string>();
  for (const { subcommand, event, nativeEvent } of registrations) {
    const { unproven, ask, caveats } = abilities(host, event, nativeEvent);
    const purpose = PURPOSES[subcommand] ?? subcommand;
    can.add(unproven?.includes("deny") === true ? `${purpose} (not proven there)` : purpose);
    if (subcommand !== "pre-tool-use") continue;
    if (ask !== undefined) can.add("ask you about a doubtful command");
    else cannot.add("ask you: a doubtful command is refused, with a code that permits it once");
    if (caveats?.deny !== undefined) cannot.add(`refuse as it should be: ${caveats.deny}`);
  }
  const { answering } = HOSTS[host];
  if (typeof answering === "string") cannot.add(`have its questions answered for you: it ${answering}`);
  else can.add(ANSWERS);
  for (const { subcommand, why } of omitted) {
    if (subcommand === "permission-request") continue;
    const purpose = PURPOSES[subcommand] ?? subcommand;
    if (!can.has(purpose)) cannot.add(`${purpose}: ${why}`);
  }
  for (const gap of hostSetup(host).gaps ?? []) cannot.add(gap);
  cannot.add("act after its time is up: a hook that takes too long is ignored");
  return { can: [...can], cannot: [...cannot] };
}
