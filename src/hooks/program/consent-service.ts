import type { Grant } from "../../guard/index.ts";
import { defined, numberAt, readJson, stringAt } from "../../protocol/index.ts";
import { readText } from "../../state/index.ts";
import { join, type System, sha256Hex } from "../../system/index.ts";
import { escapeHidden } from "../../text/index.ts";

/** Where the service of root's (`amplihack consent-service`) puts what a person permitted: one folder for each user. */
export const SERVICE_FOLDER = "/run/amplihack/consent";
const ROOT = 0;
const WRITABLE_BY_OTHERS = 0o022;
const MAX_BYTES = 4_096;

/**
 * What the service shows to the person, and signs for: it cannot know what a digest stands for. One line each, with all
 * that would reorder, hide or push away a part of it written out: the window that shows it is not ours.
 */
export function shownToPerson({ command, cwd }: { readonly command: string; readonly cwd: string }): string {
  return `${escapeHidden(command)}\nin ${escapeHidden(cwd)}`;
}

/**
 * The grant of that code, if root wrote it for what was shown. The folder is the user's, so that a grant can be used up,
 * but no file of the user's is root's. None for root itself, from whom nothing is kept apart.
 */
export function readServiceGrant(system: System, code: string, shown: string): Grant | undefined {
  try {
    const path = requestPath(system, code);
    const facts = path === undefined ? undefined : system.files.inspect(path);
    const isSigned = facts?.kind === "file" && facts.uid === ROOT && (facts.mode & WRITABLE_BY_OTHERS) === 0;
    if (path === undefined || !isSigned) return undefined;
    // Under another name, which the user may give it where the system does not protect hard links, it would be used again.
    if (system.files.exactFacts(path)?.links !== 1) return undefined;
    const read = readJson(readText(system, path, MAX_BYTES) ?? "", { recover: false, maxDepth: 4 });
    const value = read.ok ? read.value : undefined;
    const digest = stringAt(value, "digest");
    const isForThis =
      stringAt(value, "code") === code &&
      digest !== undefined &&
      stringAt(value, "shown") === sha256Hex(system.text.encode(shown));
    const expiresMs = numberAt(value, "expiresMs");
    if (!isForThis || expiresMs === undefined) return undefined;
    const [session, host] = [stringAt(value, "session"), stringAt(value, "host")];
    return { code, digest, ...defined({ session, host }), usesLeft: 1, expiresMs };
  } catch {
    return undefined;
  }
}

/** Uses it up. */
export function removeServiceGrant(system: System, code: string): boolean {
  const path = requestPath(system, code);
  if (path === undefined) return false;
  try {
    system.files.remove(path);
    return true;
  } catch {
    // Another process was faster, or the folder is not ours.
    return false;
  }
}

function requestPath({ files }: System, code: string): string | undefined {
  const uid = files.follow("/proc/self")?.uid;
  return uid === undefined || uid === ROOT || !/^[A-Z2-9]{6}$/.test(code)
    ? undefined
    : join(SERVICE_FOLDER, String(uid), `${code}.json`);
}
