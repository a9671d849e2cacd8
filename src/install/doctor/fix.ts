import type { HostId, InstallScope } from "../../hosts/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { readFile } from "../file-edit.ts";
import { findRegistrations } from "../hook-entries.ts";
import { install } from "../install.ts";
import { type InstallReport, PLAIN_INSTALL } from "../install-report.ts";
import type { Package } from "../package.ts";
import { findTarget, INSTALLABLE_HOSTS } from "../targets.ts";
import { hasFingerprints, readTrust } from "../trust.ts";

/**
 * What an installation would put right: the registrations that are there, in their scopes. With none there, those of
 * the hosts that are found. A host that asks for trust runs our hooks only where it did before.
 */
export async function repair(
  system: System,
  places: UserDirectories,
  source: Package,
  asked: readonly HostId[] | undefined,
): Promise<readonly InstallReport[]> {
  const found = findRegistrations(system, places).filter(
    ({ entries, target }) => entries.length > 0 && target.host === target.owner,
  );
  const hostsIn = (scope: InstallScope) =>
    found
      .filter(({ target }) => target.scope === scope && (asked?.includes(target.host) ?? true))
      .map(({ target }) => target.host);
  const reports: InstallReport[] = [];
  const run = async (hosts: readonly HostId[] | undefined, scope: InstallScope) => {
    reports.push(
      await install(system, source, {
        ...PLAIN_INSTALL,
        hosts,
        scope,
        isTrustAgreed: isTrustedAlready(system, places),
      }),
    );
  };
  if (found.length === 0) await run(asked, "user");
  for (const scope of ["user", "project"] as const) {
    const hosts = hostsIn(scope);
    if (hosts.length > 0) await run(hosts, scope);
  }
  return reports;
}

function isTrustedAlready(system: System, places: UserDirectories): boolean {
  return INSTALLABLE_HOSTS.map(host => findTarget(system, places, host, "user"))
    .filter(hasFingerprints)
    .flatMap(target => readTrust(system, places, target, readFile(system, target.path) ?? ""))
    .some(status => status !== "untrusted");
}
