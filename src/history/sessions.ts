import { listIfThere, sanitiseSessionId } from "../state/index.ts";
import { isInside, type System } from "../system/index.ts";
import type { Store } from "./store.ts";

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
  return listIfThere(files, `${stateHome}/history/open/${sessionKey(session)}`).length > 0;
}

/** What is remembered of a session. */
export interface SessionRecord {
  /** the project it began in; a directory below counts as part of it */
  readonly project: string;
  /** prompts so far */
  readonly turn: number;
}

function path(store: Store, session: string): string {
  return store.path("sessions", sessionKey(session));
}

/** The record of a session, begun with this project when there is none. */
export function readSession(store: Store, session: string | undefined, project: string): SessionRecord {
  const known = session === undefined ? undefined : store.readSealed<SessionRecord>(path(store, session));
  if (known === undefined) return { project, turn: 0 };
  return { ...known, project: isInside(known.project, project) ? known.project : project };
}

/** A prompt begins a new turn. Returns its number. */
export function beginTurn(store: Store, session: string | undefined, project: string): number {
  if (session === undefined) return 0;
  const known = store.readSealed<SessionRecord>(path(store, session));
  const record: SessionRecord = { project: known?.project ?? project, turn: (known?.turn ?? 0) + 1 };
  store.writeSealed(path(store, session), record);
  return record.turn;
}

/** Remembers where a session began. Some hosts send the first prompt at the same time, which is not forgotten. */
export function beginSession(store: Store, session: string | undefined, project: string): void {
  if (session === undefined) return;
  store.writeSealedOnce(path(store, session), { project, turn: 0 } satisfies SessionRecord);
}
