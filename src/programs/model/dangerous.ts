import { words } from "../../shell/index.ts";
import { allPrograms } from "./registry.ts";

/** Commands of shells that run text. */
const BUILTINS = "eval exec source";

let names: ReadonlySet<string> | undefined;

/** Programs that, named in text which could not be read, are reason enough to ask. */
export function dangerousNames(): ReadonlySet<string> {
  names ??= new Set([
    ...words(BUILTINS),
    ...allPrograms()
      .filter(program => program.is?.includes("dangerous") === true)
      .flatMap(program => words(program.names)),
  ]);
  return names;
}

/**
 * Names of dangerous programs in text that could not be analysed: a plain scan for words, quotes and backslashes
 * ignored. Answers each word once, in order.
 */
export function findDangerous(region: string): readonly string[] {
  const found = new Set<string>();
  const bare = region.replace(/[\\'"]/g, "");
  for (const match of bare.matchAll(/[A-Za-z][\w-]*/g)) {
    const word = match[0].toLowerCase();
    if (dangerousNames().has(word)) found.add(word);
    else if (word.startsWith("mkfs")) found.add("mkfs");
  }
  return [...found];
}
