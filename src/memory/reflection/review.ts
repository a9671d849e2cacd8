import { type Entry, entryText, isUserMessage } from "../../transcripts/index.ts";
import { CHECKS } from "./checks.ts";
import { SEVERITIES, type SessionFinding } from "./finding.ts";
import { stepsOf } from "./steps.ts";

interface Review {
  /** the first message of the user; empty when there was none */
  readonly task: string;
  /** strongest first */
  readonly findings: readonly SessionFinding[];
}

const MAX_FINDINGS = 20;

/** What deterministic checks say about a session, in one pass over it. */
export function reviewSession(entries: Iterable<Entry>): Review {
  const checks = CHECKS.map(make => make());
  let task = "";
  for (const step of stepsOf(watch())) for (const check of checks) check.see(step);
  const findings = checks
    .flatMap(check => check.findings())
    .sort((one, other) => SEVERITIES.indexOf(other.severity) - SEVERITIES.indexOf(one.severity));
  return { task, findings: findings.slice(0, MAX_FINDINGS) };

  function* watch(): Generator<Entry> {
    for (const entry of entries) {
      if (task === "" && isUserMessage(entry)) task = entryText(entry).trim();
      yield entry;
    }
  }
}
