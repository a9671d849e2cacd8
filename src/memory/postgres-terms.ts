import { Buffer } from "node:buffer";
import type { Memory } from "./memory.ts";
import { indexText } from "./search-words.ts";

/** What PostgreSQL holds of one text: it refuses more bytes, and takes no notice of more positions. */
const MAX_VECTOR_BYTES = 1_000_000;
const MAX_POSITIONS = 255;
const MAX_POSITION = 16_383;
/** Between key and value, so that no phrase reaches from one into the other. */
const GAP = 8;

/** Text of a `tsvector`: words of the key have the weight A. */
export interface IndexedTerms {
  readonly vector: string;
  readonly count: number;
}

export function indexedTerms({ key, value }: Pick<Memory, "key" | "value">): IndexedTerms {
  const [inKey, inValue] = [termsOf(key), termsOf(value)];
  const places = new Map<string, string[]>();
  let bytes = 0;
  const add = (term: string, place: number, weight: string): void => {
    const known = places.get(term);
    if (known !== undefined && known.length >= MAX_POSITIONS) return;
    // Each word has a count, and may be padded.
    bytes += 2 + (known === undefined ? 3 + Buffer.byteLength(term) : 0);
    if (bytes > MAX_VECTOR_BYTES) return;
    const position = `${Math.min(place, MAX_POSITION)}${weight}`;
    if (known === undefined) places.set(term, [position]);
    else known.push(position);
  };
  for (const [index, term] of inKey.entries()) add(term, index + 1, "A");
  for (const [index, term] of inValue.entries()) add(term, inKey.length + GAP + index, "");
  const vector = [...places].map(([term, positions]) => `'${term}':${positions.join(",")}`).join(" ");
  return { vector, count: inKey.length + inValue.length };
}

function termsOf(text: string): readonly string[] {
  const terms = withoutAccents(indexText(text));
  return terms === "" ? [] : terms.split(" ");
}

/** On a letter; one by itself is a word. */
const ACCENTS = /(?<=[\p{L}\p{N}])[\u0300-\u036f]+/gu;

export function withoutAccents(text: string): string {
  return text.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

/** Text of a `tsquery`. Phrases hold letters, digits and marks only, so quoting them is all they need. */
export function exactQuery(phrase: string): string {
  const terms = withoutAccents(phrase).split(" ");
  return terms.map(term => `'${term}'`).join(" <-> ");
}

export function beginningQuery(word: string): string {
  return `${exactQuery(word)}:*`;
}

export function anyQuery(queries: readonly string[], required: readonly string[]): string {
  const any = queries.map(query => `(${query})`).join(" | ");
  return [`(${any})`, ...required.map(query => `(${query})`)].join(" & ");
}
