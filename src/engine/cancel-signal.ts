/** Tells when work is to be given up. */
export interface CancelSignal {
  readonly isRaised: boolean;
  /** Calls back once when it is raised; never when it already was. Returns the way to unsubscribe. */
  subscribe(callback: () => void): () => void;
}

class Callbacks extends Set<() => void> {
  callOnce(): void {
    const callbacks = [...this];
    this.clear();
    for (const callback of callbacks) callback();
  }
}

/** Raised when the engine closes. */
export class CloseSignal implements CancelSignal {
  isRaised = false;
  private readonly callbacks = new Callbacks();
  private readonly joined = new WeakMap<AbortSignal, CancelSignal>();

  subscribe(callback: () => void): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  raise(): void {
    this.isRaised = true;
    this.callbacks.callOnce();
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

/** Listens to a signal only while there are subscribers: a signal may live as long as the session. */
class LinkedCancelSignal implements CancelSignal {
  private readonly signal: AbortSignal;
  private readonly closing: CloseSignal;
  private readonly callbacks = new Callbacks();
  private stopListening: (() => void) | undefined;

  constructor(signal: AbortSignal, closing: CloseSignal) {
    this.signal = signal;
    this.closing = closing;
  }

  get isRaised(): boolean {
    return this.signal.aborted || this.closing.isRaised;
  }

  subscribe(callback: () => void): () => void {
    this.callbacks.add(callback);
    this.stopListening ??= this.listen();
    return () => {
      this.callbacks.delete(callback);
      if (this.callbacks.size === 0) this.detach();
    };
  }

  private listen(): () => void {
    const raise = (): void => {
      this.detach();
      this.callbacks.callOnce();
    };
    const unsubscribe = this.closing.subscribe(raise);
    this.signal.addEventListener("abort", raise);
    return () => {
      unsubscribe();
      this.signal.removeEventListener("abort", raise);
    };
  }

  private detach(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }
}
