/** Something that may be called off at any moment. */
export interface Interruption {
  readonly isRaised: boolean;
  /** Calls back once when it is raised; never when it already was. Returns the way to unsubscribe. */
  subscribe(callback: () => void): () => void;
}

/** An interruption that its owner raises: the engine's closing. */
export class Closing implements Interruption {
  isRaised = false;
  private readonly callbacks = new Set<() => void>();

  subscribe(callback: () => void): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  raise(): void {
    this.isRaised = true;
    const callbacks = [...this.callbacks];
    this.callbacks.clear();
    for (const callback of callbacks) callback();
  }
}

/** The host's signal for one dispatch, or the engine's closing, whichever comes first. */
export function interruptionOf(closing: Closing, signal: AbortSignal | undefined): Interruption {
  if (signal === undefined) return closing;
  return {
    get isRaised() {
      return signal.aborted || closing.isRaised;
    },
    subscribe(callback) {
      const once = (): void => {
        unsubscribe();
        callback();
      };
      const forget = closing.subscribe(once);
      const unsubscribe = (): void => {
        forget();
        signal.removeEventListener("abort", once);
      };
      signal.addEventListener("abort", once, { once: true });
      return unsubscribe;
    },
  };
}
