import type { Memory } from "./memory.ts";
import { freshness, rarity } from "./ranking.ts";
import { indexText, readQuery } from "./search-words.ts";
import type { MemoryFilter, MemoryReader, WeightedMemory, WordCounts } from "./store.ts";

/** What a term counts more when it stands in the key. */
const KEY_BONUS = 0.6;
/** What a name such as `PAYMENT_SANDBOX` or `src/pay.ts` counts, besides its words, when a note has it as a whole. */
const NAME_WEIGHT = 1;
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
}

const NAME = /[\p{L}\p{N}]+(?:[_./\\:-]+[\p{L}\p{N}]+)+/gu;

function readPrompt(text: string): PromptWords {
  const names = [...text.normalize("NFC").matchAll(NAME)].map(([name]) => indexText(name));
  return { terms: readQuery(text).any, names: [...new Set(names.filter(name => /\p{L}{3}.* /u.test(name)))] };
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
  const unknown = prompt.terms.filter(term => !weights.has(term)).map(term => UNKNOWN_WEIGHT * limitOf(term));
  const promptWeight = Math.min(MAX_PROMPT_WEIGHT, sum([...weights.values(), ...unknown]));
  const minScore = MIN_SCORE + EXTRA_SCORE * Math.exp(-counts.memories / FEW_NOTES);
  const fitting = candidates
    .map(candidate => ({ candidate, ...scoreOf(candidate.memory, weights, prompt.names) }))
    .filter(({ score, shared }) => score >= minScore && shared >= MIN_SHARE * promptWeight);
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
      : [[term, Math.min(limitOf(term), rarity(count, total) / rarity(1, total))] as const];
  });
  return new Map(weights);
}

function limitOf(term: string): number {
  return ORDINARY_WORDS.has(term) ? MAX_ORDINARY_WEIGHT : 1;
}

function scoreOf(
  { key, value }: Memory,
  weights: ReadonlyMap<string, number>,
  names: readonly string[],
): { readonly score: number; readonly shared: number } {
  const inKey = ` ${indexText(key)} `;
  const text = `${inKey}${indexText(value)} `;
  const has = (terms: string): boolean => text.includes(` ${terms} `);
  const found = [...weights].filter(([term]) => has(term));
  const shared = sum(found.map(([, weight]) => weight)) + NAME_WEIGHT * names.filter(has).length;
  const bonus = KEY_BONUS * sum(found.map(([term, weight]) => (inKey.includes(` ${term} `) ? weight : 0)));
  return { score: shared + bonus, shared };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
