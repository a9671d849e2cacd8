import { removeIfThere, withParents } from "../state/index.ts";
import { hasErrorCode } from "../system/index.ts";
import type { Store } from "./store.ts";

const FIRST_SECOND = Date.UTC(2024, 0, 1) / 1000;
const DIGITS = 6;
const MAX_IN_A_SECOND = 1_000;

/**
 * A new id: the second in base 36, and behind it a digit for each further one of that second. Texts in order are
 * ids in order, also when the clock is set back: then the last second goes on. A link in `ids/` claims the id, and
 * leads to the key of its project.
 */
export function claimId(store: Store, project: string): string {
  const { clock, files } = store.system;
  const last = store.readSealed<number>(store.path("last-second")) ?? 0;
  const now = Math.max(0, Math.floor(clock.nowMs() / 1000) - FIRST_SECOND);
  for (let second = Math.max(now, last); ; second++) {
    for (let number = 0; number < MAX_IN_A_SECOND; number++) {
      const id = encodeSecond(second) + suffix(number);
      const claim = store.path("ids", id);
      try {
        withParents(files, claim, 0o700, () => files.symlink(project, claim));
        if (second > last) store.writeSealed(store.path("last-second"), second);
        return id;
      } catch (error) {
        if (!hasErrorCode(error, "EEXIST")) throw error;
      }
    }
  }
}

function encodeSecond(second: number): string {
  return second.toString(36).padStart(DIGITS, "0");
}

/** "", 1, 2 … y, z1, z2 … zy, zz1 …: each sorts behind the one before it. */
function suffix(number: number): string {
  if (number === 0) return "";
  return number < 35 ? number.toString(36) : `z${suffix(number - 34)}`;
}

/**
 * The id of a call that may be begun by several hooks at once, because a host reads two of our registrations: the first
 * to come decides, and all of them begin one change.
 */
export function claimCall(store: Store, call: string, claim: () => string): string {
  const { files } = store.system;
  const path = store.path("calls", call);
  const known = readClaim(store, path);
  if (known !== undefined) return known;
  const id = claim();
  try {
    withParents(files, path, 0o700, () => files.symlink(id, path));
    return id;
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    return readClaim(store, path) ?? id;
  }
}

export function releaseCall(store: Store, call: string): void {
  removeIfThere(store.system.files, store.path("calls", call));
}

/** The key of the project that a claimed id belongs to. */
export function projectOfId(store: Store, id: string): string | undefined {
  return readClaim(store, store.path("ids", id));
}

function readClaim(store: Store, path: string): string | undefined {
  try {
    return store.system.files.readLink(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "EINVAL")) return undefined;
    throw error;
  }
}

/**
 * Ids that begin like this, oldest first. A text with the digits of a second is an id itself, perhaps of a change that is
 * kept no longer: it never stands for another one of that second.
 */
export function idsBeginning(store: Store, text: string): readonly string[] {
  return text.length < DIGITS ? store.names("ids").filter(id => id.startsWith(text)) : [];
}

/** The second of an id, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return (Number.parseInt(id.slice(0, DIGITS), 36) + FIRST_SECOND) * 1000;
}

/** Ids of changes before that moment are smaller. */
export function idAt(timeMs: number): string {
  return encodeSecond(Math.max(0, Math.floor(timeMs / 1000) - FIRST_SECOND));
}
