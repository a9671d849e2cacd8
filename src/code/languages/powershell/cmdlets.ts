import { directoryName } from "../../../shell/paths.ts";
import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  choiceOf,
  joined,
  knownTextOf,
  listDatum,
  literal,
  mapped,
  optionsOf,
  reference,
} from "../../meaning/datum.ts";
import {
  noteDelete,
  noteDirectory,
  noteMove,
  noteNetwork,
  noteRead,
  noteSpawn,
  noteWrite,
} from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { elementOf } from "../../meaning/members.ts";
import { contentOf, evaluateText, isTrue } from "../../meaning/models.ts";
import { patternOf } from "../../meaning/path-values.ts";
import { PIPE, PROGRAM, SWITCHED_ON } from "./commands.ts";
import { windowsPath } from "./paths.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** A parameter by its name or any beginning of it. */
export function parameter(call: FunctionCall, ...names: readonly string[]): Datum | undefined {
  for (const [written, value] of call.named) {
    if (written.startsWith(" ")) continue;
    if (names.some(name => name.startsWith(written.toLowerCase()))) return value;
  }
  return undefined;
}

function pathOf(call: FunctionCall, context: EvaluationContext, index = 0): Datum | undefined {
  const literalPath = parameter(call, "literalpath", "lp");
  if (literalPath !== undefined) return windowsPath(context, literalPath, true);
  const path = parameter(call, "path", "filepath") ?? call.positional[index] ?? call.named.get(PIPE);
  return path === undefined ? undefined : windowsPath(context, path);
}

/** Parameters of Remove-Item; a dash word that is none of them belongs to the program of that name. */
const REMOVE_PARAMETERS =
  "path literalpath lp recurse force filter include exclude confirm whatif verbose credential stream erroraction ea debug".split(
    " ",
  );

const removes: LibraryFunction = (call, context) => {
  const written = [...call.named.keys()]
    .filter(name => !name.startsWith(" "))
    .map(name => name.toLowerCase());
  const hasForeign = written.some(name => !REMOVE_PARAMETERS.some(known => known.startsWith(name)));
  if (hasForeign) return startsProgram(call, context);
  if (isTrue(parameter(call, "whatif"))) return undefined;
  const path = pathOf(call, context);
  if (path === undefined) return undefined;
  noteDelete(context, call, path, isTrue(parameter(call, "recurse")));
  return undefined;
};

/** Everything in a directory, or what a filter leaves of it. */
const lists: LibraryFunction = (call, context) => {
  const path = pathOf(call, context) ?? literal(".");
  const filter = parameter(call, "filter", "include") ?? call.positional[1];
  const isRecursive = isTrue(parameter(call, "recurse"));
  const pattern = filter === undefined ? literal("*") : filter;
  const base = mapped(path, known => known.replace(/\/$/, ""));
  const directory = optionsOf(path).every(option => knownTextOf(option) !== undefined) ? base : path;
  return patternOf(joined([directory, literal(isRecursive ? "/**/" : "/"), pattern]));
};

const reads: LibraryFunction = (call, context) => {
  const path = pathOf(call, context);
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  return contentOf(path);
};

function writes(isAppend: boolean): LibraryFunction {
  return (call, context) => {
    const piped = call.named.get(PIPE);
    const given = parameter(call, "literalpath", "path", "filepath") ?? call.positional[0];
    if (given === undefined) return undefined;
    const content = parameter(call, "value", "inputobject") ?? call.positional[1] ?? piped;
    noteWrite(
      context,
      call,
      windowsPath(context, given),
      isAppend || isTrue(parameter(call, "append")),
      content,
    );
    return piped;
  };
}

function moves(kind: "move" | "copy"): LibraryFunction {
  return (call, context) => {
    const from = pathOf(call, context);
    const to = parameter(call, "destination", "newname", "destinationpath") ?? call.positional[1];
    if (from !== undefined && to !== undefined) noteMove(context, call, from, windowsPath(context, to), kind);
    return undefined;
  };
}

/** `iwr URL -OutFile f`, `irm URL -Method Post -Body $x` */
const requests: LibraryFunction = (call, context) => {
  const address = parameter(call, "uri") ?? call.positional[0];
  if (address === undefined) return undefined;
  const sent = [parameter(call, "body"), parameter(call, "infile"), parameter(call, "form")].filter(
    datum => datum !== undefined,
  );
  noteNetwork(context, call, address, sent);
  const answer = reference("response", [fromNetwork(context)]);
  const file = parameter(call, "outfile");
  if (file !== undefined) noteMove(context, call, answer, windowsPath(context, file), "copy");
  return answer;
};

const evaluates: LibraryFunction = (call, context) => {
  const code = parameter(call, "command") ?? call.positional[0] ?? call.named.get(PIPE);
  return code === undefined ? undefined : evaluateText(context, call, code);
};

/** `% { … }`: the block meets what flows in, item by item. */
const forEach: LibraryFunction = (call, context) => {
  const input = call.named.get(PIPE) ?? reference("item");
  const blocks = [...call.positional, ...call.named.values()].filter(datum => datum.kind === "function");
  const items = input.kind === "list" && !input.isOpenEnded ? input.items : [elementOf(input)];
  const results = blocks.flatMap(block =>
    items.map(item => invoke(context, block, { ...call, positional: [item], named: new Map() })),
  );
  return results.length === 0 ? input : choiceOf(results);
};

const filters: LibraryFunction = (call, context) => {
  forEach(call, context);
  return call.named.get(PIPE);
};

/** Blocks handed to a cmdlet run sooner or later. */
const runsBlocks: LibraryFunction = (call, context) => {
  for (const datum of [...call.positional, ...call.named.values()]) {
    if (datum.kind === "function") invoke(context, datum, { ...call, positional: [], named: new Map() });
  }
  return undefined;
};

const startsProcess: LibraryFunction = (call, context) => {
  const program = parameter(call, "filepath") ?? call.positional[0];
  const rest = parameter(call, "argumentlist", "args") ?? call.positional[1];
  if (program === undefined) return undefined;
  const words = rest === undefined ? [] : rest.kind === "list" ? rest.items : splitWords(rest);
  noteSpawn(context, call, [program, ...words], rest?.kind === "list" && rest.isOpenEnded);
  return undefined;
};

function splitWords(line: Datum): readonly Datum[] {
  const known = knownTextOf(line);
  return known === undefined ? [line] : known.trim().split(/\s+/).map(literal);
}

/** Whatever is no cmdlet is a program with its words as written. */
const startsProgram: LibraryFunction = (call, context) => {
  const words = (call.words ?? []).flatMap(({ name, value }) => {
    if (name?.startsWith(" ") === true) return [];
    const values = value.kind === "list" ? value.items : [value];
    if (name === undefined) return values;
    const isSwitch = value.kind === "reference" && value.name === SWITCHED_ON;
    return [literal(`-${name}`), ...(isSwitch ? [] : values)];
  });
  const program = call.named.get(PROGRAM) ?? literal(call.name);
  return reference(
    "program()",
    noteSpawn(context, call, [program, ...words], false, undefined, call.named.get(PIPE)),
  );
};

const changesDirectory: LibraryFunction = (call, context) => {
  const path = pathOf(call, context);
  if (path !== undefined) noteDirectory(context, call, path);
  return undefined;
};

const joinsPath: LibraryFunction = (call, context) => {
  const [first, second, ...more] = call.positional;
  const base = parameter(call, "path") ?? first;
  const child = parameter(call, "childpath") ?? (base === first ? second : first);
  if (base === undefined || child === undefined) return base;
  const parts = [base, child, ...more].map(part => windowsPath(context, part, true));
  return joined(parts.flatMap((part, index) => (index === 0 ? [part] : [literal("/"), part])));
};

const splitsPath: LibraryFunction = (call, context) => {
  const path = pathOf(call, context);
  return path === undefined ? undefined : mapped(path, directoryName);
};

/** `Write-Output x`, `echo x`: the words flow on. */
const passes: LibraryFunction = call => {
  const words = [
    ...call.positional,
    ...(parameter(call, "inputobject") === undefined ? [] : [parameter(call, "inputobject") ?? literal("")]),
  ];
  const [only] = words;
  return words.length === 1 && only !== undefined ? only : listDatum(words);
};

/** `New-Object Net.WebClient` is known by its type. */
const makesObject: LibraryFunction = call => {
  const type = knownTextOf(parameter(call, "typename") ?? call.positional[0])
    ?.toLowerCase()
    .replace(/^system\./, "");
  return type === undefined ? undefined : reference(type);
};

const removesPiped: LibraryFunction = (call, context) => {
  for (const option of optionsOf(call.named.get(PIPE) ?? literal(""))) {
    if (option.kind === "text") noteWrite(context, call, windowsPath(context, option), false, literal(""));
  }
  return undefined;
};

const redirects =
  (isAppend: boolean): LibraryFunction =>
  (call, context) => {
    const [path] = call.positional;
    if (path !== undefined) noteWrite(context, call, windowsPath(context, path), isAppend);
    return undefined;
  };

export const CMDLET_MODELS: Rows = [
  ["remove-item rm del rd ri erase rmdir", removes],
  ["get-childitem gci ls dir get-item gi resolve-path rvpa", lists],
  ["get-content gc cat type", reads],
  ["set-content sc out-file tee-object tee export-csv new-item ni", writes(false)],
  ["add-content ac", writes(true)],
  [
    "clear-content clc",
    (call, context) =>
      pathOf(call, context) === undefined ? removesPiped(call, context) : writes(false)(call, context),
  ],
  ["move-item mi mv move rename-item rni ren", moves("move")],
  ["copy-item cpi cp copy expand-archive compress-archive", moves("copy")],
  ["invoke-webrequest iwr curl wget invoke-restmethod irm start-bitstransfer", requests],
  ["invoke-expression iex", evaluates],
  ["foreach-object foreach %", forEach],
  ["where-object where ? select-object select sort-object sort", filters],
  ["invoke-command icm start-job sajb measure-command start-threadjob", runsBlocks],
  ["start-process saps start", startsProcess],
  ["set-location cd sl chdir push-location pushd", changesDirectory],
  ["join-path", joinsPath],
  ["split-path", splitsPath],
  ["write-output echo write", passes],
  [
    "write-host out-host out-null out-string write-verbose write-warning write-error write-debug",
    call => call.named.get(PIPE),
  ],
  ["new-object", makesObject],
  ["test-path get-location gl get-command gcm get-help import-module set-strictmode", () => undefined],
  [">", redirects(false)],
  [">>", redirects(true)],
  ["*", startsProgram],
];
