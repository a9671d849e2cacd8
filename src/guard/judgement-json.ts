import type { Judgement } from "./judgement.ts";

/** A judgement as commands and tools print it. */
export function judgementJson({ verdict, reason, texts, findings, notes, code }: Judgement) {
  return {
    verdict,
    reason: reason ?? null,
    person: texts?.person ?? null,
    model: texts?.model ?? null,
    rules: [...new Set(findings.map(finding => finding.rule))],
    findings: findings.map(findingJson),
    notes,
    code,
  };
}

function findingJson({
  rule,
  title,
  verdict,
  target,
  lost,
  safer,
  isAllowable,
}: Judgement["findings"][number]) {
  return { rule, title, verdict, target, lost, safer, allowable: isAllowable };
}
