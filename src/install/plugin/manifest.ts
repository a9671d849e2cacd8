import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  isJsonObject,
  type JsonObject,
  memberAt,
  ownValue,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { pluginProblem } from "../problem.ts";

const PLACES = [".claude-plugin/plugin.json", "plugin.json"];
const NAME = /^[a-z0-9][a-z0-9-]*$/;

export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly content: JsonObject;
}

export function checkPluginName(name: string): string {
  if (NAME.test(name) && name.length <= 100) return name;
  throw pluginProblem("a plugin's name has lower-case letters, digits and '-' only");
}

/** What the plugin in a directory says of itself. */
export function readPluginManifest(directory: string): PluginManifest {
  const place = PLACES.find(each => existsSync(join(directory, each)));
  if (place === undefined) {
    throw pluginProblem(`${directory} is no plugin: it has neither ${PLACES.join(" nor ")}`);
  }
  const read = readJson(readFileSync(join(directory, place), "utf8"), { recover: false, maxDepth: 50 });
  if (!read.ok || !isJsonObject(read.value)) throw pluginProblem(`${place} does not hold a JSON object`);
  const [name, version = ""] = [stringAt(read.value, "name"), stringAt(read.value, "version")];
  if (name === undefined || version === "") {
    throw pluginProblem(`${place} must name the plugin's name and version`);
  }
  return { name: checkPluginName(name), version, content: read.value };
}

/** As above; undefined where there is no plugin. */
export function tryReadPluginManifest(directory: string): PluginManifest | undefined {
  try {
    return readPluginManifest(directory);
  } catch (error) {
    if (error instanceof Problem || !existsSync(directory)) return undefined;
    throw error;
  }
}

/** The plugin brings hooks, in a file that can be read. */
export function hasReadableHooks(directory: string, { content }: PluginManifest): boolean {
  const named = ownValue(content, "hooks");
  if (isJsonObject(named)) return true;
  const path = join(directory, typeof named === "string" ? named : "hooks/hooks.json");
  if (!path.startsWith(`${directory}/`) || !existsSync(path)) return false;
  const read = readJson(readFileSync(path, "utf8"), { recover: false, maxDepth: 50 });
  return read.ok && isJsonObject(memberAt(read.value, "hooks"));
}
