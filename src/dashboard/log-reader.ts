import { rotationsOf } from "../state/index.ts";
import { hasErrorCode, type System } from "../system/index.ts";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

interface Position {
  offset: number;
  /** inside a line that is longer than a chunk */
  isSkipping: boolean;
}

interface LogChunk {
  readonly lines: readonly string[];
  /** lines too long to be read */
  readonly skipped: number;
}

/**
 * Reads a log that others write to, piece by piece: put-away files first, then the one being written. Asked again
 * it goes on where it stopped, also when the log was rotated meanwhile. An unfinished last line waits for its end.
 */
export class LogReader {
  private readonly system: Pick<System, "files" | "text">;
  private readonly path: string;
  /** by the identity of the file, because rotation changes its name */
  private positions = new Map<string, Position>();

  constructor(system: Pick<System, "files" | "text">, path: string) {
    this.system = system;
    this.path = path;
  }

  /** `sinceMs` leaves files out that were not written to since. */
  *read(sinceMs = 0): Generator<LogChunk> {
    const { files } = this.system;
    const seen = new Map<string, Position>();
    for (const path of [...rotationsOf(this.system, this.path)].reverse().concat(this.path)) {
      const facts = files.follow(path);
      if (facts?.kind !== "file") continue;
      const position = this.positions.get(facts.identity) ?? { offset: 0, isSkipping: false };
      // A file that shrank was emptied and starts again.
      if (facts.size < position.offset) Object.assign(position, { offset: 0, isSkipping: false });
      seen.set(facts.identity, position);
      if (facts.size > position.offset && facts.modifiedMs >= sinceMs) yield* this.readFile(path, position);
    }
    this.positions = seen;
  }

  private *readFile(path: string, position: Position): Generator<LogChunk> {
    for (;;) {
      let bytes: Uint8Array;
      try {
        bytes = this.system.files.readRange(path, position.offset, CHUNK_BYTES);
      } catch (error) {
        // Rotated away since it was listed; its new name is read the next time.
        if (hasErrorCode(error, "ENOENT")) return;
        throw error;
      }
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        if (bytes.length < CHUNK_BYTES) return;
        position.offset += bytes.length;
        if (!position.isSkipping) yield { lines: [], skipped: 1 };
        position.isSkipping = true;
        continue;
      }
      const start = position.isSkipping ? bytes.indexOf(NEWLINE) + 1 : 0;
      position.isSkipping = false;
      position.offset += end;
      const { text } = this.system.text.decode(bytes.subarray(start, end));
      yield { lines: text.split("\n").filter(line => line.trim() !== ""), skipped: 0 };
    }
  }
}
