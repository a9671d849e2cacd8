import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { joinPath } from "../../shell/paths.ts";
import { knownText, text, type Value, wordAt } from "../../shell/value.ts";
import type { Model } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import { runInner } from "../../shell/walk/inner.ts";
import { appendOutput, NO_OUTPUT, type Output } from "../../shell/walk/output.ts";
import { joinValues } from "../../shell/words/fragments.ts";
import { runString } from "./strings.ts";

/** tmux and screen: commands for another terminal. */

const TMUX_OPTIONS: OptionGrammar = { flags: "-2CDlNuvV", values: "-cfLST", stopsAtOperand: true };

/** How the subcommands that run something take it; values are options with a word. */
const TMUX: readonly {
  readonly names: RegExp;
  readonly spec: OptionGrammar;
  readonly kind: "string" | "keys" | "condition";
}[] = [
  {
    names:
      /^(?:new(?:-session)?|neww|new-window|splitw?|split-window|respawnp|respawn-pane|respawnw|respawn-window|display-popup|popup)$/,
    spec: { flags: "-AdDEPXbfhvIZakKBCSl", values: "-cefFnstxyTwh", stopsAtOperand: true },
    kind: "string",
  },
  {
    names: /^(?:run|run-shell|pipep|pipe-pane)$/,
    spec: { flags: "-bCIOo", values: "-cdt", stopsAtOperand: true },
    kind: "string",
  },
  {
    names: /^(?:if|if-shell)$/,
    spec: { flags: "-bF", values: "-t", stopsAtOperand: true },
    kind: "condition",
  },
  {
    names: /^(?:send|send-keys)$/,
    spec: { flags: "-FHKlMRX", values: "-cNt", stopsAtOperand: true },
    kind: "keys",
  },
];

const KEYS = /^(?:Enter|C-[a-z]|KPEnter|Escape|Space|Tab|BSpace|Up|Down|Left|Right|C-m|q)$/;

const tmux: Model = call => {
  const operands = parseOptions(call.argv, TMUX_OPTIONS).operands.map(operand => operand.value);
  let output: Output = NO_OUTPUT;
  for (const words of splitAtSemicolons(operands)) output = appendOutput(output, runTmux(words));
  return output;

  function runTmux(words: readonly Value[]): Output {
    const name = knownText(wordAt(words, 0)) ?? "";
    const entry = TMUX.find(one => one.names.test(name));
    if (entry === undefined) return NO_OUTPUT;
    const parsed = parseOptions(words, entry.spec);
    const rest = parsed.operands.map(operand => operand.value);
    const directory = entry.kind === "string" ? parsed.valueOf("c") : undefined;
    const inner = { ...call, cwd: directory === undefined ? call.cwd : joinPath(call.cwd, directory) };
    if (rest.length === 0) return NO_OUTPUT;
    if (entry.kind === "condition") return rest[0] === undefined ? NO_OUTPUT : runString(rest[0], inner);
    if (entry.kind === "keys")
      return runString(
        joinValues(
          rest.filter(word => !KEYS.test(knownText(word) ?? "")),
          " ",
        ),
        inner,
      );
    const [only] = rest;
    return rest.length === 1 && only !== undefined ? runString(only, inner) : runInner(rest, inner);
  }
};

function splitAtSemicolons(words: readonly Value[]): readonly (readonly Value[])[] {
  const lists: Value[][] = [[]];
  for (const word of words) {
    if (knownText(word) === ";") lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists;
}

const SCREEN: OptionGrammar = { flags: "-aAdDfiLmOqrRUvwxX", values: "-cehpsStT", stopsAtOperand: true };

const screen: Model = call => {
  const parsed = parseOptions(call.argv, SCREEN);
  const operands = parsed.operands.map(operand => operand.value);
  if (!parsed.has("X")) return operands.length === 0 ? [unknownOutput(call)] : runInner(operands, call);
  const [command, ...rest] = operands;
  const name = knownText(command ?? text(""));
  if (name === "stuff") return runString(joinValues(rest.map(typeOut), " "), call);
  return name === "exec" || name === "screen" ? runInner(rest, call) : [unknownOutput(call)];
};

/** `stuff` knows `\n` and `^M` for Return. */
function typeOut(word: Value): Value {
  const known = knownText(word);
  return known === undefined ? word : text(known.replace(/\\(?:n|r|015|012)|\^M/g, "\n"), word.origins);
}

export const terminalModels: readonly (readonly [string, Model])[] = [
  ["tmux", tmux],
  ["screen", screen],
];
