import type { System } from "../../system/system.ts";
import { fingerprints, trustStatus } from "../codex-trust.ts";
import { findRegistrations } from "../doubles.ts";
import { readFile } from "../file-edit.ts";
import { install } from "../install.ts";
import { type InstallReport, PLAIN_INSTALL } from "../install-report.ts";
import type { Package } from "../package.ts";
import type { Places, Scope } from "../places.ts";
import { codexConfigPath, codexHooksName } from "../register.ts";
import { findTarget, type InstallableHost } from "../targets.ts";

/**
 * What an installation would put right: the registrations that are there, in their scopes. With none there, those of
 * the hosts that are found. Codex is trusted with our hooks only where it was before.
 */
export async function repair(
  system: System,
  places: Places,
  source: Package,
  asked: readonly InstallableHost[] | undefined,
): Promise<readonly InstallReport[]> {
  const found = findRegistrations(system, places).filter(
    ({ entries, target }) => entries.length > 0 && target.host === target.owner,
  );
  const hostsIn = (scope: Scope) =>
    found
      .filter(({ target }) => target.scope === scope && (asked?.includes(target.host) ?? true))
      .map(({ target }) => target.host);
  const reports: InstallReport[] = [];
  const run = async (hosts: readonly InstallableHost[] | undefined, scope: Scope) => {
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

function isTrustedAlready(system: System, places: Places): boolean {
  const target = findTarget(system, places, "codex", "user");
  const config = readFile(system, codexConfigPath(system, places));
  return fingerprints(codexHooksName(system, target), readFile(system, target.path) ?? "").some(
    each => each.isOurs && trustStatus(config, each) !== "untrusted",
  );
}
