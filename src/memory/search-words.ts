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

const COMMON_TERMS: ReadonlySet<string> = new Set([...COMMON_WORDS].map(stem));

/** Words whose forms share no stem, which a note may use in another form than the question. */
const IRREGULAR = `begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|child children
  |choose chose chosen|come came|drive drove driven|eat ate eaten|fall fell fallen|feel felt|find found|fly flew flown
  |forget forgot|give gave given|go went gone|grow grew grown|hear heard|hold held|keep kept|know knew known|leave left
  |lose lost|man men|meet met|pay paid|person people|ride rode|run ran|say said|see saw seen|sell sold|send sent|sing sang sung
  |sleep slept|speak spoke spoken|spend spent|stand stood|swim swam|take took taken|teach taught|tell told|think thought
  |throw threw thrown|wake woke|wear wore worn|win won|woman women|write wrote written`;
let irregular: ReadonlyMap<string, readonly string[]> | undefined;

/** The same query with the other forms of its words. */
export function withForms({ any, all }: SearchQuery): SearchQuery {
  irregular ??= new Map(
    IRREGULAR.split("|").flatMap(group => {
      const forms = group.trim().split(/\s+/).map(stem);
      return forms.map(form => [form, forms] as const);
    }),
  );
  const forms = any.flatMap(phrase => irregular?.get(phrase) ?? []);
  return { any: [...new Set([...any, ...forms])], all };
}

/** What is looked for. Phrases are terms of the index with blanks between them. */
export interface SearchQuery {
  /** the more of these occur, the better; the rarer, too */
  readonly any: readonly string[];
  /** what stood in quotation marks must occur, word by word */
  readonly all: readonly string[];
}

/**
 * The terms of a text in their order, as the index has them: words without their endings, identifiers whole and in
 * their parts, each character of an unspaced script alone.
 */
export function indexText(text: string): string {
  const terms: string[] = [];
  for (const [run] of text.normalize("NFC").matchAll(WORD)) terms.push(...splitTerms(run));
  return terms.join(" ");
}

/** Whole words first, so that a quoted identifier is found as it was written. */
function splitTerms(run: string): readonly string[] {
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
    if (IS_UNSPACED.test(run)) for (const pair of characterPairs(run)) telling.add(pair);
    else {
      const isCommon = COMMON_WORDS.has(run.toLowerCase()) || /^[a-z]$/i.test(run);
      const terms = splitTerms(run);
      const isForm = terms.length === 1 && COMMON_TERMS.has(terms[0] ?? "") && /(?:ing|ed|s)$/i.test(run);
      for (const one of terms) (isCommon || isForm ? common : telling).add(one);
    }
  }
  return {
    any: [...(telling.size > 0 ? telling : common)].slice(0, MAX_PHRASES),
    all: quoted.slice(0, MAX_PHRASES),
  };
}

function characterPairs(run: string): readonly string[] {
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
