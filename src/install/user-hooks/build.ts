import { createRequire } from "node:module";
import { loadConfig } from "../../config/index.ts";
import {
  type BuiltFile,
  buildFolder,
  hasChanged,
  listSources,
  type Manifest,
  readManifest,
} from "../../hooks/index.ts";
import { FileLock } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { findPackage } from "../package.ts";
import { removeOldCode, writeManifest } from "./build-folder.ts";
import { findBundler } from "./bundle.ts";
import type { SkippedHandler } from "./compile-handlers.ts";
import { compileSource, type SourceResult } from "./compile-source.ts";
import { describeFiles } from "./describe-files.ts";
import { collectHandlers, userHandlersFile } from "./handlers.ts";
import {
  type HookPlaces,
  packageNames,
  projectHooksFolder,
  userHooksFolder,
  type WantedSource,
} from "./sources.ts";
import { TrustedHooks, type TrustState } from "./trust.ts";
import { unregisteredNotes } from "./unregistered.ts";

/** A file that is not run, and why: it is named, and nothing of it is loaded. */
export interface RefusedSource {
  readonly path: string;
  readonly state: Exclude<TrustState, "trusted">;
  readonly sha256: string;
  readonly packageName: string | undefined;
  /** of a file in Claude's shape: the commands, addresses and files of the project that it means */
  readonly actions?: readonly string[];
}

export interface BuildReport {
  readonly manifest: Manifest;
  readonly refused: readonly RefusedSource[];
  /** entries of files in Claude's shape that do not run, and why */
  readonly problems: readonly string[];
  readonly hasBundler: boolean;
}

export interface BuildPrograms {
  readonly runner: readonly string[];
  readonly builder: readonly string[];
}

const LOCK_TIMEOUT_MS = 30_000;

export function ownPrograms(system: System): BuildPrograms {
  const { node, root } = findPackage(system);
  const bin = join(root, "dist", "bin");
  return { runner: [node, join(bin, "run-hooks.mjs")], builder: [node, join(bin, "amplihack.cjs")] };
}

/**
 * Compiles the user's hooks, those of the project that are trusted, and those of configured packages, and writes the
 * manifest. A file that cannot be built is in it with its problem and with the hooks it had, so that their failure
 * policies hold. Builds at the same time wait for each other; a run sees the old manifest or the new one.
 */
export async function buildHooks(
  system: System,
  places: HookPlaces,
  programs: BuildPrograms = ownPrograms(system),
): Promise<BuildReport> {
  const folder = buildFolder(places.stateHome);
  const lock = new FileLock(join(folder, "build.lock"), { system, timeoutMs: LOCK_TIMEOUT_MS });
  return lock.runAsync(() => build(system, places, programs));
}

/** At an installation: builds what a person has written; nothing happens where there is nothing. */
export async function buildIfAny(system: System, places: HookPlaces): Promise<readonly string[]> {
  const { stateHome } = places;
  const hasHandlers = system.files.follow(userHandlersFile(stateHome)) !== undefined;
  if (!hasHandlers && listSources(system, userHooksFolder(stateHome)).length === 0) return [];
  return buildProblems(await buildHooks(system, places));
}

async function build(system: System, places: HookPlaces, programs: BuildPrograms): Promise<BuildReport> {
  const { stateHome } = places;
  const previous = readPrevious(system, stateHome);
  const bundler = await findBundler(userHooksFolder(stateHome));
  const trusted = new TrustedHooks(system, stateHome);
  const refused: RefusedSource[] = [];
  const results: SourceResult[] = [];
  for (const source of wantedSources(system, places)) {
    const known = previous.files.find(file => file.source === source.path && file.project === source.project);
    const result =
      known !== undefined && isCurrent(known, system, stateHome)
        ? { source, built: known }
        : await compileSource(system, source, known, bundler, buildFolder(stateHome));
    const { sha256 } = result.built;
    const state = trustOf(source, sha256, trusted);
    if (state === "trusted") results.push(result);
    else refused.push({ path: source.path, state, sha256, packageName: source.packageName });
    // What was trusted once is missed: its failure policy holds until it is trusted again or removed.
    if (state === "changed" && known !== undefined)
      results.push({ source, built: { ...known, problem: "it changed since it was trusted" } });
  }
  const files = withoutSharedNames(await describeAll(system, programs.runner, results, stateHome));
  const ofHere = previous.handlers.filter(one => !isOfAnother(one, places));
  const collected = collectHandlers(system, places, trusted, ofHere);
  refused.push(...collected.refused.map(one => ({ ...one, packageName: undefined })));
  const manifest: Manifest = {
    ...programs,
    files: [...files, ...previous.files.filter(one => isOfAnother(one, places))],
    handlers: [...collected.handlers, ...previous.handlers.filter(one => isOfAnother(one, places))],
    configurations: collected.configurations,
  };
  writeManifest(system, stateHome, manifest);
  removeOldCode(system, stateHome, manifest);
  return {
    manifest,
    refused,
    problems: [
      ...collected.problems,
      ...collected.skipped.map(toProblem),
      ...unregisteredNotes(manifest, stateHome),
    ],
    hasBundler: bundler !== undefined,
  };
}

function toProblem({ id, why }: SkippedHandler): string {
  return `${id} does not run: ${why}`;
}

/** What cannot be read is made anew. */
function readPrevious(system: System, stateHome: string): Pick<Manifest, "files" | "handlers"> {
  const nothing = { files: [], handlers: [] };
  try {
    return readManifest(system, stateHome) ?? nothing;
  } catch {
    return nothing;
  }
}

function isCurrent(file: BuiltFile, system: System, stateHome: string): boolean {
  if (file.problem !== undefined || file.code === undefined || hasChanged(file, system)) return false;
  return system.files.follow(join(buildFolder(stateHome), file.code)) !== undefined;
}

function wantedSources(system: System, places: HookPlaces): readonly WantedSource[] {
  const { home, stateHome, projectRoot } = places;
  const own = userHooksFolder(stateHome);
  const ofProject = projectHooksFolder(projectRoot);
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  const packages = packageNames(config).map(packageName => ({
    path: packageEntry(own, packageName),
    project: undefined,
    packageName,
  }));
  const of = (folder: string, project: string | undefined): readonly WantedSource[] =>
    listSources(system, folder).map(path => ({ path, project, packageName: undefined }));
  return [...of(own, undefined), ...packages, ...(ofProject === own ? [] : of(ofProject, projectRoot))];
}

/** Packages are found where `npm install --prefix ~/.amplihack/hooks` puts them, and nowhere else. */
function packageEntry(folder: string, name: string): string {
  try {
    return createRequire(join(folder, "package.json")).resolve(name);
  } catch {
    return join(folder, "node_modules", name);
  }
}

/** The user's own files need no consent; a package is pinned when it is first seen, a project when it is trusted. */
function trustOf(
  { path, project, packageName }: WantedSource,
  sha256: string,
  trusted: TrustedHooks,
): TrustState {
  if (packageName !== undefined) {
    const pin = `package:${packageName}`;
    const state = trusted.stateOf(pin, sha256);
    if (state === "untrusted") trusted.add(pin, sha256);
    return state === "changed" ? "changed" : "trusted";
  }
  return project === undefined ? "trusted" : trusted.stateOf(path, sha256);
}

async function describeAll(
  system: System,
  runner: readonly string[],
  results: readonly SourceResult[],
  stateHome: string,
): Promise<readonly BuiltFile[]> {
  const fresh = results.filter(({ built, isNew }) => isNew === true && built.code !== undefined);
  const paths = fresh.map(({ built }) => join(buildFolder(stateHome), built.code ?? ""));
  const described = await describeFiles(system, runner, paths);
  return results.map(result => {
    const answer = described[fresh.indexOf(result)];
    if (answer === undefined) return result.built;
    return answer.ok
      ? { ...result.built, hooks: answer.hooks }
      : { ...result.built, problem: answer.problem };
  });
}

/** Two hooks of one name could not be told apart: the second file is refused. A project may repeat a name. */
function withoutSharedNames(files: readonly BuiltFile[]): readonly BuiltFile[] {
  const owners = new Map<string, string>();
  return files.map(file => {
    const taken = file.hooks.find(hook => owners.has(`${file.project ?? ""}\0${hook.name}`));
    if (taken !== undefined && file.problem === undefined) {
      const owner = owners.get(`${file.project ?? ""}\0${taken.name}`);
      return { ...file, problem: `the name ${taken.name} is taken by ${owner}` };
    }
    for (const hook of file.hooks) owners.set(`${file.project ?? ""}\0${hook.name}`, file.source);
    return file;
  });
}

/** What was built for other projects stays as it is. */
function isOfAnother(
  { project }: { readonly project: string | undefined },
  { projectRoot }: HookPlaces,
): boolean {
  return project !== undefined && project !== projectRoot;
}

/** For messages: what is wrong with a build, one line for each file. */
export function buildProblems({ manifest, refused, problems, hasBundler }: BuildReport): readonly string[] {
  const broken = manifest.files.flatMap(({ source, problem }) =>
    problem === undefined ? [] : [`${source}: ${problem}`],
  );
  const untrusted = refused.map(({ path, state }) =>
    state === "changed"
      ? `${path} changed since it was trusted and does not run; look at it, then: amplihack hooks trust`
      : `${path} is not trusted and does not run; look at it, then: amplihack hooks trust`,
  );
  const isSlow = !hasBundler && manifest.files.some(file => file.code !== undefined);
  return [
    ...broken,
    ...problems,
    ...untrusted,
    ...(isSlow
      ? [
          "without esbuild no hook runs in the native program itself: npm install --prefix ~/.amplihack/hooks esbuild",
        ]
      : []),
  ];
}
