import { directoryName } from "../../shell/paths.ts";
import type { Datum } from "../meaning/datum.ts";
import {
  choiceOf,
  joined,
  knownTextOf,
  listDatum,
  literal,
  mapped,
  optionsOf,
  reference,
} from "../meaning/datum.ts";
import {
  noteDelete,
  noteDirectory,
  noteMove,
  noteNetwork,
  noteRead,
  noteSpawn,
  noteWrite,
} from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { elementOf } from "../meaning/members.ts";
import { contentOf, evaluateText, isTrue } from "../meaning/models.ts";
import { patternOf } from "../meaning/path-values.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";
import { PIPE, PROGRAM, SWITCHED_ON } from "./commands.ts";
import { windowsPath } from "./paths.ts";

type Rows = readonly (readonly [string, Model])[];

/** A parameter by its name or any beginning of it. */
export function parameter(call: Call, ...names: readonly string[]): Datum | undefined {
  for (const [written, value] of call.named) {
    if (written.startsWith(" ")) continue;
    if (names.some(name => name.startsWith(written.toLowerCase()))) return value;
  }
  return undefined;
}

function pathOf(call: Call, run: Run, index = 0): Datum | undefined {
  const literalPath = parameter(call, "literalpath", "lp");
  if (literalPath !== undefined) return windowsPath(run, literalPath, true);
  const path = parameter(call, "path", "filepath") ?? call.positional[index] ?? call.named.get(PIPE);
  return path === undefined ? undefined : windowsPath(run, path);
}

/** Parameters of Remove-Item; a dash word that is none of them belongs to the program of that name. */
const REMOVE_PARAMETERS =
  "path literalpath lp recurse force filter include exclude confirm whatif verbose credential stream erroraction ea debug".split(
    " ",
  );

const removes: Model = (call, run) => {
  const written = [...call.named.keys()]
    .filter(name => !name.startsWith(" "))
    .map(name => name.toLowerCase());
  const hasForeign = written.some(name => !REMOVE_PARAMETERS.some(known => known.startsWith(name)));
  if (hasForeign) return startsProgram(call, run);
  if (isTrue(parameter(call, "whatif"))) return undefined;
  const path = pathOf(call, run);
  if (path === undefined) return undefined;
  noteDelete(run, call, path, isTrue(parameter(call, "recurse")));
  return undefined;
};

/** Everything in a directory, or what a filter leaves of it. */
const lists: Model = (call, run) => {
  const path = pathOf(call, run) ?? literal(".");
  const filter = parameter(call, "filter", "include") ?? call.positional[1];
  const isRecursive = isTrue(parameter(call, "recurse"));
  const pattern = filter === undefined ? literal("*") : filter;
  const base = mapped(path, known => known.replace(/\/$/, ""));
  const directory = optionsOf(path).every(option => knownTextOf(option) !== undefined) ? base : path;
  return patternOf(joined([directory, literal(isRecursive ? "/**/" : "/"), pattern]));
};

const reads: Model = (call, run) => {
  const path = pathOf(call, run);
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  return contentOf(path);
};

function writes(isAppend: boolean): Model {
  return (call, run) => {
    const piped = call.named.get(PIPE);
    const given = parameter(call, "literalpath", "path", "filepath") ?? call.positional[0];
    if (given === undefined) return undefined;
    const content = parameter(call, "value", "inputobject") ?? call.positional[1] ?? piped;
    noteWrite(run, call, windowsPath(run, given), isAppend || isTrue(parameter(call, "append")), content);
    return piped;
  };
}

function moves(kind: "move" | "copy"): Model {
  return (call, run) => {
    const from = pathOf(call, run);
    const to = parameter(call, "destination", "newname", "destinationpath") ?? call.positional[1];
    if (from !== undefined && to !== undefined) noteMove(run, call, from, windowsPath(run, to), kind);
    return undefined;
  };
}

/** `iwr URL -OutFile f`, `irm URL -Method Post -Body $x` */
const requests: Model = (call, run) => {
  const address = parameter(call, "uri") ?? call.positional[0];
  if (address === undefined) return undefined;
  const sent = [parameter(call, "body"), parameter(call, "infile"), parameter(call, "form")].filter(
    datum => datum !== undefined,
  );
  noteNetwork(run, call, address, sent);
  const answer = reference("response", [fromNetwork(run)]);
  const file = parameter(call, "outfile");
  if (file !== undefined) noteMove(run, call, answer, windowsPath(run, file), "copy");
  return answer;
};

const evaluates: Model = (call, run) => {
  const code = parameter(call, "command") ?? call.positional[0] ?? call.named.get(PIPE);
  return code === undefined ? undefined : evaluateText(run, call, code);
};

/** `% { … }`: the block meets what flows in, item by item. */
const forEach: Model = (call, run) => {
  const input = call.named.get(PIPE) ?? reference("item");
  const blocks = [...call.positional, ...call.named.values()].filter(datum => datum.kind === "function");
  const items = input.kind === "list" && !input.isOpenEnded ? input.items : [elementOf(input)];
  const results = blocks.flatMap(block =>
    items.map(item => invoke(run, block, { ...call, positional: [item], named: new Map() })),
  );
  return results.length === 0 ? input : choiceOf(results);
};

const filters: Model = (call, run) => {
  forEach(call, run);
  return call.named.get(PIPE);
};

/** Blocks handed to a cmdlet run sooner or later. */
const runsBlocks: Model = (call, run) => {
  for (const datum of [...call.positional, ...call.named.values()]) {
    if (datum.kind === "function") invoke(run, datum, { ...call, positional: [], named: new Map() });
  }
  return undefined;
};

const startsProcess: Model = (call, run) => {
  const program = parameter(call, "filepath") ?? call.positional[0];
  const rest = parameter(call, "argumentlist", "args") ?? call.positional[1];
  if (program === undefined) return undefined;
  const words = rest === undefined ? [] : rest.kind === "list" ? rest.items : splitWords(rest);
  noteSpawn(run, call, [program, ...words], rest?.kind === "list" && rest.isOpenEnded);
  return undefined;
};

function splitWords(line: Datum): readonly Datum[] {
  const known = knownTextOf(line);
  return known === undefined ? [line] : known.trim().split(/\s+/).map(literal);
}

/** Whatever is no cmdlet is a program with its words as written. */
const startsProgram: Model = (call, run) => {
  const words = (call.words ?? []).flatMap(({ name, value }) => {
    if (name?.startsWith(" ") === true) return [];
    const values = value.kind === "list" ? value.items : [value];
    if (name === undefined) return values;
    const isSwitch = value.kind === "reference" && value.path === SWITCHED_ON;
    return [literal(`-${name}`), ...(isSwitch ? [] : values)];
  });
  const program = call.named.get(PROGRAM) ?? literal(call.path);
  return reference(
    "program()",
    noteSpawn(run, call, [program, ...words], false, undefined, call.named.get(PIPE)),
  );
};

const changesDirectory: Model = (call, run) => {
  const path = pathOf(call, run);
  if (path !== undefined) noteDirectory(run, call, path);
  return undefined;
};

const joinsPath: Model = (call, run) => {
  const [first, second, ...more] = call.positional;
  const base = parameter(call, "path") ?? first;
  const child = parameter(call, "childpath") ?? (base === first ? second : first);
  if (base === undefined || child === undefined) return base;
  const parts = [base, child, ...more].map(part => windowsPath(run, part, true));
  return joined(parts.flatMap((part, index) => (index === 0 ? [part] : [literal("/"), part])));
};

const splitsPath: Model = (call, run) => {
  const path = pathOf(call, run);
  return path === undefined ? undefined : mapped(path, directoryName);
};

/** `Write-Output x`, `echo x`: the words flow on. */
const passes: Model = call => {
  const words = [
    ...call.positional,
    ...(parameter(call, "inputobject") === undefined ? [] : [parameter(call, "inputobject") ?? literal("")]),
  ];
  const [only] = words;
  return words.length === 1 && only !== undefined ? only : listDatum(words);
};

/** `New-Object Net.WebClient` is known by its type. */
const makesObject: Model = call => {
  const type = knownTextOf(parameter(call, "typename") ?? call.positional[0])
    ?.toLowerCase()
    .replace(/^system\./, "");
  return type === undefined ? undefined : reference(type);
};

const removesPiped: Model = (call, run) => {
  for (const option of optionsOf(call.named.get(PIPE) ?? literal(""))) {
    if (option.kind === "text") noteWrite(run, call, windowsPath(run, option), false, literal(""));
  }
  return undefined;
};

const redirects =
  (isAppend: boolean): Model =>
  (call, run) => {
    const [path] = call.positional;
    if (path !== undefined) noteWrite(run, call, windowsPath(run, path), isAppend);
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
    (call, run) => (pathOf(call, run) === undefined ? removesPiped(call, run) : writes(false)(call, run)),
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
