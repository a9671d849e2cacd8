import { ancestors, components, isAbsolute, isInside, normalise } from "../system/index.ts";
import type { Disk } from "./disk.ts";
import { SYSTEM_TREES } from "./system-trees.ts";

interface TempPlaces {
  readonly cwd: string;
  readonly home: string;
  /** as the environment has it */
  readonly tmpdir: string | undefined;
  /** as the configuration has them */
  readonly configured: readonly string[];
}

/** Directories for temporary files besides those that every system has, links resolved. */
export function findTemps(disk: Disk, places: TempPlaces): readonly string[] {
  const { tmpdir, configured, home, cwd } = places;
  const accept = (path: string, isConfigured: boolean): readonly string[] => {
    if (!isAbsolute(path)) return [];
    const named = normalise(path);
    const found = [...new Set([named, disk.resolve(named, true)])];
    return found.every(one => mayBeTemporary(disk, one, { home, cwd }, isConfigured)) ? found : [];
  };
  return [
    ...(tmpdir === undefined ? [] : accept(tmpdir, false)),
    ...configured.flatMap(path => accept(path, true)),
  ];
}

const TEMPORARY_NAME = /^\.?(te?mp([-_.].*)?|temporary.*|cache|caches|scratch|t)$/i;
const ALWAYS = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)(?:\/|$)/;

/**
 * A directory that is said to be temporary counts as such only where that loosens nothing: not the system's own trees,
 * not a home or what lies above one, not the project. In a home and in a project its name must say so, too.
 */
function mayBeTemporary(
  disk: Disk,
  path: string,
  { home, cwd }: Pick<TempPlaces, "home" | "cwd">,
  isConfigured: boolean,
): boolean {
  const parts = components(path);
  const [top = "", second = ""] = parts;
  if (ALWAYS.test(path)) return true;
  if (SYSTEM_TREES.has(top) || /^(root|Applications|cores)$/.test(top) || isInside(path, home)) return false;
  // `/scratch` is a directory of its own beside those of the system.
  if (parts.length < 2) return isTemporaryName(top);
  if (top === "var" && (parts.length === 2 || /^(lib|spool|log|backups|www)$/.test(second))) return false;
  const isNamed = (below: string) => components(path).slice(components(below).length).some(isTemporaryName);
  if (isInside(cwd, path)) return path !== cwd && isNamed(cwd);
  if (isInside(path, cwd) && ancestors(path).some(at => disk.kind(`${at}/.git`) !== undefined)) return false;
  if (isInside(home, path)) return isNamed(home) || (isConfigured && isDeep(home, path));
  if (top === "home" || top === "Users") return isNamed(`/${top}/${second}`) && parts.length > 2;
  return true;
}

function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

function isDeep(home: string, path: string): boolean {
  return components(path).length > components(home).length + 1;
}
