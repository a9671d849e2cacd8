/** Phrases to look for in what people and models write. */
export interface WordPattern {
  test(text: string): boolean;
  /** where each occurrence begins */
  positions(text: string): readonly number[];
}

/**
 * One pattern for many phrases, each matched as whole words in any case: `reset` is not in "preset". They are
 * separated by ` | ` or a new line. A phrase is a piece of a regular expression, so that `next steps?` is one; a blank
 * in it matches any run of white space.
 */
export function wordPattern(phrases: string): WordPattern {
  const alternatives = phrases
    .trim()
    .split(/ \| |\n\s*/)
    .map(phrase => phrase.replace(/ /g, "\\s+"))
    .join("|");
  const pattern = new RegExp(`(?<!\\w)(?:${alternatives})(?!\\w)`, "gi");
  const next = (text: string, from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };
  return {
    test: text => next(inAscii(text), 0) !== null,
    positions(text) {
      const plain = inAscii(text);
      const found: number[] = [];
      for (let match = next(plain, 0); match !== null; match = next(plain, match.index + match[0].length))
        found.push(match.index);
      return found;
    },
  };
}

/**
 * The same text with an ASCII digit for every letter and digit beyond ASCII, so that the end of a word is easily told
 * in every script: a pattern that lists all letters is large, and there are many patterns.
 */
function inAscii(text: string): string {
  if (!/[^\u0000-\u007F]/.test(text)) return text;
  return text.replace(/(?![\u0000-\u007F])[\p{L}\p{N}]/gu, letter => "0".repeat(letter.length));
}

/** True when the words occur and at least one occurrence is not negated just before ("no next steps"). */
export function saysWords(text: string, pattern: WordPattern): boolean {
  return findStatement(text, pattern) !== undefined;
}

/** The position of the first occurrence that is not negated in its own clause, and that no exception is made for. */
export function findStatement(
  text: string,
  pattern: WordPattern,
  isExcepted: (at: number) => boolean = () => false,
): number | undefined {
  return pattern.positions(text).find(at => !isNegated(text, at) && !isExcepted(at));
}

const NEGATION_REACH = 24;
const NEGATION = /(?:\b(?:no|not|nothing|none|without|zero|never|cannot)\b|\b0\b|n['’]t\b)[^.!?;:,\n]*$/i;

function isNegated(text: string, at: number): boolean {
  return NEGATION.test(text.slice(Math.max(0, at - NEGATION_REACH), at));
}

/** The first `length` code points; never splits a surrogate pair. */
export function firstCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = 0;
  for (let count = 0; count < length && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Text from outside as one harmless line: control characters become blanks. */
export function oneLine(text: string): string {
  return text
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** Text from outside without control characters other than newline and tab. */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "");
}

/** Lines of at most `width` characters, broken between words; a longer word has a line of its own. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;
const STEP = 1024;

/** `320 bytes`, `1.2 MB`, `48 MB` */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP - 0.5 && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${bytes === 1 ? "byte" : UNITS[unit]}`;
}

/** `1 line (number 3)`, `3 lines (numbers 2 to 4)` */
export function numberedLines(first: number, last: number): string {
  const numbers = first === last ? `number ${first}` : `numbers ${first} to ${last}`;
  return `${count(last - first + 1, "line")} (${numbers})`;
}

/** `1 file`, `3 files` */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** `950`, `45k`, `1.2M` */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Longer words are not compared: comparing is slow, and they are not typing errors. */
const MAX_WORD_LENGTH = 200;

/** The candidate a mistyped word most likely meant; undefined when none is close. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  maxDistance = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of candidates) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The end of a message about a mistyped word: `; did you mean install?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted once. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
