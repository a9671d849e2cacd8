export type MaybePromise<V> = V | Promise<V>;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  return typeof (value as { readonly then?: unknown }).then === "function";
}

/** Goes on at once with a value, later with a promise: what is synchronous stays so, without a microtask. */
export function andThen<V, W>(value: MaybePromise<V>, next: (value: V) => MaybePromise<W>): MaybePromise<W> {
  return isThenable(value) ? Promise.resolve(value as Promise<V>).then(next) : next(value);
}
