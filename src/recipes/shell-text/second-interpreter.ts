import { basename } from "../../system/index.ts";
import type { PlaceholderUse } from "./render-shell.ts";

interface Interpreter {
  readonly names: RegExp;
  readonly isProgram: (words: readonly string[], index: number) => boolean;
}

/** Programs that read the word after a flag as program text, also behind another program: `xargs sh -c …`. */
const FLAGGED: readonly Interpreter[] = [
  { names: /^(?:ba|da|z|k)?sh$/, isProgram: isAfterFlag(/^-[a-z]*c$/) },
  { names: /^python[0-9.]*$/, isProgram: isAfterFlag(/^-c$/) },
  { names: /^(?:node|perl|ruby)$/, isProgram: isAfterFlag(/^-[a-z]*[ep]$|^--eval$/) },
];
/** Programs that read some of their words as program text, and which. */
const INTERPRETERS: readonly Interpreter[] = [
  ...FLAGGED,
  { names: /^(?:eval|ssh)$/, isProgram: () => true },
  { names: /^trap$/, isProgram: isFirstPlainWord(/^$/) },
  { names: /^jq$/, isProgram: isFirstPlainWord(/^--(?:arg|argjson|slurpfile|rawfile)$/) },
  { names: /^[gm]?awk$/, isProgram: isFirstPlainWord(/^$/) },
];

/** Those of them that also take a program from their input. */
const READS_INPUT = /^(?:(?:ba|da|z|k)?sh|python[0-9.]*|node|perl|ruby|ssh)$/;
/** Programs whose words are words, whatever they spell. */
const PLAIN = /^(?:echo|printf|test|\[|\[\[)$/;
const PREFIXES = /^(?:sudo|env|exec|command|nohup|time|builtin)$/;

/** Why no quoting protects this placeholder; undefined when quoting does. */
export function unprotectedUse(use: PlaceholderUse): string | undefined {
  if (use.quoting === "comment") return undefined;
  if (use.quoting === "arithmetic") return "arithmetic";
  const start = use.words.findIndex(word => !/^\w+=/.test(word) && !PREFIXES.test(word));
  if (start < 0) return undefined;
  const words = use.words.slice(start);
  const program = basename(words[0] ?? "");
  if (use.wordIndex < 0)
    return use.quoting === "heredoc" && READS_INPUT.test(program) ? `the input of ${program}` : undefined;
  return programTextOf(words, use.wordIndex - start);
}

function programTextOf(words: readonly string[], index: number): string | undefined {
  for (let at = 0; at < index; at++) {
    const name = basename(words[at] ?? "");
    const known = (at === 0 ? INTERPRETERS : FLAGGED).find(({ names }) => names.test(name));
    if (known?.isProgram(words.slice(at), index - at)) return `program text of ${name}`;
    if (at === 0 && PLAIN.test(name)) return undefined;
  }
  return undefined;
}

function isAfterFlag(flag: RegExp) {
  return (words: readonly string[], index: number): boolean => flag.test(words[index - 1] ?? "");
}

/** The first word that is neither an option nor the two values of an option that takes two. */
function isFirstPlainWord(takesTwo: RegExp) {
  return (words: readonly string[], index: number): boolean => {
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? "";
      if (takesTwo.test(word)) at += 2;
      else if (!word.startsWith("-")) return at === index;
    }
    return false;
  };
}
