import { diagnose, type HandlerSpec, isMatcherIgnored } from "../../handlers/index.ts";
import {
  type Diagnostic,
  defined,
  describeEvent,
  findEvent,
  type Json,
  type JsonObject,
} from "../../protocol/index.ts";
import type { Dialect } from "../options.ts";
import { formatAtomcodeEntry } from "./atomcode.ts";
import { type AtomcodeDialect, findAtomcodeEvent } from "./atomcode-form.ts";
import { BATUTA_EVENTS } from "./batuta.ts";
import { convertMatcher } from "./convert-matcher.ts";
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
    problems.push(diagnose("handler-unsupported", `disableAllHooks has no word in ${to}`));
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
    return drop(`${to} has no word for a disabled entry`);
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
  if (isMatcherIgnored(to, event)) return drop(`${to} compares nothing with a matcher on ${spec.event}`);
  const matchers = convertMatcher(spec.matcher, spec.dialect, to);
  if (matchers === undefined) return drop(`its matcher cannot be said in ${to}`);
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

function commandOf({ action }: HandlerSpec): string {
  return action.kind === "command" ? action.command : "";
}

function formatBatutaEntry(spec: HandlerSpec): JsonObject {
  return {
    event: spec.event,
    ...defined({ matcher: spec.matcher }),
    command: commandOf(spec),
    timeout_secs: spec.timeoutMs / 1000,
    ...defined({ onFailure: spec.onFailure }),
  };
}

function formatAtomcode(specs: readonly HandlerSpec[], dialect: AtomcodeDialect): JsonObject {
  const entries = specs.map((spec, index): [string, JsonObject] => {
    const name = spec.name ?? `${spec.event}-${String(index + 1).padStart(3, "0")}`;
    return [name, formatAtomcodeEntry(spec, commandOf(spec), dialect)];
  });
  return { hooks: Object.fromEntries(entries) };
}
