import stringWidth from "string-width";

/** Cut below the width, so that no line wraps; a cut is marked. */
export function cutToWidth(line: string, columns: number): string {
  if (stringWidth(line) < columns) return line;
  let shown = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += stringWidth(segment);
    if (width > columns - 2) break;
    shown += segment;
  }
  return `${shown}…`;
}
