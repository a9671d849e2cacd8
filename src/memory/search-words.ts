import { stem } from "./stem.ts";

/** Scripts written without blanks between words: every character is a word of its own there. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const WORD = new RegExp(
  `(?:(?=[\\p{L}\\p{N}])[${UNSPACED}])+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`,
  "gu",
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
/** Where the parts of an identifier meet: `payClient`, `HTTPServer`, `v2Beta`. */
const SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** More words than these say nothing more about what a prompt is about. */
const MAX_PHRASES = 40;
const MAX_WORD_LENGTH = 64;
const MIN_PART_LENGTH = 2;

/** Words that a store does not have are looked for as beginnings and with one letter wrong; shorter ones fit too many. */
export const MIN_PREFIX_LENGTH = 3;
export const MIN_SIMILAR_LENGTH = 4;
export const MAX_SIMILAR = 8;

/** Words that stand in nearly every English text. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "a about all also an and any are as at be been but by can could did do does for from get had has have how i if " +
    "in into is it its just let like make me more my need no not now of on one or our out please should so some than " +
    "that the their them then there these they this to up us use using want was we were what when where which who " +
    "why will with would you your"
  ).split(" "),
);

/** What is looked for. Phrases are terms of the index with blanks between them. */
export interface SearchQuery {
  /** the more of these occur, the better; the rarer, too */
  readonly any: readonly string[];
  /** what stood in quotation marks must occur, word by word */
  readonly all: readonly string[];
}

/**
 * The terms of a text in their order, as the index has them: words without their endings, identifiers whole and in
 * their parts, each character of an unspaced script by itself.
 */
export function indexText(text: string): string {
  const terms: string[] = [];
  for (const [run] of text.normalize("NFC").matchAll(WORD)) terms.push(...termsOf(run));
  return terms.join(" ");
}

/** Whole words first, so that a quoted identifier is found as it was written. */
function termsOf(run: string): readonly string[] {
  if (IS_UNSPACED.test(run)) return [...run];
  const parts =
    run.length > MAX_WORD_LENGTH ? [] : run.split(SEAM).filter(part => part.length >= MIN_PART_LENGTH);
  return [run, ...(parts.length > 1 ? parts : [])].map(term);
}

function term(word: string): string {
  return stem(word.toLowerCase().slice(0, MAX_WORD_LENGTH));
}

/**
 * What to look for, from any text: letters, digits and marks only, so that nothing in it can be taken for an operator.
 * Words of unspaced scripts become pairs of characters. Common words count only when there are no others.
 */
export function readQuery(text: string): SearchQuery {
  const quoted = [...text.matchAll(/"([^"]*)"/g)].map(([, inside = ""]) => indexText(inside)).filter(Boolean);
  const telling = new Set<string>();
  const common = new Set<string>();
  for (const [run] of text.normalize("NFC").matchAll(WORD)) {
    if (telling.size >= MAX_PHRASES) break;
    if (IS_UNSPACED.test(run)) for (const pair of pairsOf(run)) telling.add(pair);
    else {
      const isCommon = COMMON_WORDS.has(run.toLowerCase()) || /^[a-z]$/i.test(run);
      for (const one of termsOf(run)) (isCommon ? common : telling).add(one);
    }
  }
  return {
    any: [...(telling.size > 0 ? telling : common)].slice(0, MAX_PHRASES),
    all: quoted.slice(0, MAX_PHRASES),
  };
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run].slice(0, MAX_WORD_LENGTH);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]} ${character}`);
}

/** Whether one word becomes the other by one letter more, less, different, or changed with its neighbour. */
export function isOneLetterOff(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || short === long) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  const rest = (text: string, from: number): string => text.slice(start + from);
  if (short.length < long.length) return rest(short, 0) === rest(long, 1);
  if (rest(short, 1) === rest(long, 1)) return true;
  return (
    short[start] === long[start + 1] && short[start + 1] === long[start] && rest(short, 2) === rest(long, 2)
  );
}

const ALPHABETS: readonly (readonly [script: RegExp, letters: string])[] = [
  [/[\u0370-\u03ff]/, "αβγδεζηθικλμνξοπρσςτυφχψω"],
  [/[\u0400-\u04ff]/, "абвгдежзийклмнопрстуфхцчшщъыьэюя"],
  [/[a-z\d]/, "abcdefghijklmnopqrstuvwxyz0123456789"],
];

/** All words that are one letter off, as the index has them: without accents. None in scripts of unknown letters. */
export function oneLetterOff(word: string): readonly string[] {
  const plain = [...word.normalize("NFD").replace(/\p{M}/gu, "")];
  const [, letters = ""] = ALPHABETS.find(([script]) => script.test(word)) ?? [];
  const found = new Set<string>();
  for (let at = 0; at <= plain.length; at++) {
    const before = plain.slice(0, at).join("");
    const [first = "", second = "", ...rest] = plain.slice(at);
    const after = second + rest.join("");
    for (const letter of letters) found.add(before + letter + first + after).add(before + letter + after);
    found.add(before + after).add(before + second + first + rest.join(""));
  }
  found.delete(plain.join(""));
  return [...found];
}
