import { isJsonObject, type Json, type JsonObject } from "../../../protocol/index.ts";
import { AtomicJsonFile } from "../../../state/index.ts";
import { join } from "../../../system/index.ts";
import type { HookContext } from "../../program/context.ts";

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
  const list = new AtomicJsonFile<readonly JsonObject[]>(join(directory, NAME), {
    system: context.system,
    parse: parseEvents,
  });
  list.update(events => [...events, { ...event }], [], {
    onMalformed: "set-aside",
    onSetAside: () => context.report(`${NAME} was malformed; it was set aside and a new list begins`),
  });
}

function parseEvents(value: Json): readonly JsonObject[] {
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new Error("it must be a list of objects");
  return value;
}
