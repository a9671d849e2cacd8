import { tmpdir } from "node:os";
import { findLooseJson, loadConfig, MAX_CONFIG_BYTES, userConfigFile } from "../config/index.ts";
import { HOOK_REGISTRY, type InstallScope } from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import {
  FileLock,
  Problem,
  readText,
  requireDirectories,
  setAsideCorrupt,
  type UserDirectories,
} from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";
import { inspectCodeCaches, recordCode } from "./code-cache.ts";
import { namesPart, policyIn, settingsEdit } from "./config-setting.ts";
import type { DoctorCheck } from "./doctor/check.ts";
import { findSwitchedOff } from "./doctor/hosts.ts";
import {
  applyEdit,
  describeProblem,
  type FileChange,
  hashBytes,
  installProblem,
  planEdit,
  readFile,
  unifiedDiff,
} from "./file-edit.ts";
import { chooseEngine, findSupported, type HookEngine, skippedWarnings } from "./hook-engine.ts";
import { describeDuplicate, findDuplicates, findServing } from "./hook-entries.ts";
import {
  type InstalledHost,
  type InstallReport,
  type InstallRequest,
  type PlannedChange,
  requestedSettings,
} from "./install-report.ts";
import { emptyManifest, type Manifest, ManifestWriter, readManifest } from "./manifest.ts";
import { isServerWanted, planServers, registerServers } from "./mcp-servers.ts";
import { hookProgramPath, manifestPath, type Package, versionStampPath } from "./package.ts";
import {
  findWantedEntries,
  needsTrust,
  planRegistration,
  type RegisterOptions,
  registerTarget,
} from "./register.ts";
import {
  type AssetPlan,
  addBundle,
  changedPrograms,
  configuredPolicy,
  configuredWaitMs,
  isStaged,
  type ProgramFile,
  parentFolders,
  planAssets,
  stageAssets,
  stagePackage,
  stagePrograms,
  versionFolder,
  wantedPrograms,
} from "./stage.ts";
import {
  type ChosenHost,
  chooseHosts,
  describeProtections,
  findClosedHosts,
  hostSetup,
  type RegistrationTarget,
} from "./targets.ts";
import { unregisterTarget } from "./unregister.ts";
import { planProfile, planUserCommands, type UserCommands } from "./user-commands.ts";
import { buildIfAny } from "./user-hooks/build.ts";
import { readSkill, readWorkflow } from "./workflow-files.ts";

// What an install and its preview begin and end with alike.

/** The manifest to go on from; a damaged one is told, and kept beside the new one. */
function openManifest(
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

async function registerOptions(
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
    waitMs: configuredWaitMs(system, places),
    isTrustAgreed,
    isForced,
  };
}

function toReport(
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

interface HostsOutcome {
  readonly hosts: readonly InstalledHost[];
  readonly changes: readonly FileChange[];
  readonly warnings: readonly string[];
}

/** What one registration changed, or would change. */
interface RegistrationResult {
  readonly changes: readonly FileChange[];
  readonly backup: string | null;
  readonly notes: readonly string[];
}

/** Registers with every chosen host, or only plans it, as `act` does. One that fails does not stop the others. */
function forEachHost(
  system: System,
  places: UserDirectories,
  chosen: readonly ChosenHost[],
  options: RegisterOptions,
  act: (target: RegistrationTarget) => RegistrationResult,
): HostsOutcome {
  const hosts: InstalledHost[] = [];
  const changes = new Map<string, FileChange>();
  const warnings: string[] = [];
  const done: RegistrationTarget[] = [];
  for (const one of chosen) {
    const { host, scope } = one;
    const base = { host, scope, settings_path: null, backup_path: null, events: [], next_steps: [] };
    const serving = "target" in one ? findServing(system, places, one.target, done) : undefined;
    if (!("target" in one)) {
      hosts.push({ ...base, status: "skipped", reason: one.skipped });
      continue;
    }
    if (serving !== undefined && !options.isForced) {
      const reason = `it reads ${serving.path}, which registers the hooks already`;
      hosts.push({ ...base, status: "skipped", reason });
      continue;
    }
    const { target } = one;
    try {
      const result = act(target);
      const changed = result.changes.filter(change => change.isChanged);
      for (const change of changed) if (!changes.has(change.path)) changes.set(change.path, change);
      const loose = describeLooseJson(target, result.changes);
      warnings.push(...result.notes, ...loose);
      done.push(target);
      const events = findWantedEntries(places, target, options).map(entry => entry.nativeEvent);
      hosts.push({
        ...base,
        ...resolveStatus(host, {
          isChanged: changed.length > 0,
          isLoose: loose.length > 0,
          off: findSwitchedOff(system, places, target),
        }),
        settings_path: target.path,
        backup_path: result.backup,
        events: [...new Set(events)],
        protections: describeProtections(host),
        next_steps: [
          ...(one.isAwaited === true
            ? [`No agent was found here. Once ${hostSetup(host).title} is installed, it is guarded`]
            : []),
          ...nextSteps(system, places, target, options),
        ],
      });
    } catch (error) {
      hosts.push({ ...base, status: "failed", settings_path: target.path, reason: describeProblem(error) });
    }
  }
  return { hosts, changes: [...changes.values()], warnings };
}

function resolveStatus(
  host: string,
  found: { readonly isChanged: boolean; readonly isLoose: boolean; readonly off: DoctorCheck | undefined },
): Pick<InstalledHost, "status" | "reason"> {
  const { isChanged, isLoose, off } = found;
  if (isLoose)
    return { status: "failed", reason: `${host} runs no hook of this file before it is plain JSON` };
  if (off !== undefined) return { status: "failed", reason: `${off.message}; ${off.fix}` };
  return { status: isChanged ? "registered" : "unchanged" };
}

/** Such a file can be edited like any other, but a host that reads plain JSON alone would run none of its hooks. */
function describeLooseJson(
  { host, path: settings, registration }: RegistrationTarget,
  changes: readonly FileChange[],
): readonly string[] {
  if (registration.layout.isPlainJson !== true) return [];
  return changes.flatMap(({ path, after = "" }) => {
    // Codex keeps fingerprints in a TOML file beside it.
    const place = path === settings ? findLooseJson(after) : undefined;
    if (place === undefined) return [];
    const where = `${path}, line ${place.line}, column ${place.column}`;
    return [
      `${where}: ${host} ignores a file with comments or trailing commas, hooks included; take them out`,
    ];
  });
}

/** What the host still asks of its user before registered hooks run. */
function nextSteps(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: RegisterOptions,
): readonly string[] {
  const step = hostSetup(target.host).nextStep?.[target.scope];
  const trustStep = options.isTrustAgreed ? undefined : target.registration.fingerprints?.nextStep;
  const isUntrusted = trustStep !== undefined && needsTrust(system, places, target, options);
  return [isUntrusted ? trustStep : undefined, step].filter(each => each !== undefined);
}

/** Registrations that make a host run every hook twice: removed on request, else told. */
function resolveDuplicates(
  system: System,
  places: UserDirectories,
  { isDeduping, scope }: { readonly isDeduping: boolean; readonly scope: InstallScope },
  manifest: ManifestWriter,
): readonly string[] {
  return findDuplicates(system, places).map(duplicate => {
    const { redundant, kept } = duplicate;
    // The user's copy serves other projects, too: it goes only for a user who works on this project.
    const isAllowed = redundant.target.scope === kept.target.scope || scope === "project";
    if (!isDeduping || !isAllowed)
      return `${describeDuplicate(duplicate)}; add ${isAllowed ? "" : "--scope project "}--dedupe to keep one`;
    unregisterTarget(system, places, redundant.target, manifest, { isBackupWanted: false, isForced: false });
    return `${duplicate.host} ran every hook twice; removed them from ${redundant.target.path}`;
  });
}

/** The same up to the point where something would be written. */
async function previewInstall(
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
    ...toReport(places, request, engine, outcome, { warnings, changes, mcp_servers: [], moreSteps: [] }),
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

const LOCK_TIMEOUT_MS = 60_000;

/** Registers the hooks with hosts, after putting the programs they start where they stay. */
export function install(system: System, source: Package, request: InstallRequest): Promise<InstallReport> {
  const places = requireDirectories(system);
  if (request.scope === "project" && places.projectRoot === places.home)
    throw installProblem("the home directory is not a project", {
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
    waitMs: configuredWaitMs(system, places),
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
  writer.revise(fileContents(writer.manifest, places, origin, programs, assets, commands, request, system));
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
  return toReport(places, request, engine, outcome, {
    warnings,
    changes: [],
    mcp_servers: servers,
    moreSteps: profileSteps,
  });
}

/** What the manifest says about files that are ours as a whole. */
function fileContents(
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
    dirs: [
      ...new Set([...manifest.dirs, ...parentFolders(assets.wanted.map(asset => asset.name)), ...versions]),
    ],
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
