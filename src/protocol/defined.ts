type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The members that have a value, so that an absent one is left out and not `undefined`. */
export function defined<T extends object>(
  members: T,
): Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as ReturnType<typeof defined<T>>;
}
