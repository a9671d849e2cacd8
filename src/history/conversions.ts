import { findHome, readText } from "../state/index.ts";
import { basename, dirname, join, leftMs, type System } from "../system/index.ts";
import { createDisk, type Repository, trackedFiles } from "../workspace/index.ts";
import { readBlobSizes, readIndex } from "./git-status.ts";
import { factsAt } from "./path-state.ts";
import { filteredInTree } from "./run-git.ts";

/**
 * Git stores some files otherwise than they are on the disk: filters make them, and line endings differ. What it checks
 * out from its object need not be what was there, also where it calls the file clean.
 */

const MAX_CONFIG = 256 * 1024;
/** of the index: comparing all sizes takes longer than the call may wait */
const MAX_INDEX_BYTES = 4 * 1024 * 1024;
const CONVERTS = /autocrlf|eol|\[\s*(filter|include)|attributesfile/i;

/** Is anything said about line endings or filters that holds for the tree, or for these tracked paths in it? */
export function mayConvert(
  system: System,
  { commonDirectory }: Pick<Repository, "commonDirectory">,
  top: string,
  tracked: Iterable<string>,
): boolean {
  const home = findHome(system) ?? "/";
  const general = `${system.env.get("XDG_CONFIG_HOME") ?? `${home}/.config`}/git`;
  const attributes = [
    `${top}/.gitattributes`,
    `${commonDirectory}/info/attributes`,
    `${general}/attributes`,
    "/etc/gitattributes",
  ];
  if (attributes.some(path => factsAt(system.files, path) !== undefined)) return true;
  const settings = [`${commonDirectory}/config`, `${home}/.gitconfig`, `${general}/config`, "/etc/gitconfig"];
  if (settings.some(path => CONVERTS.test(readText(system, path, MAX_CONFIG) ?? ""))) return true;
  const folders = new Set<string>();
  for (const path of tracked) {
    if (basename(path) === ".gitattributes") return true;
    for (let above = dirname(path); above.length > 1 && !folders.has(above); above = dirname(above))
      folders.add(above);
  }
  return [...folders].some(
    folder => factsAt(system.files, join(top, folder, ".gitattributes")) !== undefined,
  );
}

/** Tracked files whose size on the disk, as git noted it, is not that of their object. */
async function findConverted(system: System, repository: Repository): Promise<readonly string[]> {
  const { top = "", gitDirectory } = repository;
  const bytes = system.files.inspect(`${gitDirectory}/index`)?.size ?? 0;
  if (bytes > MAX_INDEX_BYTES) return [];
  const noted = trackedFiles(createDisk(system), repository);
  if (noted === undefined || !mayConvert(system, repository, top, noted.keys())) return [];
  const timeoutMs = leftMs(system.clock);
  const entries = (await readIndex(system, top, timeoutMs)) ?? [];
  const sizes = await readBlobSizes(
    system,
    { cwd: top },
    entries.map(({ id }) => id),
    timeoutMs,
  );
  return entries.flatMap(({ path, id, mode }) => {
    const size = noted.get(path)?.size ?? 0;
    // Nothing is noted of a file that git reads again.
    const isOther = mode.startsWith("100") && size !== 0 && sizes.has(id) && sizes.get(id) !== size;
    return isOther ? path : [];
  });
}

/** Tracked files that git has otherwise than they are on the disk. `known` is what the same index was found to say. */
export async function convertedInTree(
  system: System,
  repository: Repository,
  known: readonly string[] | undefined,
): Promise<readonly string[]> {
  const filtered = await filteredInTree(system, {
    cwd: repository.top ?? "",
    timeoutMs: leftMs(system.clock),
  });
  return [...new Set([...filtered, ...(known ?? (await findConverted(system, repository)))])];
}
