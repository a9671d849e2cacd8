/** Scripts written without blanks between words: every character is a word of its own there. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const WORD = new RegExp(
  `(?:(?=[\\p{L}\\p{N}])[${UNSPACED}])+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`,
  "gu",
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

/** More words than these say nothing more about what a prompt is about. */
const MAX_PHRASES = 40;
const MAX_WORD_LENGTH = 64;

/** Words that stand in nearly every English text. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "a about all also an and any are as at be been but by can could did do does for from get had has have how i if " +
    "in into is it its just let like make me more my need no not now of on one or our out please should so some than " +
    "that the their them then there these they this to up us use using want was we were what when where which who " +
    "why will with would you your"
  ).split(" "),
);

/** What the index is given for a text: characters of unspaced scripts stand apart, so that parts are found. */
export function indexText(text: string): string {
  return text.replace(UNSPACED_CHARACTER, " $& ");
}

/**
 * The phrases to look for, from any text: letters, digits and marks only, so that nothing in it can be taken for
 * an operator. Words of unspaced scripts become pairs of characters. Common words count only when there are no
 * others.
 */
export function searchPhrases(text: string): readonly string[] {
  const telling = new Set<string>();
  const common = new Set<string>();
  for (const [run] of text.normalize("NFC").matchAll(WORD)) {
    if (telling.size >= MAX_PHRASES) break;
    if (IS_UNSPACED.test(run)) for (const pair of pairsOf(run)) telling.add(pair);
    else {
      const word = run.toLowerCase().slice(0, MAX_WORD_LENGTH);
      const isCommon = COMMON_WORDS.has(word) || /^[a-z]$/.test(word);
      (isCommon ? common : telling).add(word);
    }
  }
  return [...(telling.size > 0 ? telling : common)].slice(0, MAX_PHRASES);
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run].slice(0, MAX_WORD_LENGTH);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]} ${character}`);
}
