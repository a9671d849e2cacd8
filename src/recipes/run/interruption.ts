export const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndSignal = keyof typeof SIGNAL_EXIT_CODES;

/** A request to end the run, passed on once to all listeners. */
export class Interruption {
  private received: EndSignal | undefined;
  private readonly listeners = new Set<() => void>();

  get signal(): EndSignal | undefined {
    return this.received;
  }

  interrupt(signal: EndSignal): void {
    if (this.received !== undefined) return;
    this.received = signal;
    for (const listener of [...this.listeners]) listener();
  }

  /** Called at once when the request was already made. */
  onInterrupt(listener: () => void): { dispose(): void } {
    if (this.received !== undefined) listener();
    else this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Waits, shorter when the request comes. */
  pause(ms: number): Promise<void> {
    return new Promise(resume => {
      const timer = setTimeout(end, ms);
      const waiting = this.onInterrupt(end);
      function end(): void {
        clearTimeout(timer);
        setImmediate(() => waiting.dispose());
        resume();
      }
    });
  }
}

/**
 * Turns signals to this process into an interruption. The second signal no longer waits: the process ends, and
 * with it every group it started.
 */
export function listenForSignals(interruption: Interruption): { dispose(): void } {
  const names = Object.keys(SIGNAL_EXIT_CODES) as EndSignal[];
  const onSignal = (signal: EndSignal): void => {
    // When a terminal closes, the system and its shell both hang up.
    if (signal === "SIGHUP" && interruption.signal === "SIGHUP") return;
    if (interruption.signal !== undefined) process.exit(SIGNAL_EXIT_CODES[signal]);
    interruption.interrupt(signal);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    dispose() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
