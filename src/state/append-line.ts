import { type System, SystemError } from "../system/index.ts";
import { withParents } from "./absent-files.ts";
import { FileLock } from "./file-lock.ts";
import { isTooLarge, type Rotation, rotate } from "./rotate.ts";
import { serialise } from "./serialise.ts";

export interface AppendOptions {
  readonly rotation?: Rotation;
  /** for lines too long to be surely written in one piece. Default 2000. */
  readonly lockTimeoutMs?: number;
  /** of parents that have to be made. Default 0700. */
  readonly directoryMode?: number;
}

/** Longer lines are written under a lock. */
const UNLOCKED_BYTES = 4_096;
const DEFAULT_LOCK_TIMEOUT_MS = 2_000;

/** Appends one JSON value as one line, in one write; the file is made with mode 0600. */
export function appendJsonLine(
  system: System,
  path: string,
  value: unknown,
  options: AppendOptions = {},
): void {
  appendLine(system, path, serialise(value, path, 0), options);
}

/**
 * `line` has no line break in it; one is added. A symlink is refused (`ELOOP`): logs lie in projects too, and a
 * project must not choose which file of the user is written to.
 */
export function appendLine(system: System, path: string, line: string, options: AppendOptions = {}): void {
  const { rotation } = options;
  const bytes = system.text.encode(`${line}\n`);
  const facts = system.files.inspect(path);
  if (facts?.kind === "symlink") throw new SystemError("ELOOP", "append to", path);
  if (rotation !== undefined && isTooLarge(facts, rotation)) rotate(system, path, rotation);
  const { files } = system;
  const append = () =>
    withParents(files, path, options.directoryMode, () => files.append(path, bytes, 0o600));
  if (bytes.length <= UNLOCKED_BYTES) {
    append();
  } else {
    const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    new FileLock(`${path}.lock`, { system, timeoutMs }).run(append);
  }
}
