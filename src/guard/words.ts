/** Names in a row, for tables that would otherwise be a column of quotes. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text));
}
