import { EVENTS, eventKey, findEvent, STOCK_HOOKS, type StockHook } from "../protocol/index.ts";
import { HOST_LIST } from "./descriptors.ts";

/** One name on the command line of the hook program. */
export interface Subcommand {
  /** kebab case, as installed */
  readonly name: string;
  /** snake case: file names, telemetry, metrics */
  readonly hookName: string;
  readonly event: string;
  /** events whose payloads belong here; any other named event reached the wrong hook */
  readonly events: readonly string[];
  /** false for events that are accepted and answered with "no opinion" */
  readonly isStock: boolean;
}

/** The hooks of this program; the one that is an event's own goes before one that runs beside it. */
export const STOCK_SUBCOMMANDS: readonly Subcommand[] = [...STOCK_HOOKS]
  .sort((one: StockHook, other: StockHook) => Number(one.isSecond ?? false) - Number(other.isSecond ?? false))
  .map(({ name, events }) => ({
    name,
    hookName: name.replaceAll("-", "_"),
    event: events[0],
    events,
    isStock: true,
  }));

export const ALIASES: Readonly<Record<string, string>> = {
  agentstop: "stop",
  sessionend: "session-stop",
  sessionstopevent: "session-stop",
  userprompt: "user-prompt-submit",
};

/**
 * The subcommand that a word means: any spelling of a stock hook, of an alias, of a known event, or of a host's own
 * name for one. Undefined for anything else.
 */
export function resolveSubcommand(text: string): Subcommand | undefined {
  const installed = STOCK_SUBCOMMANDS.find(each => each.name === text);
  if (installed !== undefined) return installed;
  const key = eventKey(text);
  if (key === "") return undefined;
  const name = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
  const known = STOCK_SUBCOMMANDS.find(each => each.name === name || eventKey(each.name) === key);
  if (known !== undefined) return known;
  const event = findEvent(text)?.name ?? hostEvent(key);
  return event === undefined ? undefined : ofEvent(event);
}

/** The stock hook of an event, or a name for an event that has none. */
function ofEvent(event: string): Subcommand {
  const own = STOCK_SUBCOMMANDS.find(each => each.event === event);
  if (own !== undefined) return own;
  const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  return { name, hookName: name.replaceAll("-", "_"), event, events: [event], isStock: false };
}

/** Two hosts may mean different events by one name; then the one that we register with counts. */
function hostEvent(key: string): string | undefined {
  const found = HOST_LIST.flatMap(({ events, registration }) =>
    Object.entries(events).flatMap(([native, target]) =>
      target !== null && eventKey(native) === key
        ? [{ target, isRegistered: registration !== undefined }]
        : [],
    ),
  );
  return (found.find(({ isRegistered }) => isRegistered) ?? found[0])?.target.split(":")[0];
}

/** Every subcommand by its installed name, for usage texts. */
export function listSubcommands(): readonly Subcommand[] {
  const stockEvents = new Set(STOCK_SUBCOMMANDS.map(each => each.event));
  const others = EVENTS.filter(({ name }) => !stockEvents.has(name)).map(({ name }) => ofEvent(name));
  return [...STOCK_SUBCOMMANDS, ...others];
}
