import { HOSTS } from "../hosts/index.ts";
import { readText } from "../state/index.ts";
import { basename, dirname, join, type System } from "../system/index.ts";
import type { Package } from "./package.ts";
import type { RegistrationTarget } from "./targets.ts";

// What agents are taught about amplihack, in the folder in which their host looks for skills.

const OWN = "amplihack";
const MAX_BYTES = 64 * 1024;

const fileOf = (name: string): string => `${name}/SKILL.md`;

export function isSkill(path: string): boolean {
  return /\/skills\/(amplihack|dev-orchestrator)\/SKILL\.md$/.test(path);
}

/** A skill of a package; undefined for one that was built without it. */
export function readSkill(
  system: Pick<System, "files" | "text">,
  { root }: Package,
  name = OWN,
): string | undefined {
  return readText(system, join(root, "skills", fileOf(name)), MAX_BYTES);
}

/** The host's folder for skills beside its settings, as its descriptor names it. */
function skillFolder({ host, owner, registration, scope, path }: RegistrationTarget): string | undefined {
  const settings = registration.files[scope] ?? "";
  // The nearest one, where a host has a folder for projects above that of its user.
  const [folder] = (HOSTS[owner].skillFolders ?? [])
    .filter(each => settings.startsWith(`${dirname(each)}/`))
    .sort((one, other) => other.length - one.length);
  const isThere = folder !== undefined && path.endsWith(settings.slice(dirname(folder).length));
  return isThere && host === owner ? folder : undefined;
}

/** The folder of the host's configuration. */
export function hostFolder(target: RegistrationTarget): string | undefined {
  const folder = skillFolder(target);
  if (folder === undefined) return undefined;
  const { path, registration, scope } = target;
  return path.slice(0, path.length - (registration.files[scope] ?? "").length + dirname(folder).length);
}

/**
 * Where a host finds a skill: in the folder for skills beside its settings. None for a host without such a folder, and
 * none where the host reads the folder of another one that has the skill already.
 */
export function skillPath(
  { files }: Pick<System, "files">,
  target: RegistrationTarget,
  name = OWN,
): string | undefined {
  const folder = skillFolder(target);
  const place = hostFolder(target);
  if (folder === undefined || place === undefined) return undefined;
  const others = (HOSTS[target.owner].skillFolders ?? [])
    .filter(each => each !== folder && place.endsWith(dirname(folder)))
    .map(each => join(place.slice(0, place.length - dirname(folder).length), each, fileOf(name)));
  return others.some(other => files.follow(other) !== undefined)
    ? undefined
    : join(place, basename(folder), fileOf(name));
}
