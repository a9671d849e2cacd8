import { parseOptions } from "../options.ts";
import { placeModels } from "../outputs/places.ts";
import type { Model } from "../walk/call.ts";
import { NO_OUTPUT } from "../walk/output.ts";
import { runInner } from "./inner.ts";

const which = new Map(placeModels).get("which");

/** `command` and `builtin` stay in the shell, so `command cd x` moves it. */
const command: Model = (call, id) => {
  const parsed = parseOptions(call.argv, { flags: ["p", "v", "V"], stopsAtOperand: true });
  if (parsed.has("v", "V")) return which?.(call, id) ?? NO_OUTPUT;
  const argv = parsed.operands.map(operand => operand.value);
  return runInner(argv, call, id, { isInShell: call.isInShell, skipsFunctions: true });
};

const builtin: Model = (call, id) => {
  const argv = parseOptions(call.argv, { stopsAtOperand: true }).operands.map(operand => operand.value);
  return runInner(argv, call, id, { isInShell: call.isInShell, skipsFunctions: true });
};

const exec: Model = (call, id) => {
  const parsed = parseOptions(call.argv, { flags: ["c", "l"], values: ["a"], stopsAtOperand: true });
  const argv = parsed.operands.map(operand => operand.value);
  return runInner(argv, call, id, { isCleared: call.isCleared || parsed.has("c") });
};

export const builtinWrappers: readonly (readonly [string, Model])[] = [
  ["command", command],
  ["builtin", builtin],
  ["exec", exec],
  ["noglob", builtin],
  ["nocorrect", builtin],
];
