import { HOSTS } from "../hosts/descriptors.ts";
import { readText } from "../state/read-text.ts";
import { basename, dirname, join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import type { Package } from "./package.ts";
import type { RegistrationTarget } from "./targets.ts";

// What agents are taught about amplihack, in the folder in which their host looks for skills.

const FILE = "amplihack/SKILL.md";
const MAX_BYTES = 64 * 1024;

export function isSkill(path: string): boolean {
  return path.endsWith(`/skills/${FILE}`);
}

/** The skill of a package; undefined for one that was built without it. */
export function readSkill(system: Pick<System, "files" | "text">, { root }: Package): string | undefined {
  return readText(system, join(root, "skills", FILE), MAX_BYTES);
}

/**
 * Where a host finds it: in the folder for skills beside its settings. None for a host without such a folder, and none
 * where the host reads the folder of another one that has the skill already.
 */
export function skillPath(
  { files }: Pick<System, "files">,
  { host, owner, registration, scope, path }: RegistrationTarget,
): string | undefined {
  const { skillFolders = [] } = HOSTS[owner];
  const settings = registration.files[scope] ?? "";
  // The nearest one, where a host has a folder for projects above that of its user.
  const [folder] = skillFolders
    .filter(each => settings.startsWith(`${dirname(each)}/`))
    .sort((one, other) => other.length - one.length);
  if (folder === undefined || host !== owner || !path.endsWith(settings.slice(dirname(folder).length)))
    return undefined;
  const place = path.slice(0, path.length - settings.length + dirname(folder).length);
  const own = join(place, basename(folder), FILE);
  const others = skillFolders
    .filter(each => each !== folder && place.endsWith(dirname(folder)))
    .map(each => join(place.slice(0, place.length - dirname(folder).length), each, FILE));
  return others.some(other => files.follow(other) !== undefined) ? undefined : own;
}
