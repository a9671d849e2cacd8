import { errorText } from "../protocol/error-text.ts";
import type { Workspace } from "./context.ts";
import type { Explained } from "./explain.ts";
import type { Finding } from "./finding.ts";
import { type Footprint, NO_FOOTPRINT } from "./footprint.ts";
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
      footprint ??= attemptFootprint(examined);
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

/** A failure of ours must not let a call pass for one that changes nothing. */
function attemptFootprint({ footprint, workspace }: Examined): Footprint {
  try {
    return footprint();
  } catch (error) {
    const unresolved = [`not worked out: ${errorText(error)}`];
    return { ...NO_FOOTPRINT, unknownIn: [workspace.cwd], unresolved };
  }
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
  const ordered = [...all.filter(isDenied), ...all.filter(finding => !isDenied(finding))];
  if (ordered.length <= MAX_FINDINGS) return ordered;
  // What can be undone may fall away later, and must not have taken the place of what cannot.
  const rank = ({ verdict, atRisk }: Finding) => (verdict === "deny" ? 0 : atRisk === undefined ? 1 : 2);
  return ordered.sort((one, other) => rank(one) - rank(other)).slice(0, MAX_FINDINGS);
}
