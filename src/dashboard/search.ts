import { isFolder, readFileTexts } from "../history/index.ts";
import { unifiedDiff } from "../install/index.ts";
import { clip, redactOpening } from "../text/index.ts";
import { entryText, isUserMessage, readTranscript, toolNaming } from "../transcripts/index.ts";
import type { Sources } from "./sources.ts";
import type { ChangeSummary } from "./timeline/calls.ts";
import type { Recorded, Said } from "./timeline/records.ts";
import type { Session } from "./timeline/timeline.ts";
import type { Site } from "./views/layout.ts";

/** What a person or an agent wrote in a session, around the words that were sought. */
export interface SaidHit {
  readonly session: Session;
  readonly who: "you" | "the agent";
  readonly excerpt: string;
}

/** A line that a change added or took away. */
export interface DiffHit {
  readonly change: ChangeSummary;
  readonly path: string;
  readonly line: string;
}

export interface DeepHits {
  readonly said: readonly SaidHit[];
  readonly diffs: readonly DiffHit[];
  /** what was not looked at, for the person; empty when everything was */
  readonly left: readonly string[];
}

const NO_HITS: DeepHits = { said: [], diffs: [], left: [] };

const MAX_RECORD_BYTES = 48 * 1024 * 1024;
const MAX_CHANGES = 300;
const MAX_HITS = 30;
const MAX_HITS_EACH = 3;
const CHUNK_BYTES = 1024 * 1024;
const AROUND = 80;

/** Looks into the hosts' records of sessions and into diffs, the newest first, as far as a page can wait. */
export async function searchDeep(sources: Sources, site: Site, sought: string): Promise<DeepHits> {
  const text = sought.trim().toLowerCase();
  if (text === "" || sources.team !== undefined) return NO_HITS;
  const said = searchRecords(sources, text);
  const diffs = await searchDiffs(sources, site, text);
  return { said: said.hits, diffs: diffs.hits, left: [...said.left, ...diffs.left] };
}

interface Found<H> {
  readonly hits: readonly H[];
  readonly left: readonly string[];
}

function searchRecords({ system, timelines, records }: Sources, text: string): Found<SaidHit> {
  const hits: SaidHit[] = [];
  const sessions = timelines
    .read()
    .sessions.map(session => ({ ...session, transcript: records.pathOf(session) }));
  let room = MAX_RECORD_BYTES;
  for (const [index, session] of sessions.entries()) {
    if (session.transcript === "") {
      hits.push(...storedHits(records.of(session), session, text));
      continue;
    }
    const facts = system.files.follow(session.transcript);
    if (facts?.kind !== "file") continue;
    room -= facts.size;
    if (room < 0 || hits.length >= MAX_HITS)
      return { hits, left: [`the records of ${sessions.length - index} older sessions`] };
    try {
      if (holds(system, session.transcript, facts.size, text)) hits.push(...hitsIn(system, session, text));
    } catch {
      // A record that cannot be read is told on the page of its session.
    }
  }
  return { hits, left: [] };
}

/** Whether the bytes of a record have it at all: most have not, and need not be understood. */
function holds({ files, text: codec }: Sources["system"], path: string, size: number, text: string): boolean {
  const written = JSON.stringify(text).slice(1, -1);
  let end = "";
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const piece = end + codec.decode(files.readRange(path, at, CHUNK_BYTES)).text.toLowerCase();
    if (piece.includes(written)) return true;
    end = piece.slice(-written.length);
  }
  return false;
}

function hitsIn(system: Sources["system"], session: Session, text: string): readonly SaidHit[] {
  const hits: SaidHit[] = [];
  for (const entry of readTranscript(system, session.transcript, toolNaming(session.host))) {
    if (hits.length >= MAX_HITS_EACH) break;
    const isPrompt = isUserMessage(entry);
    if (!isPrompt && entry.role !== "assistant") continue;
    const said = redactOpening(entryText(entry));
    const at = said.toLowerCase().indexOf(text);
    if (at >= 0)
      hits.push({ session, who: isPrompt ? "you" : "the agent", excerpt: excerptAt(said, at, text.length) });
  }
  return hits;
}

/** In what was read of a host's database. */
function storedHits({ prompts, answers }: Recorded, session: Session, text: string): readonly SaidHit[] {
  const inAll = (all: readonly Said[], who: SaidHit["who"]): readonly SaidHit[] =>
    all.flatMap(({ text: said }) => {
      const at = said.toLowerCase().indexOf(text);
      return at < 0 ? [] : [{ session, who, excerpt: excerptAt(said, at, text.length) }];
    });
  return [...inAll(prompts, "you"), ...inAll(answers, "the agent")].slice(0, MAX_HITS_EACH);
}

function excerptAt(text: string, at: number, length: number): string {
  const start = Math.max(0, at - AROUND);
  const end = at + length + AROUND;
  const piece = text.slice(start, end).replace(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${piece}${end < text.length ? "…" : ""}`;
}

async function searchDiffs({ system, changes }: Sources, site: Site, text: string): Promise<Found<DiffHit>> {
  const { history } = changes;
  if (history === undefined) return { hits: [], left: [] };
  const all = changes.list().filter(({ kind }) => kind === "call");
  const reader = {
    text: system.text,
    readContent: history.readContent,
    home: site.home,
    agentSettings: site.agentSettings,
  };
  const hits: DiffHit[] = [];
  for (const summary of all.slice(0, MAX_CHANGES)) {
    const change = history.readChange(summary.id);
    for (const file of change?.files.filter(one => !isFolder(one)) ?? []) {
      if (change === undefined || hits.length >= MAX_HITS) break;
      const texts = await readFileTexts(file, change, reader);
      if (!Array.isArray(texts) || !texts.some(one => one?.toLowerCase().includes(text))) continue;
      const lines = unifiedDiff(file.path, texts[0], texts[1]).split("\n").slice(2);
      const line = lines.find(one => /^[+-]/.test(one) && one.toLowerCase().includes(text));
      if (line !== undefined) hits.push({ change: summary, path: file.path, line: clip(line, 200) });
    }
  }
  const left = all.length - MAX_CHANGES;
  return { hits, left: left > 0 ? [`the diffs of ${left} older changes`] : [] };
}
