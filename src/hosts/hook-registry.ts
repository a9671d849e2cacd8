import { describeEvent, type JsonObject } from "../protocol/index.ts";
import { STOCK_HOOKS, type StockHook } from "../protocol/stock-hooks.ts";
import { HOSTS } from "./descriptors.ts";
import type { HostId, Registration, Speech } from "./host.ts";
import { occasionOf, speechFor } from "./occasion.ts";
import { quoteWord } from "./owned-command.ts";

/** One row of the table that install, check, list and uninstall share. Order within an event counts. */
export interface RegistryRow {
  readonly event: string;
  readonly subcommand: string;
  readonly timeoutSeconds: number;
  /** tool events are registered for all tools; matching is done inside */
  readonly matcher?: "*";
  /** the ability without which the hook would do nothing for its user */
  readonly needs?: "deny" | "context";
  /** runs beside the event's own hook */
  readonly isSecond?: boolean;
}

export const HOOK_REGISTRY: readonly RegistryRow[] = STOCK_HOOKS.flatMap((hook: StockHook) =>
  hook.events.map(event => ({
    event,
    subcommand: hook.name,
    timeoutSeconds: hook.timeoutSeconds,
    ...(describeEvent(event).requiresTool ? { matcher: "*" as const } : {}),
    ...(hook.needs === undefined ? {} : { needs: hook.needs }),
    ...(hook.isSecond === undefined ? {} : { isSecond: hook.isSecond }),
  })),
);

/** A registry row as one host takes it. */
export interface HostRegistration {
  readonly event: string;
  readonly nativeEvent: string;
  readonly subcommand: string;
  readonly matcher: string | undefined;
  /** in the host's unit; undefined where it has no such setting */
  readonly timeout: number | undefined;
  /** what the hook program allows itself: a second less than the host does */
  readonly deadlineMs: number;
}

export interface RegistrationPlan {
  readonly registrations: readonly HostRegistration[];
  /** rows this host does not get, and why */
  readonly omitted: readonly { readonly event: string; readonly subcommand: string; readonly why: string }[];
}

/** The generated modules of OpenCode and Pi wait no longer than this for any hook. */
export const MODULE_DEADLINE_SECONDS = 10;

/** What to register with a host, in registry order. */
export function planRegistrations(host: HostId, rows = HOOK_REGISTRY): RegistrationPlan {
  const rules = HOSTS[host].registration;
  const registrations: HostRegistration[] = [];
  const omitted: { event: string; subcommand: string; why: string }[] = [];
  for (const row of rows) {
    const why = rules === undefined ? "nothing is registered with this host" : whyOmitted(host, rules, row);
    if (why !== undefined) omitted.push({ event: row.event, subcommand: row.subcommand, why });
    else if (rules !== undefined) registrations.push(...registrationsOf(rules, row));
  }
  return { registrations, omitted };
}

function whyOmitted(host: HostId, rules: Registration, row: RegistryRow): string | undefined {
  const avoided = rules.avoided?.[row.event];
  if (avoided !== undefined) return avoided;
  const [native] = rules.events[row.event] ?? [];
  if (native === undefined) return "the host has no such event";
  if (row.needs !== undefined && abilities(host, row.event, native)[row.needs] === undefined)
    return row.needs === "deny"
      ? "the host cannot be refused anything here"
      : "the host takes no context here";
  const isSecondProgram = rules.layout.kind === "executables" && row.isSecond === true;
  return isSecondProgram ? "the host starts one program per event" : undefined;
}

/** The words a host has on an event, to tell what it can and cannot do. */
export function abilities(host: HostId, event: string, nativeEvent: string): Speech {
  const descriptor = HOSTS[host];
  return speechFor(descriptor, occasionOf(descriptor, { event, nativeEvent }, {}));
}

function registrationsOf(rules: Registration, row: RegistryRow): HostRegistration[] {
  return (rules.events[row.event] ?? []).map(nativeEvent => {
    const seconds = allowedSeconds(rules, nativeEvent, row.timeoutSeconds);
    return {
      event: row.event,
      nativeEvent,
      subcommand: row.subcommand,
      matcher: row.matcher === undefined ? undefined : rules.matcher,
      timeout: rules.timeout === undefined ? undefined : inUnit(seconds, rules.timeout.unit),
      deadlineMs: (seconds - 1) * 1_000,
    };
  });
}

function allowedSeconds(rules: Registration, nativeEvent: string, wanted: number): number {
  if (rules.layout.kind === "module") return Math.min(wanted, MODULE_DEADLINE_SECONDS);
  return Math.min(wanted, rules.timeout?.ceilings?.[nativeEvent] ?? wanted);
}

function inUnit(seconds: number, unit: "s" | "ms"): number {
  return unit === "ms" ? seconds * 1_000 : seconds;
}

/** How long the hook program may take on a host, whatever is written in its configuration. */
export function hookDeadlineMs(host: HostId, subcommand: string, event: string): number {
  const rows = HOOK_REGISTRY.filter(row => row.subcommand === subcommand);
  const planned = planRegistrations(host, rows).registrations;
  const exact = planned.find(each => each.event === event) ?? planned[0];
  return exact?.deadlineMs ?? ((rows[0]?.timeoutSeconds ?? 10) - 1) * 1_000;
}

/** One handler as it stands in a host's configuration file. */
export interface WantedEntry extends HostRegistration {
  readonly handler: JsonObject;
}

export interface EntryOptions {
  /** absolute path of the staged hook program */
  readonly program: string;
  /** the file is read by several hosts, so nothing in it may name one */
  readonly isShared: boolean;
  /** subcommands whose failure must refuse; written down where the host has a word for it */
  readonly isClosed?: (subcommand: string) => boolean;
  /** left out when the installed program does not know them */
  readonly supports?: (subcommand: string) => boolean;
}

/** The handlers to write into one file of a host. */
export function wantedEntries(host: HostId, options: EntryOptions): readonly WantedEntry[] {
  const rules = HOSTS[host].registration;
  if (rules === undefined) return [];
  return planRegistrations(host)
    .registrations.filter(each => options.supports?.(each.subcommand) ?? true)
    .map(each => ({ ...each, handler: handlerOf(host, rules, each, options) }));
}

function handlerOf(
  host: HostId,
  { layout, timeout }: Registration,
  { event, subcommand, nativeEvent, timeout: limit }: HostRegistration,
  { program, isShared, isClosed }: EntryOptions,
): JsonObject {
  const isVeto = describeEvent(event).power === "veto";
  const words = [subcommand, ...(isShared ? [] : ["--host", host, "--event", nativeEvent])];
  const command = [program, ...words].map(quoteWord).join(" ");
  const line =
    layout.argumentsKey === undefined
      ? { [layout.commandKey]: command }
      : { [layout.commandKey]: program, [layout.argumentsKey]: words };
  return {
    ...(layout.hasType ? { type: "command" } : {}),
    ...line,
    ...(timeout === undefined || limit === undefined ? {} : { [timeout.key]: limit }),
    ...(isVeto && isClosed?.(subcommand) === true ? layout.closedMember : {}),
  };
}
