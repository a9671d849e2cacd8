import type { ReaderTexts } from "../protocol/index.ts";
import type { Explained } from "./explain.ts";
import type { Finding } from "./finding.ts";
import { type Footprint, NO_FOOTPRINT } from "./footprint.ts";
import type { Grant } from "./grants.ts";
import type { Verdict } from "./rule.ts";

/** The answer of the guard. Its functions work out what most callers never ask for. */
export interface Judgement {
  readonly verdict: Verdict;
  /** distinct, the strictest first, at most five */
  readonly findings: readonly Finding[];
  /** every one of them, also those that are not shown */
  readonly all: readonly Finding[];
  /** what was noticed and changed nothing: unreadable parts, a grant that was used */
  readonly notes: readonly string[];
  /** undefined when allowed: of a denial the model's text; of a question the person's and behind it the model's */
  readonly reason: string | undefined;
  /** the same for one reader each */
  readonly texts: ReaderTexts | undefined;
  /** for `guard allow-once`; undefined when nothing can permit it, or without a machine key */
  readonly code: string | undefined;
  /** what the code is short for: a grant counts for nothing else */
  readonly digest: string | undefined;
  readonly usedGrants: readonly Grant[];
  /** the stack of a failure inside the guard, for the log */
  readonly failure: string | undefined;
  explain(): readonly Explained[];
  /** what the call may change on this machine; worked out when it is asked for */
  footprint(): Footprint;
  /** the judgement if only these of its findings had been found */
  settle(findings: readonly Finding[]): Judgement;
}

/** Nothing to say. Shared, so that the common case allocates nothing. */
export const ALLOWED: Judgement = Object.freeze({
  verdict: "allow",
  findings: [],
  all: [],
  notes: [],
  reason: undefined,
  texts: undefined,
  code: undefined,
  digest: undefined,
  usedGrants: [],
  failure: undefined,
  explain: () => [],
  footprint: () => NO_FOOTPRINT,
  settle: () => ALLOWED,
});

/** Denied whatever a person would say. Where nobody can be asked, a question is a denial too, and may still be settled. */
export function isDenied({ verdict, all }: Judgement): boolean {
  return verdict === "deny" && (all.length === 0 || all.some(finding => finding.verdict === "deny"));
}
