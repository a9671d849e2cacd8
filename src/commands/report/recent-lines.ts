import { rotationsOf } from "../../state/index.ts";
import { hasErrorCode, type System } from "../../system/system.ts";

const CHUNK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

/** Lines of a log that were written since a time, the oldest first. Files that ended before are not opened. */
export function* recentLines(
  system: Pick<System, "files" | "text">,
  path: string,
  sinceMs: number,
): Generator<string> {
  const since = new Date(sinceMs).toISOString();
  for (const file of [...rotationsOf(system, path)].reverse().concat(path)) {
    if ((system.files.follow(file)?.modifiedMs ?? 0) < sinceMs) continue;
    for (const line of linesOf(system, file)) {
      // The time is written in one form, which sorts as text. Without it the reader of the line decides.
      const written = /"ts": ?"([^"]{20,30})"/.exec(line)?.[1];
      if (written === undefined || written >= since) yield line;
    }
  }
}

/** A line that is longer than a piece is left out: no hook writes one. */
function* linesOf({ files, text }: Pick<System, "files" | "text">, path: string): Generator<string> {
  for (let offset = 0; ; ) {
    let bytes: Uint8Array;
    try {
      bytes = files.readRange(path, offset, CHUNK_BYTES);
    } catch (error) {
      // It was put away under another name meanwhile.
      if (hasErrorCode(error, "ENOENT")) return;
      throw error;
    }
    const isLast = bytes.length < CHUNK_BYTES;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0)
      yield* text
        .decode(bytes.subarray(0, end))
        .text.split("\n")
        .filter(line => line !== "");
    if (isLast) return;
    offset += end === 0 ? bytes.length : end;
  }
}
