import { LIMITS } from "../limits.ts";
import { blend, combine, concatenate, text } from "../value.ts";
import { uniteValues } from "./state.ts";
import type { Output } from "./types.ts";

/** A command that never prints: joining and uniting outputs leaves it out. */
export const NO_OUTPUT: Output = [text("")];

/** One alternative among others: that nothing is printed. */
export const EMPTY_OUTPUT: Output = [text("")];

const PIECES = 64;

/** One after the other. */
export function appendOutput(first: Output, second: Output): Output {
  if (first === NO_OUTPUT || first.length === 0) return second;
  if (second === NO_OUTPUT || second.length === 0) return first;
  const chosen = combine([first, second], LIMITS.alternatives);
  if (chosen === undefined) return [blend([...first, ...second], "output")];
  return chosen.map(values => {
    const joined = concatenate(values);
    return joined.pieces.length > PIECES ? blend([joined], "output") : joined;
  });
}

/** One or the other. */
export function eitherOutput(...outputs: readonly Output[]): Output {
  const filled = outputs.filter(output => output !== NO_OUTPUT && output.length > 0);
  if (filled.length === 0) return NO_OUTPUT;
  return filled.length === 1 ? (filled[0] ?? NO_OUTPUT) : uniteValues(filled, "output");
}
