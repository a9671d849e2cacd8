import { basename } from "./paths.ts";
import { type FileFacts, type Files, hasErrorCode, type System, SystemError } from "./system.ts";

export interface AtomicWriteOptions {
  /** a file with other names, as keepers of dotfiles link them, is written where it is: they stay one file */
  readonly keepsNames?: true;
  /** after a crash of the machine the version before this one is as good: its place is not written to the disk at once */
  readonly mayBeOlder?: true;
  /** of a new file; an existing one keeps its own. Default 0600. */
  readonly mode?: number;
  /** of parents that have to be made. Default 0700. */
  readonly directoryMode?: number;
}

const LINK_LIMIT = 40;
const NAME_ATTEMPTS = 5;
/** Leaves room for the prefix and suffix of a temporary name within the 255 bytes a name may have. */
const NAME_UNITS = 60;

/**
 * Replaces a whole file: readers see the old bytes or the new ones, never a mixture, also after a crash. Of a
 * symlink the file it points to is replaced. On failure nothing changes and no temporary file stays.
 */
export function writeAtomically(
  system: Pick<System, "files" | "random">,
  path: string,
  bytes: Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const { files } = system;
  const { target, facts } = followLinks(files, path);
  if (facts?.kind === "directory") throw new SystemError("EISDIR", "write", path);
  // A device or a pipe would be gone, and a file of that name in its place.
  if (facts !== undefined && facts.kind !== "file") throw new SystemError("ENOTSUP", "replace", path);
  if (options.keepsNames === true && (files.exactFacts(target)?.links ?? 1) > 1) {
    overwriteLinked(system, target, bytes);
    return;
  }
  const directory = parentDirectory(target);
  if (facts === undefined) files.makeDirectory(directory, options.directoryMode ?? 0o700);
  const mode = facts?.mode ?? options.mode ?? 0o600;
  const temporary = createTemporary(system, directory, basename(target), bytes, mode);
  try {
    if (facts !== undefined && files.inspect(temporary)?.mode !== mode) files.changeMode(temporary, mode);
    files.rename(temporary, target);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  if (facts === undefined || options.mayBeOlder !== true) files.syncDirectory(directory);
}

/** Everything that does not fit on the disk is found before the file itself is touched. */
function overwriteLinked(system: Pick<System, "files" | "random">, target: string, bytes: Uint8Array): void {
  const { files } = system;
  const copy = createTemporary(system, parentDirectory(target), basename(target), bytes, 0o600);
  try {
    files.overwrite(copy, target);
  } finally {
    files.remove(copy);
  }
}

function createTemporary(
  { files, random }: Pick<System, "files" | "random">,
  directory: string,
  name: string,
  bytes: Uint8Array,
  mode: number,
): string {
  for (let attempt = 1; ; attempt++) {
    const temporary = `${directory}/.${name.slice(0, NAME_UNITS)}.${random.hex(16)}.tmp`;
    try {
      files.createExclusive(temporary, bytes, mode);
      return temporary;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST") || attempt === NAME_ATTEMPTS) throw error;
    }
  }
}

/** The last name of a chain of symlinks, which need not exist yet. */
function followLinks(files: Files, path: string): { target: string; facts: FileFacts | undefined } {
  let target = path;
  for (let links = 0; links <= LINK_LIMIT; links++) {
    const facts = files.inspect(target);
    if (facts?.kind !== "symlink") return { target, facts };
    const link = files.readLink(target);
    // Not normalised: `..` after a linked directory is for the file system to interpret.
    target = link.startsWith("/") ? link : `${parentDirectory(target)}/${link}`;
  }
  throw new SystemError("ELOOP", "write", path);
}

function parentDirectory(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The failure that led here is the one to report.
  }
}
