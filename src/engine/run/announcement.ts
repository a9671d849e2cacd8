import { booleanAt, numberAt, readJson } from "../../protocol/index.ts";
import type { TextCodec } from "../../system/index.ts";

const MAX_LINE_BYTES = 4096;
const NEWLINE = 0x0a;

interface Announcement {
  /** how long the hook wants to go on, in milliseconds */
  readonly timeoutMs: number | undefined;
}

/** Watches the first line of stdout for `{"async": true}`: the hook goes on in the background. */
export class AnnouncementWatcher {
  private readonly codec: TextCodec;
  private readonly line: number[] = [];
  private isOver = false;

  constructor(codec: TextCodec) {
    this.codec = codec;
  }

  /** The announcement, at the chunk that completes its line. */
  push(chunk: Uint8Array): Announcement | undefined {
    if (this.isOver) return undefined;
    const newline = chunk.indexOf(NEWLINE);
    const piece = newline < 0 ? chunk : chunk.subarray(0, newline);
    if (this.line.length + piece.length > MAX_LINE_BYTES) {
      this.isOver = true;
      return undefined;
    }
    this.line.push(...piece);
    if (newline < 0) return undefined;
    this.isOver = true;
    return readAnnouncement(this.codec.decode(Uint8Array.from(this.line)).text);
  }
}

function readAnnouncement(line: string): Announcement | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const read = readJson(line, { recover: false, maxDepth: 4 });
  if (!read.ok || booleanAt(read.value, "async") !== true) return undefined;
  const timeoutMs = numberAt(read.value, "asyncTimeout") ?? 0;
  return { timeoutMs: Number.isFinite(timeoutMs) && timeoutMs > 0 ? timeoutMs : undefined };
}
