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

/** Something that a person or the agent wrote. */
export interface Said {
  readonly atMs: number;
  readonly text: string;
}

/** What the host recorded of a session: what was said, and the calls that no log of ours has the command of. */
export interface Recorded {
  /** why nothing is known; undefined when something is, or nobody expects it */
  readonly problem: string | undefined;
  /** oldest first */
  readonly prompts: readonly Said[];
  readonly answers: readonly Said[];
  /** The call with its command and its end, where it had none. */
  complete(call: Call): Call;
}

export const NOTHING_RECORDED: Recorded = {
  problem: undefined,
  prompts: [],
  answers: [],
  complete: call => call,
};

const MAX_BYTES = 64 * 1024 * 1024;
const OPTIONS: LineOptions = { maxLineBytes: 2 * 1024 * 1024, chunkBytes: 512 * 1024 };
const SUBJECT_LENGTH = 500;
const PROMPT_LENGTH = 2_000;
const ANSWER_LENGTH = 400;
const TITLE_LENGTH = 100;
const MAX_TITLES = 2_000;
const MAX_KEPT = 40;

interface KeptRecord {
  readonly mark: string;
  readonly recorded: Recorded;
}

/** Reads the hosts' records of sessions that are looked at; one that has not grown is not read again. */
export class Records {
  private readonly system: System;
  private readonly kept = new Map<string, KeptRecord>();
  private readonly titles = new Map<string, string>();

  constructor(system: System) {
    this.system = system;
  }

  of(session: Session): Recorded {
    const { transcript, host, origin } = session;
    // A path that another machine told is never opened here.
    if (transcript === "" || origin !== undefined) return NOTHING_RECORDED;
    const facts = this.system.files.follow(transcript);
    if (facts?.kind !== "file") return problem("The host's own record of this session is gone.");
    if (facts.size > MAX_BYTES) return problem("The host's own record of this session is too large to read.");
    const mark = `${facts.size} ${facts.modifiedMs}`;
    const known = this.kept.get(transcript);
    if (known?.mark === mark) return known.recorded;
    const recorded = readRecorded(this.system, transcript, host);
    this.kept.delete(transcript);
    this.kept.set(transcript, { mark, recorded });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return recorded;
  }

  /** How much would have to be read to know it; nothing for what is known. */
  costOf({ transcript, origin }: Session): number {
    const facts =
      transcript === "" || origin !== undefined ? undefined : this.system.files.follow(transcript);
    if (facts?.kind !== "file") return 0;
    return this.kept.get(transcript)?.mark === `${facts.size} ${facts.modifiedMs}` ? 0 : facts.size;
  }

  /** What a session is about: its first prompt. Undefined where it is not known. */
  titleOf({ transcript, host, origin }: Session): string | undefined {
    if (transcript === "" || origin !== undefined) return undefined;
    const known = this.titles.get(transcript) ?? this.readTitle(transcript, host);
    if (known !== undefined && this.titles.size < MAX_TITLES) this.titles.set(transcript, known);
    return known;
  }

  private readTitle(transcript: string, host: string): string | undefined {
    const { system } = this;
    try {
      if (system.files.follow(transcript)?.kind !== "file") return undefined;
      for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS))
        if (isUserMessage(entry)) return firstLine(redactOpening(entryText(entry)), TITLE_LENGTH);
    } catch {
      // The page of the session tells why it cannot be read.
    }
    return undefined;
  }
}

function readRecorded(system: System, transcript: string, host: string): Recorded {
  const prompts: Said[] = [];
  const answers: Said[] = [];
  const subjects = new Map<string, string>();
  const failed = new Set<string>();
  try {
    for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS)) {
      const atMs = Date.parse(entry.timestamp ?? "");
      const isTimed = Number.isFinite(atMs);
      if (isTimed && isUserMessage(entry))
        prompts.push({ atMs, text: clip(redactOpening(entryText(entry)), PROMPT_LENGTH) });
      if (isTimed && entry.role === "assistant" && entryText(entry).trim() !== "")
        answers.push({ atMs, text: firstLine(redactOpening(entryText(entry)), ANSWER_LENGTH) });
      for (const part of entry.parts) {
        if (part.kind === "tool-use" && part.id !== undefined) subjects.set(part.id, describeSubject(part));
        if (part.kind === "tool-result" && part.id !== undefined && part.hasFailed === true)
          failed.add(part.id);
      }
    }
  } catch (error) {
    return problem(`The host's own record of this session cannot be read: ${errorText(error)}`);
  }
  return {
    problem: undefined,
    prompts,
    answers,
    complete: call => ({
      ...call,
      subject: call.subject || (subjects.get(call.useId) ?? ""),
      isFailed: call.isFailed || failed.has(call.useId),
    }),
  };
}

function firstLine(text: string, length: number): string {
  const [first = ""] = text.trim().split("\n");
  return clip(first, length);
}

function problem(text: string): Recorded {
  return { ...NOTHING_RECORDED, problem: text };
}

function describeSubject({ name, input }: ToolUsePart): string {
  const { command, paths } = factsOfCall(name, input, { command: null, paths: [] });
  return clip(redactOpening(command ?? paths.join(", ")), SUBJECT_LENGTH);
}
