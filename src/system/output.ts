import type { ProcessLimits } from "./system.ts";

/** The first bytes of a stream, up to a capacity; tells how much of a chunk did not fit. */
class Head {
  private readonly chunks: Uint8Array[] = [];
  private room: number;

  constructor(capacity: number) {
    this.room = capacity;
  }

  /** The part of the chunk that found no room. */
  push(chunk: Uint8Array): Uint8Array {
    const kept = chunk.subarray(0, this.room);
    if (kept.length > 0) this.chunks.push(kept);
    this.room -= kept.length;
    return chunk.subarray(kept.length);
  }

  bytes(): Uint8Array {
    return concatenate(this.chunks);
  }
}

/** The first bytes of a stream; what follows is only counted. */
class Start {
  discarded = 0;
  private readonly head: Head;

  constructor(capacity: number) {
    this.head = new Head(capacity);
  }

  push(chunk: Uint8Array): void {
    this.discarded += this.head.push(chunk).length;
  }

  bytes(): Uint8Array {
    return this.head.bytes();
  }
}

/** The last bytes of a stream, up to a capacity, in a ring that is made when it is first needed. */
class Tail {
  total = 0;
  private readonly capacity: number;
  private ring: Uint8Array | undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  push(chunk: Uint8Array): void {
    if (this.capacity > 0 && chunk.length > 0) {
      this.ring ??= new Uint8Array(this.capacity);
      const last = chunk.subarray(Math.max(0, chunk.length - this.capacity));
      const at = (this.total + chunk.length - last.length) % this.capacity;
      const first = last.subarray(0, this.capacity - at);
      this.ring.set(first, at);
      this.ring.set(last.subarray(first.length), 0);
    }
    this.total += chunk.length;
  }

  get discarded(): number {
    return Math.max(0, this.total - this.capacity);
  }

  bytes(): Uint8Array {
    if (this.ring === undefined) return new Uint8Array(0);
    if (this.total <= this.capacity) return this.ring.slice(0, this.total);
    const at = this.total % this.capacity;
    return concatenate([this.ring.subarray(at), this.ring.subarray(0, at)]);
  }
}

/** What a child said, within its limits. After `close` nothing more is kept. */
export class CapturedOutput {
  private readonly head: Head;
  private readonly tail: Tail;
  private readonly errors: Tail | Start;
  private readonly drainBytes: number;
  private isClosed = false;

  constructor(limits: ProcessLimits) {
    this.head = new Head(limits.stdoutBytes);
    this.tail = new Tail(limits.tailBytes);
    this.errors = new (limits.keepsFirstErrors === true ? Start : Tail)(limits.stderrBytes);
    this.drainBytes = limits.drainBytes;
  }

  push(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    if (this.isClosed) return;
    if (stream === "stderr") this.errors.push(chunk);
    else this.tail.push(this.head.push(chunk));
  }

  close(): void {
    this.isClosed = true;
  }

  get isOverflowing(): boolean {
    return this.tail.discarded + this.errors.discarded > this.drainBytes;
  }

  result() {
    return {
      stdout: this.head.bytes(),
      stdoutTail: this.tail.bytes(),
      stderr: this.errors.bytes(),
      stdoutTruncated: this.tail.total > 0,
      stderrTruncated: this.errors.discarded > 0,
    };
  }
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
