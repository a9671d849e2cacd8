import { loadConfig, resolveFailurePolicy } from "../config/index.ts";
import { type FailurePolicy, objectAt, readJson } from "../protocol/index.ts";
import { findPackagedProgram } from "../sandbox/index.ts";
import { ifPresent, readText, type UserDirectories } from "../state/index.ts";
import { ancestors, describeEnd, dirname, join, removeTree, resolve, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";
import { hashBytes, installProblem } from "./file-edit.ts";
import { runProgram } from "./find-program.ts";
import type { HookEngine } from "./hook-engine.ts";
import type { InstallRequest } from "./install-report.ts";
import type { Manifest } from "./manifest.ts";
import { type Package, programFolder, repairCommand } from "./package.ts";
import { findHostProgram, hostSetup, INSTALLABLE_HOSTS } from "./targets.ts";
import { hookWrapper, programWrapper } from "./user-commands.ts";

// Framework files from a folder that the user names: agents, commands, skills, recipes. Programs and settings are not
// among them.

const ASSET_FOLDERS = [
  ".claude/agents",
  ".claude/commands",
  ".claude/context",
  ".claude/recipes",
  ".claude/skills",
  ".claude/templates",
  ".claude/workflow",
  "amplifier-bundle",
];
const MAX_ASSET_FILE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 20_000;

export interface AssetPlan {
  /** names below the state home, with what they should hold */
  readonly wanted: readonly { readonly name: string; readonly bytes: Uint8Array; readonly hash: string }[];
  /** of those, the ones to write */
  readonly changed: readonly string[];
  /** files of ours that a person changed and that therefore stay */
  readonly kept: readonly string[];
}

/** What the folder that was named would bring. Throws when it holds no framework files. */
export function planAssets(
  system: System,
  places: UserDirectories,
  { assets: source, isForced }: Pick<InstallRequest, "assets" | "isForced">,
  manifest: Manifest,
): AssetPlan {
  if (source === undefined) return { wanted: [], changed: [], kept: [] };
  const root = resolve(system.files.workingDirectory() ?? "/", source);
  const isSource = [".claude", "amplifier-bundle"].some(
    name => system.files.follow(join(root, name))?.kind === "directory",
  );
  if (!isSource)
    throw installProblem(`${root} contains neither amplifier-bundle/ nor .claude/`, {
      fix: "give --local the folder of an amplihack checkout",
    });
  const wanted = ASSET_FOLDERS.flatMap(folder => assetsBelow(system, root, folder));
  if (wanted.length === 0)
    throw installProblem(`${root} contains no framework files`, {
      causes: [`none of these has a file in it: ${ASSET_FOLDERS.join(", ")}`],
    });
  if (wanted.length > MAX_FILES) throw installProblem(`${root} holds more than ${MAX_FILES} framework files`);
  const changed: string[] = [];
  const kept: string[] = [];
  for (const { name, hash } of wanted) {
    const present = presentHash(system, join(places.stateHome, name));
    if (present === hash) continue;
    const isUntouched = present === undefined || present === manifest.sha256[name];
    (isUntouched || isForced ? changed : kept).push(name);
  }
  return { wanted, changed, kept };
}

function assetsBelow(system: System, root: string, name: string): AssetPlan["wanted"] {
  const path = join(root, name);
  const facts = system.files.inspect(path);
  if (facts?.kind === "directory")
    return system.files.list(path).flatMap(each => assetsBelow(system, root, join(name, each)));
  if (facts?.kind !== "file") return [];
  const bytes = system.files.read(path, MAX_ASSET_FILE_BYTES);
  return [{ name, bytes, hash: hashBytes(bytes) }];
}

function presentHash({ files }: System, path: string): string | undefined {
  return ifPresent(() => hashBytes(files.read(path, MAX_ASSET_FILE_BYTES)));
}

/** All files are written to a folder of their own first, so that a full disk leaves everything as it was. */
export function stageAssets(system: System, places: UserDirectories, plan: AssetPlan): void {
  if (plan.changed.length === 0) return;
  const { files } = system;
  files.makeDirectory(places.stateHome, 0o700);
  const staging = join(places.stateHome, `.staging-${system.random.hex(16)}`);
  files.makeDirectory(staging, 0o700);
  try {
    const chosen = plan.wanted.filter(({ name }) => plan.changed.includes(name));
    for (const { name, bytes } of chosen) {
      files.makeDirectory(dirname(join(staging, name)), 0o700);
      files.createExclusive(join(staging, name), bytes, 0o644);
    }
    for (const { name } of chosen) {
      files.makeDirectory(dirname(join(places.stateHome, name)), 0o755);
      files.rename(join(staging, name), join(places.stateHome, name));
    }
  } finally {
    removeTree(system.files, staging);
  }
}

/** Every folder that holds one of the files, below the state home, innermost first. */
export function parentFolders(names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const name of names) {
    for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) found.add(folder);
  }
  return [...found].sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
}

// A package that a runner such as npx fetched for one call is gone tomorrow. The programs that hosts start must not
// lead there, so the package is copied, with what it needs, to a place of its own.

const SHIPPED = ["package.json", "agents", "dist", "recipes", "schemas", "skills"];
const MAX_PACKAGE_FILE_BYTES = 256 * 1024 * 1024;

interface SourceFile {
  readonly from: string;
  /** below the package's new root */
  readonly name: string;
}

/** The folder below the state home that holds a copied package. */
export function versionFolder({ version }: Pick<Package, "version">): string {
  return `versions/${version}`;
}

/** Whether the copy is there already, byte for byte. */
export function isStaged(system: System, places: UserDirectories, source: Package): boolean {
  const root = join(places.stateHome, versionFolder(source));
  return isSameTree(system, root, sourceFiles(system, source.root));
}

/** Copies the package to a permanent place and returns that copy. Does nothing when it exists already. */
export function stagePackage(system: System, places: UserDirectories, source: Package): Package {
  const { files } = system;
  const root = join(places.stateHome, versionFolder(source));
  const copied = { ...source, root, isEphemeral: false };
  const wanted = sourceFiles(system, source.root);
  if (isSameTree(system, root, wanted)) return copied;
  const nonce = system.random.hex(16);
  const staging = join(dirname(root), `.staging-${nonce}`);
  const old = join(dirname(root), `.old-${nonce}`);
  files.makeDirectory(places.stateHome, 0o700);
  files.makeDirectory(staging, 0o755);
  try {
    for (const { from, name } of wanted) copyFile(system, from, join(staging, name));
    if (files.inspect(root) !== undefined) files.rename(root, old);
    files.rename(staging, root);
  } finally {
    removeTree(system.files, staging);
    removeTree(system.files, old);
  }
  return copied;
}

function copyFile({ files }: System, from: string, to: string): void {
  files.makeDirectory(dirname(to), 0o755);
  const isExecutable = ((files.follow(from)?.mode ?? 0) & 0o111) !== 0;
  files.createExclusive(to, files.read(from, MAX_PACKAGE_FILE_BYTES), isExecutable ? 0o755 : 0o644);
}

function sourceFiles(system: System, root: string): readonly SourceFile[] {
  const found = SHIPPED.flatMap(name => filesBelow(system, join(root, name), name));
  for (const [name, folder] of dependencies(system, root)) {
    const target = join("node_modules", name);
    found.push(...filesBelow(system, folder, target).filter(file => !isNested(file.name, target)));
  }
  if (found.length > MAX_FILES) throw installProblem(`the package has more than ${MAX_FILES} files`);
  return found;
}

function isNested(name: string, target: string): boolean {
  return name.startsWith(`${target}/node_modules/`);
}

function filesBelow(system: System, path: string, name: string): SourceFile[] {
  const facts = system.files.inspect(path);
  // Compiled code is made anew for the copy; type declarations are for developers.
  if (/\.cjs\.\w+\.cache$/.test(name) || name === "dist/types") return [];
  if (facts?.kind === "file") return [{ from: path, name }];
  if (facts?.kind !== "directory") return [];
  return system.files.list(path).flatMap(each => filesBelow(system, join(path, each), join(name, each)));
}

/** Everything the package needs at run time, by name; all of it lies flat in the copy. */
function dependencies(system: System, root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pending = [root];
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    for (const { name, isOptional } of namesIn(system, folder)) {
      if (found.has(name)) continue;
      const place = findDependency(system, folder, name);
      if (place === undefined && !isOptional)
        throw installProblem(`${name}, which amplihack needs, was not found`, {
          fix: "install it again",
        });
      if (place === undefined) continue;
      found.set(name, place);
      pending.push(place);
    }
  }
  return found;
}

function namesIn(system: System, folder: string): readonly { name: string; isOptional: boolean }[] {
  const text = readText(system, join(folder, "package.json"), MAX_PACKAGE_FILE_BYTES) ?? "";
  const read = readJson(text, { recover: false, maxDepth: 20 });
  return ["dependencies", "optionalDependencies"].flatMap(section =>
    Object.keys(objectAt(read.ok ? read.value : null, section)).map(name => ({
      name,
      isOptional: section === "optionalDependencies",
    })),
  );
}

function findDependency(system: System, from: string, name: string): string | undefined {
  return ancestors(from)
    .map(folder => join(folder, "node_modules", name))
    .find(folder => system.files.follow(join(folder, "package.json"))?.kind === "file");
}

function isSameTree(system: System, root: string, wanted: readonly SourceFile[]): boolean {
  const present = new Set(filesBelow(system, root, "").map(file => file.name));
  if (present.size !== wanted.length) return false;
  const hash = (path: string) => hashBytes(system.files.read(path, MAX_PACKAGE_FILE_BYTES));
  return wanted.every(({ from, name }) => present.has(name) && hash(from) === hash(join(root, name)));
}

/** A program of ours as it lies, or should lie, on the disk. */
export interface ProgramFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const PROGRAM_BYTES = 256 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 10_000;
const SHOWN_LENGTH = 80;

/** What each hook does when it cannot run, by the configuration of machine and user. */
export function configuredPolicy(
  system: System,
  places: UserDirectories,
): (subcommand: string) => FailurePolicy {
  const { home, stateHome } = places;
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  return subcommand => resolveFailurePolicy(config, subcommand);
}

/** How long a question waits for an answer of the team, by the same configuration. */
export function configuredWaitMs(system: System, { home, stateHome }: UserDirectories): number {
  return loadConfig(system, { home, stateHome, projectRoot: undefined }).config.team.waitMs;
}

/** The programs as they should be: the hook program, and beside it the command line and what enforces the sandbox. */
export function wantedPrograms(
  system: System,
  places: UserDirectories,
  { version, node, root }: Package,
  engine: HookEngine,
  policyOf: (subcommand: string) => FailurePolicy,
): readonly ProgramFile[] {
  const folder = programFolder(places);
  const command = engine.kind === "node" ? [node, engine.program] : [engine.program];
  const script = join(root, "dist", "bin", "amplihack.cjs");
  const repair = repairCommand(script, version, places.stateHome);
  const hooks =
    engine.kind === "native"
      ? system.files.read(engine.program, PROGRAM_BYTES)
      : system.text.encode(
          hookWrapper({
            version,
            command,
            policyOf,
            ...(engine.kind === "node" ? { repair } : {}),
            stateHome: engine.kind === "node" ? places.stateHome : undefined,
          }),
        );
  return [
    { path: join(folder, "amplihack-hooks"), bytes: hooks },
    {
      path: join(folder, "amplihack"),
      bytes: system.text.encode(programWrapper({ version, command: [node, script], repair })),
    },
    ...sandboxProgram(system, folder, root),
  ];
}

/** What enforces the sandbox, where the package has it for this machine. */
function sandboxProgram(system: System, folder: string, packageRoot: string): readonly ProgramFile[] {
  const platform = `${process.platform}-${process.arch}`;
  const program = findPackagedProgram(system, { packageRoot, platform });
  if (program === undefined) return [];
  return [{ path: join(folder, "amplihack-sandbox"), bytes: system.files.read(program, PROGRAM_BYTES) }];
}

/** Those that are not on the disk as they should be. */
export function changedPrograms(system: System, wanted: readonly ProgramFile[]): readonly ProgramFile[] {
  return wanted.filter(({ path, bytes }) => {
    const facts = system.files.inspect(path);
    if (facts?.kind !== "file" || facts.mode !== 0o755 || facts.size !== bytes.length) return true;
    return !isSameBytes(system.files.read(path, PROGRAM_BYTES), bytes);
  });
}

/**
 * Puts programs in their place, all or none of them: they are written to a folder of their own, the hook program is
 * tried there, and only then each takes its name.
 */
export async function stagePrograms(
  system: System,
  places: UserDirectories,
  changed: readonly ProgramFile[],
  expectedVersion: string | undefined,
): Promise<void> {
  if (changed.length === 0) return;
  const { files } = system;
  const folder = programFolder(places);
  files.makeDirectory(places.stateHome, 0o700);
  files.makeDirectory(folder, 0o755);
  const staging = join(dirname(folder), `.staging-${system.random.hex(16)}`);
  files.makeDirectory(staging, 0o700);
  try {
    const staged = changed.map(({ path, bytes }) => {
      const temporary = join(staging, path.slice(folder.length + 1));
      files.createExclusive(temporary, bytes, 0o755);
      if (files.inspect(temporary)?.mode !== 0o755) files.changeMode(temporary, 0o755);
      return { path, temporary };
    });
    // A hook program that stays in place must also have the version of the new files.
    const hooks = staged.find(each => each.temporary.endsWith("/amplihack-hooks"));
    await tryProgram(system, hooks?.temporary ?? join(folder, "amplihack-hooks"), expectedVersion);
    for (const { path, temporary } of staged) files.rename(temporary, path);
    files.syncDirectory(folder);
  } finally {
    removeTree(system.files, staging);
  }
}

/** A program that does not tell its version would not answer a host either. */
async function tryProgram(system: System, program: string, expected: string | undefined): Promise<void> {
  const { code, end, stdout } = await runProgram(system, [program, "--version"], {
    timeoutMs: PROBE_TIMEOUT_MS,
    cwd: dirname(program),
    env: { PATH: system.env.get("PATH") ?? "", HOME: dirname(program) },
  });
  const isRight = expected === undefined || stdout.trim() === `amplihack-hooks ${expected}`;
  if (code === 0 && isRight) return;
  throw installProblem("the hook program does not work, so nothing was installed", {
    causes: [
      code === 0
        ? `it says '${clip(stdout.trim(), SHOWN_LENGTH)}', expected 'amplihack-hooks ${expected}'`
        : `it was asked for its version and ${describeEnd(end)}`,
    ],
    fix: "build or install the package again",
  });
}

function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

const TIMEOUT_MS = 30_000;
const NAME = "amplihack";

/** Makes a staged bundle known to the host that takes one. Warns with the command to run where that fails. */
export async function addBundle(system: System, places: UserDirectories): Promise<readonly string[]> {
  const bundle = join(places.stateHome, "amplifier-bundle");
  if (system.files.follow(join(bundle, "bundle.md"))?.kind !== "file") return [];
  return withBundles(system, async ({ title, name, program, hasBundle }) => {
    if (hasBundle || (await run(system, program, "add", bundle)).code === 0) return [];
    return [`${title} did not take the bundle; run: ${name} bundle add ${bundle}`];
  });
}

/** Takes the bundle away again, if the host has it. */
export async function removeBundle(system: System): Promise<readonly string[]> {
  return withBundles(system, async ({ title, name, program, hasBundle }) => {
    if (!hasBundle || (await run(system, program, "remove", NAME)).code === 0) return [];
    return [`${title} kept the bundle; run: ${name} bundle remove ${NAME}`];
  });
}

interface BundleHost {
  readonly title: string;
  readonly name: string;
  readonly program: string;
  readonly hasBundle: boolean;
}

async function withBundles(
  system: System,
  act: (host: BundleHost) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const id of INSTALLABLE_HOSTS) {
    const { title, programs, takesBundles } = hostSetup(id);
    const program = takesBundles === true ? findHostProgram(system, id) : undefined;
    if (program === undefined) continue;
    const { code, stdout } = await run(system, program, "list");
    const hasBundle = code === 0 && /(^|[^\w-])amplihack($|[^\w-])/m.test(stdout);
    warnings.push(...(await act({ title, name: programs[0] ?? id, program, hasBundle })));
  }
  return warnings;
}

function run(system: System, program: string, ...words: readonly string[]) {
  return runProgram(system, [program, "bundle", ...words], { timeoutMs: TIMEOUT_MS });
}
