import { factsOfCall, HOST_LIST } from "../../hosts/index.ts";
import { errorText } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { clip, redactOpening } from "../../text/index.ts";
import {
  type Entry,
  entryText,
  findRecordOf,
  isUserMessage,
  type LineOptions,
  readEntry,
  readTranscript,
  type ToolUsePart,
  toolNaming,
} from "../../transcripts/index.ts";
import { loadOpenCodeRecords } from "../../verify/index.ts";
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

interface StoredPlace extends Pick<Session, "id" | "name" | "host"> {
  readonly mark: string;
  readonly store: string;
}

/** Reads the hosts' records of sessions that are looked at; one that has not grown is not read again. */
export class Records {
  private readonly system: System;
  private readonly home: string | undefined;
  private readonly kept = new Map<string, KeptRecord>();
  /** of hosts with a database, by session; read one after the other */
  private readonly stored = new Map<string, KeptRecord>();
  private reading = Promise.resolve();
  private readonly titles = new Map<string, string>();
  private readonly found = new Map<string, { readonly lastMs: number; readonly path: string }>();

  /** Without a home only records are known that hooks were told of. */
  constructor(system: System, home?: string) {
    this.system = system;
    this.home = home;
  }

  /** Where the host records a session; empty where that is not known, or on another machine. */
  pathOf({ id, name, host, origin, transcript, lastMs }: Session): string {
    // A path that another machine told is never opened here.
    if (origin !== undefined) return "";
    if (transcript !== "") return transcript;
    const known = this.found.get(id);
    if (known !== undefined && (known.path !== "" || known.lastMs === lastMs)) return known.path;
    const { home } = this;
    const path = (home === undefined ? undefined : findRecordOf(this.system, home, { host, id: name })) ?? "";
    if (this.found.size < MAX_TITLES) this.found.set(id, { lastMs, path });
    return path;
  }

  /** Reads what a host keeps in a database, which takes its time; until then nothing of such a session is known. */
  prepare({ id, name, host, origin, transcript, lastMs }: Session): Promise<void> {
    const store = HOST_LIST.find(each => each.id === host)?.evidence?.messageStore;
    const { home } = this;
    const mark = String(lastMs);
    const known = this.stored.get(id);
    if (store !== undefined && home !== undefined && origin === undefined && transcript === "")
      if (known?.mark !== mark) {
        this.keep(this.stored, id, { mark, recorded: known?.recorded ?? NOTHING_RECORDED });
        const place = { id, name, host, mark, store: join(home, store) };
        this.reading = this.reading.then(() => this.readStored(place));
      }
    return this.reading;
  }

  private async readStored({ id, name, host, mark, store }: StoredPlace): Promise<void> {
    try {
      const { readOpenCodeSessions, toEntries } = await loadOpenCodeRecords();
      const sessions = await readOpenCodeSessions(this.system, store, "parts", each => each === name);
      const entries = sessions.flatMap(toEntries).map(line => readEntry(line, toolNaming(host)));
      const recorded = collectRecorded(entries.filter(entry => entry !== undefined));
      this.keep(this.stored, id, { mark, recorded });
    } catch (error) {
      this.keep(this.stored, id, { mark, recorded: problem(`${CANNOT_READ}: ${errorText(error)}`) });
    }
  }

  of(session: Session): Recorded {
    const { host } = session;
    const transcript = this.pathOf(session);
    if (transcript === "") return this.stored.get(session.id)?.recorded ?? NOTHING_RECORDED;
    const facts = this.system.files.follow(transcript);
    if (facts?.kind !== "file") return problem("The host's own record of this session is gone.");
    if (facts.size > MAX_BYTES) return problem("The host's own record of this session is too large to read.");
    const mark = `${facts.size} ${facts.modifiedMs}`;
    const known = this.kept.get(transcript);
    if (known?.mark === mark) return known.recorded;
    const recorded = readRecorded(this.system, transcript, host);
    this.keep(this.kept, transcript, { mark, recorded });
    return recorded;
  }

  private keep(kept: Map<string, KeptRecord>, key: string, record: KeptRecord): void {
    kept.delete(key);
    kept.set(key, record);
    const [oldest] = kept.keys();
    if (kept.size > (kept === this.stored ? MAX_TITLES : MAX_KEPT) && oldest !== undefined)
      kept.delete(oldest);
  }

  /** How much would have to be read to know it; nothing for what is known. */
  costOf(session: Session): number {
    const transcript = this.pathOf(session);
    const facts = transcript === "" ? undefined : this.system.files.follow(transcript);
    if (facts?.kind !== "file") return 0;
    return this.kept.get(transcript)?.mark === `${facts.size} ${facts.modifiedMs}` ? 0 : facts.size;
  }

  /** What a session is about: its first prompt. Undefined where it is not known. */
  titleOf(session: Session): string | undefined {
    const transcript = this.pathOf(session);
    if (transcript === "") return this.titleInStore(session);
    const known = this.titles.get(transcript) ?? this.readTitle(transcript, session.host);
    if (known !== undefined && this.titles.size < MAX_TITLES) this.titles.set(transcript, known);
    return known;
  }

  private titleInStore(session: Session): string | undefined {
    // No page waits for it.
    void this.prepare(session);
    const [first] = this.stored.get(session.id)?.recorded.prompts ?? [];
    return first === undefined ? undefined : firstLine(first.text, TITLE_LENGTH);
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

const CANNOT_READ = "The host's own record of this session cannot be read";

function readRecorded(system: System, transcript: string, host: string): Recorded {
  try {
    return collectRecorded(readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS));
  } catch (error) {
    return problem(`${CANNOT_READ}: ${errorText(error)}`);
  }
}

function collectRecorded(entries: Iterable<Entry>): Recorded {
  const prompts: Said[] = [];
  const answers: Said[] = [];
  const subjects = new Map<string, string>();
  const failed = new Set<string>();
  for (const entry of entries) {
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
  return {
    problem: undefined,
    prompts,
    answers,
    complete: call => ({
      ...call,
      subject: call.subject || (subjects.get(call.useId) ?? ""),
      // A host also records as failed what never ran.
      isFailed: call.isFailed || (failed.has(call.useId) && call.outcome !== "refused"),
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
