import { describe, type ShellFacts, type Value } from "../shell/index.ts";
import { sha256Hex, type TextCodec } from "../system/index.ts";
import type { Finding } from "./finding.ts";

/** A human's permission for one exact command, outside any project. */
export interface Grant {
  readonly code: string;
  /** of what was shown to the human; a code alone is short enough to be met by chance */
  readonly digest?: string | undefined;
  /** the session and the host it was asked in: it counts nowhere else; absent where nothing told them */
  readonly session?: string | undefined;
  readonly host?: string | undefined;
  readonly usesLeft: number;
  /** milliseconds since 1970 */
  readonly expiresMs: number;
}

/** No letters or digits that are mistaken for each other. */
const ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const LENGTH = 6;
/** What is longer cannot be shown whole to the person who is asked, so that no code permits it. */
const MAX_SOURCE_LENGTH = 32 * 1024;
const MAX_MESSAGE_LENGTH = 256 * 1024;

/** What a code stands for: exactly what was sent, all that was understood of it, and what the rules said. */
export interface CodeSubject {
  /** the text of the command, or the input of the tool */
  readonly source: string;
  readonly tree: readonly unknown[];
  readonly cwd: string;
}

/** With everything that reaches a program beside its words: directories, variables, input, files and code. */
export function toCodeSubject(source: string, facts: ShellFacts, cwd: string): CodeSubject {
  const { invocations, redirections, codeEffects, codeRuns, writtenFiles } = facts;
  const commands = invocations.map(({ parent, cwd: directory, argv, environment, stdin }) => [
    parent?.invocation ?? -1,
    describe(directory),
    argv.map(describe),
    environment.map(({ name, value }) => [name, shown(value)]),
    shown(stdin),
  ]);
  const files = redirections.map(({ operation, cwd: directory, target }) => [
    operation,
    describe(directory),
    describe(target),
  ]);
  const calls = codeEffects.map(({ call }) => [call.kind, "path" in call ? describe(call.path) : ""]);
  const texts = [...codeRuns.map(({ code }) => code), ...writtenFiles.map(({ content }) => content)];
  return { source, tree: [commands, files, calls, texts.map(describe)], cwd };
}

function shown(value: Value | undefined): string | null {
  return value === undefined ? null : describe(value);
}

/** Six characters for people, and the whole number behind them. */
export interface Code {
  readonly code: string;
  readonly digest: string;
}

/**
 * The machine's key keeps a code from being computed elsewhere. Undefined for what is too long to be shown whole to
 * the person who would permit it.
 */
export function allowOnceCode(
  { source, tree, cwd }: CodeSubject,
  findings: readonly Finding[],
  machineKey: string,
  text: TextCodec,
): Code | undefined {
  if (source.length > MAX_SOURCE_LENGTH) return undefined;
  const said = findings.map(({ rule, verdict, target }) => [rule, verdict, target]);
  const message = JSON.stringify([source, tree, cwd, said]);
  if (message.length > MAX_MESSAGE_LENGTH) return undefined;
  const digest = sha256Hex(text.encode(`${machineKey}\n${message}\n${machineKey}`));
  let code = "";
  for (let index = 0; index < LENGTH; index += 1) {
    const number = Number.parseInt(digest.slice(index * 4, index * 4 + 4), 16);
    code += ALPHABET[number % ALPHABET.length];
  }
  return { code, digest };
}

export function isCode(text: string): boolean {
  return text.length === LENGTH && [...text.toUpperCase()].every(character => ALPHABET.includes(character));
}

export function findGrant(
  grants: readonly Grant[],
  { code, digest }: Code,
  nowMs: number,
): Grant | undefined {
  return grants.find(
    grant =>
      grant.code === code &&
      (grant.digest === undefined || grant.digest === digest) &&
      grant.usesLeft > 0 &&
      grant.expiresMs > nowMs,
  );
}
