import { knownText, text, unknown } from "../../../shell/value.ts";
import type {
  EvaluationContext,
  FunctionCall,
  LanguageDefinition,
  LibraryFunction,
} from "../../meaning/context.ts";
import { fromNetwork, wholeEnvironment } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  choiceOf,
  firstValue,
  joined,
  knownTextOf,
  literal,
  reference,
  textDatum,
} from "../../meaning/datum.ts";
import { noteNetwork, noteRead, noteShell, noteSpawn, noteWrite } from "../../meaning/effects.ts";
import { argumentList, changes, contentOf, functionTable, runsShell } from "../../meaning/models.ts";
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
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [literal(" "), item]));
  return joined([...parts, literal("\n")]);
}

const printsToProgram: LibraryFunction = (call, context) => {
  const [command, ...items] = call.positional;
  if (command === undefined || noteConnection(context, call, command, items)) return undefined;
  const line = items.length === 0 ? readsField({ ...call, positional: [literal("0")] }, context) : undefined;
  const input = line === undefined ? printed(call, items) : line;
  noteSpawn(context, call, [literal("sh"), literal("-c"), command], false, undefined, input);
  return undefined;
};

function printsToFile(isAppend: boolean): LibraryFunction {
  return (call, context) => {
    const [path, ...items] = call.positional;
    if (path === undefined || noteConnection(context, call, path, items)) return undefined;
    noteWrite(context, call, path, isAppend, printed(call, items));
    return undefined;
  };
}

/** `"cmd" | getline` */
const readsProgram: LibraryFunction = (call, context) => {
  const command = call.receiver;
  if (command === undefined) return undefined;
  const output = noteConnection(context, call, command, [])
    ? reference("connection", [fromNetwork(context)])
    : reference("getline", noteShell(context, call, command));
  const name = /^getline (.*)$/.exec(knownTextOf(call.positional[0]) ?? "")?.[1];
  if (name !== undefined) context.globals.names.set(name, output);
  return output;
};

const readsFile: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  return contentOf(path);
};

const formats: LibraryFunction = call => {
  const [template, ...fillings] = call.positional;
  return template === undefined ? undefined : formatted(template, fillings);
};

/** What an awk program can do besides printing. */
export const AWK: LanguageDefinition = {
  id: "awk",
  parse: parseAwk,
  functions: functionTable([
    ["system", runsShell()],
    ["print| print|& printf| printf|&", printsToProgram],
    ["print> printf>", printsToFile(false)],
    ["print>> printf>>", printsToFile(true)],
    ["$", readsField],
    ["getline", readsFile],
    ["sprintf", formats],
    ["tolower", changes(known => known.toLowerCase())],
    ["toupper", changes(known => known.toUpperCase())],
  ]),
  methods: functionTable([["| |&", readsProgram]]),
  constants: new Map<string, (context: EvaluationContext) => Datum>([
    ["ENVIRON", () => wholeEnvironment("ENVIRON")],
    ["ARGV", context => argumentList(context, ["awk"])],
    ["FILENAME", context => textDatum(context.inputs.arguments[0] ?? firstValue(literal("")))],
  ]),
  properties: new Map(),
  canonical: path => path,
  environments: new Set(["ENVIRON"]),
  returnsLast: false,
  hoistsFunctions: true,
};
