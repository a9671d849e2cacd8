import { splitWords } from "../../system/index.ts";

// The small program that an installation writes into the state home, and that starts the real one.

/** Before the state home that a program was installed in, behind what its wrapper starts. */
export const INSTALLED_IN = "--installed-in";

/** The first lines of every program text that an installation writes. */
export function isWrapper(text: string): boolean {
  return text.startsWith("#!/bin/sh\n# Written by amplihack ");
}

/** The words that a wrapper starts; undefined for any other file. */
export function wrappedCommand(text: string): readonly string[] | undefined {
  const line = isWrapper(text) ? /&& exec (.+) "\$@"$/m.exec(text)?.[1] : undefined;
  if (line === undefined) return undefined;
  const words = splitWords(line);
  const place = words.indexOf(INSTALLED_IN);
  return place < 0 ? words : words.slice(0, place);
}
