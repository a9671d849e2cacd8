import type { ProcessResult, System } from "./system.ts";

/** The environment of this process, with some names changed or (undefined) taken out. */
export function childEnvironment(
  system: Pick<System, "env">,
  changes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const name of system.env.names()) {
    const value = Object.hasOwn(changes, name) ? undefined : system.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(changes)) if (value !== undefined) env[name] = value;
  return env;
}

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

/** Quotes a word for any POSIX shell, where it needs quotes. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(word) ? word : singleQuoted(word);
}

/** A word in quotes, so that no shell takes it for a keyword or an alias either. */
export function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** How a program ended, in words that follow its name. */
export function describeEnd(end: ProcessResult["end"], timeoutMs?: number): string {
  switch (end.kind) {
    case "exit":
      return `ended with code ${end.code}`;
    case "signal":
      return `was ended by ${end.signal}`;
    case "not-started":
      return `could not be started (${end.code})`;
    case "timeout":
      return timeoutMs === undefined
        ? "did not end in time"
        : `gave no answer within ${Math.round(timeoutMs)} ms`;
    case "stopped":
      return "was stopped";
    case "overflow":
      return "printed too much";
  }
}
