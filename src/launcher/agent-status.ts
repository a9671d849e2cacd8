import { findLooseJson } from "../config/index.ts";
import {
  AGENTS,
  type AgentName,
  type FoundEntry,
  HOST_LIST,
  HOSTS,
  type HostId,
  isHostId,
  listEntries,
  planRegistrations,
  resolveSubcommand,
  settingsPath,
} from "../hosts/index.ts";
import { errorText, type Json, memberAt, numberAt, stringAt } from "../protocol/index.ts";
import {
  AtomicJsonFile,
  findHome,
  Problem,
  programPath,
  readExactText,
  requireDirectories,
  type UserDirectories,
} from "../state/index.ts";
import { dirname, expandHome, isAbsolute, isInside, join, normalise, type System } from "../system/index.ts";
import { readVariables } from "./child-environment.ts";
import { LAUNCH_TOOLS, searchDirectories, tryFindBinary } from "./find-binary.ts";

/** Agents are programs of many megabytes; on a busy machine even their version takes seconds. */
const TIMEOUT_MS = 5_000;
const MAX_LINE_LENGTH = 200;
const LIFE_MS = 24 * 60 * 60 * 1000;
/** A failure may have been the machine's, not the agent's. */
const FAILURE_LIFE_MS = 60 * 60 * 1000;
const MAX_ENTRIES = 50;
const ANSI = /\u001b\[[0-?]*[ -/]*[@-~]/g;

type Known = {
  readonly path: string;
  readonly modifiedMs: number;
  readonly size: number;
  readonly version: string | null;
  readonly checkedMs: number;
};

type Cache = AtomicJsonFile<readonly Known[]>;

/** The version an agent reports; undefined when it does not say. Remembered per file for a day. */
export async function readAgentVersion(
  system: System,
  path: string,
  cachePath: string | undefined,
  warn: (text: string) => void,
): Promise<string | undefined> {
  const facts = system.files.follow(path);
  const cache =
    cachePath === undefined ? undefined : new AtomicJsonFile(cachePath, { system, parse: parseCache });
  const known = readCache(cache).find(each => each.path === path);
  const nowMs = system.clock.nowMs();
  if (known !== undefined && known.modifiedMs === facts?.modifiedMs && known.size === facts.size) {
    const ageMs = nowMs - known.checkedMs;
    const lifeMs = known.version === null ? FAILURE_LIFE_MS : LIFE_MS;
    if (ageMs >= 0 && ageMs < lifeMs) return known.version ?? undefined;
  }
  const version = await askVersion(system, path);
  if (facts !== undefined && cache !== undefined) {
    const { modifiedMs, size } = facts;
    remember(cache, { path, modifiedMs, size, version: version ?? null, checkedMs: nowMs }, warn);
  }
  return version;
}

async function askVersion(system: System, path: string): Promise<string | undefined> {
  const { CLAUDECODE: _, ...env } = readVariables(system);
  const { end, stdout, stderr } = await system.processes.start({
    argv: [path, "--version"],
    cwd: system.files.workingDirectory() ?? "/",
    env: { ...env, PATH: programPath(system), AMPLIHACK_NONINTERACTIVE: "1" },
    input: new Uint8Array(),
    timeoutMs: TIMEOUT_MS,
    killAfterMs: 100,
    limits: { stdoutBytes: 4_096, tailBytes: 0, stderrBytes: 4_096, drainBytes: 1024 * 1024 },
    endsGroup: true,
  }).done;
  if (end.kind !== "exit" || end.code !== 0) return undefined;
  // Pi tells its version on stderr.
  return versionIn(system.text.decode(stdout).text) ?? versionIn(system.text.decode(stderr).text);
}

/** The first version number in the first line of what a program printed. */
export function versionIn(output: string): string | undefined {
  const line = (output.split("\n")[0] ?? "").replace(ANSI, "").slice(0, MAX_LINE_LENGTH);
  return /\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/.exec(line)?.[0];
}

/**
 * Older than wanted: a warning, or with `--strict-version` an error. What the user's variable asks for is always told;
 * our own minimum only to a person, because an agent that starts agents can do nothing about it.
 */
export async function checkMinimum(
  system: Pick<System, "env">,
  agent: AgentName,
  version: string | undefined,
  { isStrict, isInteractive }: { readonly isStrict: boolean; readonly isInteractive: boolean },
  warn: (text: string) => void,
): Promise<void> {
  const variable = `AMPLIHACK_MIN_${agent.toUpperCase()}_VERSION`;
  const asked = system.env.get(variable) ?? "";
  const wanted = asked === "" ? LAUNCH_TOOLS[agent].minimumVersion : asked;
  if (wanted === undefined || (asked === "" && !isStrict && !isInteractive)) return;
  const { default: semver } = await import("semver");
  if (semver.valid(wanted) === null) {
    throw new Problem(`${variable} is not usable: expected a version such as 1.2.3`, {
      kind: "environment",
      fix: `set ${variable} to three numbers with dots, or unset it`,
    });
  }
  const by = asked === "" ? "the oldest in which the hooks are known to work" : `which ${variable} asks for`;
  const isKnown = version !== undefined && semver.valid(version) !== null;
  if (isKnown && semver.gte(version, wanted)) return;
  const found = isKnown
    ? `${agent} ${version} is older than ${wanted}`
    : `the version of ${agent} is unknown, not at least ${wanted}`;
  if (!isStrict) {
    // An unknown version was told already.
    if (isKnown || asked !== "") warn(`${found}, ${by}`);
    return;
  }
  throw new Problem(`${found}, ${by}`, {
    kind: "version",
    fix: `update ${agent}, or leave out --strict-version`,
  });
}

function readCache(cache: Cache | undefined): readonly Known[] {
  try {
    return cache?.read() ?? [];
  } catch {
    // An unreadable cache is an empty one; `remember` replaces it.
    return [];
  }
}

function remember(cache: Cache, known: Known, warn: (text: string) => void): void {
  try {
    const others = readCache(cache).filter(({ path }) => path !== known.path);
    cache.write([...others.slice(1 - MAX_ENTRIES), known]);
  } catch (error) {
    warn(`the version of the agent could not be remembered: ${errorText(error)}`);
  }
}

/** Entries that cannot be read are left out. */
function parseCache(value: Json): readonly Known[] {
  if (!Array.isArray(value)) throw new Error("it is not a list");
  return (value as readonly Json[]).flatMap(each => {
    const [path, version] = [stringAt(each, "path"), memberAt(each, "version")];
    const [modifiedMs, size, checkedMs] = [
      numberAt(each, "modifiedMs"),
      numberAt(each, "size"),
      numberAt(each, "checkedMs"),
    ];
    if (path === undefined || modifiedMs === undefined || size === undefined || checkedMs === undefined)
      return [];
    return typeof version === "string" || version === null
      ? [{ path, modifiedMs, size, version, checkedMs }]
      : [];
  });
}

/** Something about our entries in a host's files. */
export interface SettingsFinding {
  /** `drift` can be repaired by `install`; `tampering` means that another program would run as ours */
  readonly kind: "drift" | "tampering";
  readonly file: string;
  readonly message: string;
}

interface SettingsCheck {
  readonly isRegistered: boolean;
  /** by a file of its own, and not by that of a host whose hooks it also runs */
  readonly hasOwnEntries: boolean;
  readonly findings: readonly SettingsFinding[];
}

interface SettingsPlaces extends UserDirectories {
  /** directory of the executables of this package */
  readonly ownBin: string;
}

const MAX_BYTES = 4 * 1024 * 1024;
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/** Looks at our entries in the user's and the project's files of one host. Other people's are never judged. */
export function checkSettings(system: System, host: HostId, places: SettingsPlaces): SettingsCheck {
  const findings: SettingsFinding[] = [];
  const registering: string[] = [];
  for (const path of settingsFiles(system, host, places)) {
    const entries = readOwnEntries(system, host, path);
    if (entries === undefined || entries.length === 0) continue;
    const [first] = registering;
    registering.push(path);
    findings.push(...judgeEntries(system, host, path, entries, places));
    if (first !== undefined)
      findings.push(drift(path, `${first} registers amplihack too, so every hook runs twice`));
  }
  const [other] = registering.length === 0 ? (HOSTS[host].setup?.().alsoReads ?? []) : [];
  if (other !== undefined && isHostId(other.host)) {
    return { ...checkSettings(system, other.host, places), hasOwnEntries: false };
  }
  const hasOwnEntries = registering.length > 0;
  return { isRegistered: hasOwnEntries, hasOwnEntries, findings };
}

/** Where a host's files are, one path once: in the home directory the project's file is the user's. */
function settingsFiles(
  system: Pick<System, "env">,
  host: HostId,
  places: Pick<SettingsPlaces, "home" | "projectRoot">,
): readonly string[] {
  const { registration } = HOSTS[host];
  if (registration === undefined) return [];
  const { personalFile } = registration;
  const files = [
    settingsPath(registration, "user", places, system.env),
    settingsPath(registration, "project", places, system.env),
    personalFile === undefined ? undefined : join(places.projectRoot, personalFile),
  ];
  return [...new Set(files.filter(path => path !== undefined))];
}

/** Our entries of one file; undefined when there is no file. One that cannot be read is an error. */
function readOwnEntries(system: System, host: HostId, path: string): readonly FoundEntry[] | undefined {
  const fail = (why: string): never => {
    throw new Problem(`cannot use the settings in ${path}: ${why}`, {
      kind: "settings",
      fix: "repair the file; amplihack has not touched it",
    });
  };
  let read: ReturnType<typeof readExactText>;
  try {
    read = readExactText(system, path, MAX_BYTES);
  } catch (error) {
    return fail(errorText(error));
  }
  const layout = HOSTS[host].registration?.layout;
  if (read === undefined || layout === undefined) return undefined;
  if (layout.kind === "module") return [MODULE_ENTRY];
  const listed = listEntries(read.text, layout);
  if (!listed.ok) return fail(`line ${listed.line}, column ${listed.column}: ${listed.problem}`);
  const loose = layout.isPlainJson === true ? findLooseJson(read.text) : undefined;
  if (loose !== undefined)
    return fail(
      `line ${loose.line}, column ${loose.column}: ${host} ignores a file with comments or trailing commas`,
    );
  return listed.entries.filter(({ owned }) => owned !== undefined);
}

/** A generated module is ours as a whole. */
const MODULE_ENTRY: FoundEntry = { event: "", matcher: undefined, handler: {}, owned: undefined };

function judgeEntries(
  system: System,
  host: HostId,
  path: string,
  entries: readonly FoundEntry[],
  places: SettingsPlaces,
): readonly SettingsFinding[] {
  if (entries.includes(MODULE_ENTRY)) return [];
  const findings: SettingsFinding[] = [];
  const found = new Map<string, number>();
  const programs = new Set<string>();
  for (const { event, owned } of entries) {
    if (owned === undefined) continue;
    if (owned.kind === "legacy") {
      findings.push(drift(path, `${event} still calls a script of an earlier version`));
      continue;
    }
    const subcommand = owned.subcommand === undefined ? undefined : resolveSubcommand(owned.subcommand);
    if (subcommand === undefined) findings.push(drift(path, `${event} calls a hook that does not exist`));
    else {
      const key = `${event} ${subcommand.name}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    programs.add(owned.program);
  }
  for (const program of programs) {
    const judged = judgeProgram(system, program, places);
    if (judged !== undefined) findings.push({ ...judged, file: path });
  }
  const wanted = planRegistrations(host).registrations.map(each => `${each.nativeEvent} ${each.subcommand}`);
  for (const key of wanted) if (!found.has(key)) findings.push(drift(path, `no entry for ${key}`));
  for (const [key, count] of found) {
    if (!wanted.includes(key)) findings.push(drift(path, `an entry that is not needed: ${key}`));
    if (count > 1) findings.push(drift(path, `${count} entries for ${key}`));
  }
  return unique(findings);
}

function drift(file: string, message: string): SettingsFinding {
  return { kind: "drift", file, message };
}

function unique(findings: readonly SettingsFinding[]): readonly SettingsFinding[] {
  const seen = new Map(findings.map(finding => [`${finding.kind} ${finding.message}`, finding]));
  return [...seen.values()];
}

/** What is wrong with the program of an entry; undefined when nothing is. */
function judgeProgram(
  system: System,
  written: string,
  places: SettingsPlaces,
): Pick<SettingsFinding, "kind" | "message"> | undefined {
  const program = expandHome(written.replace(/^\$(?:HOME|\{HOME\})(?=\/)/, "~"), places.home);
  if (!program.includes("/")) return { kind: "drift", message: "the hook program is looked for on PATH" };
  if (!isAbsolute(program) || !knownDirectories(system, places).has(dirname(program))) {
    return { kind: "tampering", message: `${program} is not where amplihack puts its hook program` };
  }
  const facts = system.files.follow(normalise(program));
  if (facts?.kind !== "file") return { kind: "drift", message: `${program} is missing` };
  const user = system.files.follow(places.home)?.uid;
  if ((facts.mode & WRITABLE_BY_ALL) !== 0)
    return { kind: "tampering", message: `${program} can be changed by every user` };
  if (facts.uid !== 0 && facts.uid !== user && facts.uid !== process.getuid?.())
    return { kind: "tampering", message: `${program} belongs to another user` };
  if ((facts.mode & WRITABLE_BY_GROUP) !== 0)
    return { kind: "drift", message: `${program} can be changed by its group` };
  return (facts.mode & 0o111) === 0 ? { kind: "drift", message: `${program} is not executable` } : undefined;
}

/** The places in which `install` looks for the hook program; directories of a project are never searched. */
function knownDirectories(system: System, places: SettingsPlaces): ReadonlySet<string> {
  const home = findHome(system) ?? places.home;
  const overrides = ["AMPLIHACK_AMPLIHACK_HOOKS_BIN", "AMPLIHACK_AMPLIHACK_HOOKS_BINARY_PATH"].flatMap(
    name => {
      const value = system.env.get(name) ?? "";
      return isAbsolute(value) ? [dirname(value)] : [];
    },
  );
  const listed = (system.env.get("PATH") ?? "")
    .split(":")
    .filter(isAbsolute)
    .filter(directory => !isInside(places.projectRoot, directory));
  return new Set(
    [
      join(places.stateHome, ".claude", "bin"),
      join(home, ".amplihack", ".claude", "bin"),
      places.ownBin,
      join(home, ".cargo", "bin"),
      join(home, ".local", "bin"),
      ...overrides,
      ...listed,
    ].map(normalise),
  );
}

export interface AgentStatus {
  /** the name it is started by, or its id where amplihack does not start it */
  readonly agent: AgentName | HostId;
  readonly title: string;
  /** of its program; undefined when that is not found */
  readonly path: string | undefined;
  /** It is here: its program, a registration with it, or its folder where nothing else is here. */
  readonly isPresent: boolean;
  readonly isRegistered: boolean;
  /** why hooks need attention although they are registered, or cannot be read */
  readonly problem: string | undefined;
}

/** Which agents are there, and whether they call our hooks. Starts nothing, writes nothing. */
export function readAgentStatus(system: System, self: string): readonly AgentStatus[] {
  const directories = requireDirectories(system);
  const ownBin = dirname(self);
  const searched = searchDirectories(system);
  const check = (host: HostId) => {
    try {
      const { findings, ...found } = checkSettings(system, host, { ...directories, ownBin });
      return { ...found, problem: findings[0]?.message };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { isRegistered: false, hasOwnEntries: false, problem: error.message };
    }
  };
  const started = AGENTS.map(agent => {
    const { title, host } = LAUNCH_TOOLS[agent];
    const path = tryFindBinary(system, agent, self, () => searched);
    return { agent, host, title, path, canStart: true, ...check(host) };
  });
  const others = OTHER_HOSTS.map(({ id, title }) => ({
    agent: id,
    host: id,
    title,
    path: undefined,
    canStart: false,
    ...check(id),
  }));
  const all = [...started, ...others];
  const isHere = all.map(({ path, hasOwnEntries }) => path !== undefined || hasOwnEntries);
  const isEmpty = !isHere.includes(true);
  return all.flatMap(({ host, canStart, hasOwnEntries: _, ...status }, at) => {
    const isPresent = isHere[at] === true || (isEmpty && hasFolder(system, host, directories));
    return isPresent || canStart ? [{ ...status, isPresent }] : [];
  });
}

/** Hosts that we register with and never start. */
const OTHER_HOSTS = HOST_LIST.flatMap(({ id, setup }) => {
  const { title, registeredBy } = setup?.() ?? {};
  const isStarted = AGENTS.some(agent => LAUNCH_TOOLS[agent].host === id);
  return title === undefined || registeredBy !== undefined || isStarted ? [] : [{ id, title }];
});

function hasFolder(system: System, host: HostId, { home }: UserDirectories): boolean {
  const { folders = [] } = HOSTS[host].setup?.() ?? {};
  return folders.some(folder => system.files.follow(join(home, folder))?.kind === "directory");
}

/** The one command that helps most now, and what for. */
export function nextStep(agents: readonly AgentStatus[]): {
  readonly command: string;
  readonly why: string;
} {
  const present = agents.filter(({ isPresent }) => isPresent);
  if (present.length === 0) {
    const agent = LAUNCH_TOOLS.claude;
    return { command: agent.installHint, why: `installs an agent, here ${agent.title}` };
  }
  const broken = present.find(({ problem }) => problem !== undefined);
  if (broken !== undefined) return { command: "amplihack doctor", why: `says what ${broken.title} needs` };
  const silent = present.filter(({ isRegistered }) => !isRegistered);
  if (silent.length > 0) {
    return {
      command: "amplihack install",
      why: `lets amplihack guard ${silent.map(({ title }) => title).join(", ")}`,
    };
  }
  const first = present.find(({ path }) => path !== undefined);
  return first === undefined
    ? { command: "amplihack doctor", why: "says whether the hooks have run" }
    : { command: `amplihack ${first.agent}`, why: `starts ${first.title}, guarded` };
}
