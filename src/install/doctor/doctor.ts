import type { HostId } from "../../hosts/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import {
  describeDuplicate,
  findDuplicates,
  findRegistrations,
  findServing,
  isRegistered,
} from "../duplicate-registrations.ts";
import type { Package } from "../package.ts";
import type { FoundRegistration } from "../registrations.ts";
import { findTarget, INSTALLABLE_HOSTS, isPresent, setupOf } from "../targets.ts";
import { checkAgents } from "./agents.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";
import { checkConfiguration } from "./configuration.ts";
import { findRepair } from "./hook-program.ts";
import { describeAge, findLastFired } from "./last-fired.ts";
import { checkMachine } from "./machine.ts";
import { checkServers } from "./mcp-servers.ts";
import { checkOwnHooks } from "./own-hooks.ts";
import { probeHooks } from "./probe.ts";
import { checkRegistration } from "./registration.ts";
import { checkOwnFiles, checkSwitches } from "./switches.ts";

export interface DoctorRequest {
  /** only these; all when absent */
  readonly hosts: readonly HostId[] | undefined;
  readonly nodeVersion: string;
  /** the real path of this program */
  readonly self: string;
  /** for each hook that is started; 10 seconds when absent */
  readonly probeTimeoutMs?: number;
}

export interface DoctorReport {
  readonly ok: boolean;
  readonly checks: readonly DoctorCheck[];
}

/** Looks at everything that keeps hooks from working. Changes nothing. */
export async function examine(
  system: System,
  places: UserDirectories,
  source: Package,
  request: DoctorRequest,
): Promise<DoctorReport> {
  const isWanted = (host: HostId) => request.hosts?.includes(host) ?? true;
  const all = findRegistrations(system, places).filter(({ target }) => isWanted(target.host));
  const own = all.filter(({ target }) => target.host === target.owner);
  const registered = own.filter(each => each.entries.length > 0);
  const [machine, agents, probes] = await Promise.all([
    checkMachine(system, places, source, request.nodeVersion),
    checkAgents(system, places, request.self),
    probeHooks(system, registered, {
      fix: findRepair(system, places, source),
      timeoutMs: request.probeTimeoutMs,
    }),
  ]);
  const checks = [
    checkAnyRegistered(registered),
    ...own
      .filter(each => each.entries.length > 0 || each.problem !== undefined)
      .flatMap(each => checkOne(system, places, each)),
    ...checkUnregistered(system, places, all, isWanted),
    ...INSTALLABLE_HOSTS.filter(isWanted).flatMap(host => checkOwnFiles(system, places, host)),
    ...probes,
    ...findDuplicates(system, places)
      .filter(({ host }) => isWanted(host))
      .map(each => warn("double", describeDuplicate(each), "amplihack install --scope project --dedupe")),
    ...checkLastFired(system, places, registered),
    ...checkServers(system, places, isWanted),
    ...checkConfiguration(system, places),
    ...checkOwnHooks(system, places),
    ...machine,
    ...agents,
  ];
  return { ok: checks.every(({ status }) => status !== "fail"), checks };
}

/**
 * Why one host would not run the hooks with the settings that are there: a failure where they register the hooks in
 * vain, a warning where they do not register them.
 */
export function findFaults(system: System, places: UserDirectories, host: HostId): readonly DoctorCheck[] {
  const all = findRegistrations(system, places).filter(({ target }) => target.host === host);
  return [
    ...all
      .filter(({ target }) => target.owner === host)
      .filter(({ entries, problem }) => entries.length > 0 || problem !== undefined)
      .flatMap(each => checkOne(system, places, each))
      .filter(({ status }) => status === "fail"),
    ...checkUnregistered(system, places, all, each => each === host).filter(
      ({ status }) => status === "warn",
    ),
  ];
}

function checkOne(system: System, places: UserDirectories, found: FoundRegistration): readonly DoctorCheck[] {
  const isReadable = found.entries.length > 0 && found.problem === undefined;
  return [
    ...checkRegistration(system, places, found),
    ...(isReadable ? checkSwitches(system, places, found.target) : []),
  ];
}

function checkAnyRegistered(registered: readonly FoundRegistration[]): DoctorCheck {
  const hosts = [...new Set(registered.filter(isRegistered).map(({ target }) => target.host))];
  return hosts.length === 0
    ? fail("registered", "the hooks are registered with no host", "amplihack install")
    : pass("registered", `the hooks are registered with ${hosts.join(", ")}`);
}

/** Hosts that are there but do not call our hooks. */
function checkUnregistered(
  system: System,
  places: UserDirectories,
  all: readonly FoundRegistration[],
  isWanted: (host: HostId) => boolean,
): readonly DoctorCheck[] {
  return INSTALLABLE_HOSTS.filter(host => isWanted(host) && isPresent(system, places, host)).flatMap(host => {
    if (all.some(each => each.target.host === host && isRegistered(each))) return [];
    const serving = findServing(system, places, findTarget(system, places, host, "project"), []);
    if (serving !== undefined) return [pass(`hooks.${host}`, `${host}: served by ${serving.path}`)];
    return [warn(`hooks.${host}`, `${host} is here but has no hooks`, `amplihack install --host ${host}`)];
  });
}

function checkLastFired(
  system: System,
  places: UserDirectories,
  registered: readonly FoundRegistration[],
): readonly DoctorCheck[] {
  const latest = findLastFired(system, places);
  const hosts = [...new Set(registered.map(({ target }) => target.host))];
  const nowMs = system.clock.nowMs();
  return hosts.map(host => {
    const ts = latest.get(host);
    const id = `last-fired.${host}`;
    if (ts !== undefined) return pass(id, `${host}: a hook last ran ${describeAge(nowMs, ts)}`);
    return warn(
      id,
      `${host}: no hook has run yet`,
      typeof setupOf(host).live === "object"
        ? `amplihack doctor --live --host ${host}`
        : `use ${host} once and look again`,
    );
  });
}
