import {
  diagnose,
  type HandlerSpec,
  isExactList,
  isMatcherIgnored,
  splitAlternatives,
  splitExactList,
} from "../../handlers/index.ts";
import {
  type Diagnostic,
  defined,
  describeEvent,
  findEvent,
  type Json,
  type JsonObject,
} from "../../protocol/index.ts";
import type { Dialect } from "../options.ts";
import { type AtomcodeDialect, findAtomcodeEvent, formatAtomcodeEntry } from "./atomcode.ts";
import { BATUTA_EVENTS } from "./batuta.ts";
import { parseSource } from "./parse.ts";

/** Configuration in another dialect, and what could not be said in it. Nothing is left out without a problem. */
export interface Conversion {
  readonly data: JsonObject;
  readonly problems: readonly Diagnostic[];
}

/**
 * Rewrites hook configuration from one dialect into another. Only the configuration: a script that answers in
 * one dialect's exit codes still does so afterwards.
 */
export function convert(from: Dialect, to: Dialect, data: unknown): Conversion {
  const parsed = parseSource({ kind: "user", dialect: from, data }, "source", findEvent);
  const problems: Diagnostic[] = [...parsed.problems];
  // A misspelt event stands among the problems.
  const specs = parsed.specs
    .filter(({ problem }) => problem === undefined)
    .flatMap(spec => adapt(spec, to, problems));
  const flags: Record<string, Json> = {};
  if (parsed.disablesAll && to === "claude") flags["disableAllHooks"] = true;
  else if (parsed.disablesAll)
    problems.push(diagnose("handler-unsupported", `disableAllHooks cannot be expressed in ${to}`));
  return { data: { ...flags, ...FORMAT[to](specs) }, problems };
}

const FORMAT: Readonly<Record<Dialect, (specs: readonly HandlerSpec[]) => JsonObject>> = {
  claude: formatClaude,
  batuta: specs => ({ hooks: specs.map(formatBatutaEntry) }),
  atomcode: specs => formatAtomcode(specs, "atomcode"),
  "atomcode-json": specs => formatAtomcode(specs, "atomcode-json"),
};

const EVENTS_OF: Readonly<Record<Dialect, (event: string) => boolean>> = {
  claude: () => true,
  batuta: event => BATUTA_EVENTS.has(event),
  atomcode: event => findAtomcodeEvent(event) !== undefined,
  "atomcode-json": event => findAtomcodeEvent(event, "atomcode-json") !== undefined,
};

/** The handler as the other dialect can hold it: none, one, or one per name of its matcher. */
function adapt(spec: HandlerSpec, to: Dialect, problems: Diagnostic[]): HandlerSpec[] {
  const drop = (why: string): HandlerSpec[] => {
    problems.push(diagnose("handler-unsupported", `${spec.id}: ${why}; it is left out`));
    return [];
  };
  if (!EVENTS_OF[to](spec.event)) return drop(`${to} has no event ${spec.event}`);
  if (spec.isDisabled && (to === "claude" || to === "batuta"))
    return drop(`${to} cannot express a disabled entry`);
  if (to !== "claude") {
    const { action } = spec;
    if (action.kind !== "command") return drop(`${to} has no ${action.kind} hooks`);
    if (action.args !== undefined || action.shell === "powershell" || action.env !== undefined)
      return drop(`${to} runs commands through sh, without arguments or variables of their own`);
    if (spec.condition !== undefined) return drop(`${to} has no "if"`);
    if (spec.isAsync || spec.isOnce) return drop(`${to} has neither "async" nor "once"`);
  }
  if (spec.matcher === undefined || to === spec.dialect) return [spec];
  const event = describeEvent(spec.event);
  if (isMatcherIgnored(spec.dialect, event)) return [withoutMatcher(spec)];
  if (isMatcherIgnored(to, event)) return drop(`${to} ignores matchers on ${spec.event}`);
  const matchers = convertMatcher(spec.matcher, spec.dialect, to);
  if (matchers === undefined) return drop(`its matcher cannot be expressed in ${to}`);
  if (matchers.isWider)
    problems.push(
      diagnose(
        "field-unknown",
        `${spec.id}: ${to} looks for the name inside the tool's name, so it matches more`,
      ),
    );
  return matchers.texts.map((text, index) => ({
    ...withoutMatcher(spec),
    ...defined({ matcher: text }),
    ...(spec.name === undefined || matchers.texts.length === 1 ? {} : { name: `${spec.name}-${index + 1}` }),
  }));
}

function withoutMatcher({ matcher: _, ...rest }: HandlerSpec): HandlerSpec {
  return rest;
}

function formatClaude(specs: readonly HandlerSpec[]): JsonObject {
  const events = new Map<string, JsonObject[]>();
  for (const spec of specs) {
    const { matcher } = spec;
    const group = { ...defined({ matcher }), hooks: [formatClaudeHandler(spec)] };
    events.set(spec.event, [...(events.get(spec.event) ?? []), group]);
  }
  return { hooks: Object.fromEntries(events) };
}

function formatClaudeHandler(spec: HandlerSpec): JsonObject {
  const { kind, ...fields } = spec.action;
  return {
    type: kind,
    ...(fields as JsonObject),
    ...defined({ if: spec.condition }),
    timeout: spec.timeoutMs / 1000,
    ...defined({ onFailure: spec.onFailure }),
    ...(spec.isOnce ? { once: true } : {}),
    ...(spec.rewakes ? { asyncRewake: true } : spec.isAsync ? { async: true } : {}),
  };
}

function handlerCommand({ action }: HandlerSpec): string {
  return action.kind === "command" ? action.command : "";
}

function formatBatutaEntry(spec: HandlerSpec): JsonObject {
  return {
    event: spec.event,
    ...defined({ matcher: spec.matcher }),
    command: handlerCommand(spec),
    timeout_secs: spec.timeoutMs / 1000,
    ...defined({ onFailure: spec.onFailure }),
  };
}

function formatAtomcode(specs: readonly HandlerSpec[], dialect: AtomcodeDialect): JsonObject {
  const entries = specs.map((spec, index): [string, JsonObject] => {
    const name = spec.name ?? `${spec.event}-${String(index + 1).padStart(3, "0")}`;
    return [name, formatAtomcodeEntry(spec, handlerCommand(spec), dialect)];
  });
  return { hooks: Object.fromEntries(entries) };
}

/** A matcher in another dialect: several texts when one cannot say it; an absent text matches all. */
interface ConvertedMatcher {
  readonly texts: readonly (string | undefined)[];
  /** the other dialect can only say something that also matches more */
  readonly isWider: boolean;
}

/** What a matcher means, in the few forms that all dialects have in part. */
type Meaning =
  | { readonly kind: "all" }
  | { readonly kind: "exact"; readonly names: readonly string[] }
  | { readonly kind: "prefix"; readonly text: string }
  | { readonly kind: "within"; readonly text: string }
  | { readonly kind: "pattern"; readonly source: string };

/** Undefined when the other dialect cannot say it at all. */
function convertMatcher(text: string, from: Dialect, to: Dialect): ConvertedMatcher | undefined {
  return WRITE[to](READ[from](text));
}

const READ: Readonly<Record<Dialect, (text: string) => Meaning>> = {
  claude: text => {
    if (text === "" || text === "*") return { kind: "all" };
    if (isExactList(text)) return { kind: "exact", names: splitExactList(text) };
    return readPattern(text);
  },
  batuta: text => (text === "" ? { kind: "all" } : { kind: "within", text }),
  atomcode: text => {
    if (text === "*") return { kind: "all" };
    return text.endsWith("*")
      ? { kind: "prefix", text: text.slice(0, -1) }
      : { kind: "exact", names: [text] };
  },
  "atomcode-json": text => {
    const alternatives = splitAlternatives(text);
    if (alternatives.some(one => one === "" || one === "*")) return { kind: "all" };
    if (!text.includes("*")) return { kind: "exact", names: alternatives };
    const [first = "", second] = alternatives;
    if (second === undefined && first.indexOf("*") === first.length - 1)
      return { kind: "prefix", text: first.slice(0, -1) };
    const patterns = alternatives.map(one => one.split("*").map(escapePattern).join(".*"));
    return { kind: "pattern", source: `^(?:${patterns.join("|")})$` };
  },
};

/** The patterns that other dialects can say too: `^abc`, `^abc$`, `abc` within; each with literal text only. */
function readPattern(source: string): Meaning {
  const literal = (text: string): string | undefined => {
    const plain = text.replace(/\\(.)/g, (whole, character: string) =>
      /\w/.test(character) ? whole : character,
    );
    return /^(?:[\w\- /:]|\\[^\w])*$/.test(text) ? plain : undefined;
  };
  const whole = /^\^(.*)\$$/.exec(source)?.[1];
  const exact = whole === undefined ? undefined : literal(whole);
  if (exact !== undefined) return { kind: "exact", names: [exact] };
  const start = /^\^(.*?)(?:\.\*)?$/.exec(source)?.[1];
  const prefix = start === undefined ? undefined : literal(start);
  if (prefix !== undefined) return { kind: "prefix", text: prefix };
  const inner = literal(source.replace(/^\.\*/, "").replace(/\.\*$/, ""));
  return inner === undefined ? { kind: "pattern", source } : { kind: "within", text: inner };
}

const EVERYTHING: ConvertedMatcher = { texts: [undefined], isWider: false };

function say(...texts: readonly string[]): ConvertedMatcher {
  return { texts, isWider: false };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

const WRITE: Readonly<Record<Dialect, (meaning: Meaning) => ConvertedMatcher | undefined>> = {
  claude: meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    if (meaning.kind === "prefix") return say(`^${escapePattern(meaning.text)}.*`);
    if (meaning.kind === "within") return say(`.*${escapePattern(meaning.text)}.*`);
    if (meaning.kind === "pattern") return say(meaning.source);
    const { names } = meaning;
    const isList = names.every(name => name !== "" && isExactList(name) && !/[|, ]/.test(name));
    if (isList) return say(names.join("|"));
    const pattern = names.map(escapePattern).join("|");
    return say(names.length === 1 ? `^${pattern}$` : `^(?:${pattern})$`);
  },
  batuta: meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    if (meaning.kind === "within") return say(meaning.text);
    if (meaning.kind === "prefix") return { texts: [meaning.text], isWider: true };
    if (meaning.kind === "pattern" || meaning.names.includes("")) return undefined;
    return { texts: meaning.names, isWider: true };
  },
  atomcode: meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    if (meaning.kind === "prefix") return say(`${meaning.text}*`);
    if (meaning.kind !== "exact" || meaning.names.some(name => name.endsWith("*"))) return undefined;
    return say(...meaning.names);
  },
  "atomcode-json": meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    const isPlain = (text: string): boolean => text !== "" && text === text.trim() && !/[|*]/.test(text);
    if (meaning.kind === "exact")
      return meaning.names.every(isPlain) ? say(meaning.names.join("|")) : undefined;
    if (meaning.kind === "pattern" || !isPlain(meaning.text)) return undefined;
    return say(meaning.kind === "prefix" ? `${meaning.text}*` : `*${meaning.text}*`);
  },
};
