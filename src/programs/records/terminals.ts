import {
  appendOutput,
  joinPath,
  joinValues,
  knownText,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  parseOptions,
  runInner,
  text,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { runString } from "../model/run.ts";

/** tmux and screen: commands for another terminal. */
export const terminals: Field = {
  programs: () => [
    {
      names: "tmux",
      is: ["readsNothing"],
      options: { flags: "-2CDlNuvV", values: "-cfLST", stopsAtOperand: true },
      run: runTmux,
    },
    {
      names: "screen",
      is: ["readsNothing"],
      options: { flags: "-aAdDfiLmOqrRUvwxX", values: "-cehpsStT", stopsAtOperand: true },
      run: runScreen,
    },
  ],
};

/** How the subcommands that run something take it; values are options with a word. */
const TMUX: readonly {
  readonly names: RegExp;
  readonly grammar: OptionGrammar;
  readonly kind: "string" | "keys" | "condition";
}[] = [
  {
    names:
      /^(?:new(?:-session)?|neww|new-window|splitw?|split-window|respawnp|respawn-pane|respawnw|respawn-window|display-popup|popup)$/,
    grammar: { flags: "-AdDEPXbfhvIZakKBCSl", values: "-cefFnstxyTwh", stopsAtOperand: true },
    kind: "string",
  },
  {
    names: /^(?:run|run-shell|pipep|pipe-pane)$/,
    grammar: { flags: "-bCIOo", values: "-cdt", stopsAtOperand: true },
    kind: "string",
  },
  {
    names: /^(?:if|if-shell)$/,
    grammar: { flags: "-bF", values: "-t", stopsAtOperand: true },
    kind: "condition",
  },
  {
    names: /^(?:send|send-keys)$/,
    grammar: { flags: "-FHKlMRX", values: "-cNt", stopsAtOperand: true },
    kind: "keys",
  },
];

const KEYS = /^(?:Enter|C-[a-z]|KPEnter|Escape|Space|Tab|BSpace|Up|Down|Left|Right|C-m|q)$/;

function runTmux(call: ParsedCall): Output {
  return splitAtSemicolons(call.operands)
    .map(words => runTmuxCommand(words, call))
    .reduce(appendOutput, NO_OUTPUT);
}

function runTmuxCommand(words: readonly Value[], call: ParsedCall): Output {
  const name = knownText(wordAt(words, 0)) ?? "";
  const entry = TMUX.find(one => one.names.test(name));
  if (entry === undefined) return NO_OUTPUT;
  const parsed = parseOptions(words, entry.grammar);
  const rest = parsed.operandValues;
  const [first] = rest;
  const directory = entry.kind === "string" ? parsed.valueOf("c") : undefined;
  const inner = { ...call, cwd: directory === undefined ? call.cwd : joinPath(call.cwd, directory) };
  if (first === undefined) return NO_OUTPUT;
  if (entry.kind === "keys") {
    const typed = rest.filter(word => !KEYS.test(knownText(word) ?? ""));
    return runString(joinValues(typed, " "), inner);
  }
  return entry.kind === "condition" || rest.length === 1 ? runString(first, inner) : runInner(rest, inner);
}

function splitAtSemicolons(words: readonly Value[]): readonly (readonly Value[])[] {
  const lists: Value[][] = [[]];
  for (const word of words) {
    if (knownText(word) === ";") lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists;
}

function runScreen(call: ParsedCall): Output {
  const { operands } = call;
  if (!call.options.has("X")) return operands.length === 0 ? [unknownOutput(call)] : runInner(operands, call);
  const [command, ...rest] = operands;
  const name = knownText(command ?? text(""));
  if (name === "stuff") return runString(joinValues(rest.map(typeOut), " "), call);
  return name === "exec" || name === "screen" ? runInner(rest, call) : [unknownOutput(call)];
}

/** `stuff` knows `\n` and `^M` for Return. */
function typeOut(word: Value): Value {
  const known = knownText(word);
  return known === undefined ? word : text(known.replace(/\\(?:n|r|015|012)|\^M/g, "\n"), word.origins);
}
