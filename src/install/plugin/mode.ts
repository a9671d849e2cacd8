import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, readJson } from "../../protocol/index.ts";
import type { Problem, UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { pluginProblem } from "../problem.ts";
import { setEnabled } from "./enabled.ts";
import { tryReadPluginManifest } from "./manifest.ts";
import { pluginDirectory, replaceTree } from "./plugins.ts";
import { copyFiles, fingerprint, listTree } from "./tree.ts";

/** Where amplihack's own files for Claude Code lie: in the project, or in a plugin that all projects share. */
export type Mode = "local" | "plugin" | "none";

export interface Conversion {
  /** files that were there before, or were changed since, and stay as they are */
  readonly kept: readonly string[];
}

const NAME = "amplihack";
/** Which files of a project's \`.claude\` are ours, and what they held. */
const RECORD = ".amplihack-local.json";

function localDirectory({ projectRoot }: UserDirectories): string {
  return join(projectRoot, ".claude");
}

function isLocal(places: UserDirectories): boolean {
  return tryReadPluginManifest(localDirectory(places))?.name === NAME;
}

function isPlugin(places: UserDirectories): boolean {
  return tryReadPluginManifest(pluginDirectory(places, NAME)) !== undefined;
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
  if (!isPlugin(places) || isForced) replaceTreeWith(system, local, pluginDirectory(places, NAME), present);
  setEnabled(system, places.home, NAME, true);
  const kept = present.filter(path => fingerprint(join(local, path)) !== record[path]);
  for (const path of present) if (!kept.includes(path)) removeWithEmptyFolders(local, path);
  rmSync(join(local, RECORD), { force: true });
  return { kept };
}

/** Copies the plugin's files into the project and removes the plugin. Files that are there stay. */
export function convertToLocal(system: System, places: UserDirectories, isForced: boolean): Conversion {
  if (!isPlugin(places)) throw nothingToConvert("the plugin amplihack is not installed");
  refuseBoth(places, isForced);
  const plugin = pluginDirectory(places, NAME);
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
  setEnabled(system, places.home, NAME, false);
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
