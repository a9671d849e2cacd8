import {
  type Effect,
  type Hook,
  type InputOf,
  isJsonObject,
  isTruthy,
  type Json,
  type JsonObject,
  memberAt,
  ownValue,
  type ToolUse,
} from "../../protocol/index.ts";
import { findStateHome, removeIfThere, withParents } from "../../state/index.ts";
import { type Files, hasErrorCode, join, type System, sha256Hex } from "../../system/index.ts";
import { clip, shownSecretIn } from "../../text/index.ts";
import { attempt, defineHook, type HookContext, type HookOptions } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { askObservers, mergeMetadata, type ToolObserver } from "../program/observers.ts";
import { withOriginalCommand } from "../program/sandboxed.ts";
import { noteAnswer } from "../program/session-facts.ts";
import { inspectForeign } from "./foreign-results.ts";
import { withOpenChanges } from "./history-steps.ts";
import { trackWorkflow } from "./workflow-tracking.ts";

/** Counter metrics by canonical tool name. */
const COUNTERS: Readonly<Record<string, string>> = {
  Bash: "bash_commands",
  Read: "file_operations",
  Write: "file_operations",
  Edit: "file_operations",
  Grep: "search_operations",
  Glob: "search_operations",
};
const WRITERS: ReadonlySet<string> = new Set(["Write", "Edit"]);
const OBSERVERS: readonly ToolObserver[] = [{ name: "workflow-tracking", observe: trackWorkflow }];
const REMEMBERED_MS = 60_000;
const MAX_PARTS = 256;
/** A name is untrusted text, and nothing large goes into metrics. */
const MAX_NAME_LENGTH = 200;

/**
 * Counts tool calls, warns of failed writes, of work that goes round the workflow and of fetched text that speaks to
 * the agent. Never blocks. Calls that the host reports as failed are counted as such.
 */
export const postToolUse = defineHook("post-tool-use", "tool", observeCall);

export const definition: HookDefinition = { hook: postToolUse };

/** The same hook, for engines that register each event by itself. */
export function postToolUseFailure(options?: HookOptions): Hook<System> {
  return { ...postToolUse(options), id: "amplihack.post-tool-use-failure", event: "PostToolUseFailure" };
}

async function observeCall(given: InputOf<"tool">, context: HookContext): Promise<Effect | undefined> {
  if (isRepeated(given, context)) return undefined;
  const input = withOriginalCommand(given, context.system, findStateHome(context.system));
  const tool = { ...input.tool, name: clip(input.tool.name, MAX_NAME_LENGTH) };
  const isFailure = input.event === "PostToolUseFailure";
  const duration = readDuration(input);
  await withOpenChanges(context, input.cwd, ({ completeCall }, guard) =>
    completeCall(input, context.system, guard, duration),
  );
  context.log("INFO", `tool ${tool.name}${isFailure ? " failed" : ""}`);
  context.metric("tool_usage", tool.name, duration === undefined ? {} : { duration_ms: duration });
  if (isFailure) context.metric("tool_failures", tool.name);
  const warning = failedWrite(tool, input);
  if (warning !== undefined) context.log("WARNING", warning);
  const counter = ownValue(COUNTERS, tool.canonicalName);
  if (counter !== undefined) context.metric(counter, 1);

  const observed = askObservers(context.hasPart("workflow") ? OBSERVERS : [], input, context);
  for (const text of observed.warnings) context.log("WARNING", text);
  const foreign = await inspectForeign({ ...input, tool }, context);
  if (foreign !== undefined) context.metric("injection_warnings", foreign.rules.join(" "));
  noteSeen(input, context, foreign?.source);
  const warnings = [...observed.warnings, ...(foreign === undefined ? [] : [foreign.warning])];
  const metadata: JsonObject = {
    ...mergeMetadata(warning === undefined ? {} : { warning, tool: tool.name }, observed.metadata),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const texts = [...(warning === undefined ? [] : [warning]), ...warnings];
  if (Object.keys(metadata).length === 0) return undefined;
  return {
    ...(texts.length === 0 ? {} : { context: texts.join("\n\n") }),
    ...(foreign === undefined ? {} : { message: { text: foreign.message, level: "warn" as const } }),
    extras: { claude: { metadata } },
  };
}

/** What the session has seen decides what it may send before the person's next prompt. */
function noteSeen(input: InputOf<"tool">, context: HookContext, warned: string | undefined): void {
  const { system } = context;
  const stateHome = findStateHome(system);
  if (stateHome === undefined || !context.hasPart("guard")) return;
  const result = input.result ?? input.error;
  const text = collectText(result);
  const kind = shownSecretIn(text);
  const shown = kind === undefined ? undefined : `${kind} in the result of ${input.tool.name}`;
  attempt(context, "what the session has seen was not noted", () =>
    noteAnswer(system, stateHome, input, { shown, warned, isEmpty: text.trim() === "" }),
  );
}

/** Every text in a result, as far as it is looked at. */
function collectText(result: Json | undefined): string {
  if (typeof result === "string") return result;
  if (Array.isArray(result)) return result.slice(0, MAX_PARTS).map(collectText).join("\n");
  return isJsonObject(result) ? Object.values(result).slice(0, MAX_PARTS).map(collectText).join("\n") : "";
}

/** Part of the result in some hosts, beside it in others. */
function readDuration({ result, raw }: InputOf<"tool">): number | undefined {
  const duration = memberAt(result, "duration_ms") ?? memberAt(raw, "duration_ms");
  return typeof duration === "number" && Number.isFinite(duration) ? duration : undefined;
}

function failedWrite(tool: ToolUse, input: InputOf<"tool">): string | undefined {
  if (!WRITERS.has(tool.canonicalName)) return undefined;
  if (!isTruthy(memberAt(input.result, "error") ?? input.error)) return undefined;
  return `${tool.name} reported an error: the file may not have been written as intended. Check it.`;
}

/** A host that reads two of our registrations calls twice for one tool use; the second call is not counted. */
function isRepeated(input: InputOf<"tool">, context: HookContext): boolean {
  const { useId } = input.tool;
  if (useId === undefined || useId === "") return false;
  const { system } = context;
  const directory = context.path("dedupe");
  const key = sha256Hex(system.text.encode(`${context.sessionId ?? ""}\0${useId}`)).slice(0, 32);
  context.prepare();
  let isNew = true;
  const isNoticed = attempt(context, "a repeated call would not be noticed", () => {
    isNew = claim(system.files, join(directory, key));
    forgetOld(context, directory, key);
  });
  return isNoticed && !isNew;
}

/** A link and no file: nothing waits for the disk, and of two that claim it at once one is told so. */
function claim(files: Files, path: string): boolean {
  try {
    withParents(files, path, undefined, () => files.symlink("claimed", path));
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** A call leaves one claim and looks at a few, so that old ones go sooner than they come. */
const LOOKED_AT = 8;

function forgetOld(context: HookContext, directory: string, key: string): void {
  const { files, clock } = context.system;
  const names = files.list(directory);
  const from = Number.parseInt(key.slice(0, 6), 16) % names.length;
  for (const name of [...names.slice(from), ...names.slice(0, from)].slice(0, LOOKED_AT)) {
    const path = join(directory, name);
    const facts = files.inspect(path);
    if (facts !== undefined && clock.nowMs() - facts.modifiedMs > REMEMBERED_MS) removeIfThere(files, path);
  }
}
