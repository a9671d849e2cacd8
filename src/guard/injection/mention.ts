/** What people write around an example of an attack, and around the format of a prompt. */
const TOPIC =
  /prompt[- ]?injection|injection|jailbreak|adversarial|red[- ]team|owasp|\battackers?\b|\battack\b|guardrail|untrusted|detector|suspicious|classifier|chat[ _]?template|tokenizer|prompt template|few-shot|phishing|\bsentence like\b|\bphrases? (?:like|such as)\b/i;
const TOPIC_BEFORE = 1_500;
const TOPIC_AFTER = 800;
const MAX_LINE = 400;

const PAIRS: Readonly<Record<string, string>> = {
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
  "「": "」",
  "『": "』",
};

/**
 * Tells where a text speaks of such words instead of using them: they are quoted, and their subject is named near by.
 */
export function mentionsIn(text: string): (start: number, end: number) => boolean {
  let fences: readonly number[] | undefined;
  return (start, end) => {
    if (!TOPIC.test(text.slice(Math.max(0, start - TOPIC_BEFORE), end + TOPIC_AFTER))) return false;
    if (isQuoted(text, start, end)) return true;
    fences ??= [...text.matchAll(/^[ \t]*(?:```|~~~)/gm)].map(({ index }) => index);
    return fences.filter(fence => fence < start).length % 2 === 1;
  };
}

function isQuoted(text: string, start: number, end: number): boolean {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const before = text.slice(Math.max(lineStart, start - MAX_LINE), start);
  const after = text.slice(end, lineEnd < 0 ? end + MAX_LINE : Math.min(lineEnd, end + MAX_LINE));
  if (/^\s*(?:\S+ \[\w+\] |# | ?\* )?(?:>|[-*+] |\||\d+[.)] )/.test(`${before}${text.slice(start, end)}`))
    return true;
  for (const quote of ['\\"', '"', "`"]) {
    if (before.split(quote).length % 2 === 0 && after.includes(quote)) return true;
  }
  if (/(?:^|[\s(=,:[])'(?:[^'\n]|\w'\w)*$/.test(before) && after.includes("'")) return true;
  return Object.entries(PAIRS).some(
    ([open, close]) => before.lastIndexOf(open) > before.lastIndexOf(close) && after.includes(close),
  );
}
