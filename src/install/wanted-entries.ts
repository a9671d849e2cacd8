import {
  HOSTS,
  type HostId,
  type HostRegistration,
  planRegistrations,
  type Registration,
} from "../hosts/index.ts";
import { describeEvent, type JsonObject } from "../protocol/index.ts";
import { quoteWord } from "../system/index.ts";
import { namesHome } from "./places.ts";

/** One handler as it stands in a host's configuration file. */
export interface WantedEntry extends HostRegistration {
  readonly handler: JsonObject;
}

export interface EntryOptions {
  /** the staged hook program, as the file shall name it */
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

/**
 * What a shell runs. A clone on a machine without the program is not held up: the shell says that it is missing, and
 * the hook has no opinion. Every other exit code stays as it is.
 */
function commandLine(program: string, words: readonly string[]): string {
  const call = [quoteProgram(program), ...words.map(quoteWord)].join(" ");
  return namesHome(program) ? `${call} ; c=$? ; [ $c = 127 ] || exit $c` : call;
}

/** Quoted, but for a home that the shell is to fill in. */
export function quoteProgram(program: string): string {
  return namesHome(program) ? `"$HOME"${quoteWord(program.slice("$HOME".length))}` : quoteWord(program);
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
  // Started without a shell, so a home can only be filled in by one that is named.
  const argv = namesHome(program) ? ["/bin/sh", "-c", commandLine(program, words)] : [program, ...words];
  const line =
    layout.argumentsKey === undefined
      ? { [commandKey]: commandLine(program, words) }
      : { [commandKey]: argv[0], [layout.argumentsKey]: argv.slice(1) };
  return {
    ...(layout.hasType === true ? { type: "command" } : {}),
    ...line,
    ...(timeout === undefined || entry.timeout === undefined ? {} : { [timeout.key]: entry.timeout }),
    ...(isVeto && isClosed?.(entry.subcommand) === true ? layout.closedMember : {}),
  };
}
