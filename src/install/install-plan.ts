import { tmpdir } from "node:os";
import { loadConfig, MAX_CONFIG_BYTES, userConfigFile } from "../config/index.ts";
import { HOOK_REGISTRY } from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { Problem, readText, setAsideCorrupt, type UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { namesPart } from "./config-setting.ts";
import type { HookEngine } from "./hook-engine.ts";
import { findClosedHosts } from "./host-version.ts";
import type { HostsOutcome } from "./install-hosts.ts";
import type { InstallReport, InstallRequest } from "./install-report.ts";
import { emptyManifest, type Manifest, readManifest } from "./manifest.ts";
import type { Package } from "./package.ts";
import { hookProgramPath, manifestPath } from "./places.ts";
import type { RegisterOptions } from "./register.ts";
import { readSkill } from "./skill.ts";
import { findSupported } from "./supported-hooks.ts";
import { readWorkflow } from "./workflow-files.ts";

// What an install and its preview begin and end with alike.

/** The manifest to go on from; a damaged one is told, and kept beside the new one. */
export function openManifest(
  system: System,
  places: UserDirectories,
  version: string,
  warnings: string[],
  onDamage: "set aside" | "only look" = "set aside",
): Manifest {
  try {
    const known = readManifest(system, places);
    return { ...(known ?? emptyManifest(version)), amplihack_version: version };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const kept = onDamage === "set aside" ? setAsideCorrupt(system, manifestPath(places)) : undefined;
    warnings.push(
      `${error.message}; starting a new one${kept === undefined ? "" : `, the old one is ${kept}`}`,
    );
    return emptyManifest(version);
  }
}

export async function registerOptions(
  system: System,
  places: UserDirectories,
  { isTrustAgreed, isForced, parts }: InstallRequest,
  source: Package,
  engine: HookEngine,
  policyOf: (subcommand: string) => FailurePolicy,
): Promise<RegisterOptions> {
  const isAnyClosed = HOOK_REGISTRY.some(row => policyOf(row.subcommand) === "closed");
  const { home, stateHome } = places;
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  const isWorkflowChosen =
    parts?.includes("workflow") ??
    namesPart(readText(system, userConfigFile(stateHome), MAX_CONFIG_BYTES) ?? "", "workflow");
  return {
    version: source.version,
    skill: (parts ?? config.parts).includes("memory") ? readSkill(system, source) : undefined,
    // Its files are brought to those who chose it, not to everybody whose hooks have it on without a word.
    workflow: isWorkflowChosen ? readWorkflow(system, source) : undefined,
    policyOf,
    takesClosed: isAnyClosed ? await findClosedHosts(system) : () => false,
    supports: await findSupported(system, engine, tmpdir()),
    isTrustAgreed,
    isForced,
  };
}

export function reportOf(
  places: UserDirectories,
  { isDryRun }: InstallRequest,
  { kind, program }: HookEngine,
  { hosts }: HostsOutcome,
  rest: Pick<InstallReport, "warnings" | "changes" | "mcp_servers"> & {
    readonly moreSteps: readonly string[];
  },
): InstallReport {
  const { warnings, changes, mcp_servers, moreSteps } = rest;
  return {
    success: [...hosts, ...mcp_servers].every(({ status }) => status !== "failed"),
    dry_run: isDryRun,
    hosts,
    mcp_servers,
    binary: hookProgramPath(places),
    engine: kind,
    program,
    manifest: manifestPath(places),
    warnings,
    next_steps: [...new Set([...hosts.flatMap(host => host.next_steps), ...moreSteps])],
    changes,
  };
}
