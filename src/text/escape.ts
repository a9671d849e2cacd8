/** What would forge, hide or reorder lines where text is shown: controls, line separators, direction marks. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text on one line, with every control character written out. */
export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE,
    character => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The same for a text of several lines, which stay lines. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n");
}

/**
 * On one line, with everything written out that shows as nothing or as a gap (joiners, fillers, marks of variation,
 * tags): for text that a person decides by.
 */
export function escapeHidden(text: string): string {
  const visible = escapeControls(text);
  if (/^[ -~]*$/.test(visible)) return visible;
  // Written here: its table of characters takes longer to make than most of a start.
  return visible.replace(
    /\p{Default_Ignorable_Code_Point}/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** At most `length` UTF-16 units, never half a character. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const isSplitPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isSplitPair ? length - 1 : length);
}

/** The same with a cut marked; the mark comes on top of the length. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${truncate(text, length)}…`;
}

/** The same, no longer than `length` with its mark. */
export function clipWithin(text: string, length: number): string {
  if (text.length <= length) return text;
  return length <= 1 ? "" : `${truncate(text, length - 1).trimEnd()}…`;
}

/** Cut at its start, no longer than `length` with the mark: the end of a path tells more than its start. */
export function clipStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(1 - length);
  return `…${/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end}`;
}

/** Cut in the middle: in a sentence that quotes something long, its end says what is wrong. */
export function clipMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const end = text.slice(-half);
  return clip(text, half) + (/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end);
}
