import {
  describeType,
  diagnose,
  EMPTY_SOURCE,
  type HandlerSpec,
  NO_FLAGS,
  type ParsedSource,
} from "../../handlers/index.ts";
import {
  type Diagnostic,
  defined,
  eventKey,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  stringAt,
} from "../../protocol/index.ts";
import { basename } from "../../system/index.ts";
import type { Dialect, HookSource } from "../options.ts";
import { type ParseContext, parseGroup } from "./claude.ts";
import { compareNames, EntryReader, meantEvent, misspelt, showName } from "./fields.ts";

const ATOMCODE_TIMEOUT_MS = 10_000;
const FIELDS = new Set(
  "event matcher command timeout_ms disabled plugin_root onFailure on_failure".split(" "),
);

/**
 * Entries by name (`hooks.json`), a list of entries (`[[hooks]]`), one entry by itself, or Claude-style blocks
 * as plugin manifests hold them. Entries without a name of their own get one that keeps their order. In the present
 * form a project's entries are added to the user's, whatever they are called: there a name only sorts.
 */
export function parseAtomcode(
  root: Json,
  source: HookSource,
  context: ParseContext,
  dialect: AtomcodeDialect,
): ParsedSource {
  const problems: Diagnostic[] = [];
  const specs = parseRoot(root, { source, context, problems, dialect });
  if (dialect === "atomcode") return { ...EMPTY_SOURCE, specs, problems };
  const sorted = specs.toSorted((one, other) => compareNames(one.name, other.name));
  return { ...EMPTY_SOURCE, specs: sorted.map(({ name: _, ...spec }) => spec), problems };
}

interface Parser {
  readonly source: HookSource;
  readonly context: ParseContext;
  readonly problems: Diagnostic[];
  readonly dialect: AtomcodeDialect;
}

function parseRoot(root: Json, parser: Parser): HandlerSpec[] {
  if (!isJsonObject(root))
    return complain(parser, `${parser.context.label} must be an object, not ${describeType(root)}`);
  const hooks = ownValue(root, "hooks");
  if (hooks === undefined || hooks === null)
    return Object.hasOwn(root, "event") ? parseEntry(root, "hook", parser) : [];
  if (Array.isArray(hooks))
    return hooks.flatMap((entry: Json, index) => parseEntry(entry, `hooks#${ordinal(index)}`, parser));
  if (!isJsonObject(hooks))
    return complain(
      parser,
      `${parser.context.label}: "hooks" must be an object or a list, not ${describeType(hooks)}`,
    );
  return Object.entries(hooks).flatMap(([name, value]) =>
    Array.isArray(value) ? parseBlock(name, value, parser) : parseEntry(value, name, parser),
  );
}

function complain({ problems }: Parser, detail: string): HandlerSpec[] {
  problems.push(diagnose("config-shape", detail));
  return [];
}

function ordinal(index: number): string {
  return String(index).padStart(4, "0");
}

function handlerName(name: string, { source }: Parser): string {
  return source.pluginId === undefined ? name : `${source.pluginId}:${name}`;
}

function parseEntry(entry: Json, ownName: string, parser: Parser): HandlerSpec[] {
  const { source, context, problems, dialect } = parser;
  const name = handlerName(ownName, parser);
  const id = `${context.label}:${showName(name)}`;
  if (!isJsonObject(entry)) {
    problems.push(diagnose("handler-invalid", `${id} must be an object, not ${describeType(entry)}`));
    return [];
  }
  const read = new EntryReader(entry, id, problems);
  const { event, problem } = readEvent(read, dialect);
  const command = read.requiredString("command");
  const matcher = read.optionalString("matcher");
  const pluginRoot = read.optionalString("plugin_root");
  const onFailure = read.failurePolicy();
  const timeoutMs = read.timeoutMs("timeout_ms", 1, ATOMCODE_TIMEOUT_MS);
  const isDisabled = read.boolean("disabled");
  read.reportUnknown(FIELDS);
  if (!read.isUsable || event === undefined) return [];
  const spec: HandlerSpec = {
    id,
    name,
    event,
    dialect,
    source: pluginRoot === undefined ? source : { ...source, pluginRoot },
    ...defined({ matcher, onFailure }),
    action: { kind: "command", command },
    timeoutMs,
    ...NO_FLAGS,
    isDisabled,
    ...defined({ problem }),
  };
  return [spec];
}

function readEvent(
  read: EntryReader,
  dialect: AtomcodeDialect,
): { readonly event: AtomcodeEvent | undefined; readonly problem?: string } {
  const text = read.requiredString("event");
  const event = findAtomcodeEvent(text, dialect);
  if (event !== undefined || !read.isUsable) return { event };
  const names = listEvents(dialect);
  const detail = `"${showName(text)}" is not one of ${names.join(", ")}`;
  const near = meantEvent(text, [...names, ...names.map(spellAtomcodeEvent)]);
  const meant = near === undefined ? undefined : findAtomcodeEvent(near, dialect);
  if (meant === undefined) {
    read.refuse("event-unknown", `${detail}; the entry is left out`);
    return { event };
  }
  read.warn("event-unknown", `${detail}; did you mean ${near}? It never runs`);
  return { event: meant, problem: misspelt(text, meant) };
}

/** A Claude-style block: seconds instead of milliseconds, groups of handlers, only commands can run. */
function parseBlock(eventName: string, groups: readonly Json[], parser: Parser): HandlerSpec[] {
  const { source, context, problems, dialect } = parser;
  const event = findAtomcodeEvent(eventName, dialect);
  if (event === undefined) {
    const detail = `${context.label}: hooks.${showName(eventName)} is not an event of this dialect; left out`;
    problems.push(diagnose("event-unknown", detail));
    return [];
  }
  const descriptor = context.findEvent(event);
  const withDialectTimeout =
    descriptor === undefined ? undefined : { ...descriptor, timeoutMs: ATOMCODE_TIMEOUT_MS };
  return groups.flatMap((group, index) =>
    parseGroup(
      group,
      { name: event, descriptor: withDialectTimeout },
      `${event}[${ordinal(index)}]`,
      source,
      context,
      problems,
    ).flatMap((spec, position): HandlerSpec[] => {
      if (spec.action.kind !== "command") {
        const detail = `${spec.id}: ${spec.action.kind} hooks do not exist in this dialect`;
        problems.push(diagnose("handler-unsupported", detail));
        return [];
      }
      const name = handlerName(`${event}#${ordinal(index)}#${ordinal(position)}`, parser);
      return [{ ...spec, name, ...(dialect === "atomcode" ? {} : { dialect }) }];
    }),
  );
}

/** One entry in the dialect's own words; null and absent members are left out. */
export function formatAtomcodeEntry(
  spec: HandlerSpec,
  command: string,
  dialect: AtomcodeDialect,
): JsonObject {
  const { pluginRoot } = spec.source;
  const older: Readonly<Record<string, string>> = ATOMCODE_EVENTS;
  return {
    event: dialect === "atomcode" ? (older[spec.event] ?? spec.event) : spec.event,
    ...defined({ matcher: spec.matcher }),
    command,
    timeout_ms: spec.timeoutMs,
    ...defined({ plugin_root: pluginRoot, onFailure: spec.onFailure }),
    ...(spec.isDisabled ? { disabled: true } : {}),
  };
}

export type AtomcodeDialect = Extract<Dialect, `atomcode${string}`>;

/** The events of the older form and how it spells them. */
export const ATOMCODE_EVENTS = {
  PreToolUse: "pre_tool_use",
  PostToolUse: "post_tool_use",
  SessionStart: "session_start",
  SessionEnd: "session_end",
  Notification: "notification",
  UserPromptSubmit: "user_prompt_submit",
} as const;

/** The events of the present form, which takes both spellings. */
const JSON_EVENTS = {
  PreToolUse: "pre_tool_use",
  PostToolUse: "post_tool_use",
  PostToolUseFailure: "post_tool_use_failure",
  UserPromptSubmit: "user_prompt_submit",
  SessionStart: "session_start",
  SessionEnd: "session_end",
  Stop: "stop",
  StopFailure: "stop_failure",
} as const;

type AtomcodeEvent = keyof typeof ATOMCODE_EVENTS | keyof typeof JSON_EVENTS;

const EVENTS: Readonly<Record<AtomcodeDialect, Readonly<Record<string, string>>>> = {
  atomcode: ATOMCODE_EVENTS,
  "atomcode-json": JSON_EVENTS,
};
const BY_KEY = Object.fromEntries(
  Object.entries(EVENTS).map(([dialect, events]) => [
    dialect,
    new Map(Object.keys(events).map(name => [eventKey(name), name as AtomcodeEvent])),
  ]),
);

/** `pre_tool_use` and `PreToolUse` alike; undefined for anything else. */
export function findAtomcodeEvent(
  name: string,
  dialect: AtomcodeDialect = "atomcode",
): AtomcodeEvent | undefined {
  return BY_KEY[dialect]?.get(eventKey(name));
}

/** How messages list the events of a form. */
function listEvents(dialect: AtomcodeDialect): readonly string[] {
  return dialect === "atomcode" ? Object.values(ATOMCODE_EVENTS) : Object.keys(JSON_EVENTS);
}

export function spellAtomcodeEvent(event: string): string {
  const spelt: Readonly<Record<string, string>> = { ...JSON_EVENTS, ...ATOMCODE_EVENTS };
  return spelt[event] ?? event;
}

/** Named entries, of which at least one is an event with a command: a shape that no other dialect has. */
export function hasNamedEntries(root: Json): boolean {
  const hooks = isJsonObject(root) ? ownValue(root, "hooks") : undefined;
  if (!isJsonObject(hooks)) return false;
  const values = Object.values(hooks);
  return !values.some(Array.isArray) && values.some(isEntry);
}

function isEntry(value: Json): boolean {
  return stringAt(value, "event") !== undefined && stringAt(value, "command") !== undefined;
}

/**
 * Which of the two forms a source has: by the name of its file, or by what only the present form has: further events,
 * their names as Claude spells them, alternatives in a matcher. TOML is always the older one.
 */
export function atomcodeForm(root: Json, { path = "" }: HookSource): AtomcodeDialect {
  if (basename(path) === ".hooks.json") return "atomcode-json";
  const hooks = isJsonObject(root) ? ownValue(root, "hooks") : undefined;
  if (!isJsonObject(hooks)) return "atomcode";
  const isPresent = Object.values(hooks).some(value =>
    Array.isArray(value) ? value.some(hasAlternatives) : isPresentEntry(value),
  );
  return isPresent ? "atomcode-json" : "atomcode";
}

function isPresentEntry(entry: Json): boolean {
  const event = stringAt(entry, "event") ?? "";
  const isOnlyPresent =
    findAtomcodeEvent(event) === undefined && findAtomcodeEvent(event, "atomcode-json") !== undefined;
  return isOnlyPresent || Object.hasOwn(JSON_EVENTS, event) || hasAlternatives(entry);
}

/** An entry, or a group of a plugin's blocks. */
function hasAlternatives(value: Json): boolean {
  return stringAt(value, "matcher")?.includes("|") === true;
}
