import { type Judgement, questionKey, type RuleId } from "../../guard/index.ts";
import { type InputOf, type Json, StrictMembers } from "../../protocol/index.ts";
import {
  AtomicJsonFile,
  findSessionId,
  RECORD_LOCK_TIMEOUT_MS,
  readText,
  removeIfThere,
  tryList,
} from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { clip, redact } from "../../text/index.ts";
import { NO_SESSION_FACTS, type SessionFacts } from "../../workspace/index.ts";

/** A call that was asked about: whether it ran is known when its end is told. */
export interface AskedCall {
  readonly use: string;
  /** `questionKey` of each finding */
  readonly questions: readonly string[];
  /** the secrets whose values it shows */
  readonly shows: readonly string[];
}

/** What is kept of a session between the processes of its hooks. */
export interface SessionNotes extends SessionFacts {
  readonly version: 1;
  readonly asked: readonly AskedCall[];
}

const NONE: SessionNotes = { ...NO_SESSION_FACTS, version: 1, asked: [] };
const MAX_LISTED = 64;
const MAX_JUDGED = 256;
const MAX_BYTES = 256 * 1024;
const LOCK_TIMEOUT_MS = 1_000;
const MAX_SHOWN = 200;
const MAX_USE = 500;
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;

function factsFolder(stateHome: string): string {
  return join(stateHome, "guard", "sessions");
}

function factsFile(stateHome: string, session: string): string {
  return join(factsFolder(stateHome), `${session}.json`);
}

/**
 * What was noted of a session, undefined when nothing was: one look at the disk. Notes that cannot be read are as good as a
 * warning, because nobody knows what stood there.
 */
export function readSessionNotes(
  system: System,
  stateHome: string,
  session: string | undefined,
): SessionNotes | undefined {
  if (session === undefined) return undefined;
  const path = factsFile(stateHome, session);
  try {
    const found = readText(system, path, MAX_BYTES);
    return found === undefined ? undefined : parseNotes(JSON.parse(found) as Json);
  } catch {
    return { ...NONE, warned: ["notes of the session that cannot be read"] };
  }
}

/** Changes the notes; the oldest entries of a list that grows too long are forgotten. */
function noteInSession(
  system: System,
  stateHome: string,
  session: string | undefined,
  change: (notes: SessionNotes) => Partial<SessionNotes>,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): void {
  if (session === undefined) return;
  const path = factsFile(stateHome, session);
  if (system.files.inspect(path) === undefined) forgetOld(system, factsFolder(stateHome));
  const file = new AtomicJsonFile<SessionNotes>(path, {
    system,
    parse: parseNotes,
    lockTimeoutMs,
    limitBytes: MAX_BYTES,
  });
  file.update(notes => clipped({ ...notes, ...change(notes) }), NONE, { onMalformed: "set-aside" });
}

/** Findings after which the agent has seen the value of a secret. */
const SHOWING: readonly string[] = ["sec.read", "sec.keychain"] satisfies RuleId[];

/** What is asked about now may be answered with yes: then the call runs, and its end is told. */
export function noteQuestion(
  system: System,
  stateHome: string,
  input: Pick<InputOf<"tool">, "tool" | "sessionId">,
  { verdict, all }: Pick<Judgement, "verdict" | "all">,
  { judged, fetched, packed }: Pick<SessionFacts, "judged" | "fetched" | "packed"> = NO_SESSION_FACTS,
): void {
  const isAsked = verdict === "ask" && all.length > 0;
  if (!isAsked && judged.length + fetched.length + packed.length === 0) return;
  const asked: AskedCall = {
    use: toolUseKey(input),
    questions: all.filter(({ isAllowable }) => isAllowable).map(questionKey),
    shows: all.flatMap(({ rule, target }) =>
      SHOWING.includes(rule) ? [clip(redact(target), MAX_SHOWN)] : [],
    ),
  };
  const change = (notes: SessionNotes) => ({
    asked: isAsked ? [...notes.asked.filter(({ use }) => use !== asked.use), asked] : notes.asked,
    judged: [...notes.judged, ...judged],
    fetched: [...notes.fetched, ...fetched],
    packed: [...notes.packed, ...packed],
  });
  const session = findSessionId(system, input.sessionId);
  noteInSession(system, stateHome, session, change, RECORD_LOCK_TIMEOUT_MS);
}

/** A call has run: what was asked about it was answered with yes, and what it showed was seen. */
export function noteAnswer(
  system: System,
  stateHome: string,
  input: Pick<InputOf<"tool">, "tool" | "sessionId">,
  seen: {
    readonly shown: string | undefined;
    readonly warned: string | undefined;
    readonly isEmpty: boolean;
  },
): void {
  const session = findSessionId(system, input.sessionId);
  const use = toolUseKey(input);
  const asked = readSessionNotes(system, stateHome, session)?.asked.find(one => one.use === use);
  if (asked === undefined && seen.shown === undefined && seen.warned === undefined) return;
  noteInSession(system, stateHome, session, notes => ({
    asked: notes.asked.filter(one => one.use !== use),
    permitted: [...notes.permitted, ...(asked?.questions ?? [])],
    shown: [
      ...notes.shown,
      ...(seen.isEmpty ? [] : (asked?.shows ?? [])),
      ...(seen.shown === undefined ? [] : [seen.shown]),
    ],
    warned: [...notes.warned, ...(seen.warned === undefined ? [] : [seen.warned])],
  }));
}

/** The person wrote: what was read before is known to them. */
export function notePrompt(
  system: System,
  stateHome: string,
  sessionId: string | undefined,
  maySkipHooks: boolean,
): void {
  const session = findSessionId(system, sessionId);
  if (!maySkipHooks && readSessionNotes(system, stateHome, session) === undefined) return;
  noteInSession(system, stateHome, session, () => ({ shown: [], warned: [], asked: [], maySkipHooks }));
}

/** The id of the tool use, or for hosts that give none what was called. */
function toolUseKey({ tool }: Pick<InputOf<"tool">, "tool">): string {
  const { useId, canonicalName, input } = tool;
  return useId !== undefined && useId !== ""
    ? useId
    : clip(`${canonicalName} ${JSON.stringify(input)}`, MAX_USE);
}

function clipped(notes: SessionNotes): SessionNotes {
  const last = <Item>(list: readonly Item[]): readonly Item[] => [...new Set(list)].slice(-MAX_LISTED);
  return {
    ...notes,
    shown: last(notes.shown),
    warned: last(notes.warned),
    permitted: last(notes.permitted),
    fetched: [...new Set(notes.fetched)].slice(-MAX_JUDGED),
    packed: last(notes.packed),
    judged: [...new Set(notes.judged)].slice(-MAX_JUDGED),
    asked: last(notes.asked),
  };
}

function parseNotes(value: Json): SessionNotes {
  const notes = new StrictMembers(value);
  return {
    version: 1,
    shown: notes.strings("shown"),
    warned: notes.strings("warned"),
    permitted: notes.strings("permitted"),
    // Notes of a session that began before an update have none.
    fetched: notes.optional("fetched", notes.strings) ?? [],
    packed: notes.strings("packed"),
    judged: notes.strings("judged"),
    maySkipHooks: notes.boolean("maySkipHooks"),
    asked: notes.list("asked").map(parseAsked),
  };
}

function parseAsked(value: Json): AskedCall {
  const asked = new StrictMembers(value, "asked[]");
  return { use: asked.string("use"), questions: asked.strings("questions"), shows: asked.strings("shows") };
}

function forgetOld({ files, clock }: System, folder: string): void {
  for (const name of tryList(files, folder)) {
    const path = join(folder, name);
    const facts = files.inspect(path);
    if (facts !== undefined && clock.nowMs() - facts.modifiedMs > REMEMBERED_MS) removeIfThere(files, path);
  }
}
