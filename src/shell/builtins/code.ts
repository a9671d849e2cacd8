import { parseOptions } from "../options.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { forkState } from "../state/session.ts";
import type { Builtin } from "../state/types.ts";
import { knownText, text, wordAt } from "../value.ts";
import { asQuotedWord } from "../walk/assignments.ts";
import { runInSameShell, unknownOutput } from "../walk/code-runs.ts";
import { withEnvironment } from "../walk/environment.ts";
import { runScript } from "../walk/scripts.ts";
import { runHandlers } from "../walk/subshell.ts";
import { runHiddenSubstitutions } from "../walk/test-expressions.ts";
import { joinValues } from "../words/fragments.ts";

const evaluate: Builtin = call => {
  const words = call.argv.slice(knownText(wordAt(call.argv, 1)) === "--" ? 2 : 1);
  const code = joinValues(words, " ");
  return withEnvironment(call, () => runInSameShell(code, call, { from: "argument", via: "eval" }));
};

const source: Builtin = call => {
  const [path, ...rest] = parseOptions(call.argv, { stopsAtOperand: true }).operands.map(
    operand => operand.value,
  );
  if (path === undefined) return NO_OUTPUT;
  return withEnvironment(call, () => runScript({ path, arguments: rest, by: "source" }, call));
};

const trap: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-lpP", stopsAtOperand: true });
  const [code, ...signals] = parsed.operandValues;
  if (code === undefined || parsed.has("l", "p", "P")) return NO_OUTPUT;
  const { traps } = call.scope.state;
  for (const signal of signals.length === 0 ? [text("EXIT")] : signals) {
    const name = knownText(signal) ?? "?";
    if (knownText(code) === "-") traps.delete(name);
    else traps.set(name, { code, span: call.span, invocation: call.id });
  }
  return NO_OUTPUT;
};

/** The handlers run now; the text behind `exit` is looked at all the same. */
const exit: Builtin = call => {
  if (call.scope.state.traps.size === 0) return NO_OUTPUT;
  return runHandlers({ ...call.scope, state: forkState(call.scope) });
};

const alias: Builtin = call => {
  for (const word of call.argv.slice(1)) {
    const known = knownText(word) ?? "";
    const equals = known.indexOf("=");
    if (equals > 0) call.scope.state.aliases.set(known.slice(0, equals), known.slice(equals + 1));
  }
  return NO_OUTPUT;
};

const unalias: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-a" });
  if (parsed.has("a")) call.scope.state.aliases.clear();
  for (const { value } of parsed.operands) call.scope.state.aliases.delete(knownText(value) ?? "");
  return NO_OUTPUT;
};

/** `hash -p /bin/rm x` makes x another name of rm. */
const hash: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-lrdt", values: "-p" });
  const path = knownText(parsed.valueOf("p") ?? text(""));
  const name = knownText(parsed.operands[0]?.value ?? text(""));
  if (path !== undefined && path !== "" && name !== undefined && name !== "")
    call.scope.state.aliases.set(name, path);
  return NO_OUTPUT;
};

/** `compgen -W` expands its word list, `-C` runs a command; `complete` and `bind -x` do so later. */
const complete: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-abcdefgjkprsuvDEI", values: "-oAGWFCXPSx" });
  for (const words of parsed.valuesOf("W")) {
    const known = knownText(words);
    if (known !== undefined && /\$\(|`/.test(known))
      runInSameShell(asQuotedWord(known), call, { from: "handler", via: "eval" });
  }
  for (const code of parsed.valuesOf("C")) runInSameShell(code, call, { from: "handler", via: "eval" });
  return [unknownOutput(call)];
};

const test: Builtin = call => {
  call.argv.forEach((word, index) => {
    if (knownText(wordAt(call.argv, index - 1)) === "-v") runHiddenSubstitutions(knownText(word), call.scope);
  });
  return NO_OUTPUT;
};

const nothing: Builtin = () => NO_OUTPUT;

export const codeBuiltins: readonly (readonly [string, Builtin])[] = [
  ["eval", evaluate],
  ["source", source],
  [".", source],
  ["trap", trap],
  ["exit", exit],
  ["logout", exit],
  ["alias", alias],
  ["unalias", unalias],
  ["hash", hash],
  ["compgen", complete],
  ["complete", complete],
  ["test", test],
  ["[", test],
  ...[
    "true",
    "false",
    ":",
    "return",
    "break",
    "continue",
    "shopt",
    "wait",
    "umask",
    "ulimit",
    "bg",
    "fg",
    "disown",
    "enable",
    "setopt",
    "unsetopt",
  ].map(name => [name, nothing] as const),
];
