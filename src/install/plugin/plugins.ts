import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { pluginProblem } from "../problem.ts";
import { isEnabled, setEnabled } from "./enabled.ts";
import {
  checkPluginName,
  hasReadableHooks,
  type PluginManifest,
  readPluginManifest,
  tryReadPluginManifest,
} from "./manifest.ts";
import { copyFiles, listTree } from "./tree.ts";

const REMOTE = /^(?:https:\/\/|ssh:\/\/|file:\/\/|git@[\w.-]+:)/;

export function pluginDirectory({ stateHome }: UserDirectories, name: string): string {
  return join(stateHome, ".claude", "plugins", checkPluginName(name));
}

/** Copies a plugin from a directory or a git repository. The one that is there goes only when that is asked for. */
export function installPlugin(
  system: Pick<System, "random">,
  places: UserDirectories,
  source: string,
  isForced: boolean,
): PluginManifest {
  if (!REMOTE.test(source)) return installFrom(system, places, resolve(source), isForced);
  const clone = mkdtempSync(join(tmpdir(), "amplihack-plugin-"));
  try {
    const { status } = spawnSync(
      "git",
      ["clone", "--quiet", "--depth", "1", "--", source, join(clone, "plugin")],
      {
        stdio: ["ignore", 2, 2],
        env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
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
    throw pluginProblem(`${directory} is no directory`, "name a directory, or an address that git can clone");
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
export function replaceTree(system: Pick<System, "random">, from: string, target: string): void {
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

export interface PluginState {
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
