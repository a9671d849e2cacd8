import type { FailurePolicy } from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { policyIn, settingsEdit } from "./config-setting.ts";
import { planEdit, readFile } from "./file-edit.ts";
import { chooseEngine, skippedWarnings } from "./hook-engine.ts";
import { forEachHost } from "./install-hosts.ts";
import { openManifest, registerOptions, reportOf } from "./install-plan.ts";
import {
  type InstallReport,
  type InstallRequest,
  type PlannedChange,
  requestedSettings,
} from "./install-report.ts";
import { isServerWanted, planServers } from "./mcp/register-servers.ts";
import type { Package } from "./package.ts";
import { planRegistration } from "./register.ts";
import { type AssetPlan, planAssets } from "./stage-assets.ts";
import { isStaged, versionFolder } from "./stage-package.ts";
import { changedPrograms, configuredPolicy, type ProgramFile, wantedPrograms } from "./stage-programs.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { planUserCommands } from "./user-commands.ts";

/** The same up to the point where something would be written. */
export async function previewInstall(
  system: System,
  places: UserDirectories,
  source: Package,
  request: InstallRequest,
): Promise<InstallReport> {
  const warnings: string[] = [];
  const manifest = openManifest(system, places, source.version, warnings, "only look");
  const assets = planAssets(system, places, request, manifest);
  const found = chooseEngine(system, source);
  warnings.push(...skippedWarnings(found));
  const root = source.isEphemeral ? join(places.stateHome, versionFolder(source)) : source.root;
  const origin = { ...source, root };
  const isInside = found.program.startsWith(`${source.root}/`);
  const later = isInside ? join(root, found.program.slice(source.root.length)) : found.program;
  const engine = { ...found, program: later };
  const settings = requestedSettings(request);
  const configuration = settings.length === 0 ? undefined : planEdit(system, settingsEdit(places, settings));
  const configured = configuredPolicy(system, places);
  const policyOf = (subcommand: string): FailurePolicy =>
    configuration === undefined
      ? configured(subcommand)
      : (policyIn(configuration.after ?? "", subcommand) ?? request.failure ?? configured(subcommand));
  const options = {
    ...(await registerOptions(system, places, request, source, engine, policyOf)),
    version: origin.version,
  };

  // The bytes of a native program are read where it still is.
  const built = engine.kind === "native" ? found : engine;
  const programs = wantedPrograms(system, places, origin, built, policyOf);
  const commands = planUserCommands(system, places, origin.version);
  const chosen = chooseHosts(system, places, request.hosts, request.scope);
  const outcome = forEachHost(system, places, chosen, options, target => ({
    changes: planRegistration(system, places, target, options),
    backup: null,
    notes: [],
  }));
  const texts = commands.wanted.map(({ path, text }) => ({ path, bytes: system.text.encode(text) }));
  const changes: PlannedChange[] = [
    ...[...(configuration === undefined ? [] : [configuration]), ...outcome.changes]
      .filter(change => change.isChanged)
      .map(({ path, before, after }) => ({ path, diff: unifiedDiff(path, before, after) })),
    ...(isServerWanted(system, places, request) ? planServers(system, places, chosen, outcome.changes) : []),
    ...changedPrograms(system, [...programs, ...texts]).map(program => programChange(system, program)),
    ...assets.changed.map(name => assetChange(system, places, assets, name)),
  ];
  warnings.push(...commands.warnings, ...outcome.warnings);
  const isCopied = source.isEphemeral && !isStaged(system, places, source);
  return {
    ...reportOf(places, request, engine, outcome, { warnings, changes, mcp_servers: [], moreSteps: [] }),
    ...(isCopied ? { package_copy: root } : {}),
  };
}

function programChange(system: System, { path, bytes }: ProgramFile): PlannedChange {
  const { text, replaced } = system.text.decode(bytes);
  if (replaced) return { path, diff: "" };
  const isThere = system.files.inspect(path)?.kind === "file";
  return { path, diff: unifiedDiff(path, isThere ? readFile(system, path) : undefined, text) };
}

function assetChange(
  system: System,
  places: UserDirectories,
  { wanted }: AssetPlan,
  name: string,
): PlannedChange {
  const bytes = wanted.find(asset => asset.name === name)?.bytes ?? new Uint8Array(0);
  return programChange(system, { path: join(places.stateHome, name), bytes });
}
