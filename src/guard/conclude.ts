import { errorText } from "../protocol/index.ts";
import type { GuardWorkspace } from "./context.ts";
import type { Explained } from "./explain.ts";
import type { Finding } from "./finding.ts";
import { type Footprint, NO_FOOTPRINT } from "./footprint.ts";
import { allowOnceCode, type CodeSubject, findGrant } from "./grants.ts";
import { ALLOWED, type Judgement } from "./judgement.ts";
import { renderTexts } from "./reason.ts";

const MAX_FINDINGS = 5;

/** What was learned of a call beside its findings. */
export interface Examined {
  readonly workspace: GuardWorkspace;
  readonly notes: readonly string[];
  subject(): CodeSubject;
  explain(): readonly Explained[];
  footprint(): Footprint;
}

/** The judgement that follows from what was found, and from what a human permitted. */
export function conclude(found: readonly Finding[], examined: Examined): Judgement {
  const { workspace, notes, subject, explain } = examined;
  const all = distinct(found);
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
  const [worst] = all;
  if (worst === undefined) return base;
  const { grants = [], nowMs = 0, system, machineKey } = workspace.given;
  const isRefused = worst.verdict === "ask" && workspace.settings.unattended === "deny";
  const isAllowable = !isRefused && all.every(finding => finding.isAllowable);
  const key = isAllowable ? machineKey?.() : undefined;
  const permitted = key === undefined ? undefined : allowOnceCode(subject(), all, key, system.text);
  const grant = permitted === undefined ? undefined : findGrant(grants, permitted, nowMs);
  const findings = all.slice(0, MAX_FINDINGS);
  if (grant !== undefined) {
    const note = `allowed once by ${grant.code}: ${findings.map(finding => finding.rule).join(", ")}`;
    return { ...base, notes: [...notes, note], ...permitted, usedGrants: [grant] };
  }
  const verdict = isRefused ? "deny" : worst.verdict;
  const told = renderTexts(verdict, findings, permitted?.code, isRefused);
  return { ...base, verdict, findings, all, ...permitted, ...told };
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

/**
 * One of each rule and target, the worst first: what nothing permits, then denials, in the order they were found. What
 * can be undone may fall away later, so that it stands behind the rest where not all can be shown.
 */
function distinct(found: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of found) {
    const key = `${finding.rule}\n${finding.target}`;
    const known = seen.get(key);
    if (known === undefined || (known.verdict === "ask" && finding.verdict === "deny"))
      seen.set(key, finding);
  }
  const isCut = seen.size > MAX_FINDINGS;
  const rank = ({ verdict, isAllowable, atRisk }: Finding) =>
    (verdict === "deny" ? 0 : 4) + (isAllowable ? 2 : 0) + (isCut && atRisk !== undefined ? 1 : 0);
  return [...seen.values()].sort((one, other) => rank(one) - rank(other));
}
