import type { System } from "../system/system.ts";
import { findServing } from "./doubles.ts";
import type { Places, Scope } from "./places.ts";
import {
  DEFAULT_HOST,
  findTarget,
  INSTALLABLE_HOSTS,
  type InstallableHost,
  isPresent,
  type Target,
} from "./targets.ts";

/** A host that was asked for, or found, and whether it gets a registration of its own. */
export type ChosenHost =
  | { readonly host: InstallableHost; readonly scope: Scope; readonly target: Target }
  | { readonly host: InstallableHost; readonly scope: Scope; readonly skipped: string };

/** Which hosts to register with: those named, or those that are there; `all` also tells who is not. None: Claude Code. */
export function chooseHosts(
  system: System,
  places: Places,
  asked: readonly InstallableHost[] | "all" | undefined,
  scope: Scope,
): readonly ChosenHost[] {
  const isThere = (host: InstallableHost) => isPresent(system, places, host);
  if (asked === undefined || asked === "all") {
    const present = INSTALLABLE_HOSTS.filter(isThere);
    const wanted = present.length === 0 ? [DEFAULT_HOST] : present;
    const told = asked === "all" ? INSTALLABLE_HOSTS : wanted;
    return told.map(host =>
      wanted.includes(host)
        ? chosen(system, places, host, scope)
        : { host, scope, skipped: "not found on this machine" },
    );
  }
  return INSTALLABLE_HOSTS.filter(host => asked.includes(host)).map(host =>
    host === "copilot-cli" && scope === "user" && !isThere(host)
      ? { host, scope, skipped: "Copilot CLI was not found: there is no ~/.copilot and no copilot on PATH" }
      : chosen(system, places, host, scope),
  );
}

function chosen(system: System, places: Places, host: InstallableHost, scope: Scope): ChosenHost {
  return { host, scope, target: findTarget(system, places, host, scope) };
}

/** Why a host that reads the files of another is left out. `planned` will be registered by the same installation. */
export function whyServed(
  system: System,
  places: Places,
  target: Target,
  planned: readonly Target[],
): string | undefined {
  const serving = findServing(system, places, target, planned);
  return serving === undefined ? undefined : `it reads ${serving.path}, which registers the hooks already`;
}
