/** Names in a row, for tables that would otherwise be a column of quotes. */
export function words(text: string): readonly string[] {
  // Without a pattern: the tables are read at every start, and small engines match slowly.
  return text
    .replaceAll("\n", " ")
    .split(" ")
    .filter(word => word !== "");
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text));
}
