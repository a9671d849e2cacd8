import type { Finding } from "./finding.ts";
import { redactOpening } from "./redact.ts";
import type { Verdict } from "./rule.ts";

const LIMIT = 600;
/** Room for the words that a host adds where no person can be asked. */
const ASK_LIMIT = 570;
const SAFER_LIMIT = 140;
const SHORT_TARGET = 40;

/**
 * What the agent is told, at most 600 characters: rules and what would be lost, a safer command, and how a human
 * can permit it. It never says how else the command could be written.
 */
export function renderReason(
  verdict: Exclude<Verdict, "allow">,
  findings: readonly Finding[],
  code: string | undefined,
): string {
  const [first] = findings;
  if (first === undefined) return "";
  const opening = verdict === "deny" ? "Denied" : "Needs your user's consent";
  const closing = ` Safer: \`${clipText(redactOpening(first.safer), SAFER_LIMIT)}\`. ${permission(findings, code)}`;
  const limit = verdict === "ask" ? ASK_LIMIT : LIMIT;
  const room = limit - opening.length - closing.length;
  return clipText(`${opening}${tellFindings(findings, room)}${closing}`, limit);
}

/** The first in full, the others as far as there is room, and by their names when there is not. */
function tellFindings(findings: readonly Finding[], room: number): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  const names = others.map(
    finding => ` [${finding.rule}] ${clipText(redactOpening(finding.target), SHORT_TARGET)};`,
  );
  const reserved = Math.min(names.join("").length + 6, Math.max(0, room - 160));
  let told = clipText(` [${first.rule}]: ${redactOpening(first.lost)}`, room - reserved);
  for (const [index, finding] of others.entries()) {
    const rest = names.slice(index + 1).join("").length;
    const full = ` Also [${finding.rule}]: ${redactOpening(finding.lost)}`;
    if (told.length + full.length + rest <= room) told += full;
    else told += clipText(` Also${names[index] ?? ""}`, Math.max(0, room - told.length));
  }
  return told;
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

export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return limit <= 1 ? "" : `${text.slice(0, limit - 1).trimEnd()}…`;
}
