import type { OwnProgram } from "../../config/index.ts";
import {
  describe,
  type Invocation,
  isKnown,
  knownText,
  parseOptions,
  type Value,
  words,
} from "../../shell/index.ts";
import { readOwnCall } from "../records/own-commands.ts";
import { isCompleteWord } from "../records/shell-words.ts";
import { ownPrograms } from "./own-programs.ts";
import type { KnownCall, Missing, Printed, Program } from "./program.ts";
import { canonicalName, findProgram, hasTrait, isOfReachingField } from "./registry.ts";

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

/** Some records are complete for some of their names only. */
function isCompleteFor(name: string, record: Program): boolean {
  const names = typeof record.complete === "object" ? record.complete.names : undefined;
  return names === undefined || words(names).includes(canonicalName(name, record));
}

function missingIn(record: Program, name: string, invocation: Invocation): readonly Missing[] {
  const complete = record.complete === true ? {} : (record.complete ?? {});
  if (!isCompleteFor(name, record)) return [incomplete(name)];
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

/**
 * The files whose names a program prints, nothing else; `chosen` when it hands on lines that come in, none changed.
 * Undefined when it prints more, or that is not known.
 */
export function namesFrom({ program: name, argv }: Invocation): Printed | "chosen" | undefined {
  const record = name === undefined ? undefined : findProgram(name);
  if (name === undefined || record === undefined || !isCompleteFor(name, record)) return undefined;
  const isFilter = (word: Value | undefined) =>
    /^--(?:include|exclude|exclude-dir|glob)=/.test(describe(word ?? EMPTY));
  if (argv.some((word, at) => at > 0 && knownText(word) === undefined && !isFilter(word))) return undefined;
  const options = parseOptions(record.rewrite?.(argv) ?? argv, record.options ?? {});
  const printed = record.prints?.({ program: name, argv, options, operands: options.operandValues });
  if (printed !== undefined || record.chooses === undefined) return printed;
  const chosen = words(record.chooses);
  if (!options.options.every(one => chosen.includes(one.name))) return undefined;
  // A pattern stands in front of the files.
  const isText = record.reads?.text !== undefined && !options.has(...words(record.reads.text));
  return options.operandValues.length > (isText ? 1 : 0) ? undefined : "chosen";
}

/** Programs that it starts by itself, whatever its words are. */
export function startedBy({ program: name }: Invocation): readonly string[] {
  const complete = name === undefined ? undefined : findProgram(name)?.complete;
  return typeof complete === "object" ? words(complete.starts ?? "") : [];
}

/** It makes words for another program of what it reads. */
export function handsOnWords({ program: name }: Invocation): boolean {
  return hasTrait(name, "makesWords");
}

/** With any words, it changes nothing: it has no effects of its own but reading. */
export function onlyReads({ program: name }: Invocation): boolean {
  const record = name === undefined ? undefined : findProgram(name);
  return record?.complete !== undefined && record.effects === undefined && record.effectsAfter === undefined;
}
