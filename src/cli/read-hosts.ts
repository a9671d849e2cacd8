import { type HostId, resolveHost } from "../hosts/index.ts";
import { INSTALLABLE_HOSTS, isInstallable } from "../install/index.ts";
import { didYouMean } from "../text/index.ts";
import { usageError } from "./errors.ts";

/** The hosts that `--host` names; undefined when it was not given. */
export function readHosts(names: readonly string[], path: string): readonly HostId[] | "all" | undefined {
  if (names.length === 0) return undefined;
  if (names.includes("all")) return "all";
  return [...new Set(names.flatMap(name => name.split(",")).map(name => readHost(name, path)))];
}

function readHost(name: string, path: string): HostId {
  const host = resolveHost(name);
  if (host !== undefined && isInstallable(host)) return host;
  const problem =
    host === undefined ? `unknown host '${name}'` : `hooks cannot be registered with ${host} by amplihack`;
  const hint = didYouMean(name, INSTALLABLE_HOSTS) || `; known are ${INSTALLABLE_HOSTS.join(", ")}`;
  throw usageError(problem + hint, `${path} --help`);
}
