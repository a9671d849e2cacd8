/** Which of the names in a folder a program goes on with, as far as its text says so. */
export interface ChosenNames {
  /** what these names end with; empty when they may end with anything */
  readonly endings: readonly string[];
  readonly leavesHidden: boolean;
}

const MAX_TEXT = 64 * 1024;
const AROUND = 80;
const TEXTS = /(["'`])([^"'`\n]{1,40})\1/g;
/** A test of the end of a name, up to the first text that it is compared with. */
const OF_ENDING = /\.(?:endswith|endsWith|end_with\?)\(/g;
const OF_SUFFIX =
  /(?:\.suffix|\bextname\([\w.]{1,40}\)|\bsplitext\([\w.]{1,40}\)\[-?1\])(?:\.lower\(\))?\s*(===?|!==?|in\b|not in\b)\s*/g;
const OF_PATTERN = /\\\.(?:\(\?:|\()?([\w|]{1,60})\)?\$/g;
const OF_PART = /(["'])(\.\w{1,8})\1 in \w/g;
const OF_DOT = /(?:\.(?:startswith|startsWith|start_with\?)\(|\[0\]\s*===?\s*)["']\.["']\)?/g;

/**
 * `if f.endswith(".md")`, `if p.suffix != ".ts": continue`, `/\.md$/.test(f)`: programs that go through a folder mostly say
 * which files they mean. Names that are only left out say nothing of the rest.
 */
export function chosenNames(source: string): ChosenNames {
  const text = source.slice(0, MAX_TEXT);
  const endings: string[] = [];
  for (const match of text.matchAll(OF_ENDING)) {
    const end = text.indexOf(")", match.index + match[0].length);
    const given = end < 0 ? "" : text.slice(match.index, end);
    if (isKept(text, match.index, end, isNegated(text, match.index))) endings.push(...textsIn(given));
  }
  for (const match of text.matchAll(OF_SUFFIX)) {
    const start = match.index + match[0].length;
    const given =
      /^(?:[[({][^\])}\n]{0,200}[\])}]|["'][^"'\n]{0,20}["'])/.exec(text.slice(start, start + 220))?.[0] ??
      "";
    if (isKept(text, match.index, start + given.length, /^(?:!|not)/.test(match[1] ?? "")))
      endings.push(...textsIn(given));
  }
  for (const match of text.matchAll(OF_PATTERN))
    if (isKept(text, match.index, match.index + match[0].length, isNegated(text, match.index)))
      endings.push(...(match[1] ?? "").split("|").map(ending => `.${ending}`));
  for (const match of text.matchAll(OF_PART))
    if (isKept(text, match.index, match.index + match[0].length, false)) endings.push(match[2] ?? "");
  const leavesHidden = [...text.matchAll(OF_DOT)].some(
    match => !isKept(text, match.index, match.index + match[0].length, isNegated(text, match.index)),
  );
  return { endings, leavesHidden };
}

/** What passes the test is gone on with: it holds, or whatever fails it is left. */
function isKept(text: string, start: number, end: number, isNegative: boolean): boolean {
  const behind = text.slice(end, end + AROUND);
  const isLeft = /^[^\n;{:]{0,40}?[:{)]?\s{0,20}(?:continue|return|next)\b/.test(behind);
  return start >= 0 && isNegative === isLeft;
}

function isNegated(text: string, at: number): boolean {
  return /(?:\bnot |!|\bunless )[^\s;{:]{0,40}$/.test(text.slice(Math.max(0, at - AROUND), at));
}

function textsIn(given: string): readonly string[] {
  return [...given.matchAll(TEXTS)].map(match => match[2] ?? "");
}
