import { knownText, text, unknown } from "../../../shell/index.ts";
import { withArgument } from "../../meaning/arguments.ts";
import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { argumentList, fromNetwork, wholeEnvironment } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  choiceOf,
  joined,
  knownTextOf,
  literal,
  reference,
  separatedBy,
  textDatum,
} from "../../meaning/datum.ts";
import { noteNetwork, noteShell, noteSpawn, noteWrite } from "../../meaning/effects.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { formatted } from "../../meaning/operate.ts";
import { parseAwk } from "./syntax.ts";

const MAX_LINES = 16;

/** `$0` and its fields, when the input is known: any line of it. */
const readsField: LibraryFunction = (call, context) => {
  const input = context.inputs.stdin;
  const known = input === undefined ? undefined : knownText(input);
  if (input === undefined || known === undefined) {
    return textDatum(unknown("any", "$", input?.origins ?? [{ kind: "input" }]));
  }
  const index = Number(knownTextOf(call.positional[0]) ?? Number.NaN);
  const lines = known
    .split("\n")
    .filter(line => line !== "")
    .slice(0, MAX_LINES);
  return choiceOf(
    lines.map(line => {
      const field = index === 0 ? line : line.trim().split(/\s+/)[index - 1];
      return textDatum(
        field === undefined || Number.isNaN(index)
          ? unknown("any", "$", input.origins)
          : text(field, input.origins),
      );
    }),
  );
};

/** Special files of gawk are connections. */
function noteConnection(
  context: EvaluationContext,
  call: FunctionCall,
  target: Datum,
  sent: readonly Datum[],
): boolean {
  if (knownTextOf(target)?.startsWith("/inet") !== true) return false;
  noteNetwork(context, call, target, sent);
  return true;
}

/** What `print a, b` writes; `printf` fills its template. */
function printed(call: FunctionCall, items: readonly Datum[]): Datum {
  const [template, ...fillings] = items;
  if (call.name.startsWith("printf") && template !== undefined) return formatted(template, fillings);
  return joined([...separatedBy(literal(" "), items), literal("\n")]);
}

const printsToProgram = withArgument("0", (command, call, context) => {
  const items = call.positional.slice(1);
  if (noteConnection(context, call, command, items)) return undefined;
  const line = items.length === 0 ? readsField({ ...call, positional: [literal("0")] }, context) : undefined;
  const argv = [literal("sh"), literal("-c"), command];
  noteSpawn(context, call, argv, false, undefined, line ?? printed(call, items));
  return undefined;
});

function printsToFile(isAppend: boolean): LibraryFunction {
  return withArgument("0", (path, call, context) => {
    const items = call.positional.slice(1);
    if (noteConnection(context, call, path, items)) return undefined;
    return noteWrite(context, call, path, isAppend, printed(call, items));
  });
}

/** `"cmd" | getline` */
const readsProgram = withArgument("this", (command, call, context) => {
  const output = noteConnection(context, call, command, [])
    ? reference("connection", [fromNetwork(context)])
    : reference("getline", noteShell(context, call, command));
  const name = /^getline (.*)$/.exec(knownTextOf(call.positional[0]) ?? "")?.[1];
  if (name !== undefined) context.globals.names.set(name, output);
  return output;
});

/** What an awk program can do besides printing. */
export const AWK = defineLanguage({
  id: "awk",
  parse: parseAwk,
  functions: () => [
    ["print printf", "prints"],
    ["system", "runsShell", "0"],
    ["{print,printf}{|,|&}", printsToProgram],
    ["{print,printf}>", printsToFile(false)],
    ["{print,printf}>>", printsToFile(true)],
    ["$", readsField],
    ["getline", "reads", "0"],
    ["sprintf", "formats", "0", "1.."],
    ["tolower", "changesText", "0", "lower"],
    ["toupper", "changesText", "0", "upper"],
  ],
  methods: () => [["| |&", readsProgram]],
  constants: () => [
    ["ENVIRON", () => wholeEnvironment("ENVIRON")],
    ["ARGV", context => argumentList(context, "awk")],
    ["FILENAME", context => textDatum(context.inputs.arguments[0] ?? text(""))],
  ],
  environments: new Set(["ENVIRON"]),
  hoistsFunctions: true,
});
