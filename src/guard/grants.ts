import type { ShellFacts } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import { sha256 } from "../system/sha256.ts";
import type { TextCodec } from "../system/system.ts";
import type { Finding } from "./finding.ts";

/** A human's permission for one exact command, outside any project. */
export interface Grant {
  readonly code: string;
  readonly usesLeft: number;
  /** milliseconds since 1970 */
  readonly expiresMs: number;
}

/** No letters or digits that are mistaken for each other. */
const ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const LENGTH = 6;

/** What a code stands for: the programs with their words and directories, and the rules that spoke. */
export interface CodeSubject {
  readonly tree: readonly unknown[];
  readonly cwd: string;
  readonly rules: readonly Finding["rule"][];
}

export function subjectOf(facts: ShellFacts, cwd: string, findings: readonly Finding[]): CodeSubject {
  const commands = facts.invocations.map(invocation => [
    invocation.parent?.invocation ?? -1,
    describe(invocation.cwd),
    ...invocation.argv.map(describe),
  ]);
  const files = facts.redirections.map(redirection => [
    redirection.operation,
    describe(redirection.cwd),
    describe(redirection.target),
  ]);
  const code = facts.codeEffects.map(({ call }) => [call.kind, "path" in call ? describe(call.path) : ""]);
  return { tree: [commands, files, code], cwd, rules: ruleIds(findings) };
}

export function ruleIds(findings: readonly Finding[]): readonly Finding["rule"][] {
  return [...new Set(findings.map(finding => finding.rule))].sort();
}

/** Six characters; the machine's key keeps them from being computed elsewhere. */
export function allowOnceCode(subject: CodeSubject, machineKey: string, text: TextCodec): string {
  const message = JSON.stringify([machineKey, subject.tree, subject.cwd, subject.rules]);
  const digest = sha256(text.encode(`${machineKey}\n${message}\n${machineKey}`));
  let code = "";
  for (let index = 0; index < LENGTH; index += 1) {
    const number = ((digest[index * 2] ?? 0) << 8) | (digest[index * 2 + 1] ?? 0);
    code += ALPHABET[number % ALPHABET.length];
  }
  return code;
}

export function isCode(text: string): boolean {
  return text.length === LENGTH && [...text.toUpperCase()].every(character => ALPHABET.includes(character));
}

export function findGrant(grants: readonly Grant[], code: string, nowMs: number): Grant | undefined {
  return grants.find(grant => grant.code === code && grant.usesLeft > 0 && grant.expiresMs > nowMs);
}
