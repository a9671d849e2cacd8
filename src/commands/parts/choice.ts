import { usageError } from "../../cli/index.ts";
import {
  loadConfig,
  MAX_CONFIG_BYTES,
  PARTS,
  type Part,
  PROFILES,
  type Profile,
  readJsonc,
  userConfigFile,
} from "../../config/index.ts";
import type { Json } from "../../protocol/index.ts";
import { readText, requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

export const PROFILE_NAMES = Object.keys(PROFILES) as readonly Profile[] as readonly [
  "guard",
  "standard",
  "full",
];

/** They take nothing's place: whoever names these alone wants them besides what is on. */
const ADDITIONS: readonly Part[] = ["workflow", "mcp"];

/** What `--profile` or `--parts` asks for; undefined when neither is given. */
export function chosenParts(
  system: System,
  profile: Profile | undefined,
  list: string | undefined,
): readonly Part[] | undefined {
  if (profile !== undefined && list !== undefined)
    throw usageError("--profile and --parts are two ways to say the same: give one of them");
  if (list === undefined) return profile && PROFILES[profile];
  const parts = readParts(list.split(","));
  const isAdded = parts.length > 0 && parts.every(part => ADDITIONS.includes(part));
  return isAdded ? readParts([...configuredParts(system), ...parts]) : parts;
}

/** Names of parts, in the order in which they are always told. */
export function readParts(names: readonly string[]): readonly Part[] {
  const wanted = names.map(name => name.trim()).filter(name => name !== "");
  const unknown = wanted.find(name => !PARTS.some(part => part === name));
  if (unknown !== undefined) throw usageError(`there is no part '${unknown}'; there are ${PARTS.join(", ")}`);
  return PARTS.filter(part => wanted.includes(part));
}

export function configuredParts(system: System): readonly Part[] {
  return loadConfig(system, { ...requireDirectories(system), projectRoot: undefined }).config.parts;
}

/** The user's configuration as written; undefined when there is none that can be read. */
export function readUserConfig(system: System): Json | undefined {
  const text = readText(system, userConfigFile(requireDirectories(system).stateHome), MAX_CONFIG_BYTES);
  const read = text === undefined ? undefined : readJsonc(text);
  return read?.ok === true ? read.value : undefined;
}
