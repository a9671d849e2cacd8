/** The same object with some members of its own: an instance stays one of its class, and the original is not changed. */
export function derive<T extends object>(original: T, members: Readonly<Record<string, unknown>>): T {
  const descriptors = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      { value, enumerable: true, writable: true, configurable: true },
    ]),
  );
  return Object.create(original, descriptors) as T;
}
