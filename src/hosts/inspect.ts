import {
  describeEvent,
  type Effect,
  fold,
  type JsonObject,
  NO_OUTCOME,
  type Normalised,
  powerOf,
  stringAt,
} from "../protocol/index.ts";
import type { HostId } from "./descriptors.ts";
import { type NormaliseOptions, type NormaliseResult, normalise } from "./normalise.ts";
import { type HostResponse, render, renderFailure } from "./render.ts";
import { readShapes } from "./tools/shapes.ts";
import type { ToolShape } from "./tools/tool-words.ts";

export const ANSWER_KINDS = ["none", "allow", "ask", "deny", "modify", "context", "crash"] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export interface InspectOptions extends NormaliseOptions {
  /** also show what this host would get for such an effect on this event */
  readonly answer?: AnswerKind | undefined;
  readonly reason?: string | undefined;
  /** for `modify`: the new tool input; the old one when absent */
  readonly input?: JsonObject | undefined;
  readonly context?: string | undefined;
}

export type Inspection =
  | {
      readonly host: HostId;
      /** null where the event has no counterpart here: it passes through */
      readonly event: string | null;
      readonly nativeEvent: string;
      readonly toolName: string | null;
      readonly canonicalToolName: string | null;
      readonly toolInput: unknown;
      readonly cwd: string | null;
      readonly sessionId: string | null;
      readonly transcriptPath: string | null;
      readonly facts: Normalised["facts"];
      /** how the guard reads the arguments: member by member, as a command, SQL, code or a file */
      readonly shapes?: readonly ToolShape[];
      /** the directory that the call names: relative paths and commands belong to it */
      readonly directory?: string;
      /** codes of what was noticed and is no error */
      readonly warnings: readonly string[];
      readonly answer?: HostResponse;
    }
  | { readonly error: { readonly code: string; readonly message: string } };

const HOOK = "amplihack hooks inspect";

/** What was understood of a payload and, on request, the exact answer to an effect. */
export function inspect(text: string, options: InspectOptions): Inspection {
  const result = normalise(text, options);
  if (!result.ok) return inspectUnread(result, options);
  const { host, event, nativeEvent, toolName, canonicalToolName, toolInput, facts } = result.value;
  const { cwd, sessionId, transcriptPath, warnings, raw } = result.value;
  const seen = {
    host,
    event,
    nativeEvent,
    toolName,
    canonicalToolName,
    toolInput,
    cwd,
    sessionId,
    transcriptPath,
    facts,
    ...answerShapes(canonicalToolName, toolInput),
    warnings: [...new Set(warnings.map(warning => warning.code))],
  };
  if (options.answer === undefined) return seen;
  const request = { event, nativeEvent, payload: raw };
  if (options.answer === "crash") {
    const reason = options.reason ?? `${HOOK} was told to fail`;
    return { ...seen, answer: renderFailure(host, { ...request, policy: "closed", reason }) };
  }
  const effect = exampleEffect(options.answer, options, toolInput);
  const power = powerOf(describeEvent(event), { source: raw["source"] });
  const outcome = fold([{ hook: HOOK, effect }], { power });
  const answer = render(host, { ...request, outcome });
  const isIgnored = outcome.diagnostics.some(({ code }) => code === "decision-ignored");
  return { ...seen, answer: isIgnored ? withUnsupported(answer, options.answer) : answer };
}

/** An event of the host's that has no counterpart here is no error: whatever is wanted, the answer has no opinion. */
function inspectUnread(
  result: Extract<NormaliseResult, { ok: false }>,
  { answer }: InspectOptions,
): Inspection {
  const { code, message, host, nativeEvent, raw = {} } = result;
  if (code !== "unmapped-event" || nativeEvent === undefined) return { error: { code, message } };
  const seen = {
    host,
    event: null,
    nativeEvent,
    toolName: null,
    canonicalToolName: null,
    toolInput: null,
    cwd: stringAt(raw, "cwd") ?? null,
    sessionId: stringAt(raw, "session_id") ?? null,
    transcriptPath: stringAt(raw, "transcript_path") ?? null,
    facts: { command: null, paths: [] },
    warnings: [],
  };
  if (answer === undefined) return seen;
  const request = { event: nativeEvent, nativeEvent, payload: raw, outcome: NO_OUTCOME };
  return { ...seen, answer: render(host, request) };
}

function answerShapes(
  tool: string | null,
  input: Normalised["toolInput"],
): { readonly shapes?: readonly ToolShape[]; readonly directory?: string } {
  const { shapes, directory } = readShapes(tool ?? "", tool === null ? null : input);
  if (shapes.length === 0) return {};
  return directory === undefined ? { shapes } : { shapes, directory };
}

function exampleEffect(
  kind: Exclude<AnswerKind, "crash">,
  options: InspectOptions,
  toolInput: unknown,
): Effect {
  const { reason } = options;
  switch (kind) {
    case "none":
      return {};
    case "allow":
    case "ask":
      return { decision: reason === undefined ? { kind } : { kind, reason } };
    case "deny":
      return { decision: { kind, reason: reason ?? `refused by ${HOOK}` } };
    case "modify":
      return { input: options.input ?? (toolInput as JsonObject) };
    case "context":
      return { context: options.context ?? `context from ${HOOK}` };
  }
}

/** The event has no power here: nothing a hook decides on it counts. */
function withUnsupported(response: HostResponse, kind: AnswerKind): HostResponse {
  return { ...response, unsupported: [...(response.unsupported ?? []), kind] };
}
