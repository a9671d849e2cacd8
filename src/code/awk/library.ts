import { knownText, text, unknown } from "../../shell/value.ts";
import type { Datum } from "../meaning/datum.ts";
import {
  choiceOf,
  firstValue,
  joined,
  knownTextOf,
  literal,
  reference,
  textDatum,
} from "../meaning/datum.ts";
import { noteNetwork, noteRead, noteShell, noteSpawn, noteWrite } from "../meaning/effects.ts";
import { argumentList, changes, contentOf, modelTable, runsShell } from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import type { Call, Library, Model, Run } from "../meaning/run.ts";
import { fromNetwork, wholeEnvironment } from "../meaning/run.ts";
import { parseAwk } from "./syntax.ts";

const MOST_LINES = 16;

/** `$0` and its fields, when the input is known: any line of it. */
const readsField: Model = (call, run) => {
  const input = run.context.stdin;
  const known = input === undefined ? undefined : knownText(input);
  if (input === undefined || known === undefined) {
    return textDatum(unknown("any", "$", input?.origins ?? [{ kind: "input" }]));
  }
  const index = Number(knownTextOf(call.positional[0]) ?? Number.NaN);
  const lines = known
    .split("\n")
    .filter(line => line !== "")
    .slice(0, MOST_LINES);
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
function noteConnection(run: Run, call: Call, target: Datum, sent: readonly Datum[]): boolean {
  if (knownTextOf(target)?.startsWith("/inet") !== true) return false;
  noteNetwork(run, call, target, sent);
  return true;
}

/** What `print a, b` writes; `printf` fills its template. */
function printed(call: Call, items: readonly Datum[]): Datum {
  const [template, ...fillings] = items;
  if (call.path.startsWith("printf") && template !== undefined) return formatted(template, fillings);
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [literal(" "), item]));
  return joined([...parts, literal("\n")]);
}

const printsToProgram: Model = (call, run) => {
  const [command, ...items] = call.positional;
  if (command === undefined || noteConnection(run, call, command, items)) return undefined;
  const line = items.length === 0 ? readsField({ ...call, positional: [literal("0")] }, run) : undefined;
  const input = line === undefined ? printed(call, items) : line;
  noteSpawn(run, call, [literal("sh"), literal("-c"), command], false, undefined, input);
  return undefined;
};

function printsToFile(isAppend: boolean): Model {
  return (call, run) => {
    const [path, ...items] = call.positional;
    if (path === undefined || noteConnection(run, call, path, items)) return undefined;
    noteWrite(run, call, path, isAppend, printed(call, items));
    return undefined;
  };
}

/** `"cmd" | getline` */
const readsProgram: Model = (call, run) => {
  const command = call.receiver;
  if (command === undefined) return undefined;
  const output = noteConnection(run, call, command, [])
    ? reference("connection", [fromNetwork(run)])
    : reference("getline", noteShell(run, call, command));
  const name = /^getline (.*)$/.exec(knownTextOf(call.positional[0]) ?? "")?.[1];
  if (name !== undefined) run.globals.names.set(name, output);
  return output;
};

const readsFile: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  return contentOf(path);
};

const formats: Model = call => {
  const [template, ...fillings] = call.positional;
  return template === undefined ? undefined : formatted(template, fillings);
};

/** What an awk program can do besides printing. */
export const AWK: Library = {
  language: "awk",
  parse: parseAwk,
  models: modelTable([
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
  methods: modelTable([["| |&", readsProgram]]),
  constants: new Map<string, (run: Run) => Datum>([
    ["ENVIRON", () => wholeEnvironment("ENVIRON")],
    ["ARGV", run => argumentList(run, ["awk"])],
    ["FILENAME", run => textDatum(run.context.arguments[0] ?? firstValue(literal("")))],
  ]),
  properties: new Map(),
  canonical: path => path,
  environments: new Set(["ENVIRON"]),
  returnsLast: false,
  hoistsFunctions: true,
};
