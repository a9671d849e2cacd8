import type { OwnProgram } from "../../config/index.ts";
import {
  describe,
  type Invocation,
  isKnown,
  knownText,
  parseOptions,
  text,
  type Value,
  words,
} from "../../shell/index.ts";
import { readFind } from "../records/find-expression.ts";
import { readOwnCall } from "../records/own-commands.ts";
import { isCompleteWord } from "../records/shell-words.ts";
import { ownPrograms } from "./own-programs.ts";
import type { KnownCall, Missing, Program } from "./program.ts";
import { canonicalName, findProgram, isOfReachingField } from "./registry.ts";

const EMPTY: Value = { pieces: [], origins: [] };

export const MAY_BE_OPTION = "a word that is not known may be an option";

/** What is not known of a started program, by its record. Nothing only where the record says that it is complete. */
export function findMissing(invocation: Invocation, own: readonly OwnProgram[]): readonly Missing[] {
  const { program: name, argv } = invocation;
  const shown = describe(argv[0] ?? EMPTY);
  if (name === undefined) return [{ kind: "value", what: shown, why: "which program runs is not known" }];
  if (own.length > 0 && ownPrograms(own).find(name) !== undefined) return [incomplete(name)];
  if (shown === name && (isCompleteWord(name, argv) || onlyLooks(invocation))) return [];
  const record = findProgram(name);
  if (record?.complete === undefined) return [incomplete(name)];
  return missingIn(record, canonicalName(name, record), invocation);
}

/** Whether it works with another machine, a service or other processes, where not all of it is known. */
export function reachesOut({ program: name, argv }: Invocation): boolean {
  const record = name === undefined ? undefined : findProgram(name);
  if (record === undefined) return false;
  const { reaches, bringsHere } = record;
  if (reaches === undefined) return bringsHere !== undefined || isOfReachingField(record);
  const [first] = parseOptions(record.rewrite?.(argv) ?? argv, record.options ?? {}).operandValues;
  return words(reaches).some(word => word === "*" || word === knownText(first ?? EMPTY));
}

/** A command of this program that only shows; another program of its name is found by its folder. */
function onlyLooks({ program, argv, isOpenEnded }: Invocation): boolean {
  if (program !== "amplihack" || isOpenEnded || argv.some(word => knownText(word) === undefined))
    return false;
  return readOwnCall(argv.slice(1)).onlyLooks;
}

function incomplete(name: string): Missing {
  return { kind: "program", what: name, why: "not everything that it does is known" };
}

function missingIn(record: Program, name: string, invocation: Invocation): readonly Missing[] {
  const complete = record.complete === true ? {} : (record.complete ?? {});
  if (complete.names !== undefined && !words(complete.names).includes(name)) return [incomplete(name)];
  const argv = record.rewrite?.(invocation.argv) ?? invocation.argv;
  const options = parseOptions(argv, record.options ?? {});
  const { pipeline } = invocation;
  const call: KnownCall = {
    program: name,
    argv,
    options,
    operands: options.operandValues,
    stdin: invocation.stdin,
    isPiped: pipeline !== undefined && pipeline.index < pipeline.length - 1,
  };
  const found = [
    ...(record.options === undefined ? [] : missingOptions(record, call)),
    ...missingPlaces(complete.fixed, call),
  ];
  const other = complete.gap?.(call);
  return other === undefined ? found : [...found, other];
}

/** `cp *.txt` copies over the last of them. */
function missingPlaces(fixed: "first" | "last" | "all" | undefined, call: KnownCall): readonly Missing[] {
  const { operands, program: what } = call;
  const decisive = { first: operands.slice(0, 1), last: operands.slice(-1), all: operands, none: [] };
  return decisive[fixed ?? "none"].some(word => knownText(word) === undefined)
    ? [{ kind: "value", what, why: "a word whose place matters is not known" }]
    : [];
}

function missingOptions({ complete, options: grammar }: Program, call: KnownCall): readonly Missing[] {
  const { except: open = "", only, filters = "" } = typeof complete === "object" ? complete : {};
  const [except, told] = [words(open), only === undefined ? undefined : words(only)];
  const { options, hasUnknownOption } = call.options;
  // `grep --include=*.ts`: whatever the shell finds for the pattern begins with the option.
  const isFilter = (index: number, { pieces }: Value) =>
    words(filters).includes(/^--([\w-]+)=/.exec(describe(call.argv[index] ?? EMPTY))?.[1] ?? "") &&
    pieces.every(({ kind }) => kind !== "unknown");
  const missing = options.flatMap(({ name, isInGrammar, value, index }): readonly Missing[] => {
    const what = `${call.program} ${name.length === 1 && grammar?.isSingleDash !== true ? "-" : "--"}${name}`;
    if (!isInGrammar) return [{ kind: "option", what, why: "this option is not known" }];
    if (except.includes(name) || told?.includes(name) === false)
      return [{ kind: "option", what, why: "not everything that this option does is known" }];
    return value !== undefined && !isKnown(value) && knownText(value) === undefined && !isFilter(index, value)
      ? [{ kind: "value", what, why: "the value of this option is not known" }]
      : [];
  });
  return hasUnknownOption ? [...missing, { kind: "value", what: call.program, why: MAY_BE_OPTION }] : missing;
}

/** Words of `find` that print something else than names, start something, or lead out of where it searches. */
const OTHER_OUTPUT = /^-(?:f?printf?0?|f?ls|exec(?:dir)?|ok(?:dir)?|L|H|follow|delete|files0-from)$/;
const PLAIN_OUTPUT = /^-print0?$/;
/** Options with which lines are chosen and stay as they are. */
const CHOOSES: Readonly<Record<string, string>> = {
  head: "n z q",
  tail: "n z q",
  sort: "r u n z f V",
  tac: "",
  grep: "v i E F e w x P z invert-match ignore-case",
};

/** Names of files below these folders that match one of the patterns, if there are any; those that git tracks. */
export interface Printed {
  readonly starts: readonly Value[];
  readonly names?: readonly string[];
  readonly isTracked?: boolean;
  /** folders too, and those where it starts */
  readonly hasFolders?: boolean;
}

/**
 * The folders whose files a program prints the names of, nothing else; `chosen` when it hands on lines that come in, none
 * changed. Undefined when it prints more, or that is not known.
 */
export function namesFrom({ program: name, argv }: Invocation): Printed | "chosen" | undefined {
  const shown = argv.slice(1).map(word => knownText(word));
  const isFilter = (word: Value | undefined) =>
    /^--(?:include|exclude|exclude-dir|glob)=/.test(describe(word ?? EMPTY));
  if (name === undefined || shown.some((word, at) => word === undefined && !isFilter(argv[at + 1])))
    return undefined;
  if (name === "find") {
    if (shown.some(word => OTHER_OUTPUT.test(word ?? "") && !PLAIN_OUTPUT.test(word ?? ""))) return undefined;
    const { starts, names, isNamed } = readFind(argv, false);
    return { starts, hasFolders: true, ...(isNamed ? { names } : {}) };
  }
  if (name === "git")
    return shown[0] === "ls-files" && shown.length === 1
      ? { starts: [text(".")], isTracked: true }
      : undefined;
  const record = findProgram(name);
  const parsed = parseOptions(record?.rewrite?.(argv) ?? argv, record?.options ?? {});
  const { options, operandValues } = parsed;
  const has = (...names: readonly string[]) => parsed.has(...names);
  const [searches, lists] = [/^(?:[ef]?grep|rg)$/.test(name), has("l", "files-with-matches", "L", "files")];
  if (searches && lists) {
    if (has("c", "o", "follow", "R", "dereference-recursive", "json", "f", "file")) return undefined;
    if (name !== "rg" && !has("r", "recursive")) return undefined;
    // With ripgrep `-L` follows links.
    if (name === "rg" && has("L")) return undefined;
    const isGiven = has("e", "regexp") || (name === "rg" && has("files"));
    const starts = isGiven ? operandValues : operandValues.slice(1);
    return { starts: starts.length === 0 ? [text(".")] : starts };
  }
  const chosen = CHOOSES[name];
  if (chosen === undefined || !options.every(one => words(chosen).includes(one.name))) return undefined;
  return operandValues.length > (name === "grep" && !has("e") ? 1 : 0) ? undefined : "chosen";
}

/** Programs that it starts by itself, whatever its words are. */
export function startedBy({ program: name }: Invocation): readonly string[] {
  const complete = name === undefined ? undefined : findProgram(name)?.complete;
  return typeof complete === "object" ? words(complete.starts ?? "") : [];
}

/** It makes words for another program of what it reads. */
export function handsOnWords({ program: name }: Invocation): boolean {
  return name === "xargs" || name === "parallel";
}

/** With any words, it changes nothing: it has no effects of its own but reading. */
export function onlyReads({ program: name }: Invocation): boolean {
  const record = name === undefined ? undefined : findProgram(name);
  return record?.complete !== undefined && record.effects === undefined && record.effectsAfter === undefined;
}
