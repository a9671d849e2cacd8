/** Unicode tags spell ASCII that nobody sees; after a black flag they name a region. */
const TAGS = /(\ud83c\udff4)?((?:\udb40[\udc20-\udc7f]){3,})/g;
const ZERO_WIDTH = /[\u200b-\u200d\u2060-\u2064\ufeff]{6,}/;
const VARIATIONS = /[\ufe00-\ufe0f]{3,}|(?:\udb40[\udd00-\uddef]){2,}/;
const DIRECTION = /[\u202d\u202e]/;
const NOT_ASCII = /[^\u0000-\u007f]/;

export interface Smuggled {
  readonly at: number;
  readonly what: string;
}

/** The first characters that carry text which is not shown, or that show it in another order. */
export function findSmuggled(text: string): Smuggled | undefined {
  if (!NOT_ASCII.test(text)) return undefined;
  for (const match of text.matchAll(TAGS)) {
    if (match[1] === undefined) return { at: match.index, what: "invisible tag characters" };
  }
  const found = [
    [ZERO_WIDTH, "a run of zero-width characters"],
    [VARIATIONS, "a run of variation selectors"],
    [DIRECTION, "a direction override"],
  ] as const;
  for (const [pattern, what] of found) {
    const match = pattern.exec(text);
    if (match !== null) return { at: match.index, what };
  }
  return undefined;
}
