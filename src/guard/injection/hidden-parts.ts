/** Parts of a page that a person who reads it does not see. */
const HIDDEN_PARTS = [
  /\[(?:\/\/|comment)\]:\s*(?:#|<>)\s*\(([^\n]{1,2000})\)/gi,
  /<\w+\b[^>]{0,200}?(?:\shidden\b|display:\s*none|visibility:\s*hidden|opacity:\s*0(?![.\d])|font-size:\s*0(?![.\d]))[^>]{0,200}>([^<]{1,2000})/gi,
  /<\w+\b[^>]{0,200}?(?:color[:=]\s*["']?(?:white|#fff(?:fff)?)\b)[^>]{0,200}>([^<]{1,2000})/gi,
  /<\w+\b[^>]{0,200}?\s(?:alt|title|aria-label)\s*=\s*"([^"]{20,2000})"/gi,
];

const MAX_PARTS = 1_000;

type Span = readonly [number, number];

/** Begin and end of each hidden part. */
export function findHiddenParts(text: string): readonly Span[] {
  if (!text.includes("<") && !text.includes("]:")) return [];
  const others = HIDDEN_PARTS.flatMap(pattern =>
    [...text.matchAll(pattern)].map((match): Span => [match.index, match.index + match[0].length]),
  );
  return [...findComments(text), ...others].slice(0, MAX_PARTS);
}

function findComments(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf("<!--"); start >= 0; ) {
    const end = text.indexOf("-->", start + 4);
    if (end < 0) break;
    spans.push([start, end + 3]);
    start = text.indexOf("<!--", end);
  }
  return spans;
}
