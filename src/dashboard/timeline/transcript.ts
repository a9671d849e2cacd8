import { redactOpening } from "../../guard/redact.ts";
import { entryText, isUserMessage, type ToolUsePart } from "../../hooks/transcript/entry.ts";
import { toolNaming } from "../../hooks/transcript/naming.ts";
import { readTranscript } from "../../hooks/transcript/read.ts";
import { factsOfCall } from "../../hosts/tools/shape-facts.ts";
import { errorText } from "../../protocol/error-text.ts";
import { clip } from "../../state/index.ts";
import type { System } from "../../system/system.ts";
import type { Call } from "./calls.ts";
import type { Session } from "./timeline.ts";

/** What the host recorded of a session: the prompts, and the calls that no log of ours has the command of. */
export interface Recorded {
  /** why nothing is known; undefined when something is, or nobody expects it */
  readonly problem: string | undefined;
  /** What the person wrote at that time. */
  promptAt(ms: number): string | undefined;
  /** The call with its command, where it had none. */
  complete(call: Call): Call;
}

export const NOTHING_RECORDED: Recorded = {
  problem: undefined,
  promptAt: () => undefined,
  complete: call => call,
};

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINE_BYTES = 2 * 1024 * 1024;
const SUBJECT_LENGTH = 500;
const PROMPT_LENGTH = 2_000;
/** Host and hook look at their clocks at different times. */
const MAX_APART_MS = 60_000;

/** Reads it anew for every look: only the session that somebody looks at is read. */
export function readRecorded(system: System, session: Session): Recorded {
  const { transcript, host } = session;
  if (transcript === "") return NOTHING_RECORDED;
  const prompts: { readonly atMs: number; readonly text: string }[] = [];
  const subjects = new Map<string, string>();
  try {
    const facts = system.files.follow(transcript);
    if (facts?.kind !== "file") return problem("The host's own record of this session is gone.");
    if (facts.size > MAX_BYTES) return problem("The host's own record of this session is too large to read.");
    const options = { maxLineBytes: MAX_LINE_BYTES, chunkBytes: 512 * 1024 };
    for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, options)) {
      const atMs = Date.parse(entry.timestamp ?? "");
      if (isUserMessage(entry) && Number.isFinite(atMs))
        prompts.push({ atMs, text: clip(redactOpening(entryText(entry)), PROMPT_LENGTH) });
      for (const part of entry.parts)
        if (part.kind === "tool-use" && part.id !== undefined) subjects.set(part.id, subjectOf(part));
    }
  } catch (error) {
    return problem(`The host's own record of this session cannot be read: ${errorText(error)}`);
  }
  return {
    problem: undefined,
    promptAt(ms) {
      const near = prompts.filter(({ atMs }) => Math.abs(atMs - ms) <= MAX_APART_MS);
      return near.sort((one, other) => Math.abs(one.atMs - ms) - Math.abs(other.atMs - ms))[0]?.text;
    },
    complete: call => (call.subject === "" ? { ...call, subject: subjects.get(call.useId) ?? "" } : call),
  };
}

function problem(text: string): Recorded {
  return { ...NOTHING_RECORDED, problem: text };
}

function subjectOf({ name, input }: ToolUsePart): string {
  const { command, paths } = factsOfCall(name, input, { command: null, paths: [] });
  return clip(redactOpening(command ?? paths.join(", ")), SUBJECT_LENGTH);
}
