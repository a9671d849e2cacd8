import { isHeldText } from "../../hooks/index.ts";
import { stringAt } from "../../protocol/index.ts";
import {
  type Entry,
  entryText,
  isUserMessage,
  type ToolResultPart,
  type ToolUsePart,
} from "../../transcripts/index.ts";
import type { SessionStep } from "./finding.ts";

/** Calls of one message may be answered out of order; more than these never wait at the same time. */
const MAX_OPEN_CALLS = 200;

/** The steps of a session. Calls that never got a result are left out: nothing is known about them. */
export function* stepsOf(entries: Iterable<Entry>): Generator<SessionStep> {
  const open = new Map<string, ToolUsePart>();
  let lastCall: ToolUsePart | undefined;
  for (const entry of entries) {
    const text = entryText(entry);
    if (isUserMessage(entry) && !isHeldText(text)) yield { kind: "user-message", text };
    if (entry.role === "assistant" && text.trim() !== "") yield { kind: "agent-message", text };
    for (const part of entry.parts) {
      if (part.kind === "tool-use") {
        lastCall = part;
        if (part.id !== undefined && open.size < MAX_OPEN_CALLS) open.set(part.id, part);
      }
      if (part.kind !== "tool-result") continue;
      const call = part.id === undefined ? lastCall : open.get(part.id);
      if (part.id !== undefined) open.delete(part.id);
      if (call !== undefined) yield toStep(call, part);
    }
  }
}

function toStep(call: ToolUsePart, result: ToolResultPart): SessionStep {
  return {
    kind: "call",
    tool: call.name,
    input: call.input,
    command: call.name === "Bash" ? stringAt(call.input, "command", "cmd") : undefined,
    output: result.text,
    hasFailed: result.hasFailed === true || (result.hasFailed === undefined && tellsFailure(result.text)),
  };
}

/** For hosts that record the text alone; the first lines say how a command ended. */
const FAILURE_LINE =
  /^(?:error: )?(?:command failed|(?:process )?(?:exited with )?exit(?:ed with)? (?:code|status):? [1-9]\d*)/im;
const MAX_HEAD_CHARACTERS = 400;

function tellsFailure(output: string): boolean {
  return FAILURE_LINE.test(output.slice(0, MAX_HEAD_CHARACTERS));
}
