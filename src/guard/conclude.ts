import type { Workspace } from "./context.ts";
import type { Explained } from "./explain.ts";
import type { Finding } from "./finding.ts";
import type { Footprint } from "./footprint.ts";
import { allowOnceCode, type CodeSubject, findGrant } from "./grants.ts";
import { ALLOWED, type Judgement } from "./judgement.ts";
import { renderReason } from "./reason.ts";

const MAX_FINDINGS = 5;

/** What was learned of a call beside its findings. */
export interface Examined {
  readonly workspace: Workspace;
  readonly notes: readonly string[];
  subject(findings: readonly Finding[]): CodeSubject;
  explain(): readonly Explained[];
  footprint(): Footprint;
}

/** The judgement that follows from what was found, and from what a human permitted. */
export function conclude(found: readonly Finding[], examined: Examined): Judgement {
  const { workspace, notes, subject, explain } = examined;
  const findings = distinct(found);
  let footprint: Footprint | undefined;
  const base: Judgement = {
    ...ALLOWED,
    notes,
    explain,
    footprint: () => {
      footprint ??= examined.footprint();
      return footprint;
    },
    settle: rest => conclude(rest, { ...examined, footprint: base.footprint }),
  };
  const [worst] = findings;
  if (worst === undefined) return base;
  const { grants = [], nowMs = 0, system, machineKey } = workspace.given;
  const key = findings.every(finding => finding.isAllowable) ? machineKey?.() : undefined;
  const code = key === undefined ? undefined : allowOnceCode(subject(findings), key, system.text);
  const grant = code === undefined ? undefined : findGrant(grants, code, nowMs);
  if (grant !== undefined) {
    const note = `allowed once by ${grant.code}: ${findings.map(finding => finding.rule).join(", ")}`;
    return { ...base, notes: [...notes, note], code, usedGrants: [grant] };
  }
  const { verdict } = worst;
  return { ...base, verdict, findings, code, reason: renderReason(verdict, findings, code) };
}

/** One of each rule and target, denials first, in the order they were found. */
function distinct(found: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of found) {
    const key = `${finding.rule}\n${finding.target}`;
    const known = seen.get(key);
    if (known === undefined || (known.verdict === "ask" && finding.verdict === "deny"))
      seen.set(key, finding);
  }
  const all = [...seen.values()];
  const isDenied = (finding: Finding) => finding.verdict === "deny";
  return [...all.filter(isDenied), ...all.filter(finding => !isDenied(finding))].slice(0, MAX_FINDINGS);
}
