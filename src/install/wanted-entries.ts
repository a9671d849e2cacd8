import { HOSTS, type HostId } from "../hosts/descriptors.ts";
import { type HostRegistration, planRegistrations } from "../hosts/hook-registry.ts";
import type { Registration } from "../hosts/host.ts";
import { describeEvent, type JsonObject } from "../protocol/index.ts";
import { quoteWord } from "../system/command-line.ts";

/** One handler as it stands in a host's configuration file. */
export interface WantedEntry extends HostRegistration {
  readonly handler: JsonObject;
}

export interface EntryOptions {
  /** absolute path of the staged hook program */
  readonly program: string;
  /** the file is read by several hosts, so nothing in it may name one */
  readonly isShared: boolean;
  /** subcommands whose failure must refuse; written down where the host has a member for it */
  readonly isClosed?: (subcommand: string) => boolean;
  /** left out when the installed program does not know them */
  readonly supports?: (subcommand: string) => boolean;
}

/** The handlers to write into one file of a host. */
export function wantedEntries(host: HostId, options: EntryOptions): readonly WantedEntry[] {
  const { registration } = HOSTS[host];
  if (registration === undefined) return [];
  return planRegistrations(host)
    .registrations.filter(each => options.supports?.(each.subcommand) ?? true)
    .map(each => ({ ...each, handler: handlerOf(host, registration, each, options) }));
}

/** The words of a call that tells host and event, for files that a single host reads. */
export function callOf(
  host: HostId,
  { subcommand, nativeEvent }: Pick<HostRegistration, "subcommand" | "nativeEvent">,
): readonly string[] {
  return [subcommand, "--host", host, "--event", nativeEvent];
}

function handlerOf(
  host: HostId,
  { layout, timeout }: Registration,
  entry: HostRegistration,
  { program, isShared, isClosed }: EntryOptions,
): JsonObject {
  const isVeto = describeEvent(entry.event).power === "veto";
  const words = isShared ? [entry.subcommand] : callOf(host, entry);
  const commandKey = layout.commandKey ?? "command";
  const line =
    layout.argumentsKey === undefined
      ? { [commandKey]: [program, ...words].map(quoteWord).join(" ") }
      : { [commandKey]: program, [layout.argumentsKey]: words };
  return {
    ...(layout.hasType === true ? { type: "command" } : {}),
    ...line,
    ...(timeout === undefined || entry.timeout === undefined ? {} : { [timeout.key]: entry.timeout }),
    ...(isVeto && isClosed?.(entry.subcommand) === true ? layout.closedMember : {}),
  };
}
