import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { relative, resolve, sep } from "node:path";
import {
  findMember,
  insertFirst,
  insertMember,
  listProperties,
  openJson,
  removeChild,
  replaceNode,
} from "../config/index.ts";
import { isJsonObject, type JsonObject, memberAt, ownValue, readJson, stringAt } from "../protocol/index.ts";
import {
  FileLock,
  Problem,
  programPath,
  programToStart,
  readText,
  type UserDirectories,
} from "../state/index.ts";
import { dirname, join, type System, sha256Hex, writeAtomically } from "../system/index.ts";
import { pluginProblem } from "./file-edit.ts";

const LIMIT = 4 * 1024 * 1024;
const MEMBER = "enabledPlugins";

function settingsPath(home: string): string {
  return join(home, ".claude", "settings.json");
}

/** Whether Claude Code's settings switch the plugin on, under its bare name or that of a marketplace. */
export function isEnabled(system: Pick<System, "files" | "text">, home: string, name: string): boolean {
  return findEntry(readText(system, settingsPath(home), LIMIT) ?? "{}", settingsPath(home), name).isOn;
}

/** Switches the plugin on or off; every other byte of the settings stays. False when nothing had to change. */
function setEnabled(system: System, home: string, name: string, isOn: boolean): boolean {
  const path = settingsPath(home);
  return new FileLock(`${path}.amplihack.lock`, { system, directoryMode: 0o755 }).run(() => {
    const before = readText(system, path, LIMIT);
    if (before === undefined && !isOn) return false;
    const text = before === undefined || before.trim() === "" ? "{}\n" : before;
    const { isOn: wasOn, edit } = findEntry(text, path, name);
    if (wasOn === isOn) return false;
    writeAtomically(system, path, system.text.encode(edit(isOn)), { directoryMode: 0o755, keepsNames: true });
    return true;
  });
}

interface Entry {
  readonly isOn: boolean;
  edit(isOn: boolean): string;
}

function findEntry(text: string, path: string, name: string): Entry {
  const opened = openJson(text.trim() === "" ? "{}" : text);
  if (!opened.ok) {
    throw pluginProblem(
      `cannot use the settings in ${path}: line ${opened.line}, column ${opened.column}: ${opened.problem}`,
      "repair the file; it was not touched",
    );
  }
  const { root } = opened;
  if (root.type !== "object") throw pluginProblem(`${path} is not an object`);
  const list = findMember(root, MEMBER);
  const isNamed = (key: unknown): boolean => key === name || String(key).startsWith(`${name}@`);
  if (list === undefined) {
    return { isOn: false, edit: isOn => (isOn ? insertMember(text, root, MEMBER, { [name]: true }) : text) };
  }
  if (list.type === "array") {
    const index = (list.children ?? []).findIndex(child => isNamed(child.value));
    return {
      isOn: index >= 0,
      edit: isOn => (isOn ? insertFirst(text, list, name) : removeChild(text, list, index)),
    };
  }
  if (list.type !== "object") throw pluginProblem(`"${MEMBER}" in ${path} is neither an object nor a list`);
  const members = listProperties(list);
  const index = members.findIndex(([key]) => isNamed(key));
  const value = members[index]?.[1];
  return {
    isOn: value !== undefined && value.value !== false,
    edit: isOn => {
      if (!isOn) return removeChild(text, list, index);
      return value === undefined ? insertMember(text, list, name, true) : replaceNode(text, value, "true");
    },
  };
}

const PLACES = [".claude-plugin/plugin.json", "plugin.json"];
const VALID_NAME = /^[a-z0-9][a-z0-9-]*$/;

interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly content: JsonObject;
}

function checkPluginName(name: string): string {
  if (VALID_NAME.test(name) && name.length <= 100) return name;
  throw pluginProblem("a plugin's name has lower-case letters, digits and '-' only");
}

/** What the plugin in a directory says of itself. */
function readPluginManifest(directory: string): PluginManifest {
  const place = PLACES.find(each => existsSync(join(directory, each)));
  if (place === undefined) {
    throw pluginProblem(`${directory} is not a plugin: it has neither ${PLACES.join(" nor ")}`);
  }
  const read = readJson(readFileSync(join(directory, place), "utf8"), { recover: false, maxDepth: 50 });
  if (!read.ok || !isJsonObject(read.value)) throw pluginProblem(`${place} is not a JSON object`);
  const [name, version = ""] = [stringAt(read.value, "name"), stringAt(read.value, "version")];
  if (name === undefined || version === "") {
    throw pluginProblem(`${place} must name the plugin's name and version`);
  }
  return { name: checkPluginName(name), version, content: read.value };
}

/** As above; undefined where there is no plugin. */
function tryReadPluginManifest(directory: string): PluginManifest | undefined {
  try {
    return readPluginManifest(directory);
  } catch (error) {
    if (error instanceof Problem || !existsSync(directory)) return undefined;
    throw error;
  }
}

/** The plugin brings hooks, in a file that can be read. */
function hasReadableHooks(directory: string, { content }: PluginManifest): boolean {
  const named = ownValue(content, "hooks");
  if (isJsonObject(named)) return true;
  const path = join(directory, typeof named === "string" ? named : "hooks/hooks.json");
  if (!path.startsWith(`${directory}/`) || !existsSync(path)) return false;
  const read = readJson(readFileSync(path, "utf8"), { recover: false, maxDepth: 50 });
  return read.ok && isJsonObject(memberAt(read.value, "hooks"));
}

const MAX_FILES = 20_000;
const LEFT_OUT = new Set([".git", "node_modules/.cache"]);

/** Paths of all files and links below a directory, in order. A link that leads out of it is refused. */
function listTree(root: string): readonly string[] {
  const real = realpathSync(root);
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(real, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.has(path)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) found.push(path);
      else if (entry.isSymbolicLink()) {
        checkLink(real, path);
        found.push(path);
      } else throw pluginProblem(`${path} is not a file, folder or link`);
      if (found.length > MAX_FILES) throw pluginProblem(`there are more than ${MAX_FILES} files in ${root}`);
    }
  };
  visit("");
  return found.sort();
}

function checkLink(root: string, path: string): void {
  let target: string;
  try {
    target = realpathSync(join(root, path));
  } catch {
    target = resolve(dirname(join(root, path)), readlinkSync(join(root, path)));
  }
  if (target !== root && !target.startsWith(root + sep)) {
    throw pluginProblem(
      `${path} is a link that points out of the plugin`,
      "remove the link, or copy what it names",
    );
  }
}

/** Copies files of one tree into another, which may be there; links stay links inside of the new tree. */
function copyFiles(from: string, to: string, paths: readonly string[]): void {
  const root = realpathSync(from);
  for (const path of paths) {
    const [source, target] = [join(root, path), join(to, path)];
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    if (lstatSync(source).isSymbolicLink()) {
      const leads = resolve(dirname(source), readlinkSync(source));
      symlinkSync(relative(dirname(source), leads), target);
    } else copyFileSync(source, target);
  }
}

/** What a file holds, as one word; of a link, where it leads. */
export function fingerprint(path: string): string {
  const bytes = lstatSync(path).isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readFileSync(path);
  return sha256Hex(bytes);
}

const REMOTE = /^(?:https:\/\/|ssh:\/\/|file:\/\/|git@[\w.-]+:)/;

export function pluginDirectory({ stateHome }: UserDirectories, name: string): string {
  return join(stateHome, ".claude", "plugins", checkPluginName(name));
}

/** Copies a plugin from a directory or a git repository. The one that is there goes only when that is asked for. */
export function installPlugin(
  system: Pick<System, "env" | "files" | "random" | "text">,
  places: UserDirectories,
  source: string,
  isForced: boolean,
): PluginManifest {
  if (!REMOTE.test(source)) return installFrom(system, places, resolve(source), isForced);
  const clone = mkdtempSync(join(tmpdir(), "amplihack-plugin-"));
  try {
    const { status } = spawnSync(
      programToStart(system, "git"),
      ["clone", "--quiet", "--depth", "1", "--", source, join(clone, "plugin")],
      {
        stdio: ["ignore", 2, 2],
        env: { ...process.env, PATH: programPath(system), GIT_TERMINAL_PROMPT: "0" },
      },
    );
    if (status !== 0) throw pluginProblem("git could not clone the plugin", "see what git said above");
    return installFrom(system, places, join(clone, "plugin"), isForced);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function installFrom(
  system: Pick<System, "random">,
  places: UserDirectories,
  directory: string,
  isForced: boolean,
): PluginManifest {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw pluginProblem(`${directory} is not a folder`, "name a directory, or an address that git can clone");
  }
  const manifest = readPluginManifest(directory);
  const target = pluginDirectory(places, manifest.name);
  if (existsSync(target) && !isForced) {
    throw pluginProblem(`the plugin ${manifest.name} is installed already`, "use --force to replace it");
  }
  replaceTree(system, directory, target);
  return manifest;
}

/** Puts a copy of a tree in the place of another, or leaves that as it is. */
function replaceTree(system: Pick<System, "random">, from: string, target: string): void {
  const paths = listTree(from);
  const temporary = join(resolve(target, ".."), `.${system.random.hex(16)}.tmp`);
  mkdirSync(temporary, { recursive: true, mode: 0o755 });
  try {
    copyFiles(from, temporary, paths);
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Removes a plugin and switches it off. One that is neither there nor switched on is a problem: a mistyped name. */
export function uninstallPlugin(system: System, places: UserDirectories, name: string): void {
  const directory = pluginDirectory(places, name);
  const wasEnabled = setEnabled(system, places.home, name, false);
  const wasThere = existsSync(directory);
  rmSync(directory, { recursive: true, force: true });
  if (!wasThere && !wasEnabled)
    throw pluginProblem(`the plugin ${name} is not installed`, "amplihack plugin list");
}

export function linkPlugin(system: System, places: UserDirectories, name: string): boolean {
  if (tryReadPluginManifest(pluginDirectory(places, name)) === undefined) {
    throw pluginProblem(`the plugin ${name} is not installed`, "amplihack plugin install SOURCE");
  }
  return setEnabled(system, places.home, name, true);
}

interface PluginState {
  readonly name: string;
  readonly version: string | null;
  readonly installed: boolean;
  /** Claude Code's settings switch it on */
  readonly discoverable: boolean;
  readonly hooks_loaded: boolean;
}

export function inspectPlugin(system: System, places: UserDirectories, name: string): PluginState {
  const directory = pluginDirectory(places, name);
  const manifest = tryReadPluginManifest(directory);
  return {
    name,
    version: manifest?.version ?? null,
    installed: manifest !== undefined,
    discoverable: isEnabled(system, places.home, name),
    hooks_loaded: manifest !== undefined && hasReadableHooks(directory, manifest),
  };
}

export function listPlugins(system: System, places: UserDirectories): readonly PluginState[] {
  const folder = join(places.stateHome, ".claude", "plugins");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => !name.startsWith(".") && tryReadPluginManifest(join(folder, name)) !== undefined)
    .sort()
    .map(name => inspectPlugin(system, places, name));
}

/** Where amplihack's own files for Claude Code lie: in the project, or in a plugin that all projects share. */
type Mode = "local" | "plugin" | "none";

export interface Conversion {
  /** files that were there before, or were changed since, and stay as they are */
  readonly kept: readonly string[];
}

const PLUGIN_NAME = "amplihack";
/** Which files of a project's \`.claude\` are ours, and what they held. */
const RECORD = ".amplihack-local.json";

function localDirectory({ projectRoot }: UserDirectories): string {
  return join(projectRoot, ".claude");
}

function isLocal(places: UserDirectories): boolean {
  return tryReadPluginManifest(localDirectory(places))?.name === PLUGIN_NAME;
}

function isPlugin(places: UserDirectories): boolean {
  return tryReadPluginManifest(pluginDirectory(places, PLUGIN_NAME)) !== undefined;
}

/** The project's own files come first, as they do in Claude Code. */
export function detectMode(places: UserDirectories): Mode {
  if (isLocal(places)) return "local";
  return isPlugin(places) ? "plugin" : "none";
}

/** Moves the project's files into the plugin. What the user wrote or changed stays in the project. */
export function convertToPlugin(system: System, places: UserDirectories, isForced: boolean): Conversion {
  if (!isLocal(places)) throw nothingToConvert("the project has no amplihack files of its own");
  refuseBoth(places, isForced);
  const local = localDirectory(places);
  const record = readRecord(join(local, RECORD));
  const present = Object.keys(record).filter(path => existsSync(join(local, path)));
  if (!isPlugin(places) || isForced)
    replaceTreeWith(system, local, pluginDirectory(places, PLUGIN_NAME), present);
  setEnabled(system, places.home, PLUGIN_NAME, true);
  const kept = present.filter(path => fingerprint(join(local, path)) !== record[path]);
  for (const path of present) if (!kept.includes(path)) removeWithEmptyFolders(local, path);
  rmSync(join(local, RECORD), { force: true });
  return { kept };
}

/** Copies the plugin's files into the project and removes the plugin. Files that are there stay. */
export function convertToLocal(system: System, places: UserDirectories, isForced: boolean): Conversion {
  if (!isPlugin(places)) throw nothingToConvert("the plugin amplihack is not installed");
  refuseBoth(places, isForced);
  const plugin = pluginDirectory(places, PLUGIN_NAME);
  const local = localDirectory(places);
  const known = existsSync(join(local, RECORD)) ? readRecord(join(local, RECORD)) : {};
  const paths = listTree(plugin);
  const isOurs = (path: string): boolean =>
    Object.hasOwn(known, path) && fingerprint(join(local, path)) === known[path];
  const kept = paths.filter(path => existsSync(join(local, path)) && !isOurs(path));
  const copied = paths.filter(path => !kept.includes(path));
  for (const path of copied) rmSync(join(local, path), { force: true });
  copyFiles(plugin, local, copied);
  const files = Object.fromEntries(copied.map(path => [path, fingerprint(join(local, path))]));
  writeFileSync(join(local, RECORD), `${JSON.stringify({ version: 1, files }, null, 2)}\n`, { mode: 0o600 });
  setEnabled(system, places.home, PLUGIN_NAME, false);
  rmSync(plugin, { recursive: true, force: true });
  return { kept };
}

function replaceTreeWith(
  system: Pick<System, "random">,
  local: string,
  target: string,
  paths: readonly string[],
): void {
  const staging = join(local, `.${system.random.hex(16)}.tmp`);
  try {
    copyFiles(local, staging, paths);
    replaceTree(system, staging, target);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function refuseBoth(places: UserDirectories, isForced: boolean): void {
  if (isForced || !isLocal(places) || !isPlugin(places)) return;
  throw pluginProblem(
    "the project has amplihack files of its own and the plugin is installed too",
    "use --force",
  );
}

function nothingToConvert(why: string): Problem {
  return pluginProblem(`there is nothing to convert: ${why}`, "amplihack mode detect");
}

function readRecord(path: string): Readonly<Record<string, string>> {
  const read = existsSync(path)
    ? readJson(readFileSync(path, "utf8"), { recover: false, maxDepth: 20 })
    : undefined;
  const files = read?.ok === true && isJsonObject(read.value) ? read.value["files"] : undefined;
  if (!isJsonObject(files)) {
    throw pluginProblem(`${path} does not say which files are amplihack's`, "move them by hand");
  }
  const isInside = (name: string): boolean => !name.startsWith("/") && !name.split("/").includes("..");
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, hash]) =>
      typeof hash === "string" && isInside(name) ? [[name, hash]] : [],
    ),
  );
}

function removeWithEmptyFolders(root: string, path: string): void {
  rmSync(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const full = join(root, folder);
    if (!existsSync(full) || readdirSync(full).length > 0) return;
    rmdirSync(full);
  }
}
