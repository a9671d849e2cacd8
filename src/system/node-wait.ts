const idle = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread without using the processor. */
export function sleepMs(ms: number): void {
  if (ms > 0) Atomics.wait(idle, 0, 0, ms);
}
