import { isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { AtomicJsonFile } from "../../state/index.ts";
import { join } from "../../system/paths.ts";
import { type HookContext, messageOf } from "../context.ts";

export interface CompactionEvent {
  readonly timestamp: string;
  readonly session_id: string;
  readonly messages_exported: number;
  readonly transcript_path: string;
  readonly original_request_preserved: boolean;
  readonly compaction_trigger: string;
}

const NAME = "compaction_events.json";

/** Appends to the session's list; a list that cannot be read is set aside and a new one begins. */
export function addCompactionEvent(context: HookContext, directory: string, event: CompactionEvent): void {
  openEvents(context, directory).update(events => [...events, { ...event }], [], {
    onMalformed: "set-aside",
    onSetAside: () => context.report(`${NAME} was malformed; it was set aside and a new list begins`),
  });
}

/** The time of the last compaction in milliseconds since 1970; undefined when none is known. */
export function lastCompactionMs(context: HookContext, directory: string): number | undefined {
  try {
    const last = openEvents(context, directory).readOrDefault([]).at(-1);
    const time = last === undefined ? undefined : ownValue(last, "timestamp");
    const ms = typeof time === "string" ? Date.parse(time.slice(0, 23)) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  } catch (error) {
    context.log("WARNING", `${NAME} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

function openEvents(context: HookContext, directory: string): AtomicJsonFile<readonly JsonObject[]> {
  return new AtomicJsonFile<readonly JsonObject[]>(join(directory, NAME), {
    system: context.system,
    parse: parseEvents,
  });
}

function parseEvents(value: Json): readonly JsonObject[] {
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new Error("it must be a list of objects");
  return value;
}
