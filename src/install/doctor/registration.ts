import { findLooseJson } from "../../config/index.ts";
import { type HostRegistration, planRegistrations, resolveSubcommand } from "../../hosts/index.ts";
import { eventKey } from "../../protocol/index.ts";
import { readText, type UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { hookProgramPath } from "../places.ts";
import type { FoundRegistration, OwnEntry } from "../registrations.ts";
import type { RegistrationTarget } from "../targets.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

const WRITABLE_BY_OTHERS = 0o022;
const EXECUTABLE = 0o111;
const SETTINGS_BYTES = 16 * 1024 * 1024;

/** Compares what a host's configuration holds with what an installation would write. */
export function checkRegistration(
  system: System,
  places: UserDirectories,
  { target, entries, problem }: FoundRegistration,
): readonly DoctorCheck[] {
  const id = `hooks.${target.host}.${target.scope}`;
  const fix = `amplihack install --host ${target.host}${target.scope === "project" ? " --scope project" : ""}`;
  if (problem !== undefined)
    return [fail(id, `${target.path} cannot be read: ${problem}`, `repair ${target.path}`)];
  const loose = findLooseLine(system, target);
  if (loose !== undefined)
    return [
      fail(
        id,
        `${target.host}: no hook runs: ${target.path} has a comment or trailing comma in line ${loose}`,
        `take it out of ${target.path}`,
      ),
    ];
  const checks = [
    ...entries.flatMap(entry => judgeEntry(target, entry)),
    ...judgePrograms(system, places, entries),
    ...judgeSet(target, entries),
  ].map(({ status, message }) => (status === "fail" ? fail : warn)(id, `${target.host}: ${message}`, fix));
  return checks.length === 0
    ? [pass(id, `${target.host}: ${entries.length} hooks in ${target.path}`)]
    : checks;
}

interface Fault {
  readonly status: "fail" | "warn";
  readonly message: string;
}

const broken = (message: string): Fault => ({ status: "fail", message });
const doubtful = (message: string): Fault => ({ status: "warn", message });

/** The line for which a host that reads plain JSON alone would pass over the whole file. */
function findLooseLine(system: System, { path, registration }: RegistrationTarget): number | undefined {
  if (registration.layout.isPlainJson !== true) return undefined;
  return findLooseJson(readText(system, path, SETTINGS_BYTES) ?? "")?.line;
}

function judgeEntry(target: RegistrationTarget, entry: OwnEntry): readonly Fault[] {
  if (entry.kind === "legacy") return [broken(`${entry.event} still calls a script of an earlier version`)];
  const subcommand = entry.subcommand === undefined ? undefined : resolveSubcommand(entry.subcommand);
  if (subcommand === undefined) return [broken(`${entry.event} calls a hook that does not exist`)];
  const { registrations } = planRegistrations(target.owner);
  const wanted = registrations.find(
    each => each.nativeEvent === entry.event && each.subcommand === subcommand.name,
  );
  if (wanted !== undefined) return [...judgeTimeout(target, entry, wanted), ...judgeMatcher(entry, wanted)];
  const meant = registrations.find(each => eventKey(each.nativeEvent) === eventKey(entry.event));
  return meant !== undefined && meant.nativeEvent !== entry.event
    ? [broken(`${entry.event} never fires there: the event is called ${meant.nativeEvent}`)]
    : [doubtful(`${subcommand.name} on ${entry.event} is not needed`)];
}

function judgeTimeout(
  { registration }: RegistrationTarget,
  { event, timeout }: OwnEntry,
  { timeout: wanted }: HostRegistration,
): readonly Fault[] {
  if (wanted === undefined || registration.timeout === undefined) return [];
  const { unit } = registration.timeout;
  if (timeout === undefined) return [doubtful(`the hook on ${event} has no time limit`)];
  if (unit === "ms" && timeout < 1_000)
    return [
      broken(`the limit on ${event} is ${timeout} milliseconds there: no hook can answer in that time`),
    ];
  if (unit === "s" && timeout >= 1_000)
    return [doubtful(`the limit on ${event} is ${timeout} seconds there; milliseconds were meant`)];
  return timeout < wanted
    ? [doubtful(`the limit on ${event} is ${timeout}, less than the hook needs (${wanted})`)]
    : [];
}

const ALL_TOOLS = new Set([undefined, "", "*", ".*"]);

function judgeMatcher({ event, matcher }: OwnEntry, wanted: HostRegistration): readonly Fault[] {
  if (matcher === wanted.matcher) return [];
  if (ALL_TOOLS.has(matcher) && wanted.matcher !== undefined) return [];
  return [broken(`the hook on ${event} sees only what matches ${matcher}; it should see everything`)];
}

function judgePrograms(
  system: System,
  places: UserDirectories,
  entries: readonly OwnEntry[],
): readonly Fault[] {
  const programs = new Set(entries.filter(({ kind }) => kind === "program").map(({ program }) => program));
  return [...programs].flatMap(program => {
    const facts = program.startsWith("/") ? system.files.follow(program) : undefined;
    if (facts === undefined) return [broken(`${program} does not exist, so no hook runs`)];
    if (facts.kind !== "file" || (facts.mode & EXECUTABLE) === 0)
      return [broken(`${program} is not executable, so no hook runs`)];
    const owner = system.files.follow(places.home)?.uid;
    if (facts.uid !== 0 && facts.uid !== owner) return [broken(`${program} belongs to another user`)];
    if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) return [broken(`${program} can be changed by others`)];
    return program === hookProgramPath(places)
      ? []
      : [doubtful(`the hooks start ${program}, not the program of this installation`)];
  });
}

function judgeSet(target: RegistrationTarget, entries: readonly OwnEntry[]): readonly Fault[] {
  const count = ({ nativeEvent, subcommand }: HostRegistration) =>
    entries.filter(
      entry =>
        entry.kind === "program" &&
        entry.event === nativeEvent &&
        resolveSubcommand(entry.subcommand ?? "")?.name === subcommand,
    ).length;
  return planRegistrations(target.owner).registrations.flatMap(row => {
    const found = count(row);
    if (found === 0) return [broken(`${row.subcommand} is not registered on ${row.nativeEvent}`)];
    return found === 1 ? [] : [doubtful(`${row.subcommand} runs ${found} times on ${row.nativeEvent}`)];
  });
}
