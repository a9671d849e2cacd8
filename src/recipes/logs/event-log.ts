import { Buffer } from "node:buffer";
import type { JsonObject } from "../../protocol/index.ts";
import { appendJsonLine } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import type { Observer, RunEvent, StepReference } from "./events.ts";

const MAX_OUTPUT_CHARACTERS = 8192;
const MAX_FILES = 200;

interface EventLogOptions {
  readonly path: string;
  readonly runId: string;
  /** with what programs said and why they failed; without it only that they did */
  readonly hasText: boolean;
}

/** Appends every event as one JSON line. */
export function createEventLog(system: System, options: EventLogOptions): Observer {
  return event => {
    const fields = eventFields(event, options.hasText, system);
    if (fields === undefined) return;
    const ts = new Date(system.clock.nowMs()).toISOString();
    appendJsonLine(system, options.path, { event: event.kind, run_id: options.runId, ts, ...fields });
  };
}

/** What is written of an event; undefined for those that are not. */
export function eventFields(event: RunEvent, hasText: boolean, system: System): JsonObject | undefined {
  switch (event.kind) {
    case "recipe_start":
      return {
        recipe_name: event.recipe,
        step_count: event.stepCount,
        ...(hasText ? {} : ownFacts(event, system)),
      };
    case "recipe_end":
      return {
        recipe_name: event.recipe,
        status: event.status,
        duration_ms: Math.round(event.durationMs),
        ...(event.signal === undefined ? {} : { signal: event.signal }),
      };
    case "step_start":
      return { ...placeOf(event.step), step_type: event.step.type };
    case "heartbeat":
      return { ...placeOf(event.step), elapsed_ms: Math.round(event.elapsedMs) };
    case "step_end": {
      const { status, duration, output, error, exit_code } = event.result;
      return {
        ...placeOf(event.step),
        status,
        duration_ms: Math.round(duration * 1000),
        output_len: output.length,
        exit_code: exit_code ?? null,
        ...(hasText ? { error: error === "" ? null : error } : {}),
      };
    }
    case "output": {
      if (!hasText) return undefined;
      const text = Buffer.from(event.chunk).toString("utf8");
      return {
        ...placeOf(event.step),
        stream: event.stream,
        text: text.slice(-MAX_OUTPUT_CHARACTERS),
        truncated: text.length > MAX_OUTPUT_CHARACTERS,
      };
    }
    case "process": {
      if (hasText) return undefined;
      const start = system.processes.look(event.pid)?.start ?? null;
      return { path: event.step.path, pid: event.pid, start };
    }
    case "notice":
    case "pointer":
      return undefined;
  }
}

/** By these a killed run is told from one that goes on, and found again by its directory. */
function ownFacts(
  { runtimeRoot, workingDir, file }: RunEvent & { kind: "recipe_start" },
  { processes }: System,
): JsonObject {
  const { pid, host, start } = processes.self;
  return {
    runtime_root: runtimeRoot,
    working_dir: workingDir,
    file,
    runner: { pid, host, start: start ?? null },
  };
}

function placeOf({ id, path }: StepReference): JsonObject {
  return { step_id: id, path };
}

/** Keeps the newest files of a folder; what cannot be removed stays. */
export function pruneOldFiles({ files }: System, folder: string): void {
  let names: readonly string[];
  try {
    names = files.list(folder).filter(name => /\.jsonl?$/.test(name) && !name.startsWith("."));
  } catch {
    return;
  }
  if (names.length <= MAX_FILES) return;
  const aged = names
    .map(name => ({
      path: join(folder, name),
      modifiedMs: files.inspect(join(folder, name))?.modifiedMs ?? 0,
    }))
    .sort((a, b) => b.modifiedMs - a.modifiedMs);
  for (const { path } of aged.slice(MAX_FILES)) {
    try {
      files.remove(path);
    } catch {
      // Another run may be removing it too.
    }
  }
}
