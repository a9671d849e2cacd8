import type { Memory, MemoryFilter, MemoryReader, WeightedMemory, WordCounts } from "./memory.ts";
import { type RankedMemory, rankInContext } from "./note-context.ts";
import { indexText, readQuery, withForms } from "./search-words.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** After this long a memory that nobody used has lost half of what recency gives it; each doubling of uses adds as much. */
const HALF_LIFE_DAYS = 30;
/** Share of the score that recency decides; the rest is the words alone. */
const RECENCY_SHARE = 0.3;

/**
 * BM25 relative to the best candidate, less what age takes away; use keeps a memory young. Weights are compared with each other only: in a
 * store of a few memories BM25 itself is close to zero for everything.
 */
export function rankCandidates(
  candidates: readonly WeightedMemory[],
  nowMs: number,
  limit: number,
): readonly RankedMemory[] {
  const best = Math.max(Number.MIN_VALUE, ...candidates.map(({ weight }) => weight));
  return candidates
    .map(candidate => ({
      memory: candidate.memory,
      relevance: (candidate.weight / best) * freshness(candidate, nowMs),
    }))
    .sort((one, other) => other.relevance - one.relevance || compareByAge(one.memory, other.memory))
    .slice(0, limit);
}

/** 1 for what was changed or used just now, never less than what the words alone decide. */
function freshness({ memory, uses = 0, usedMs = 0 }: WeightedMemory, nowMs: number): number {
  const days = Math.max(0, nowMs - Math.max(memory.updatedMs, usedMs)) / DAY_MS;
  const halfLife = HALF_LIFE_DAYS * (1 + Math.log2(1 + uses));
  return 1 - RECENCY_SHARE + RECENCY_SHARE * 0.5 ** (days / halfLife);
}

function compareByAge(one: Memory, other: Memory): number {
  return other.updatedMs - one.updatedMs || (one.id < other.id ? -1 : 1);
}

/** How many memories a search weighs at most; beyond that BM25 would cost more than it tells. */
export const MAX_WEIGHED = 4_000;

/** A form of a word or phrase that is looked for, and how many memories have it. */
export interface CountedForm {
  readonly phrase: string;
  readonly matches: number;
}

/** As in BM25, but never negative: in a small store a word may be in most memories. */
export function rarity(matches: number, memories: number): number {
  return Math.log(1 + (Math.max(memories, matches) - matches + 0.5) / (matches + 0.5));
}

/** One try of a search. Without weighing, all matches are equal and the newest are taken. */
export interface SearchAttempt {
  readonly phrases: readonly string[];
  readonly isWeighed: boolean;
}

/**
 * What to look for, in the order of trying until something is found. First the rarest phrases, as many as can be
 * weighed together: those that are everywhere say nothing beside them. Then each of the others alone, since the
 * rare ones may not occur in the scope that is asked about. `matches` need not be exact above what can be weighed.
 */
export function planSearch(counted: readonly CountedForm[]): readonly SearchAttempt[] {
  const found = counted
    .filter(({ matches }) => matches > 0)
    .sort((one, other) => one.matches - other.matches);
  let total = 0;
  const tooMany = found.findIndex(({ matches }) => {
    total += matches;
    return total > MAX_WEIGHED;
  });
  const together = tooMany < 0 ? found : found.slice(0, tooMany);
  const alone = tooMany < 0 ? [] : found.slice(tooMany);
  return [
    ...(together.length === 0 ? [] : [{ phrases: together.map(({ phrase }) => phrase), isWeighed: true }]),
    ...alone.map(({ phrase, matches }) => ({ phrases: [phrase], isWeighed: matches <= MAX_WEIGHED })),
  ];
}

/** What recency and use may lift above a better fit of words, for each one that is wanted. */
const CANDIDATES_EACH = 10;

/** The memories that fit the words best, at most `limit`, the best first. */
export async function rankByWords(
  reader: MemoryReader,
  words: string,
  filter: MemoryFilter,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<readonly RankedMemory[]> {
  const candidates = await reader.search(withForms(readQuery(words)), filter, limit * CANDIDATES_EACH);
  const ranked = rankCandidates(candidates, nowMs, candidates.length);
  return rankInContext(words, ranked, await listSessionNotes(reader, ranked, filter), { limit, nowMs });
}

/** Sessions whose notes are read around the best ones, and how many of each at most. */
const MAX_SESSIONS = 6;
const MAX_OF_SESSION = 500;

/** What else the sessions of the best notes left behind, in the order of its making. */
async function listSessionNotes(
  reader: MemoryReader,
  ranked: readonly RankedMemory[],
  filter: MemoryFilter,
): Promise<readonly (readonly Memory[])[]> {
  const sessions = [...new Set(ranked.map(({ memory }) => memory.session))]
    .filter(session => session !== "")
    .slice(0, MAX_SESSIONS);
  const lists = await Promise.all(
    sessions.map(session => reader.list({ ...filter, session }, "newest", MAX_OF_SESSION)),
  );
  return lists.map(list => [...list].sort((one, other) => one.createdMs - other.createdMs));
}

/** What a term counts more when it stands in the key. */
const KEY_BONUS = 0.6;
/** What a name such as `PAYMENT_SANDBOX` or `src/pay.ts` counts, besides its words, when a note has it as a whole. */
const NAME_WEIGHT = 1;
/** What two words count more that stand side by side in prompt and note, as in "payment tests": whether it fits, not how well. */
const PAIR_WEIGHT = 0.75;
/**
 * One word alone, however rare, is a coincidence; a word in the key and another one is not. Among few notes every word
 * is rare, so more is needed there: `EXTRA_SCORE`, which fades as notes become more than `FEW_NOTES`.
 */
const MIN_SCORE = 1.6;
const EXTRA_SCORE = 0.5;
const FEW_NOTES = 60;
/** Share of what the prompt is about. A long prompt is about more than a note can say. */
const MIN_SHARE = 0.35;
const MAX_PROMPT_WEIGHT = 8;
/** A word that no note has tells that the prompt is about something else, though it may be said in other words. */
const UNKNOWN_WEIGHT = 0.5;
/** A note that fits much worse than the best one is about something else. */
const MIN_OF_BEST = 0.7;
/** What a word of the trade counts at most: in a store of few notes, counting cannot tell that it is common. */
const MAX_ORDINARY_WEIGHT = 0.35;
const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  indexText(`
    add again another app apply array ask before below big branch break bug build button call case change check class
    clean code come command comment commit continue convert correct create data delete different do document done
    edit error every explain fail file find first fix folder format function give go good heading help here implement
    improve issue keep last line list look main method mode move name new next note number open output page parameter
    problem project pull push question read refactor remove rename replace request review rule run same save see set
    show side simple small start state step still stop sure table take task tell test text thank thing time turn type
    undo unit update user value variable version wait way well work write wrong year
  `).split(" "),
);

/** As if there were so many more notes, without these words: two notes of three may well share a rare word. */
const OTHER_NOTES = 30;

/** What a prompt is about. */
interface PromptWords {
  readonly terms: readonly string[];
  /** identifiers and paths of several parts, as the index has their terms */
  readonly names: readonly string[];
  /** two words side by side, at least one of which is no word of the trade */
  readonly pairs: readonly string[];
}

const NAME = /[\p{L}\p{N}]+(?:[_./\\:-]+[\p{L}\p{N}]+)+/gu;

function readPrompt(text: string): PromptWords {
  const names = [...text.normalize("NFC").matchAll(NAME)].map(([name]) => indexText(name));
  const terms = readQuery(text).any;
  return {
    terms,
    names: [...new Set(names.filter(name => /\p{L}{3}.* /u.test(name)))],
    pairs: listPairs(text, new Set(terms)),
  };
}

function listPairs(text: string, terms: ReadonlySet<string>): readonly string[] {
  const words = indexText(text).split(" ");
  const pairs = words.slice(1).flatMap((word, at) => {
    const pair = [words[at] ?? "", word];
    return pair.every(one => terms.has(one)) && !pair.every(one => ORDINARY_WORDS.has(one))
      ? pair.join(" ")
      : [];
  });
  return [...new Set(pairs)];
}

/** Candidates that are looked at closely; below them the words hardly fit. */
const MAX_CANDIDATES = 40;

/** The memories that are relevant to a prompt, the best first; mostly none. */
export async function recallForPrompt(
  reader: MemoryReader,
  text: string,
  filter: MemoryFilter,
  nowMs: number,
): Promise<readonly Memory[]> {
  const prompt = readPrompt(text);
  const counts = await reader.countWords(prompt.terms);
  const known = prompt.terms.filter(term => (counts.matches.get(term) ?? 0) > 0);
  if (known.length === 0) return [];
  const candidates = await reader.search({ any: known, all: [] }, filter, MAX_CANDIDATES);
  return chooseRelevant(prompt, counts, candidates, nowMs);
}

/**
 * Of the memories found for a prompt, those that are about the same: they share several of its rarer words, and a fair
 * share of what it is about. How recent and how much used they are decides their order, never whether they fit.
 */
function chooseRelevant(
  prompt: PromptWords,
  counts: WordCounts,
  candidates: readonly WeightedMemory[],
  nowMs: number,
): readonly Memory[] {
  const weights = weighTerms(prompt.terms, counts);
  const unknown = prompt.terms
    .filter(term => !weights.has(term))
    .map(term => UNKNOWN_WEIGHT * maxWeight(term));
  const promptWeight = Math.min(MAX_PROMPT_WEIGHT, sum([...weights.values(), ...unknown]));
  const minScore = MIN_SCORE + EXTRA_SCORE * Math.exp(-counts.memories / FEW_NOTES);
  const fitting = candidates
    .map(candidate => ({ candidate, ...scoreMatch(candidate.memory, weights, prompt) }))
    .filter(({ score, paired, shared }) => score + paired >= minScore && shared >= MIN_SHARE * promptWeight);
  const best = Math.max(0, ...fitting.map(({ score }) => score));
  return fitting
    .filter(({ score }) => score >= MIN_OF_BEST * best)
    .map(({ candidate, score }) => ({ memory: candidate.memory, order: score * freshness(candidate, nowMs) }))
    .sort((one, other) => other.order - one.order || (one.memory.id < other.memory.id ? -1 : 1))
    .map(({ memory }) => memory);
}

/** How much each known term tells: 1 for one that a single memory has, less the more have it. */
function weighTerms(
  terms: readonly string[],
  { memories, matches }: WordCounts,
): ReadonlyMap<string, number> {
  const total = memories + OTHER_NOTES;
  const weights = terms.flatMap(term => {
    const count = Math.min(memories, matches.get(term) ?? 0);
    return count === 0
      ? []
      : [[term, Math.min(maxWeight(term), rarity(count, total) / rarity(1, total))] as const];
  });
  return new Map(weights);
}

function maxWeight(term: string): number {
  return ORDINARY_WORDS.has(term) ? MAX_ORDINARY_WEIGHT : 1;
}

function scoreMatch(
  { key, value }: Memory,
  weights: ReadonlyMap<string, number>,
  { names, pairs }: PromptWords,
): { readonly score: number; readonly paired: number; readonly shared: number } {
  const inKey = ` ${indexText(key)} `;
  const text = `${inKey}${indexText(value)} `;
  const has = (terms: string): boolean => text.includes(` ${terms} `);
  const found = [...weights].filter(([term]) => has(term));
  const shared = sum(found.map(([, weight]) => weight)) + NAME_WEIGHT * names.filter(has).length;
  const bonus = KEY_BONUS * sum(found.map(([term, weight]) => (inKey.includes(` ${term} `) ? weight : 0)));
  return { score: shared + bonus, paired: PAIR_WEIGHT * pairs.filter(has).length, shared };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
