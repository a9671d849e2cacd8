/** Command lines as text: quotes and backslashes as every POSIX shell reads them, and nothing else of a shell. */

/** The words, quotes removed; nothing is expanded. A quote that is not closed takes the rest. */
export function splitWords(commandLine: string): readonly string[] {
  const pattern = /(?:[^\s"'\\]|\\.|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|\\$)+/gs;
  return (commandLine.match(pattern) ?? []).map(word =>
    word.replace(/\\(.)|"((?:\\.|[^"\\])*)"?|'([^']*)'?/gs, (_, escaped, double, single) => {
      if (escaped !== undefined) return String(escaped);
      return double === undefined ? String(single) : String(double).replace(/\\([$`"\\])/g, "$1");
    }),
  );
}

/** A word that every POSIX shell reads back as it is. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_/.:=@%+,-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
