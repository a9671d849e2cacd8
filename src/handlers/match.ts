import { type EventDescriptor, errorText, type JsonObject, ownValue, stringAt } from "../protocol/index.ts";
import { basename, compileGlob, matchesGlob } from "../system/index.ts";
import type { Dialect } from "./handler.ts";

/** A compiled matcher. `exact` can be looked up in a map; `test` must be asked. */
export type Matcher =
  | { readonly kind: "all" }
  | { readonly kind: "exact"; readonly names: ReadonlySet<string> }
  | { readonly kind: "test"; readonly test: (subject: string) => boolean };

type CompiledMatcher =
  | { readonly ok: true; readonly matcher: Matcher }
  | { readonly ok: false; readonly problem: string };

const ALL: Matcher = { kind: "all" };
const MAX_PATTERN_CHARS = 1024;
const MAX_SUBJECT_CHARS = 512;

const COMPILE: Readonly<Record<Dialect, (text: string, event: EventDescriptor) => CompiledMatcher>> = {
  claude: compileClaude,
  batuta: text => accept({ kind: "test", test: subject => subject.includes(text) }),
  atomcode: (text, event) => accept(event.requiresTool ? compileAtomcode(text) : ALL),
  "atomcode-json": (text, event) => accept(event.requiresTool ? compileGlobs(text) : ALL),
};

/** An absent matcher, and every matcher of an event without a subject, matches all. */
export function compileMatcher(
  dialect: Dialect,
  text: string | undefined,
  event: EventDescriptor,
): CompiledMatcher {
  if (text === undefined || isMatcherIgnored(dialect, event)) return accept(ALL);
  return COMPILE[dialect](text, event);
}

export function isMatcherIgnored(dialect: Dialect, event: EventDescriptor): boolean {
  if (dialect === "atomcode" || dialect === "atomcode-json") return !event.requiresTool;
  return event.subject === undefined && !(dialect === "batuta" && event.name === PROMPT_EVENT);
}

function accept(matcher: Matcher): CompiledMatcher {
  return { ok: true, matcher };
}

/** A matcher as Claude Code writes it: nothing or `*` for all, a list of names, or a regular expression. */
export function compileClaude(text: string): CompiledMatcher {
  if (text === "" || text === "*") return accept(ALL);
  if (isExactList(text)) return accept({ kind: "exact", names: new Set(splitExactList(text)) });
  if (text.length > MAX_PATTERN_CHARS)
    return { ok: false, problem: `the matcher is longer than ${MAX_PATTERN_CHARS} characters` };
  try {
    return accept(matchPattern(new RegExp(text)));
  } catch (error) {
    return { ok: false, problem: `the matcher is not a regular expression: ${errorText(error)}` };
  }
}

/** Letters, digits, `_ - ,` space and `|` only: a list of exact names, not an expression. */
export function isExactList(text: string): boolean {
  return /^[A-Za-z0-9_\- ,|]+$/.test(text);
}

export function splitExactList(text: string): string[] {
  return text.split(/[|,]/).map(name => name.trim());
}

/** A pattern of the host's own code keeps its flags; state between calls (`g`, `y`) does not count. */
export function matchPattern(pattern: RegExp): Matcher {
  const stateless =
    pattern.global || pattern.sticky ? new RegExp(pattern, pattern.flags.replace(/[gy]/g, "")) : pattern;
  return { kind: "test", test: subject => stateless.test(subject.slice(0, MAX_SUBJECT_CHARS)) };
}

export function matchNames(names: Iterable<string>): Matcher {
  return { kind: "exact", names: new Set(names) };
}

function compileAtomcode(text: string): Matcher {
  if (text === "*") return ALL;
  if (!text.endsWith("*")) return { kind: "exact", names: new Set([text]) };
  const prefix = text.slice(0, -1);
  return { kind: "test", test: subject => subject.startsWith(prefix) };
}

/** Alternatives between `|`; in each of them `*` is anything and every other character is itself. */
function compileGlobs(text: string): Matcher {
  const alternatives = splitAlternatives(text);
  if (alternatives.some(one => one === "" || one === "*")) return ALL;
  if (!text.includes("*")) return { kind: "exact", names: new Set(alternatives) };
  const globs = alternatives.map(one => compileGlob(one, "star"));
  return { kind: "test", test: subject => globs.some(glob => matchesGlob(glob, subject)) };
}

export function splitAlternatives(text: string): string[] {
  return text.split("|").map(one => one.trim());
}

export function isMatch(matcher: Matcher, subjects: readonly string[]): boolean {
  switch (matcher.kind) {
    case "all":
      return true;
    case "exact":
      return subjects.some(subject => matcher.names.has(subject));
    case "test":
      return subjects.some(matcher.test);
  }
}

/** A name such as `mcp__files` is a server; tools are `mcp__files__read`, so it matches none. */
export function namesOnlyAServer(matcher: string): boolean {
  return isExactList(matcher) && splitExactList(matcher).some(name => /^mcp__(?:(?!__).)+$/.test(name));
}

const PROMPT_EVENT = "UserPromptSubmit";

/** What matchers of an event are compared with; empty when the event has no subject or the payload lacks it. */
export function matchSubject(event: EventDescriptor, payload: JsonObject): string {
  if (event.subject === undefined) return "";
  const found = ownValue(payload, event.subject);
  const value = typeof found === "string" ? found : "";
  return event.name === "FileChanged" && value !== "" ? basename(value) : value;
}

/** Batuta looks for its matcher in the prompt, where other dialects have no subject. */
export function promptSubject(event: EventDescriptor, payload: JsonObject): string | undefined {
  if (event.name !== PROMPT_EVENT) return undefined;
  return stringAt(payload, "prompt") ?? "";
}
