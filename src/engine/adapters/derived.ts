/**
 * The same object with some members of its own. Everything else, also what is set later, is the original's: a client that
 * is connected through either of them is connected through both.
 */
export function derive<T extends object>(original: T, members: Readonly<Record<string, unknown>>): T {
  // A proxy may not answer differently for a frozen object, which has no state to share either.
  if (Object.isFrozen(original)) return derivedFromFrozen(original, members);
  return new Proxy(original, {
    get: (target, name, receiver) =>
      typeof name === "string" && Object.hasOwn(members, name)
        ? members[name]
        : Reflect.get(target, name, receiver),
  });
}

function derivedFromFrozen<T extends object>(original: T, members: Readonly<Record<string, unknown>>): T {
  const own = Object.entries(members).map(([name, value]) => [name, { value, enumerable: true }]);
  return Object.create(original, Object.fromEntries(own)) as T;
}
