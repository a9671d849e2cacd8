import { tmpdir } from "node:os";
import { FileLock, Problem, requireDirectories, type UserDirectories } from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { inspectCodeCaches, recordCode } from "./code-cache.ts";
import { settingsEdit } from "./config-setting.ts";
import { applyEdit, readFile } from "./file-edit.ts";
import { hashBytes } from "./hash.ts";
import { chooseEngine, skippedWarnings } from "./hook-engine.ts";
import { addBundle } from "./host-bundle.ts";
import { forEachHost, resolveDuplicates } from "./install-hosts.ts";
import { openManifest, registerOptions, reportOf } from "./install-plan.ts";
import { previewInstall } from "./install-preview.ts";
import { type InstallReport, type InstallRequest, requestedSettings } from "./install-report.ts";
import type { Manifest } from "./manifest.ts";
import { ManifestWriter } from "./manifest-writer.ts";
import { isServerWanted, registerServers } from "./mcp/register-servers.ts";
import type { Package } from "./package.ts";
import { manifestPath, versionStampPath } from "./places.ts";
import { installProblem } from "./problem.ts";
import { planProfile } from "./profile-block.ts";
import { needsTrust, registerTarget } from "./register.ts";
import { type AssetPlan, foldersOf, planAssets, stageAssets } from "./stage-assets.ts";
import { stagePackage, versionFolder } from "./stage-package.ts";
import {
  changedPrograms,
  configuredPolicy,
  type ProgramFile,
  stagePrograms,
  wantedPrograms,
} from "./stage-programs.ts";
import { planUserCommands, type UserCommands } from "./user-commands.ts";
import { buildIfAny } from "./user-hooks/build.ts";

const LOCK_TIMEOUT_MS = 60_000;

/** Registers the hooks with hosts, after putting the programs they start where they stay. */
export function install(system: System, source: Package, request: InstallRequest): Promise<InstallReport> {
  const places = requireDirectories(system);
  if (request.scope === "project" && places.projectRoot === places.home)
    throw installProblem("the home directory is no project", {
      fix: "change to a project, or leave out --scope project",
    });
  if (request.isDryRun) return previewInstall(system, places, source, request);
  const lock = new FileLock(`${manifestPath(places)}.lock`, { system, timeoutMs: LOCK_TIMEOUT_MS });
  return lock.runAsync(() => perform(system, places, source, request));
}

/** Whether one of the chosen hosts would skip our hooks, because its user has not agreed to them yet. */
export function needsTrustAgreement(
  system: System,
  places: UserDirectories,
  request: Pick<InstallRequest, "hosts" | "scope">,
): boolean {
  const options = {
    policyOf: configuredPolicy(system, places),
    takesClosed: () => false,
    supports: () => true,
  };
  return chooseHosts(system, places, request.hosts, request.scope).some(
    one => "target" in one && needsTrust(system, places, one.target, options),
  );
}

async function perform(
  system: System,
  places: UserDirectories,
  source: Package,
  request: InstallRequest,
): Promise<InstallReport> {
  const warnings: string[] = [];
  const writer = new ManifestWriter(system, places, openManifest(system, places, source.version, warnings));
  const assets = planAssets(system, places, request, writer.manifest);
  const origin = source.isEphemeral ? stagePackage(system, places, source) : source;
  const engine = chooseEngine(system, origin);
  warnings.push(...skippedWarnings(engine));
  const settings = requestedSettings(request);
  if (settings.length > 0) applyEdit(system, settingsEdit(places, settings), { isBackedUp: false });
  const options = await registerOptions(
    system,
    places,
    request,
    origin,
    engine,
    configuredPolicy(system, places),
  );

  const programs = wantedPrograms(system, places, origin, engine, options.policyOf);
  await stagePrograms(
    system,
    places,
    changedPrograms(system, programs),
    engine.kind === "given" ? undefined : origin.version,
  );
  stageAssets(system, places, assets);
  const commands = planUserCommands(system, places, origin.version);
  for (const { path, text } of commands.wanted) writeCommand(system, path, text, writer);
  writer.revise(contentsOf(writer.manifest, places, origin, programs, assets, commands, request, system));
  writer.save();

  const chosen = chooseHosts(system, places, request.hosts, request.scope);
  const outcome = forEachHost(system, places, chosen, options, target => {
    const { changes, record, notes } = registerTarget(system, places, target, options, writer);
    return { changes, backup: record.backup_path, notes };
  });
  const servers = registerServers(system, places, chosen, writer, isServerWanted(system, places, request));
  warnings.push(...assets.kept.map(name => `${name} was changed by hand and is kept; --force replaces it`));
  warnings.push(
    ...commands.warnings,
    ...outcome.warnings,
    ...resolveDuplicates(system, places, request, writer),
  );
  const profileSteps = addToProfile(system, places, commands, request, writer);
  writeStamp(system, places, origin.version);
  writer.save();

  warnings.push(...(await addBundle(system, places)));
  warnings.push(...(await buildIfAny(system, places)));
  if (engine.kind === "node") await refreshCode(system, origin, warnings);
  return reportOf(places, request, engine, outcome, {
    warnings,
    changes: [],
    mcp_servers: servers,
    moreSteps: profileSteps,
  });
}

/** What the manifest says about files that are ours as a whole. */
function contentsOf(
  manifest: Manifest,
  places: UserDirectories,
  origin: Package,
  programs: readonly ProgramFile[],
  assets: AssetPlan,
  commands: UserCommands,
  request: InstallRequest,
  system: System,
): Partial<Manifest> {
  const files = [...new Set([...manifest.files, ...assets.wanted.map(asset => asset.name)])];
  const staged = assets.wanted.filter(asset => !assets.kept.includes(asset.name));
  const texts = commands.wanted.map(({ path, text }) => ({ path, bytes: system.text.encode(text) }));
  const binaries = [...programs, ...texts];
  const isOwnCopy = origin.root === join(places.stateHome, versionFolder(origin));
  const versions = isOwnCopy ? [versionFolder(origin)] : [];
  return {
    files,
    dirs: [...new Set([...manifest.dirs, ...foldersOf(assets.wanted.map(asset => asset.name)), ...versions])],
    binaries: [...new Set([...manifest.binaries, ...binaries.map(program => program.path)])],
    sha256: {
      ...manifest.sha256,
      ...Object.fromEntries(staged.map(({ name, hash }) => [name, hash])),
      ...Object.fromEntries(binaries.map(({ path, bytes }) => [path, hashBytes(bytes)])),
    },
    ...(request.defaultTool === undefined ? {} : { default_tool: request.defaultTool }),
    ...(request.updatePreference === undefined ? {} : { update_check_preference: request.updatePreference }),
  };
}

function writeCommand(system: System, path: string, text: string, writer: ManifestWriter): void {
  const change = applyEdit(
    system,
    { path, mode: 0o755, directoryMode: 0o755, compute: () => ({ ok: true, text }) },
    { isBackedUp: false, onBefore: planned => writer.noteFile("generated", undefined, planned) },
  );
  if (change.isChanged && system.files.inspect(path)?.mode !== 0o755) system.files.changeMode(path, 0o755);
}

function writeStamp(system: System, places: UserDirectories, version: string): void {
  const path = versionStampPath(places);
  if (readFile(system, path) !== version)
    writeAtomically(system, path, system.text.encode(version), { mode: 0o644 });
}

/** The folder of the user's commands: put on PATH where the user agreed, else told. */
function addToProfile(
  system: System,
  places: UserDirectories,
  { missingOnPath }: UserCommands,
  request: InstallRequest,
  writer: ManifestWriter,
): readonly string[] {
  if (missingOnPath === undefined) return [];
  const plan = planProfile(system, places, missingOnPath);
  if (!request.isProfileAgreed || plan.edit === undefined) return [plan.step];
  const change = applyEdit(system, plan.edit, {
    isBackedUp: true,
    onBefore: planned => writer.noteFile("profile", undefined, planned),
  });
  writer.pruneBackups(change.path);
  return [`open a new shell, so that it finds amplihack in ${missingOnPath}`];
}

/** Compiled code for the Node that the hooks run on. A folder that cannot be written is told by `doctor`. */
async function refreshCode(system: System, { root, node }: Package, warnings: string[]): Promise<void> {
  const binFolder = join(root, "dist", "bin");
  try {
    if (inspectCodeCaches(system, binFolder) !== "stale") return;
    await recordCode(system, { binFolder, node, temporaryFolder: tmpdir() });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    warnings.push(`${error.message}; hooks start a little slower`);
  }
}
