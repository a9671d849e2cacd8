import { sanitiseSessionId } from "../state/index.ts";
import { hasErrorCode, type System } from "../system/index.ts";

const NO_SESSION = "no-session";

/** The name under which files of a session lie in the history. */
export function sessionKey(session: string | undefined): string {
  return session === undefined ? NO_SESSION : sanitiseSessionId(session);
}

/** One look at the disk, so that a call that changed nothing does not load the history. */
export function hasOpenChanges(
  { files }: Pick<System, "files">,
  stateHome: string,
  session: string | undefined,
): boolean {
  try {
    return files.list(`${stateHome}/history/open/${sessionKey(session)}`).length > 0;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
