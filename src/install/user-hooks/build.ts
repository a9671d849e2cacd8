import { createRequire } from "node:module";
import { loadConfig } from "../../config/index.ts";
import {
  type BuiltFile,
  type BuiltHandler,
  type BuiltHook,
  buildFolder,
  hasChanged,
  indexFile,
  indexText,
  listSources,
  MANIFEST_VERSION,
  type Manifest,
  manifestFile,
  parseHook,
  readManifest,
} from "../../hooks/index.ts";
import {
  HOOK_REGISTRY,
  HOST_LIST,
  planRegistrations,
  registeredEvents,
  resolveSubcommand,
} from "../../hosts/index.ts";
import { errorText, type Json, memberAt, numberAt, readJson, stringAt } from "../../protocol/index.ts";
import { FileLock, removeIfThere } from "../../state/index.ts";
import { join, type System, writeAtomically } from "../../system/index.ts";
import { runProgram } from "../find-program.ts";
import { findPackage, hookProgramPath } from "../package.ts";
import { compileSource, findBundler, type SourceResult } from "./bundle.ts";
import { collectHandlers, type SkippedHandler, userHandlersFile } from "./handlers.ts";
import {
  type HookPlaces,
  packageNames,
  projectHooksFolder,
  TrustedHooks,
  type TrustState,
  userHooksFolder,
  type WantedSource,
} from "./sources.ts";

/** A run may have read the manifest before this one: what it names is kept for a while. */
const KEPT_MS = 60 * 60 * 1000;

export function writeManifest(system: System, stateHome: string, manifest: Manifest): void {
  const text = `${JSON.stringify({ version: MANIFEST_VERSION, ...manifest })}\n`;
  const write = (path: string, content: string) =>
    writeAtomically(system, path, system.text.encode(content), { mode: 0o600 });
  write(manifestFile(stateHome), text);
  write(indexFile(stateHome), indexText(manifest, text.length));
}

/** Compiled files that no manifest has named for an hour. */
function removeOldCode(system: System, stateHome: string, { files }: Manifest): void {
  const folder = buildFolder(stateHome);
  const used = new Set(files.map(({ code }: BuiltFile) => code));
  for (const name of system.files.list(folder)) {
    if (!/^[0-9a-f]{32}\.m?js$/.test(name) || used.has(name)) continue;
    const path = join(folder, name);
    const facts = system.files.inspect(path);
    if (facts !== undefined && system.clock.nowMs() - facts.modifiedMs > KEPT_MS)
      removeIfThere(system.files, path);
  }
}

const TIMEOUT_MS = 10_000;

export type Described =
  | { readonly ok: true; readonly hooks: readonly BuiltHook[] }
  | { readonly ok: false; readonly problem: string };

/** Loads compiled files in a child and asks which hooks they export: what a file does when it is loaded stays there. */
async function describeFiles(
  system: System,
  runner: readonly string[],
  paths: readonly string[],
): Promise<readonly Described[]> {
  const [node, ...script] = runner;
  if (node === undefined || paths.length === 0) return [];
  const mark = `amplihack-hook-${system.random.hex(32)}`;
  const input = JSON.stringify({ mark, describe: paths });
  const { stdout, stderr, end } = await runProgram(system, [node, ...script], {
    timeoutMs: TIMEOUT_MS,
    input,
    cwd: "/",
  });
  const answers = new Map<number, Described>();
  for (const line of stdout.split("\n")) {
    const read = line.startsWith(mark) ? readJson(line.slice(mark.length)) : undefined;
    const index = read?.ok === true ? numberAt(read.value, "index") : undefined;
    if (read?.ok === true && index !== undefined) answers.set(index, toDescribed(read.value));
  }
  const known = paths.map((_, index) => answers.get(index));
  const broken = known.indexOf(undefined);
  if (broken < 0) return known.filter(one => one !== undefined);
  // Node ends what it says with its own version.
  const lines = stderr.trim().split("\n");
  const said = lines.find(line => /^\w*(?:Error|Exception)\b/.test(line)) ?? lines.at(-1) ?? "";
  const problem =
    end.kind === "timeout"
      ? `loading it did not end within ${TIMEOUT_MS} ms`
      : ["loading it ended Node", said].filter(text => text !== "").join(": ");
  // The files behind the one that took the process with it are asked again.
  const rest = await describeFiles(system, runner, paths.slice(broken + 1));
  return [...known.slice(0, broken).filter(one => one !== undefined), { ok: false, problem }, ...rest];
}

function toDescribed(answer: Json): Described {
  const problem = stringAt(answer, "problem");
  if (problem !== undefined) return { ok: false, problem };
  const hooks = memberAt(answer, "hooks");
  try {
    if (!Array.isArray(hooks)) throw new TypeError("its hooks were not understood");
    if (hooks.length === 0)
      return { ok: false, problem: "it exports no hook; export what defineHook returns" };
    return { ok: true, hooks: hooks.map((hook: Json, index) => parseHook(hook, `hooks[${index}]`)) };
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}

const REGISTERED = HOST_LIST.filter(({ registration }) => registration !== undefined);

/** Hosts that do not call us on one of the events: an installation registers what stock hooks need, and no more. */
export function hostsWithout(events: readonly string[], hosts: readonly string[]): readonly string[] {
  return REGISTERED.filter(({ id }) => hosts.length === 0 || hosts.includes(id))
    .filter(({ id }) => {
      const called = new Set(planRegistrations(id).registrations.map(({ event }) => event));
      return events.some(event => !called.has(event));
    })
    .map(({ id }) => id);
}

/** What a person has to do for hooks on events that no installation registers; one line for each hook and event. */
function unregisteredNotes(
  { files, handlers }: { readonly files: readonly BuiltFile[]; readonly handlers: readonly BuiltHandler[] },
  stateHome: string,
): readonly string[] {
  const known = new Set(HOOK_REGISTRY.map(({ event }) => event));
  const wanted = [
    ...files.flatMap(({ hooks }) =>
      hooks.flatMap(({ name, events }) => events.map(event => ({ name, event }))),
    ),
    ...handlers.map(({ id: name, event }) => ({ name, event })),
  ];
  return wanted
    .filter(({ event }) => !known.has(event))
    .map(({ name, event }) => {
      const hosts = REGISTERED.flatMap(host => {
        const [native] = registeredEvents(host, event);
        return native === undefined ? [] : [`${host.id} (${native})`];
      });
      const command = `${hookProgramPath({ stateHome })} ${resolveSubcommand(event)?.name ?? event}`;
      return hosts.length === 0
        ? `${name} never runs: no host has the event ${event}`
        : `${name} is for ${event}, on which no host calls us by itself; have it run \`${command} --host HOST\` there: ${hosts.join(", ")}`;
    });
}

/** A file that is not run, and why: it is named, and nothing of it is loaded. */
export interface RefusedSource {
  readonly path: string;
  readonly state: Exclude<TrustState, "trusted">;
  readonly sha256: string;
  readonly packageName: string | undefined;
  /** all files of a script that a hook runs */
  readonly paths?: readonly string[];
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

interface BuildPrograms {
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
    const state = checkTrust(source, sha256, trusted);
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
function checkTrust(
  { path, project, packageName }: WantedSource,
  sha256: string,
  trusted: TrustedHooks,
): TrustState {
  if (packageName !== undefined) {
    const pin = `package:${packageName}`;
    const state = trusted.findState(pin, sha256);
    if (state === "untrusted") trusted.add(pin, sha256);
    return state === "changed" ? "changed" : "trusted";
  }
  return project === undefined ? "trusted" : trusted.findState(path, sha256);
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

/** Builds of other projects are kept. */
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
