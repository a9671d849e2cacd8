import {
  describeType,
  diagnose,
  EMPTY_SOURCE,
  type HandlerSpec,
  NO_FLAGS,
  type ParsedSource,
} from "../../handlers/index.ts";
import { type Diagnostic, defined, isJsonObject, type Json, ownValue } from "../../protocol/index.ts";
import type { HookSource } from "../options.ts";
import type { ParseContext } from "./claude.ts";
import { EntryReader, meantEvent, misspelt, showName } from "./fields.ts";

export const BATUTA_EVENTS: ReadonlySet<string> = new Set(
  "SessionStart PreToolUse PostToolUse UserPromptSubmit Stop SubagentStop".split(" "),
);
const BATUTA_TIMEOUT_MS = 30_000;
const SECOND_MS = 1000;
const FIELDS = new Set(["event", "matcher", "command", "timeout_secs", "onFailure", "on_failure"]);

/** A manifest's `[[hooks]]`: a flat list, run in order. Everything else in the manifest is not ours. */
export function parseBatuta(root: Json, source: HookSource, context: ParseContext): ParsedSource {
  const problems: Diagnostic[] = [];
  const entries = isJsonObject(root) ? ownValue(root, "hooks") : root;
  if (entries === undefined || entries === null) return EMPTY_SOURCE;
  if (!Array.isArray(entries)) {
    const detail = `${context.label}: "hooks" must be a list of entries ([[hooks]]), not ${describeType(entries)}`;
    return { ...EMPTY_SOURCE, problems: [diagnose("config-shape", detail)] };
  }
  const specs = entries.flatMap((entry: Json, index) => {
    const spec = parseEntry(entry, `${context.label}:hooks[${index}]`, source, problems);
    return spec === undefined ? [] : [spec];
  });
  return { ...EMPTY_SOURCE, specs, problems };
}

function parseEntry(
  entry: Json,
  id: string,
  source: HookSource,
  problems: Diagnostic[],
): HandlerSpec | undefined {
  if (!isJsonObject(entry)) {
    problems.push(diagnose("handler-invalid", `${id} must be a table, not ${describeType(entry)}`));
    return undefined;
  }
  const read = new EntryReader(entry, id, problems);
  const name = read.requiredString("event");
  const meant = BATUTA_EVENTS.has(name) ? undefined : meantEvent(name, BATUTA_EVENTS);
  if (read.isUsable && !BATUTA_EVENTS.has(name)) {
    const detail = `"${showName(name)}" is not one of ${[...BATUTA_EVENTS].join(", ")}`;
    if (meant === undefined) read.refuse("event-unknown", `${detail}; the entry is left out`);
    else read.warn("event-unknown", `${detail}; did you mean ${meant}? It never runs`);
  }
  const command = read.requiredString("command");
  const matcher = read.optionalString("matcher");
  const onFailure = read.failurePolicy();
  const timeoutMs = read.timeoutMs("timeout_secs", SECOND_MS, BATUTA_TIMEOUT_MS);
  read.reportUnknown(FIELDS);
  if (!read.isUsable) return undefined;
  return {
    id,
    event: meant ?? name,
    dialect: "batuta",
    source,
    ...defined({ matcher, onFailure }),
    action: { kind: "command", command },
    timeoutMs,
    ...NO_FLAGS,
    ...(meant === undefined ? {} : { problem: misspelt(name, meant) }),
  };
}
