import { eventKey, isJsonObject, type Json, ownValue, stringAt } from "../../protocol/index.ts";
import { basename } from "../../system/index.ts";
import type { Dialect, HookSource } from "../options.ts";

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

export type AtomcodeEvent = keyof typeof ATOMCODE_EVENTS | keyof typeof JSON_EVENTS;

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
export function eventsOf(dialect: AtomcodeDialect): readonly string[] {
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
