import { type Json, type JsonObject, StrictMembers } from "../protocol/index.ts";
import { AtomicJsonFile } from "../state/index.ts";
import { join, type System, sha256Hex } from "../system/index.ts";

export const LOG_NAMES = ["audit", "runs"] as const;
export type LogName = (typeof LOG_NAMES)[number];

/** A place in a log that rotates. A file is known by the hash of its first line, because rotation changes its name. */
export interface LogPosition {
  readonly first: string;
  readonly offset: number;
}

/** Sums since the checkpoint was made, sent whole each time: so one that arrives twice changes nothing. */
export type Totals = Readonly<Record<string, number>>;

/** How far one target has acknowledged everything. Written after the acknowledgement, never before. */
export interface ShipCheckpoint {
  readonly target: string;
  readonly startedMs: number;
  readonly logs: Readonly<Partial<Record<LogName, LogPosition>>>;
  readonly totals: Totals;
}

/** `~A/ship/<hash of the target>.json`: every target has a checkpoint of its own. */
export function checkpointFile(
  system: System,
  stateHome: string,
  target: string,
): AtomicJsonFile<ShipCheckpoint> {
  const name = sha256Hex(system.text.encode(target)).slice(0, 16);
  return new AtomicJsonFile(join(stateHome, "ship", `${name}.json`), { system, parse: parseCheckpoint });
}

function parseCheckpoint(value: Json): ShipCheckpoint {
  const members = new StrictMembers(value);
  const logs = (value as JsonObject)["logs"] ?? {};
  const totals = Object.entries(((value as JsonObject)["totals"] ?? {}) as JsonObject);
  return {
    target: members.string("target"),
    startedMs: members.count("startedMs"),
    logs: Object.fromEntries(
      LOG_NAMES.flatMap(name => {
        const position = (logs as JsonObject)[name];
        if (position === undefined) return [];
        const place = new StrictMembers(position, `logs.${name}`);
        return [[name, { first: place.string("first"), offset: place.count("offset") }] as const];
      }),
    ),
    totals: Object.fromEntries(
      totals.filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    ),
  };
}
