import { escapeHidden } from "../state/escape.ts";
import type { Finding } from "./finding.ts";
import { redactOpening } from "./redact.ts";
import type { Verdict } from "./rule.ts";

const LIMIT = 600;
/** Room for the words that a host adds where no person can be asked. */
const ASK_LIMIT = 570;
const SAFER_LIMIT = 140;
const SHORT_TARGET = 40;
const LONG_TARGET = 160;
const UNATTENDED = "Nobody can be asked in this session, so it is refused; leave it to your user.";

/**
 * What the agent is told, at most 600 characters: rules and what would be lost, a safer command, and how a human
 * can permit it. It never says how else the command could be written.
 */
export function renderReason(
  verdict: Exclude<Verdict, "allow">,
  findings: readonly Finding[],
  code: string | undefined,
  isUnattended = false,
): string {
  const [first] = findings;
  if (first === undefined) return "";
  const opening = verdict === "deny" ? "Denied" : "Needs your user's consent";
  const permitted = isUnattended ? UNATTENDED : permission(findings, code);
  const closing = ` Safer: \`${clipText(shown(first.safer), SAFER_LIMIT)}\`. ${permitted}`;
  const limit = verdict === "ask" ? ASK_LIMIT : LIMIT;
  const room = limit - opening.length - closing.length;
  return clipText(`${opening}${tellFindings(findings, room)}${closing}`, limit);
}

/** The first in full, the others as far as there is room, and by their names when there is not. */
function tellFindings(findings: readonly Finding[], room: number): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  const names = others.map(
    finding => ` [${finding.rule}] ${clipMiddle(shown(finding.target), SHORT_TARGET)};`,
  );
  const reserved = Math.min(names.join("").length + 6, Math.max(0, room - 160));
  let told = clipText(` [${first.rule}]: ${tellLoss(first)}`, room - reserved);
  for (const [index, finding] of others.entries()) {
    const rest = names.slice(index + 1).join("").length;
    const full = ` Also [${finding.rule}]: ${tellLoss(finding)}`;
    if (told.length + full.length + rest <= room) told += full;
    else told += clipText(` Also${names[index] ?? ""}`, Math.max(0, room - told.length));
  }
  return told;
}

/** A long target loses its middle: what it leads to stands at its end. */
function tellLoss({ lost, target }: Finding): string {
  const [told, named] = [shown(lost), shown(target)];
  return named.length <= LONG_TARGET ? told : told.split(named).join(clipMiddle(named, LONG_TARGET));
}

/** Without secrets, and without characters that would hide or reorder what a person is asked about. */
function shown(text: string): string {
  return escapeHidden(redactOpening(text));
}

function permission(findings: readonly Finding[], code: string | undefined): string {
  if (findings.some(finding => !finding.isAllowable)) {
    return "No setting permits this, and you cannot switch it off; a human who wants it runs it in their own terminal.";
  }
  if (code === undefined) {
    return "You cannot switch this off; ask your user, who can run it or allow it in the guard's configuration.";
  }
  return `You cannot switch this off; ask your user. A human permits it once, in their own terminal: amplihack guard allow-once ${code}`;
}

/** The beginning and the end; a cut is marked. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const front = Math.floor((limit - 1) / 2);
  return `${text.slice(0, front)}…${text.slice(text.length - (limit - 1 - front))}`;
}

export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return limit <= 1 ? "" : `${text.slice(0, limit - 1).trimEnd()}…`;
}
