import { baseName } from "../../shell/index.ts";
import { splitWords } from "../../system/index.ts";

// The small program that an installation writes into the state home, and that starts the real one.

/** `amplihack`, `amplihack.cjs`, `npm:amplihack@1.2.3`: the command line of this package, however it is spelled. */
const OWN_NAME = /^(?:npm:)?amplihack(\.(c?js|mjs|ts|cmd|ps1|exe))?(@[^/]*)?$/i;
/** Text near the beginning of the files by which this program is started: the bundle, and what an installation writes. */
const OWN_TEXT = /^#!\/bin\/sh\n# Written by amplihack |amplihack could not start/;

const OWN_NAME_LENGTH = "amplihack".length;

export function isOwnName(word: string): boolean {
  return word.length >= OWN_NAME_LENGTH && OWN_NAME.test(baseName(word));
}

/** Whether a file is a copy of what starts this program, whatever it is called. */
export function isOwnText(content: string): boolean {
  return OWN_TEXT.test(content);
}

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
