import { tmpdir } from "node:os";
import { HOOK_REGISTRY } from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { FileLock, setAsideCorrupt } from "../state/index.ts";
import { writeAtomically } from "../system/atomic-write.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { addBundle } from "./amplifier-bundle.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { findClosedHosts } from "./closed-hosts.ts";
import { inspectCodeCaches, recordCode } from "./code-cache.ts";
import { failureEdit, policyIn } from "./failure-setting.ts";
import { applyEdit, planEdit, readFile } from "./file-edit.ts";
import { hashBytes } from "./hash.ts";
import { chooseEngine, type HookEngine } from "./hook-engine.ts";
import { type HostsOutcome, installHosts, previewHosts, settleDoubles } from "./install-hosts.ts";
import type { InstallReport, InstallRequest, PlannedChange } from "./install-report.ts";
import { Ledger } from "./ledger.ts";
import { emptyManifest, type Manifest, readManifest } from "./manifest.ts";
import type { Package } from "./package.ts";
import { findPlaces, hookProgramPath, manifestPath, type Places, versionStampPath } from "./places.ts";
import { InstallProblem } from "./problem.ts";
import { planProfile } from "./profile-block.ts";
import { needsTrust, type RegisterOptions } from "./register.ts";
import { type AssetPlan, foldersOf, NO_ASSETS, planAssets, stageAssets } from "./stage-assets.ts";
import { stagePackage, versionFolder } from "./stage-package.ts";
import {
  changedPrograms,
  configuredPolicy,
  type ProgramFile,
  stagePrograms,
  wantedPrograms,
} from "./stage-programs.ts";
import { findSupported } from "./supported-hooks.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { planUserCommands, type UserCommands } from "./user-commands.ts";

const LOCK_TIMEOUT_MS = 60_000;

/** Registers the hooks with hosts, after putting the programs they start where they stay. */
export function install(system: System, source: Package, request: InstallRequest): Promise<InstallReport> {
  const places = findPlaces(system);
  if (request.scope === "project" && places.projectRoot === places.home)
    throw new InstallProblem("the home directory is no project", {
      fix: "change to a project, or leave out --scope project",
    });
  if (request.isDryRun) return preview(system, places, source, request);
  const lock = new FileLock(`${manifestPath(places)}.lock`, { system, timeoutMs: LOCK_TIMEOUT_MS });
  return lock.runAsync(() => perform(system, places, source, request));
}

/** Whether Codex is among the chosen hosts and would skip our hooks, because nobody trusted them yet. */
export function wouldSkipInCodex(
  system: System,
  places: Places,
  request: Pick<InstallRequest, "hosts" | "scope">,
): boolean {
  const options = {
    policyOf: configuredPolicy(system, places),
    saysClosed: () => false,
    supports: () => true,
  };
  return chooseHosts(system, places, request.hosts, request.scope).some(
    one => "target" in one && one.host === "codex" && needsTrust(system, places, one.target, options),
  );
}

async function perform(
  system: System,
  places: Places,
  source: Package,
  request: InstallRequest,
): Promise<InstallReport> {
  const warnings: string[] = [];
  const ledger = new Ledger(system, places, openManifest(system, places, source.version, warnings));
  const assets = assetsOf(system, places, request, ledger.manifest);
  const origin = source.isEphemeral ? stagePackage(system, places, source) : source;
  const engine = chooseEngine(system, origin);
  if (request.failure !== undefined)
    applyEdit(system, failureEdit(places, request.failure), { isBackedUp: false });
  const options = await optionsOf(system, request, origin, engine, configuredPolicy(system, places));

  const programs = wantedPrograms(system, places, origin, engine, options.policyOf);
  await stagePrograms(
    system,
    places,
    changedPrograms(system, programs),
    engine.kind === "given" ? undefined : origin.version,
  );
  stageAssets(system, places, assets);
  const commands = planUserCommands(system, places, origin.version);
  for (const { path, text } of commands.wanted) writeCommand(system, path, text, ledger);
  ledger.revise(contentsOf(ledger.manifest, places, origin, programs, assets, commands, request, system));
  ledger.save();

  const chosen = chooseHosts(system, places, request.hosts, request.scope);
  const outcome = installHosts(system, places, chosen, options, ledger);
  warnings.push(...assets.kept.map(name => `${name} was changed by hand and is kept; --force replaces it`));
  warnings.push(...commands.warnings, ...outcome.warnings, ...settleDoubles(system, places, request, ledger));
  const profileSteps = addToProfile(system, places, commands, request, ledger);
  writeStamp(system, places, origin.version);
  ledger.save();

  warnings.push(...(await addBundle(system, places)));
  if (engine.kind === "node") await refreshCode(system, origin, warnings);
  return reportOf(places, request, engine, outcome, warnings, profileSteps, []);
}

/** The same up to the point where something would be written. */
async function preview(
  system: System,
  places: Places,
  source: Package,
  request: InstallRequest,
): Promise<InstallReport> {
  const warnings: string[] = [];
  const manifest = openManifest(system, places, source.version, warnings, "only look");
  const assets = assetsOf(system, places, request, manifest);
  const found = chooseEngine(system, source);
  const root = source.isEphemeral ? join(places.stateHome, versionFolder(source)) : source.root;
  const origin = { ...source, root };
  const isInside = found.program.startsWith(`${source.root}/`);
  const later = isInside ? join(root, found.program.slice(source.root.length)) : found.program;
  const engine = { ...found, program: later };
  const failure =
    request.failure === undefined ? undefined : planEdit(system, failureEdit(places, request.failure));
  const configured = configuredPolicy(system, places);
  const policyOf = (subcommand: string): FailurePolicy =>
    failure === undefined
      ? configured(subcommand)
      : (policyIn(failure.after ?? "", subcommand) ?? request.failure ?? configured(subcommand));
  const options = await optionsOf(system, request, origin, engine, policyOf);

  const programs =
    engine.kind === "native"
      ? wantedPrograms(system, places, origin, found, policyOf)
      : wantedPrograms(system, places, origin, engine, policyOf);
  const commands = planUserCommands(system, places, origin.version);
  const chosen = chooseHosts(system, places, request.hosts, request.scope);
  const outcome = previewHosts(system, places, chosen, options);
  const texts = commands.wanted.map(({ path, text }) => ({ path, bytes: system.text.encode(text) }));
  const changes: PlannedChange[] = [
    ...(source.isEphemeral ? [{ path: root, diff: "" }] : []),
    ...[...(failure === undefined ? [] : [failure]), ...outcome.changes]
      .filter(change => change.isChanged)
      .map(({ path, before, after }) => ({ path, diff: unifiedDiff(path, before, after) })),
    ...changedPrograms(system, [...programs, ...texts]).map(program => programChange(system, program)),
    ...assets.changed.map(name => assetChange(system, places, assets, name)),
  ];
  warnings.push(...commands.warnings, ...outcome.warnings);
  return reportOf(places, request, engine, outcome, warnings, [], changes);
}

function openManifest(
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

function assetsOf(system: System, places: Places, request: InstallRequest, manifest: Manifest): AssetPlan {
  return request.assets === undefined
    ? NO_ASSETS
    : planAssets(system, places, request.assets, manifest, request.isForced);
}

async function optionsOf(
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

/** What the manifest says about files that are ours as a whole. */
function contentsOf(
  manifest: Manifest,
  places: Places,
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

function writeCommand(system: System, path: string, text: string, ledger: Ledger): void {
  const change = applyEdit(
    system,
    { path, mode: 0o755, directoryMode: 0o755, compute: () => ({ ok: true, text }) },
    { isBackedUp: false, onBefore: planned => ledger.noteFile("generated", undefined, planned) },
  );
  if (change.isChanged && system.files.inspect(path)?.mode !== 0o755) system.files.changeMode(path, 0o755);
}

function writeStamp(system: System, places: Places, version: string): void {
  const path = versionStampPath(places);
  if (readFile(system, path) !== version)
    writeAtomically(system, path, system.text.encode(version), { mode: 0o644 });
}

/** The folder of the user's commands: put on PATH where the user agreed, else told. */
function addToProfile(
  system: System,
  places: Places,
  { missingOnPath }: UserCommands,
  request: InstallRequest,
  ledger: Ledger,
): readonly string[] {
  if (missingOnPath === undefined) return [];
  const plan = planProfile(system, places, missingOnPath);
  if (!request.isProfileAgreed || plan.edit === undefined) return [plan.step];
  const change = applyEdit(system, plan.edit, {
    isBackedUp: true,
    onBefore: planned => ledger.noteFile("profile", undefined, planned),
  });
  ledger.pruneBackups(change.path);
  return [`open a new shell, so that it finds amplihack in ${missingOnPath}`];
}

/** Compiled code for the Node that the hooks run on. A folder that cannot be written is told by `doctor`. */
async function refreshCode(system: System, { root, node }: Package, warnings: string[]): Promise<void> {
  const binFolder = join(root, "dist", "bin");
  try {
    if (inspectCodeCaches(system, binFolder) !== "stale") return;
    await recordCode(system, { binFolder, node, temporaryFolder: tmpdir() });
  } catch (error) {
    if (!(error instanceof InstallProblem)) throw error;
    warnings.push(`${error.message}; hooks start a little slower`);
  }
}

function programChange(system: System, { path, bytes }: ProgramFile): PlannedChange {
  const { text, replaced } = system.text.decode(bytes);
  if (replaced) return { path, diff: "" };
  const isThere = system.files.inspect(path)?.kind === "file";
  return { path, diff: unifiedDiff(path, isThere ? readFile(system, path) : undefined, text) };
}

function assetChange(system: System, places: Places, { wanted }: AssetPlan, name: string): PlannedChange {
  const bytes = wanted.find(asset => asset.name === name)?.bytes ?? new Uint8Array(0);
  return programChange(system, { path: join(places.stateHome, name), bytes });
}

function reportOf(
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
