import type { Invocation, ShellFacts } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import type { Finding } from "./finding.ts";

/**
 * A command may run in one of two directories, depending on whether a `cd` before it succeeds. A denial that only
 * one of them deserves becomes a question: the other one is what was meant. The gravest rules stay as they are.
 */
export function softenAlternatives(findings: readonly Finding[], facts: ShellFacts): readonly Finding[] {
  const isDoubtful = (finding: Finding): boolean => {
    const invocation = finding.invocation === undefined ? undefined : facts.invocations[finding.invocation];
    if (finding.verdict !== "deny" || !finding.isAllowable || invocation === undefined) return false;
    const others = facts.invocations.filter(other => isSameElsewhere(other, invocation));
    return others.some(
      other => !findings.some(found => found.invocation === other.id && found.verdict === "deny"),
    );
  };
  return findings.map(finding => (isDoubtful(finding) ? { ...finding, verdict: "ask" as const } : finding));
}

function isSameElsewhere(other: Invocation, one: Invocation): boolean {
  if (other.id === one.id || other.span.start !== one.span.start || other.span.end !== one.span.end)
    return false;
  if (other.argv.length !== one.argv.length || describe(other.cwd) === describe(one.cwd)) return false;
  if (!describe(other.cwd).startsWith("/")) return false;
  return one.argv.every((word, index) => {
    const twin = other.argv[index];
    return twin !== undefined && describe(twin) === describe(word);
  });
}
