import {
  describe,
  dropKnown,
  type Invocation,
  knownPrefix,
  knownText,
  text,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { harmlessUse, startsWithAny } from "../model/harmless.ts";
import { findProgram, tellsChanges } from "../model/registry.ts";
import { isSearched } from "./other-languages.ts";
import { isOwnName } from "./own-wrapper.ts";

/** Options that name a file which is written, whoever has them. */
const OUTPUT_OPTION = /^(?:-[ow]|(?=[\s\S]*(?:out|report|xml|log|save|dest|write))--?[\w-]*)$/i;
const MAX_WORDS = 256;

/**
 * Words of a program that may name files which it changes, beyond what its effects tell. Of a program whose changes are
 * known these are the values of options for output; of any other every word may be one, save those that it hands on to
 * a program it starts.
 */
export function changedWords(
  invocation: Invocation,
  isHandedOn: (word: string) => boolean,
): readonly Value[] {
  const { program, argv } = invocation;
  const words = argv.slice(1, MAX_WORDS);
  // Git is read by its own grammar, and our own program by its own table.
  if (words.length === 0 || program === "git" || isOwnName(describe(wordAt(argv, 0)))) return [];
  const shown = words.map(describe);
  const use = program === undefined ? undefined : harmlessUse(program, shown);
  if (use === "reads" || readsDatabase(invocation, shown)) return [];
  if (use === "runs" || tellsAllChanges(invocation)) return outputValues(words, shown);
  const script = scriptAt(invocation, shown);
  const isCode = program !== undefined && isSearched(program);
  return words.flatMap((word, index) =>
    index === script || isHandedOn(shown[index] ?? "") || IS_USED.test(usedBy(shown, index))
      ? []
      : isCode
        ? [...stringsIn(word), ...namesIn(word)]
        : namesIn(word),
  );
}

/** Options whose value is a file that the program only logs in or fills variables with. */
const IS_USED = /^--(?:secret|ssh|env-file|identity-file|cacert|cert|key)$/;

function usedBy(shown: readonly string[], index: number): string {
  return /^--[\w-]+(?==)/.exec(shown[index] ?? "")?.[0] ?? shown[index - 1] ?? "";
}

const SQLITE_READING =
  /^(?:select|values|explain|pragma\s+(?:\w+\.)?(?:(?:integrity|quick|foreign_key)_check|(?:table|index|database)_(?:info|x?list)|user_version|journal_mode)\b(?!\s*=|\()|pragma\s+\w+_(?:info|list)\([^)]*\)$|\.(?:tables|schema|fullschema|dump|headers?|mode|indexes|databases|show|width)\b|$)/i;

/** Functions of its command line that do more than read: they write a file, load code, or start a program. */
const SQLITE_ACTING = /\b(?:writefile|load_extension|edit)\s*\(/i;

/** `sqlite3 -readonly FILE`, or statements on its command line that only read. */
function readsDatabase({ program, stdin }: Invocation, shown: readonly string[]): boolean {
  if (program !== "sqlite3" || shown.some(word => /^--?(?:cmd|init)/.test(word))) return false;
  if (shown.some(word => /^--?readonly$/.test(word))) return true;
  const [, ...statements] = shown.filter(word => !word.startsWith("-"));
  if (statements.length === 0 || stdin !== undefined) return false;
  if (statements.some(text => SQLITE_ACTING.test(text))) return false;
  return statements.flatMap(text => text.split(";")).every(text => SQLITE_READING.test(text.trim()));
}

/** Texts in quotes, in a language that nobody reads here. */
function stringsIn(word: Value): readonly Value[] {
  return [...describe(word).matchAll(/(["'])([^"'\s]{1,500})\1/g)].map(([, , inner = ""]) => text(inner));
}

function outputValues(words: readonly Value[], shown: readonly string[]): readonly Value[] {
  return words.flatMap((word, index) => {
    if (OUTPUT_OPTION.test(shown[index - 1] ?? "")) return [word];
    const [option = "", value] = /^(--?[\w-]+)=/.exec(knownPrefix(word)) ?? [];
    if (value !== undefined && OUTPUT_OPTION.test(value)) return [dropKnown(word, option.length)];
    return /^-[ow][^-=]/.test(knownPrefix(word)) ? [dropKnown(word, 2)] : [];
  });
}

/** The program text of an interpreter is run, not changed. */
function scriptAt({ program = "" }: Invocation, shown: readonly string[]): number {
  const isInterpreter =
    program === "bun" || program === "deno" || findProgram(program)?.language !== undefined;
  return isInterpreter ? shown.findIndex(word => !word.startsWith("-") && word !== "run") : -1;
}

/** A word as a file, and what stands behind the signs that join a name to something else: `-oX`, `key=X`, `X:/mnt`. */
function namesIn(word: Value): readonly Value[] {
  const known = knownText(word);
  if (known === undefined) {
    const front = /^(?:-[A-Za-z]|[\w-]+[=:])/.exec(knownPrefix(word))?.[0].length ?? 0;
    return front === 0 ? [word] : [word, dropKnown(word, front)];
  }
  if (known.includes("://")) return [];
  // Of a sentence only what is assigned in it can be a file: `dest=X mode=600`.
  if (/\s/.test(known))
    return [...known.matchAll(/(?:^|\s)[\w.-]+=(\S+)/g)].map(([, name = ""]) => text(name));
  const names = /[:=,@]/.test(known) ? known.split(/[:=,@]/) : [];
  const glued = /^-[A-Za-z](?=[^-=])/.test(known) ? [known.slice(2)] : [];
  return [word, ...[...names, ...glued].filter(name => name !== "").map(name => text(name))];
}

const HELP = /^(--help|--version|-V|-version)$/;
const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?|opt\/homebrew\/)?s?bin\//;

/**
 * Everything that this program may change is in its effects, or it changes nothing. What it starts is another
 * invocation and counts by itself.
 */
export function tellsAllChanges({ program, argv, isOpenEnded }: Invocation): boolean {
  const name = knownText(wordAt(argv, 0));
  // A file of that name in the project is another program.
  if (program === undefined || (name?.includes("/") === true && !SYSTEM_PROGRAM.test(name))) return false;
  const record = findProgram(program);
  // Words that follow from a list may name what it changes.
  if (record !== undefined && tellsChanges(record) && (!isOpenEnded || record.effects === undefined))
    return true;
  const given = argv.slice(1).map(describe);
  const [first = ""] = given;
  if (given.length === 1 && HELP.test(first)) return true;
  const { shows = "", bringsHere } = record ?? {};
  if (startsWithAny(shows, first)) return true;
  if (bringsHere !== undefined) return !given.slice(0, 3).some(word => startsWithAny(bringsHere, word));
  return harmlessUse(program, given) === "reads";
}
