/** Something that may be called off at any moment. */
export interface CancelSignal {
  readonly isRaised: boolean;
  /** Calls back once when it is raised; never when it already was. Returns the way to unsubscribe. */
  subscribe(callback: () => void): () => void;
}

/** Those who want to know, and the one who tells them. */
class Subscribers {
  private readonly callbacks = new Set<() => void>();

  get isEmpty(): boolean {
    return this.callbacks.size === 0;
  }

  add(callback: () => void): void {
    this.callbacks.add(callback);
  }

  remove(callback: () => void): void {
    this.callbacks.delete(callback);
  }

  tell(): void {
    const callbacks = [...this.callbacks];
    this.callbacks.clear();
    for (const callback of callbacks) callback();
  }
}

/** An cancel that its owner raises: the engine's closing. */
export class CloseSignal implements CancelSignal {
  isRaised = false;
  private readonly subscribers = new Subscribers();
  private readonly joined = new WeakMap<AbortSignal, CancelSignal>();

  subscribe(callback: () => void): () => void {
    this.subscribers.add(callback);
    return () => this.subscribers.remove(callback);
  }

  raise(): void {
    this.isRaised = true;
    this.subscribers.tell();
  }

  /** The host's signal or this, whichever comes first. A signal used by many dispatches gets one listener. */
  or(signal: AbortSignal | undefined): CancelSignal {
    if (signal === undefined) return this;
    const known = this.joined.get(signal);
    if (known !== undefined) return known;
    const fresh = new LinkedCancelSignal(signal, this);
    this.joined.set(signal, fresh);
    return fresh;
  }
}

/** Listens to a signal only while somebody wants to know: a signal may live as long as the session. */
class LinkedCancelSignal implements CancelSignal {
  private readonly signal: AbortSignal;
  private readonly closing: CloseSignal;
  private readonly subscribers = new Subscribers();
  private stopListening: (() => void) | undefined;

  constructor(signal: AbortSignal, closing: CloseSignal) {
    this.signal = signal;
    this.closing = closing;
  }

  get isRaised(): boolean {
    return this.signal.aborted || this.closing.isRaised;
  }

  subscribe(callback: () => void): () => void {
    this.subscribers.add(callback);
    this.stopListening ??= this.listen();
    return () => {
      this.subscribers.remove(callback);
      if (this.subscribers.isEmpty) this.rest();
    };
  }

  private listen(): () => void {
    const tell = (): void => {
      this.rest();
      this.subscribers.tell();
    };
    const forget = this.closing.subscribe(tell);
    this.signal.addEventListener("abort", tell);
    return () => {
      forget();
      this.signal.removeEventListener("abort", tell);
    };
  }

  private rest(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }
}
