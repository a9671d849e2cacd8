import { ownValue } from "../protocol/index.ts";
import { didYouMean } from "../text/index.ts";
import {
  type LeafCommand,
  type OptionSpec,
  type OptionSpecs,
  option,
  type PositionalSpec,
} from "./command.ts";
import { type CommandError, usageError } from "./errors.ts";

export const GLOBAL_OPTIONS = {
  help: option.boolean("show this help", { short: "h" }),
  version: option.boolean("show the version", { short: "V" }),
  quiet: option.boolean("no progress and notices"),
  "no-color": option.boolean("no colours (NO_COLOR does the same)"),
} as const satisfies OptionSpecs;

type Value = boolean | string | number | readonly string[] | undefined;

export interface Parsed {
  readonly options: Readonly<Record<string, Value>>;
  readonly positionals: readonly string[];
  readonly rest: readonly string[];
}

/** Reads the words of one command. `path` is the command as typed, for messages: `amplihack recipe run`. */
export function parseWords(command: LeafCommand, words: readonly string[], path: string): Parsed {
  const fail = (message: string): CommandError =>
    usageError(message, `${path} --help`, command.usageExitCode);
  const parsed = readWords(command, words, path, fail);
  const { json, format, ...others } = parsed.options;
  if (json === undefined) return parsed;
  if (json === true && format !== undefined && format !== "json")
    throw fail(`--json and --format ${String(format)} contradict each other: give one of them`);
  const spec = command.options["format"];
  const initial = spec?.kind === "choice" ? spec.initial : undefined;
  return { ...parsed, options: { ...others, format: json === true ? "json" : (format ?? initial) } };
}

type Fail = (message: string) => CommandError;

function readWords(command: LeafCommand, words: readonly string[], path: string, fail: Fail): Parsed {
  const specs: OptionSpecs = { ...GLOBAL_OPTIONS, ...command.options };
  const values = initialValues(specs);
  // Which of --json and --format was typed is told by what is still undefined.
  if ("json" in command.options) values["format"] = undefined;
  const positionals: string[] = [];
  const isCommandLine = command.positionals?.at(-1)?.isCommandLine === true;
  const passOn = (index: number): Parsed => ({ options: values, positionals, rest: words.slice(index) });

  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === "--") return withWordsBehind(command, values, positionals, words.slice(index + 1));
    if (word.length < 2 || !word.startsWith("-")) {
      if (command.isPassThrough === true) return passOn(index);
      positionals.push(word);
      continue;
    }
    const found = findOption(specs, word);
    if (isCommandLine && positionals.length > 0 && (found === undefined || !word.startsWith("--"))) {
      positionals.push(word);
      continue;
    }
    if (found === undefined) {
      if (command.isPassThrough === true) return passOn(index);
      const bundle = expandBundle(specs, word);
      if (bundle === undefined) throw fail(unknownOption(specs, word, path));
      for (const name of bundle) values[name] = true;
      continue;
    }
    const { name, spec, attached } = found;
    if (spec.kind === "boolean") {
      // The agent may give a flag of the same name a value.
      if (attached !== undefined && command.isPassThrough === true) return passOn(index);
      if (attached !== undefined) throw fail(`--${name} takes no value`);
      values[name] = true;
      continue;
    }
    if ("bare" in spec && attached === undefined && (words[index + 1] ?? "-").startsWith("-")) {
      values[name] = spec.bare;
      continue;
    }
    const raw = attached ?? words[++index];
    if (raw === undefined) throw fail(`--${name} needs a value: ${describeValue(spec)}`);
    const kept = "sameAs" in spec ? (spec.sameAs ?? name) : name;
    values[kept] = readValue(name, spec, raw, values[kept], fail);
  }
  return { options: values, positionals, rest: [] };
}

/** Words behind `--` are no options: arguments that are still missing come first, then what is passed on. */
function withWordsBehind(
  command: LeafCommand,
  options: Parsed["options"],
  positionals: readonly string[],
  words: readonly string[],
): Parsed {
  const wanted = (command.positionals ?? []).filter(
    spec => spec.isOptional !== true || spec.isVariadic !== true,
  ).length;
  const taken = command.isPassThrough === true ? 0 : Math.max(0, wanted - positionals.length);
  return { options, positionals: [...positionals, ...words.slice(0, taken)], rest: words.slice(taken) };
}

/** Everything that must be there is there, and nothing besides. */
export function checkComplete(command: LeafCommand, parsed: Parsed, path: string): void {
  const specs = command.positionals ?? [];
  const fail = (message: string): CommandError =>
    usageError(message, `${path} --help`, command.usageExitCode);
  const absent = Object.entries(command.options).find(
    ([name, spec]) =>
      spec.kind === "string" && spec.isRequired === true && (parsed.options[name] ?? "") === "",
  );
  if (absent !== undefined) throw fail(`--${absent[0]} is required`);
  const missing = specs.find(
    (spec, index) => spec.isOptional !== true && parsed.positionals[index] === undefined,
  );
  if (missing !== undefined) throw fail(`missing ${missing.name}: ${missing.summary}`);
  const words =
    specs.at(-1)?.isCommandLine === true ? parsed.positionals.slice(0, specs.length) : parsed.positionals;
  const empty =
    specs[
      Math.min(
        words.findIndex(word => word.trim() === ""),
        specs.length - 1,
      )
    ];
  if (empty !== undefined && empty.mayBeEmpty !== true)
    throw fail(`${empty.name} is empty: ${empty.summary}`);
  const isOpen = specs.at(-1)?.isVariadic === true;
  const readsRest = command.isPassThrough === true || command.wordsBehind !== undefined;
  const extra = parsed.positionals[specs.length] ?? (readsRest ? undefined : parsed.rest[0]);
  if (!isOpen && extra !== undefined)
    throw fail(`unexpected argument '${extra}': ${path} ${expected(specs, command.wordsBehind)}`);
}

function expected(specs: readonly PositionalSpec[], wordsBehind = ""): string {
  const names = specs.map(({ name }) => name);
  // `-- COMMAND`; `[-- PATH…]` may be left out.
  if (wordsBehind.startsWith("-- ")) names.push(wordsBehind);
  return names.length === 0 ? "takes no arguments" : `takes only ${names.join(" ")}`;
}

function initialValues(specs: OptionSpecs): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [name, spec] of Object.entries(specs)) {
    if (spec.kind === "boolean") values[name] = false;
    else if (spec.kind === "choice") values[name] = spec.initial;
    else values[name] = spec.kind === "string" && spec.isRepeatable === true ? [] : undefined;
  }
  return values;
}

interface FoundOption {
  readonly name: string;
  readonly spec: OptionSpec;
  readonly attached: string | undefined;
}

function findOption(specs: OptionSpecs, word: string): FoundOption | undefined {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
    const spec = ownValue(specs, name);
    return spec && { name, spec, attached: equals < 0 ? undefined : word.slice(equals + 1) };
  }
  const found = Object.entries(specs).find(([, spec]) => spec.short === word[1]);
  if (found === undefined) return undefined;
  const [name, spec] = found;
  if (word.length === 2) return { name, spec, attached: undefined };
  if (spec.kind === "boolean") return undefined;
  return { name, spec, attached: word[2] === "=" ? word.slice(3) : word.slice(2) };
}

/** `-vq` as two flags; undefined when any letter is no flag. */
function expandBundle(specs: OptionSpecs, word: string): readonly string[] | undefined {
  if (word.startsWith("--")) return undefined;
  const names: string[] = [];
  for (const letter of word.slice(1)) {
    const found = Object.entries(specs).find(([, spec]) => spec.short === letter);
    if (found === undefined || found[1].kind !== "boolean") return undefined;
    names.push(found[0]);
  }
  return names;
}

function readValue(
  name: string,
  spec: Exclude<OptionSpec, { kind: "boolean" }>,
  raw: string,
  before: Value,
  fail: Fail,
): Value {
  if (spec.kind === "choice") {
    const value = spec.synonyms?.[raw] ?? raw;
    if (spec.choices.includes(value)) return value;
    const allowed = spec.choices.join(", ");
    if (name === "format") throw fail(`Invalid format: ${raw}. Must be one of ${allowed}`);
    throw fail(`--${name} must be one of ${allowed}, not '${raw}'${didYouMean(raw, spec.choices)}`);
  }
  if (spec.kind === "number") {
    const isNumber = /^\d+(\.\d+)?$/.test(raw);
    const { minimum = 0, maximum } = spec;
    const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    if (!isNumber || Number(raw) < minimum || Number(raw) > (maximum ?? Number.POSITIVE_INFINITY)) {
      throw fail(`--${name} must be a number ${range}, not '${raw}'`);
    }
    return Number(raw);
  }
  return spec.isRepeatable === true ? [...((before as readonly string[] | undefined) ?? []), raw] : raw;
}

function describeValue(spec: Exclude<OptionSpec, { kind: "boolean" }>): string {
  return spec.kind === "choice" ? spec.choices.join("|") : spec.label;
}

function unknownOption(specs: OptionSpecs, word: string, path: string): string {
  const typed = word.replace(/=.*$/s, "");
  const visible = Object.entries(specs).filter(([, spec]) => spec.isHidden !== true);
  const names = visible.map(([name]) => `--${name}`);
  return `unknown option '${typed}' for ${path}${didYouMean(typed, names)}`;
}
