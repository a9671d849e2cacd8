/**
 * Takes the endings of English words off, after M. F. Porter's algorithm of 1980, so that `refunds`, `refunded` and
 * `refunding` are one word. Words with other letters than a to z are left as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const singular = dropPlural(word);
  const present = dropPast(singular);
  const ending = /y$/.test(present) && hasVowel(present.slice(0, -1)) ? `${present.slice(0, -1)}i` : present;
  return dropFinalE(dropSuffix(replaceSuffix(replaceSuffix(ending, LONG), SHORTER)));
}

/** `s` where a letter may be a consonant: `y` is one at the beginning and after a vowel. */
function isConsonant(word: string, index: number): boolean {
  const letter = word[index] ?? "";
  if ("aeiou".includes(letter)) return false;
  return letter !== "y" || index === 0 || !isConsonant(word, index - 1);
}

/** How many times a vowel is followed by a consonant. */
function measure(word: string): number {
  let count = 0;
  for (let index = 1; index < word.length; index++)
    if (isConsonant(word, index) && !isConsonant(word, index - 1)) count++;
  return count;
}

function hasVowel(word: string): boolean {
  return [...word].some((_, index) => !isConsonant(word, index));
}

function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

/** consonant, vowel, consonant, as in `hop`; not `w`, `x`, `y` at the end */
function endsShort(word: string): boolean {
  const end = word.length - 1;
  return (
    end >= 2 &&
    isConsonant(word, end) &&
    !isConsonant(word, end - 1) &&
    isConsonant(word, end - 2) &&
    !"wxy".includes(word.at(-1) ?? "")
  );
}

function dropPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function dropPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ["ed", "ing"].find(one => word.endsWith(one));
  if (suffix === undefined) return word;
  const base = word.slice(0, -suffix.length);
  if (!hasVowel(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (endsDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base;
}

const LONG = suffixTable(
  "ational ate tional tion enci ence anci ance izer ize abli able alli al entli ent eli e ousli ous ization ize " +
    "ation ate ator ate alism al iveness ive fulness ful ousness ous aliti al iviti ive biliti ble",
);
const SHORTER = suffixTable("icate ic ative - alize al iciti ic ical ic ful - ness -");

/** Pairs of an ending and what takes its place. */
function suffixTable(text: string): readonly (readonly [string, string])[] {
  const words = text.split(" ");
  return words.flatMap((word, index) =>
    index % 2 === 0 ? [[word, words[index + 1] === "-" ? "" : (words[index + 1] ?? "")] as const] : [],
  );
}

function replaceSuffix(word: string, table: readonly (readonly [string, string])[]): string {
  const found = table.find(([suffix]) => word.endsWith(suffix));
  if (found === undefined) return word;
  const base = word.slice(0, -found[0].length);
  return measure(base) > 0 ? base + found[1] : word;
}

const DROPPED =
  /(?:ement|ment|ance|ence|able|ible|ant|ent|(?<=[st])ion|ism|ate|iti|ous|ive|ize|ou|al|er|ic)$/;

function dropSuffix(word: string): string {
  const base = word.replace(DROPPED, "");
  return base !== word && measure(base) > 1 ? base : word;
}

function dropFinalE(word: string): string {
  const base = word.slice(0, -1);
  const isLong = measure(base) > 1;
  if (word.endsWith("e") && (isLong || (measure(base) === 1 && !endsShort(base)))) return base;
  return word.endsWith("ll") && isLong ? base : word;
}
