import { describe, type OperationEffect, parseOptions } from "../../shell/index.ts";
import { isTrial, onlyTells } from "./operations.ts";
import type { ParsedCall } from "./program.ts";
import { MAX_COMMAND_WORDS, saidBy, UNKNOWN } from "./unknown.ts";
import { isWork, nameParts, onlyLooks, reachesBeyond } from "./vocabulary.ts";

// Where everything changes something of value, a word is not harmless because no list of harm has it: services, and the
// machine itself.

const PLAIN_WORD = /^[A-Za-z][\w:-]*$/;

/**
 * With a service a word that is neither a look nor a day's work is no harmless one, nor is work on more than is named:
 * `postgres detach db`, `taint nodes --all`.
 */
export function unusualWork(program: string, call: ParsedCall): readonly OperationEffect[] {
  const { operandValues, options } = call.options;
  if (onlyTells(call.options) || call.argv.some(isTrial)) return [];
  const shown = operandValues.slice(0, MAX_COMMAND_WORDS).map(describe);
  const command = shown.filter(word => PLAIN_WORD.test(word)).map(nameParts);
  // A single word says what is looked at, or opens it.
  if (command.some(onlyLooks) || call.argv.length < 3 || command.length === 0) return [];
  const isForced = options.some(({ name, value }) => value === undefined && reachesBeyond(name));
  if (!isForced && (command.length < 2 || command.flat().some(isWork))) return [];
  return [saidBy(program, call, shown, "cloud.other", "change something in a way that is not known")];
}

/** Of what administers the machine, or is started with the rights of root, only looking is harmless. */
export function administers(
  program: string,
  call: ParsedCall,
  looks: readonly string[] | undefined,
): readonly OperationEffect[] {
  const { options, operandValues } = parseOptions(call.argv, UNKNOWN);
  if (call.argv.length < 2 || onlyTells(call.options) || call.argv.some(isTrial)) return [];
  const shown = operandValues.map(describe);
  if (looks === undefined && shown.length === 0) return [];
  // `hdfs dfs -du`
  const written = call.argv.slice(1, MAX_COMMAND_WORDS).map(word => describe(word).replace(/^-+/, ""));
  const names = [...options.map(({ name }) => name), ...shown.slice(0, MAX_COMMAND_WORDS), ...written];
  if (names.some(name => looks?.includes(name) === true || onlyLooks(nameParts(name)))) return [];
  return [saidBy(program, call, shown, "cloud.other", "change the machine itself")];
}
