import { findLooseJson } from "../config/index.ts";
import {
  type FoundEntry,
  HOSTS,
  type HostId,
  isHostId,
  listEntries,
  planRegistrations,
  resolveSubcommand,
  settingsPath,
} from "../hosts/index.ts";
import { errorText } from "../protocol/index.ts";
import { findHome, Problem, readExactText, type UserDirectories } from "../state/index.ts";
import { dirname, expandHome, isAbsolute, isInside, join, normalise, type System } from "../system/index.ts";

/** Something about our entries in a host's files. */
export interface SettingsFinding {
  /** `drift` can be repaired by `install`; `tampering` means that another program would run as ours */
  readonly kind: "drift" | "tampering";
  readonly file: string;
  readonly message: string;
}

interface SettingsCheck {
  readonly isRegistered: boolean;
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
  if (other !== undefined && isHostId(other.host)) return checkSettings(system, other.host, places);
  return { isRegistered: registering.length > 0, findings };
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
      `line ${loose.line}, column ${loose.column}: ${host} passes over a file with comments or trailing commas`,
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
    const judged = judgeProgram(system, owned.program, places);
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

/** The places in which `install` looks for the hook program. A project's own directories are none of them. */
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
