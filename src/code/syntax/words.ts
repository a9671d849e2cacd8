/** What words mean; a row holds several words, separated by blanks. */
export function wordMap<Meaning>(
  rows: readonly (readonly [words: string, meaning: Meaning])[],
): ReadonlyMap<string, Meaning> {
  return new Map(rows.flatMap(([words, meaning]) => words.split(" ").map(word => [word, meaning] as const)));
}
