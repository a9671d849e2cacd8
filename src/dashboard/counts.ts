/** A name with how often it occurs. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** How often each name occurs, the most frequent first. Entries without a name are left out. */
export function countsOf<E>(
  entries: Iterable<E>,
  nameOf: (entry: E) => string | readonly string[],
): readonly Counted[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const names = nameOf(entry);
    for (const name of typeof names === "string" ? [names] : names)
      if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return mostFirst(counts);
}

export function mostFirst(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}
