import { factsOfCall } from "../../hosts/index.ts";
import { errorText } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { clip, redactOpening } from "../../text/index.ts";
import {
  entryText,
  isUserMessage,
  type LineOptions,
  readTranscript,
  type ToolUsePart,
  toolNaming,
} from "../../transcripts/index.ts";
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
const OPTIONS: LineOptions = { maxLineBytes: 2 * 1024 * 1024, chunkBytes: 512 * 1024 };
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
    for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS)) {
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

const TITLE_LENGTH = 100;
const MAX_TITLES = 2_000;

/** What sessions are about: their first prompt, as far as the host recorded it. Read once for each. */
export class Titles {
  private readonly system: System;
  private readonly known = new Map<string, string>();

  constructor(system: System) {
    this.system = system;
  }

  /** Undefined where it is not known. */
  of({ transcript, host }: Session): string | undefined {
    if (transcript === "") return undefined;
    const known = this.known.get(transcript) ?? this.read(transcript, host);
    if (known !== undefined && this.known.size < MAX_TITLES) this.known.set(transcript, known);
    return known;
  }

  private read(transcript: string, host: string): string | undefined {
    const { system } = this;
    try {
      if (system.files.follow(transcript)?.kind !== "file") return undefined;
      for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS)) {
        if (!isUserMessage(entry)) continue;
        const [first = ""] = redactOpening(entryText(entry)).trim().split("\n");
        return clip(first, TITLE_LENGTH);
      }
    } catch {
      // The page of the session tells why it cannot be read.
    }
    return undefined;
  }
}

function problem(text: string): Recorded {
  return { ...NOTHING_RECORDED, problem: text };
}

function subjectOf({ name, input }: ToolUsePart): string {
  const { command, paths } = factsOfCall(name, input, { command: null, paths: [] });
  return clip(redactOpening(command ?? paths.join(", ")), SUBJECT_LENGTH);
}
