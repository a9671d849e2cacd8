/** A piece of shell text inside a file, and where its characters stand there. */
export interface Snippet {
  readonly text: string;
  /** what it is, for people: `script build`, `job test`, `target clean`; empty for a whole script */
  readonly name: string;
  /** the place of a character of `text`, both counted from 1 */
  readonly placeOf: (offset: number) => Place;
  /** relative to the directory in which the file's commands run */
  readonly directory?: string | undefined;
  readonly isPowerShell?: boolean;
  /** it runs while an image is built, where nothing of this machine can be lost */
  readonly isInContainer?: boolean;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export type ReadSnippets = (text: string) => readonly Snippet[];

/** The place of an offset in a text that stands in the file as it is. */
export function placeIn(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return offset => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
