import { type ParsedOptions, parseOptions } from "../options.ts";
import type { Builtin, Output } from "../state/types.ts";
import { concatenate, knownText, text } from "../value.ts";
import { runInner } from "../walk/inner.ts";

/** `command` and `builtin` stay in the shell, so `command cd x` moves it. */
const command: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-pvV", stopsAtOperand: true });
  if (parsed.has("v", "V")) return printPaths(parsed);
  const argv = parsed.operandValues;
  return runInner(argv, call, { isInShell: call.isInShell, skipsFunctions: true });
};

/** The name itself is as good as the path: rules look at base names. */
export function printPaths({ operands }: ParsedOptions): Output {
  const lines = operands.flatMap(({ value }) => {
    const known = knownText(value);
    const path =
      known === undefined || known.includes("/") ? value : text(`/usr/bin/${known}`, value.origins);
    return [path, text("\n")];
  });
  return [concatenate(lines)];
}

const builtin: Builtin = call => {
  const argv = parseOptions(call.argv, { stopsAtOperand: true }).operandValues;
  return runInner(argv, call, { isInShell: call.isInShell, skipsFunctions: true });
};

const exec: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-cl", values: "-a", stopsAtOperand: true });
  const argv = parsed.operandValues;
  return runInner(argv, call, { isCleared: call.isCleared || parsed.has("c") });
};

export const wrapperBuiltins: readonly (readonly [string, Builtin])[] = [
  ["command", command],
  ["builtin", builtin],
  ["exec", exec],
  ["noglob", builtin],
  ["nocorrect", builtin],
];
