import {
  type Action,
  type ActionKind,
  describeType,
  diagnose,
  EMPTY_SOURCE,
  type HandlerSpec,
  type ParsedSource,
} from "../../handlers/index.ts";
import {
  type Diagnostic,
  defined,
  EVENTS,
  type EventDescriptor,
  findEvent,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../protocol/index.ts";
import type { HookSource } from "../options.ts";
import { EntryReader, meantEvent, misspelt, showName } from "./fields.ts";

export interface ParseContext {
  /** the descriptor of a known event in any spelling */
  readonly findEvent: (name: string) => EventDescriptor | undefined;
  /** how messages and handler ids name the source */
  readonly label: string;
}

const SECOND_MS = 1000;
/** The host is about to leave at the end of a session: no hook holds it longer than this. */
const MAX_SESSION_END_MS = 60_000;
const MODEL_TIMEOUT_MS = { prompt: 30_000, agent: 60_000 } as const;

const COMMON_FIELDS = ["type", "if", "timeout", "onFailure", "statusMessage", "once", "async", "asyncRewake"];
const FIELDS: Readonly<Record<ActionKind, ReadonlySet<string>>> = {
  command: new Set([...COMMON_FIELDS, "command", "args", "shell", "env"]),
  http: new Set([...COMMON_FIELDS, "url", "headers", "allowedEnvVars"]),
  mcp_tool: new Set([...COMMON_FIELDS, "server", "tool", "input"]),
  prompt: new Set([...COMMON_FIELDS, "prompt", "model", "continueOnBlock"]),
  agent: new Set([...COMMON_FIELDS, "prompt", "model"]),
};

/** Claude Code settings: event → groups with a matcher → handlers. Other settings in the file are not ours. */
export function parseClaude(root: Json, source: HookSource, context: ParseContext): ParsedSource {
  const { label } = context;
  const problems: Diagnostic[] = [];
  if (!isJsonObject(root)) {
    problems.push(diagnose("config-shape", `${label} must be an object, not ${describeType(root)}`));
    return { ...EMPTY_SOURCE, problems };
  }
  const flags = {
    disablesAll: ownValue(root, "disableAllHooks") === true,
    isManagedOnly: ownValue(root, "allowManagedHooksOnly") === true,
  };
  const hooks = ownValue(root, "hooks");
  if (hooks === undefined || hooks === null) {
    const misplaced = Object.keys(root).find(name => findEvent(name)?.name === name);
    if (misplaced !== undefined)
      problems.push(
        diagnose("config-shape", `${label}: "${misplaced}" belongs inside "hooks", which is missing`),
      );
    return { ...EMPTY_SOURCE, ...flags, problems };
  }
  if (!isJsonObject(hooks)) {
    problems.push(
      diagnose("config-shape", `${label}: "hooks" must be an object, not ${describeType(hooks)}`),
    );
    return { ...EMPTY_SOURCE, ...flags, problems };
  }
  const specs = Object.entries(hooks).flatMap(([name, groups]) =>
    parseEvent(name, groups, source, context, problems),
  );
  return { specs, problems, ...flags };
}

function parseEvent(
  name: string,
  groups: Json,
  source: HookSource,
  context: ParseContext,
  problems: Diagnostic[],
): HandlerSpec[] {
  const where = `${context.label}: hooks.${showName(name)}`;
  const known = context.findEvent(name);
  const meant =
    known === undefined
      ? meantEvent(
          name,
          EVENTS.map(event => event.name),
        )
      : undefined;
  const descriptor = known ?? (meant === undefined ? undefined : context.findEvent(meant));
  if (known === undefined) problems.push(unknownEvent(where, meant));
  if (!Array.isArray(groups)) {
    problems.push(diagnose("config-shape", `${where} must be a list of groups, not ${describeType(groups)}`));
    return [];
  }
  return groups.flatMap((group: Json, index) =>
    parseGroup(
      group,
      { name: descriptor?.name ?? name, descriptor },
      `${name}[${index}]`,
      source,
      context,
      problems,
    ).map(spec => (meant === undefined ? spec : { ...spec, problem: misspelt(name, meant) })),
  );
}

interface NamedEvent {
  readonly name: string;
  readonly descriptor: EventDescriptor | undefined;
}

/** One group of an event; used for Claude-style blocks in other dialects too. */
export function parseGroup(
  group: Json,
  event: NamedEvent,
  place: string,
  source: HookSource,
  context: ParseContext,
  problems: Diagnostic[],
): HandlerSpec[] {
  const where = `${context.label}: hooks.${showName(place)}`;
  const complain = (detail: string): HandlerSpec[] => {
    problems.push(diagnose("config-shape", `${where} ${detail}`));
    return [];
  };
  if (!isJsonObject(group)) return complain(`must be an object with "hooks", not ${describeType(group)}`);
  const matcher = ownValue(group, "matcher");
  if (matcher !== undefined && matcher !== null && typeof matcher !== "string")
    return complain(`has a "matcher" that is ${describeType(matcher)}; it must be text`);
  const handlers = ownValue(group, "hooks");
  if (!Array.isArray(handlers)) return complain(`must have a list "hooks", not ${describeType(handlers)}`);
  return handlers.flatMap((handler: Json, index) => {
    const id = `${context.label}:${showName(place)}.${index}`;
    const spec = parseHandler(handler, event, matcher ?? undefined, id, source, problems);
    return spec === undefined ? [] : [spec];
  });
}

function parseHandler(
  handler: Json,
  event: NamedEvent,
  matcher: string | undefined,
  id: string,
  source: HookSource,
  problems: Diagnostic[],
): HandlerSpec | undefined {
  if (!isJsonObject(handler)) {
    problems.push(diagnose("handler-invalid", `${id} must be an object, not ${describeType(handler)}`));
    return undefined;
  }
  const read = new EntryReader(handler, id, problems);
  const action = readAction(handler, read);
  if (action === undefined) return undefined;
  read.reportUnknown(FIELDS[action.kind]);
  const condition = read.optionalString("if", "if-invalid");
  const onFailure = read.failurePolicy();
  const rewakes = read.boolean("asyncRewake");
  const spec: HandlerSpec = {
    id,
    event: event.name,
    dialect: source.dialect,
    source,
    ...defined({ matcher, condition, onFailure }),
    action,
    timeoutMs: readTimeout(read, action.kind, event),
    isOnce: read.boolean("once"),
    isAsync: read.boolean("async") || rewakes,
    rewakes,
    isDisabled: false,
  };
  return read.isUsable ? spec : undefined;
}

const OTHER_EVENT_TIMEOUT_MS = 600_000;

function readTimeout(read: EntryReader, kind: ActionKind, event: NamedEvent): number {
  const byEvent = event.descriptor?.timeoutMs ?? OTHER_EVENT_TIMEOUT_MS;
  const byDefault = kind === "prompt" || kind === "agent" ? MODEL_TIMEOUT_MS[kind] : byEvent;
  const maxMs = event.name === "SessionEnd" ? MAX_SESSION_END_MS : undefined;
  return read.timeoutMs("timeout", SECOND_MS, byDefault, maxMs);
}

const READERS: { readonly [kind in ActionKind]: (read: EntryReader) => Action } = {
  command: read => {
    const args = read.strings("args");
    const shell = read.value("shell");
    if (shell !== undefined && shell !== "bash" && shell !== "powershell")
      read.refuse("handler-invalid", `"shell" must be "bash" or "powershell"`);
    const env = read.stringRecord("env");
    return {
      kind: "command",
      command: read.requiredString("command"),
      ...(shell === "bash" || shell === "powershell" ? { shell } : {}),
      ...defined({ args, env }),
    };
  },
  http: read => ({
    kind: "http",
    url: read.requiredString("url"),
    headers: read.stringRecord("headers") ?? {},
    allowedEnvVars: read.strings("allowedEnvVars") ?? [],
  }),
  mcp_tool: read => {
    const input = read.value("input");
    if (input !== undefined && !isJsonObject(input))
      read.refuse("handler-invalid", `"input" must be an object`);
    return {
      kind: "mcp_tool",
      server: read.requiredString("server"),
      tool: read.requiredString("tool"),
      input: isJsonObject(input) ? input : {},
    };
  },
  prompt: read => readModelAction("prompt", read),
  agent: read => readModelAction("agent", read),
};

function readModelAction(kind: "prompt" | "agent", read: EntryReader): Action {
  const model = read.optionalString("model");
  return { kind, prompt: read.requiredString("prompt"), ...defined({ model }) };
}

function readAction(handler: JsonObject, read: EntryReader): Action | undefined {
  const type = ownValue(handler, "type");
  const reader =
    typeof type === "string" && Object.hasOwn(READERS, type) ? READERS[type as ActionKind] : undefined;
  if (reader === undefined) {
    const found = typeof type === "string" ? `"${showName(type)}"` : describeType(type);
    read.refuse("handler-type-unknown", `"type" must be ${Object.keys(READERS).join(", ")}, not ${found}`);
    return undefined;
  }
  return reader(read);
}

/** An event of a later protocol is worth knowing; a name that is one or two letters off is a mistake. */
function unknownEvent(where: string, meant: string | undefined): Diagnostic {
  return meant === undefined
    ? diagnose("event-unknown", `${where}: no known event has this name; its hooks decide nothing`)
    : diagnose(
        "handler-invalid",
        `${where}: no event has this name, so its hooks never run; did you mean ${meant}?`,
      );
}
