import { redact } from "./redact.ts";
import type { Finding, Verdict } from "./rule.ts";

const LIMIT = 600;
const TARGET_LIMIT = 120;

/**
 * What the agent is told, at most 600 characters: rule, what would be lost, a safer command, and how a human can
 * permit it. It never says how else the command could be written.
 */
export function renderReason(
  verdict: Exclude<Verdict, "allow">,
  findings: readonly Finding[],
  code: string | undefined,
): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  const opening = `${verdict === "deny" ? "Denied" : "Needs your user's consent"} [${first.rule}]: ${first.title}.`;
  const closing = permission(findings, code);
  const safer = ` Safer: \`${clipText(first.safer, TARGET_LIMIT)}\`.`;
  const also =
    others.length === 0
      ? ""
      : ` Also: ${others.map(finding => `[${finding.rule}] ${clipText(finding.target, 40)}`).join("; ")}.`;
  const room = LIMIT - opening.length - closing.length - safer.length - 2;
  const lost = ` ${clipText(redact(first.lost), Math.max(80, room - Math.min(also.length, 120)))}`;
  const rest = clipText(redact(also), Math.max(0, room - lost.length));
  return clipText(`${opening}${lost}${rest}${redact(safer)} ${closing}`, LIMIT);
}

function permission(findings: readonly Finding[], code: string | undefined): string {
  if (findings.some(finding => !finding.isAllowable)) {
    return "Nothing in the configuration permits this; a human who wants it runs it in their own terminal.";
  }
  if (code === undefined)
    return "Ask your user: a human can run it, or allow it in the guard's configuration.";
  return `Ask your user; a human permits it once, in their own terminal, with: amplihack guard allow-once ${code}`;
}

export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return limit <= 1 ? "" : `${text.slice(0, limit - 1).trimEnd()}…`;
}
