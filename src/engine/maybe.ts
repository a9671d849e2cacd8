export type MaybePromise<V> = V | Promise<V>;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof Reflect.get(value, "then") === "function"
  );
}

/** Goes on at once with a value, later with a promise: what is synchronous stays so, without a microtask. */
export function andThen<V, W>(value: MaybePromise<V>, next: (value: V) => MaybePromise<W>): MaybePromise<W> {
  return isThenable(value) ? Promise.resolve(value as Promise<V>).then(next) : next(value);
}
