import type { FileKind, System } from "../system/index.ts";

/**
 * The few questions one analysis asks about files. Answers are undefined when something cannot be read; no
 * method throws, and no directory is listed twice.
 */
export interface FileLookup {
  /** What the path leads to, links followed. */
  kind(path: string): FileKind | undefined;
  /** Names in a directory; undefined when there are more than `limit`. */
  list(path: string, limit: number): readonly string[] | undefined;
  /** The whole file as text; undefined when longer than `limitBytes`. */
  readText(path: string, limitBytes: number): string | undefined;
  /** A file that is there and is no text, as compiled programs are. */
  isBinary?(path: string): boolean;
}

/** `onText` is told when the content of a file was read. */
export function createFileLookup(
  system: Pick<System, "files" | "text">,
  onText: () => void = () => {},
): FileLookup {
  const lists = new Map<string, readonly string[] | undefined>();
  return {
    kind: path => attempt(() => system.files.follow(path)?.kind),
    list: (path, limit) => {
      const names = lists.has(path) ? lists.get(path) : attempt(() => system.files.list(path));
      lists.set(path, names);
      return names === undefined || names.length > limit ? undefined : names;
    },
    isBinary: path => attempt(() => system.files.readRange(path, 0, 512).includes(0)) === true,
    readText: (path, limitBytes) =>
      attempt(() => {
        if (system.files.follow(path)?.kind !== "file") return undefined;
        const { text } = system.text.decode(system.files.read(path, limitBytes));
        onText();
        return text;
      }),
  };
}

function attempt<Answer>(ask: () => Answer | undefined): Answer | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
