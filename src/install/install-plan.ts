import { tmpdir } from "node:os";
import { HOOK_REGISTRY } from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { setAsideCorrupt } from "../state/index.ts";
import type { System } from "../system/system.ts";
import { findClosedHosts } from "./closed-hosts.ts";
import type { HookEngine } from "./hook-engine.ts";
import type { HostsOutcome } from "./install-hosts.ts";
import type { InstallReport, InstallRequest, PlannedChange } from "./install-report.ts";
import { emptyManifest, type Manifest, readManifest } from "./manifest.ts";
import type { Package } from "./package.ts";
import { hookProgramPath, manifestPath, type Places } from "./places.ts";
import { InstallProblem } from "./problem.ts";
import type { RegisterOptions } from "./register.ts";
import { type AssetPlan, NO_ASSETS, planAssets } from "./stage-assets.ts";
import { findSupported } from "./supported-hooks.ts";

// What an install and its preview begin and end with alike.

/** The manifest to go on from; a damaged one is told, and kept beside the new one. */
export function openManifest(
  system: System,
  places: Places,
  version: string,
  warnings: string[],
  onDamage: "set aside" | "only look" = "set aside",
): Manifest {
  try {
    const known = readManifest(system, places);
    return { ...(known ?? emptyManifest(version)), amplihack_version: version };
  } catch (error) {
    if (!(error instanceof InstallProblem)) throw error;
    const kept = onDamage === "set aside" ? setAsideCorrupt(system, manifestPath(places)) : undefined;
    warnings.push(
      `${error.message}; starting a new one${kept === undefined ? "" : `, the old one is ${kept}`}`,
    );
    return emptyManifest(version);
  }
}

export function assetsOf(
  system: System,
  places: Places,
  request: InstallRequest,
  manifest: Manifest,
): AssetPlan {
  return request.assets === undefined
    ? NO_ASSETS
    : planAssets(system, places, request.assets, manifest, request.isForced);
}

export async function optionsOf(
  system: System,
  request: InstallRequest,
  origin: Package,
  engine: HookEngine,
  policyOf: (subcommand: string) => FailurePolicy,
): Promise<RegisterOptions> {
  const isAnyClosed = HOOK_REGISTRY.some(row => policyOf(row.subcommand) === "closed");
  return {
    version: origin.version,
    policyOf,
    saysClosed: isAnyClosed ? await findClosedHosts(system) : () => false,
    supports: await findSupported(system, engine, tmpdir()),
    isTrustAgreed: request.isTrustAgreed,
    isForced: request.isForced,
  };
}

export function reportOf(
  places: Places,
  request: InstallRequest,
  engine: HookEngine,
  outcome: HostsOutcome,
  warnings: readonly string[],
  moreSteps: readonly string[],
  changes: readonly PlannedChange[],
): InstallReport {
  return {
    success: outcome.hosts.every(host => host.status !== "failed"),
    dry_run: request.isDryRun,
    hosts: outcome.hosts,
    binary: hookProgramPath(places),
    engine: engine.kind,
    program: engine.program,
    manifest: manifestPath(places),
    warnings,
    next_steps: [...new Set([...outcome.hosts.flatMap(host => host.next_steps), ...moreSteps])],
    changes,
  };
}
