import { DEFAULT_HOST, type HostId, type InstallScope } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { findTarget, INSTALLABLE_HOSTS, isPresent, type RegistrationTarget, setupOf } from "./targets.ts";

/** A host that was asked for, or found, and whether it gets a registration of its own. */
export type ChosenHost =
  | { readonly host: HostId; readonly scope: InstallScope; readonly target: RegistrationTarget }
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
      wanted.includes(host) ? choose(host) : { host, scope, skipped: "not found on this machine" },
    );
  }
  return INSTALLABLE_HOSTS.filter(host => asked.includes(host)).map(host => {
    const { mustBePresent, title, folders, programs } = setupOf(host);
    if (mustBePresent !== true || scope !== "user" || isThere(host)) return choose(host);
    const skipped = `${title} was not found: there is no ~/${folders[0]} and no ${programs[0]} on PATH`;
    return { host, scope, skipped };
  });
}
