import { type FoundEntry, HOST_LIST } from "../hosts/index.ts";
import { type JsonObject, numberAt } from "../protocol/index.ts";
import type { WantedEntry } from "./wanted-entries.ts";

const REGISTRATIONS = HOST_LIST.flatMap(({ registration }) => registration ?? []);
const TIMEOUT_KEYS = [...new Set(REGISTRATIONS.flatMap(({ timeout }) => timeout?.key ?? []))];
/** Members of a handler that are ours to set; any other one a person added. */
const MANAGED_KEYS: ReadonlySet<string> = new Set([
  "type",
  "command",
  "bash",
  "args",
  "matcher",
  "event",
  ...TIMEOUT_KEYS,
  ...REGISTRATIONS.flatMap(({ layout }) => Object.keys(layout.closedMember ?? {})),
]);

/** The limit of a handler, under whatever name its host has for it. */
export function timeoutIn(handler: JsonObject): number | undefined {
  return TIMEOUT_KEYS.map(key => numberAt(handler, key)).find(value => value !== undefined);
}

/** A limit of ours that a person raised above what would be written now. */
export interface RaisedTimeout {
  readonly event: string;
  readonly subcommand: string;
  readonly timeout: number;
}

/** What is written for an entry: ours, and what a person added to it or raised. */
export function keepUserChanges(
  wanted: WantedEntry,
  ours: readonly FoundEntry[],
): { readonly entry: WantedEntry; readonly raised: readonly RaisedTimeout[] } {
  const { nativeEvent: event, subcommand, handler, timeout } = wanted;
  const known = ours.find(entry => entry.event === event && entry.owned?.subcommand === subcommand);
  if (known === undefined) return { entry: wanted, raised: [] };
  const added = Object.entries(known.handler).filter(([name]) => !MANAGED_KEYS.has(name));
  const present = timeoutIn(known.handler) ?? 0;
  const isRaised = timeout !== undefined && present > timeout;
  const key = TIMEOUT_KEYS.find(name => Object.hasOwn(handler, name));
  const limit = isRaised && key !== undefined ? { [key]: present } : {};
  return {
    entry: { ...wanted, handler: { ...handler, ...limit, ...Object.fromEntries(added) } },
    raised: isRaised ? [{ event, subcommand, timeout: present }] : [],
  };
}
