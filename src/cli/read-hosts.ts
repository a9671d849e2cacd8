import { resolveHost } from "../hosts/host.ts";
import { INSTALLABLE_HOSTS, type InstallableHost, isInstallable } from "../install/targets.ts";
import { usageError } from "./errors.ts";
import { didYouMean } from "./nearest.ts";

/** The hosts that `--host` names; undefined when it was not given. */
export function readHosts(
  names: readonly string[],
  path: string,
): readonly InstallableHost[] | "all" | undefined {
  if (names.length === 0) return undefined;
  if (names.includes("all")) return "all";
  return [...new Set(names.flatMap(name => name.split(",")).map(name => readHost(name, path)))];
}

function readHost(name: string, path: string): InstallableHost {
  const host = resolveHost(name);
  if (host !== undefined && isInstallable(host)) return host;
  const problem =
    host === undefined ? `unknown host '${name}'` : `hooks cannot be registered with ${host} by amplihack`;
  const hint = didYouMean(name, INSTALLABLE_HOSTS) || `; known are ${INSTALLABLE_HOSTS.join(", ")}`;
  throw usageError(problem + hint, `${path} --help`);
}
