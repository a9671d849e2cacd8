import { type JsonObject, ownValue } from "../protocol/index.ts";
import type { WantedEntry } from "./hook-registry.ts";
import type { FoundEntry } from "./settings-file.ts";

const TIMEOUT_KEYS = ["timeout", "timeoutSec", "timeout_ms"];
/** Members of a handler that are ours to set; any other one a person added. */
const MANAGED_KEYS: ReadonlySet<string> = new Set([
  "type",
  "command",
  "bash",
  "args",
  ...TIMEOUT_KEYS,
  "onFailure",
  "failClosed",
  "on_failure",
]);

export interface RaisedTimeout {
  readonly event: string;
  readonly subcommand: string;
  readonly timeout: number;
}

/** Limits of ours that a person raised above what would be written now. */
export function raisedTimeouts(
  ours: readonly FoundEntry[],
  wanted: readonly WantedEntry[],
): readonly RaisedTimeout[] {
  return wanted.flatMap(({ nativeEvent: event, subcommand, timeout }) => {
    const known = ours.find(entry => entry.event === event && entry.owned?.subcommand === subcommand);
    const present = TIMEOUT_KEYS.map(key => known?.handler[key]).find(value => typeof value === "number");
    return timeout !== undefined && typeof present === "number" && present > timeout
      ? [{ event, subcommand, timeout: present }]
      : [];
  });
}

/** What is written for an entry: ours, and what a person added to it or raised. */
export function carriedOver(
  { nativeEvent, subcommand, handler }: WantedEntry,
  ours: readonly FoundEntry[],
  raised: readonly RaisedTimeout[],
): JsonObject {
  const known = ours.find(entry => entry.event === nativeEvent && entry.owned?.subcommand === subcommand);
  const added = Object.entries(known?.handler ?? {}).filter(
    ([name]) => !MANAGED_KEYS.has(name) && name !== "matcher",
  );
  const limit = raised.find(each => each.event === nativeEvent && each.subcommand === subcommand);
  const key = TIMEOUT_KEYS.find(name => ownValue(handler, name) !== undefined);
  const timeout = limit === undefined || key === undefined ? {} : { [key]: limit.timeout };
  return { ...handler, ...timeout, ...Object.fromEntries(added) };
}
