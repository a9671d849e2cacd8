import type { Level } from "../config/levels.ts";

export type Verdict = "allow" | "ask" | "deny";

/**
 * One rule as data. The documentation is generated from it, and reasons are built from it: `{target}` and other
 * names in braces in `lost` and `safer` are filled in from the finding.
 */
export interface Rule {
  readonly id: string;
  readonly title: string;
  /** at level standard; `atLevel` holds what differs */
  readonly verdict: Verdict;
  readonly atLevel?: Partial<Readonly<Record<Level, Verdict>>>;
  /** false: no configuration, allow entry or one-time code lets it through */
  readonly isAllowable?: false;
  /** when it speaks, for the documentation */
  readonly when: string;
  /** one sentence: what would be lost */
  readonly lost: string;
  /** a command that can be run, or the words that tell what to do */
  readonly safer: string;
}

export interface Finding {
  readonly rule: string;
  readonly title: string;
  readonly verdict: "ask" | "deny";
  readonly target: string;
  readonly lost: string;
  readonly safer: string;
  readonly isAllowable: boolean;
  /** index into the analysed invocations; undefined for what belongs to no program */
  readonly invocation: number | undefined;
}

const ORDER: readonly Verdict[] = ["allow", "ask", "deny"];

export function stricter(one: Verdict, other: Verdict): Verdict {
  return ORDER.indexOf(one) >= ORDER.indexOf(other) ? one : other;
}

export function isStricterThan(one: Verdict, other: Verdict): boolean {
  return ORDER.indexOf(one) > ORDER.indexOf(other);
}

export function verdictAt(rule: Rule, level: Level): Verdict {
  return rule.atLevel?.[level] ?? rule.verdict;
}

/** Fills `{name}` from the details; a name without a detail stays out. */
export function fillIn(template: string, details: Readonly<Record<string, string>>): string {
  return template.replace(/\{([a-z]+)\}/g, (_, name: string) => details[name] ?? "");
}
