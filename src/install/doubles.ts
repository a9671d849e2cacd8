import type { System } from "../system/system.ts";
import { isExecutable } from "./find-program.ts";
import type { Places, Scope } from "./places.ts";
import { type FoundRegistration, readRegistration } from "./registrations.ts";
import { findTarget, INSTALLABLE_HOSTS, type InstallableHost, type Target } from "./targets.ts";

/** A host that reads our hooks from two places and runs them twice. */
export interface DoubleRegistration {
  readonly host: InstallableHost;
  readonly kept: FoundRegistration;
  readonly redundant: FoundRegistration;
}

interface OtherPlace {
  readonly host: InstallableHost;
  readonly scope: Scope;
}

/** Places of others that a host reads along, besides its own two. */
const ALSO_READS: Partial<Record<InstallableHost, readonly OtherPlace[]>> = {
  "copilot-cli": [{ host: "claude-code", scope: "project" }],
  cursor: [
    { host: "claude-code", scope: "user" },
    { host: "claude-code", scope: "project" },
  ],
};

/** All registrations of ours that can be found: for the user, and for the project this runs in. */
export function findRegistrations(system: System, places: Places): readonly FoundRegistration[] {
  const scopes: readonly Scope[] = places.projectRoot === places.home ? ["user"] : ["user", "project"];
  return INSTALLABLE_HOSTS.flatMap(host =>
    scopes.map(scope => readRegistration(system, findTarget(system, places, host, scope))),
  );
}

/** Where a host that reads the files of another is served by that already. */
export function findServing(
  system: System,
  places: Places,
  { host, scope }: Pick<Target, "host" | "scope">,
  planned: readonly Target[],
): Target | undefined {
  return (ALSO_READS[host] ?? [])
    .filter(other => other.scope === "user" || scope === "project")
    .map(other => findTarget(system, places, other.host, other.scope))
    .find(
      target =>
        planned.some(other => other.path === target.path) || isRegistered(readRegistration(system, target)),
    );
}

export function isRegistered({ entries }: FoundRegistration): boolean {
  return entries.some(entry => entry.kind === "program");
}

/** Hosts that would run our hooks twice. The redundant copy is the user's, or the one in the host's own file. */
export function findDoubles(system: System, places: Places): readonly DoubleRegistration[] {
  const all = findRegistrations(system, places).filter(isRegistered);
  const at = (host: InstallableHost, scope: Scope) =>
    all.find(each => each.target.host === host && each.target.scope === scope);
  return INSTALLABLE_HOSTS.filter(host => host !== "vscode-copilot").flatMap(host => {
    const [other] = (ALSO_READS[host] ?? []).flatMap(place => at(place.host, place.scope) ?? []);
    const own = [at(host, "project"), at(host, "user")].filter(each => each !== undefined);
    const [kept, ...redundant] = other === undefined ? own : [other, ...own];
    if (kept === undefined || !isWorking(system, kept)) return [];
    return redundant.map(each => ({ host, kept, redundant: each }));
  });
}

/** A copy that does not work is never a reason to call another one redundant. */
function isWorking(system: System, { entries }: FoundRegistration): boolean {
  return entries.every(({ program }) => isExecutable(system, program));
}

export function describeDouble({ host, kept, redundant }: DoubleRegistration): string {
  return `${host} reads both ${kept.target.path} and ${redundant.target.path} and runs every hook twice`;
}
