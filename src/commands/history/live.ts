import type { Terminal } from "../../cli/index.ts";
import { formatAge, type SessionAtWork, shownPath, shownPlace } from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import { count, escapeControls } from "../../text/index.ts";

interface LiveView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly nowMs: number;
  readonly home: string;
  readonly project: string;
}

const MAX_SHOWN = 10;

/** Who is at work, and what they have not committed. */
export function renderLive(sessions: readonly SessionAtWork[], view: LiveView): string {
  return sessions.map(session => renderSession(session, view)).join("");
}

function renderSession(
  { host, session, project, sinceMs, files }: SessionAtWork,
  { terminal, nowMs, home, project: here }: LiveView,
): string {
  const where = project === here ? "" : `, in ${shownPlace(project, home)}`;
  const title = `${terminal.paint("bold", hostTitle(host))} ${terminal.paint("cyan", escapeControls(session))}`;
  const state =
    files.length === 0 ? "everything is committed" : `${count(files.length, "file")} not committed:`;
  const names = files.slice(0, MAX_SHOWN).map(path => `    ${shownPath(path, here, home)}\n`);
  const more = files.length - names.length;
  return `${title}\n  began ${formatAge(nowMs, sinceMs)}${where}; ${state}\n${names.join("")}${more > 0 ? `    and ${more} more\n` : ""}`;
}

/** The stable form for programs. */
export function liveDocument({ host, session, project, sinceMs, files }: SessionAtWork): object {
  return { host, session, project, since: new Date(sinceMs).toISOString(), files };
}
