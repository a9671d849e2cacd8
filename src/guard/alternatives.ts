import { describe, type Invocation, type ShellFacts } from "../shell/index.ts";
import type { Finding } from "./finding.ts";

/**
 * A command may run in one of two directories, depending on whether a `cd` before it succeeds. A denial that only
 * one of them deserves becomes a question: the other one is what was meant. The gravest rules stay as they are.
 */
export function softenAlternatives(findings: readonly Finding[], facts: ShellFacts): readonly Finding[] {
  const isDenied = ({ id }: Invocation) =>
    findings.some(found => found.invocation === id && found.verdict === "deny");
  return findings.map(finding => {
    const invocation = finding.invocation === undefined ? undefined : facts.invocations[finding.invocation];
    if (finding.verdict !== "deny" || !finding.isAllowable || invocation === undefined) return finding;
    const isDoubtful = facts.invocations.some(
      other => isSameElsewhere(other, invocation) && !isDenied(other),
    );
    return isDoubtful ? { ...finding, verdict: "ask" } : finding;
  });
}

function isSameElsewhere(other: Invocation, one: Invocation): boolean {
  if (other.id === one.id || other.span.start !== one.span.start || other.span.end !== one.span.end)
    return false;
  const cwd = describe(other.cwd);
  return cwd.startsWith("/") && cwd !== describe(one.cwd) && hasSameWords(other, one);
}

export function hasSameWords(one: Invocation, other: Invocation): boolean {
  return (
    one.argv.length === other.argv.length &&
    one.argv.every((word, index) => describe(word) === describe(other.argv[index] ?? word))
  );
}
