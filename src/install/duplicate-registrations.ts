import { type HostId, type InstallScope, isHostId } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { isExecutable } from "./find-program.ts";
import { type FoundRegistration, readRegistration } from "./registrations.ts";
import { findTarget, INSTALLABLE_HOSTS, ownerOf, type RegistrationTarget, setupOf } from "./targets.ts";

/** A host that reads our hooks from two places and runs them twice. */
export interface DuplicateRegistration {
  readonly host: HostId;
  readonly kept: FoundRegistration;
  readonly redundant: FoundRegistration;
}

/** Files of other hosts that a host reads besides its own. */
function alsoReads(host: HostId): readonly { readonly host: HostId; readonly scope: InstallScope }[] {
  const others = setupOf(host).alsoReads ?? [];
  return others.flatMap(other => (isHostId(other.host) ? [{ host: other.host, scope: other.scope }] : []));
}

/** All registrations of ours that can be found: for the user, and for the project this runs in. */
export function findRegistrations(system: System, places: UserDirectories): readonly FoundRegistration[] {
  const scopes: readonly InstallScope[] = places.projectRoot === places.home ? ["user"] : ["user", "project"];
  return INSTALLABLE_HOSTS.flatMap(host =>
    scopes.map(scope => readRegistration(system, findTarget(system, places, host, scope))),
  );
}

/** A file of another host that registers our hooks for this host, too. `planned` will be written by this installation. */
export function findServing(
  system: System,
  places: UserDirectories,
  { host, scope }: Pick<RegistrationTarget, "host" | "scope">,
  planned: readonly RegistrationTarget[],
): RegistrationTarget | undefined {
  return alsoReads(host)
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
export function findDuplicates(system: System, places: UserDirectories): readonly DuplicateRegistration[] {
  const all = findRegistrations(system, places).filter(isRegistered);
  const at = (host: HostId, scope: InstallScope) =>
    all.find(each => each.target.host === host && each.target.scope === scope);
  return INSTALLABLE_HOSTS.filter(host => host === ownerOf(host)).flatMap(host => {
    const [other] = alsoReads(host).flatMap(place => at(place.host, place.scope) ?? []);
    const own = [at(host, "project"), at(host, "user")].filter(each => each !== undefined);
    const [kept, ...redundant] = other === undefined ? own : [other, ...own];
    // A copy that does not work is never a reason to call another one redundant.
    if (kept === undefined || !kept.entries.every(({ program }) => isExecutable(system, program))) return [];
    return redundant.map(each => ({ host, kept, redundant: each }));
  });
}

export function describeDuplicate({ host, kept, redundant }: DuplicateRegistration): string {
  return `${host} reads both ${kept.target.path} and ${redundant.target.path} and runs every hook twice`;
}
