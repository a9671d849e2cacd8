import { directoryName, dropKnown, knownPrefix } from "../../../shell/index.ts";
import { contentOf, evaluateText } from "../../meaning/actions.ts";
import { isTrue } from "../../meaning/arguments.ts";
import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  choiceOf,
  firstValue,
  itemsOf,
  joined,
  knownTextOf,
  listDatum,
  literal,
  mapText,
  mapValue,
  reference,
  separatedBy,
} from "../../meaning/datum.ts";
import {
  noteDelete,
  noteDirectory,
  noteLoss,
  noteMove,
  noteNetwork,
  noteRead,
  noteSpawn,
  noteWrite,
} from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { elementOf } from "../../meaning/members.ts";
import { expandTilde, patternOf } from "../../meaning/path-values.ts";
import { forwardSlashes } from "../windows-path.ts";
import { isSwitch, PIPE, PROGRAM, SWITCHED_ON } from "./commands.ts";

/** A path as the guard knows paths: slashes forward, `~` expanded, no provider in front. */
export function windowsPath(path: Datum, context: EvaluationContext): Datum {
  return expandTilde(withoutProvider(forwardSlashes(path)), context);
}

const PROVIDER = /^(?:Microsoft\.PowerShell\.Core\/)?FileSystem::/i;

function withoutProvider(path: Datum): Datum {
  return mapValue(path, value => dropKnown(value, PROVIDER.exec(knownPrefix(value))?.[0].length ?? 0));
}

/** A parameter by its name or any beginning of it, else the argument at a place. */
function parameter(call: FunctionCall, names: string, place = -1): Datum | undefined {
  for (const [written, value] of call.named) {
    if (written.startsWith(" ")) continue;
    if (names.split(" ").some(name => name.startsWith(written.toLowerCase()))) return value;
  }
  return place < 0 ? undefined : call.positional[place];
}

/** Wildcards are active, unless the path is given literally. What flows in is a path, too. */
function pathOf(call: FunctionCall, context: EvaluationContext): Datum | undefined {
  const given = parameter(call, "literalpath lp");
  if (given !== undefined) return windowsPath(given, context);
  const path = parameter(call, "path filepath", 0) ?? call.named.get(PIPE);
  return path === undefined ? undefined : patternOf(windowsPath(path, context), "text");
}

function withPath(
  act: (path: Datum, call: FunctionCall, context: EvaluationContext) => Datum | undefined,
): LibraryFunction {
  return (call, context) => {
    const path = pathOf(call, context);
    return path === undefined ? undefined : act(path, call, context);
  };
}

/** Parameters of Remove-Item; a dash word that is none of them belongs to the program of that name. */
const REMOVE_PARAMETERS =
  "path literalpath lp recurse force filter include exclude confirm whatif verbose credential stream erroraction ea debug".split(
    " ",
  );

const REGISTRY = /^(?:HK(?:LM|CU|CR|U|CC):|(?:Microsoft\.PowerShell\.Core\/)?Registry::)/i;

export const removes: LibraryFunction = (call, context) => {
  const isForeign = [...call.named.keys()].some(
    name => !name.startsWith(" ") && !REMOVE_PARAMETERS.some(known => known.startsWith(name.toLowerCase())),
  );
  if (isForeign) return startsProgram(call, context);
  const path = isTrue(parameter(call, "whatif")) ? undefined : pathOf(call, context);
  if (path !== undefined && REGISTRY.test(knownPrefix(firstValue(path))))
    return noteLoss(context, call, "fs.system-write", "delete keys of the registry", "ask");
  return path && noteDelete(context, call, path, isTrue(parameter(call, "recurse")));
};

/** Everything in a directory, or what a filter leaves of it. */
export const lists: LibraryFunction = (call, context) => {
  const path = pathOf(call, context) ?? literal(".");
  const pattern = parameter(call, "filter include", 1) ?? literal("*");
  const known = knownTextOf(path);
  const directory = known === undefined ? path : literal(known.replace(/\/$/, ""));
  const between = isTrue(parameter(call, "recurse")) ? "/**/" : "/";
  return patternOf(joined([directory, literal(between), pattern]));
};

export const reads = withPath((path, call, context) => {
  noteRead(context, call, path);
  return contentOf(path);
});

export function writes(isAppend: boolean): LibraryFunction {
  return (call, context) => {
    const piped = call.named.get(PIPE);
    const path = parameter(call, "literalpath path filepath", 0);
    if (path === undefined) return undefined;
    const content = parameter(call, "value inputobject", 1) ?? piped;
    noteWrite(context, call, patternOf(path), isAppend || isTrue(parameter(call, "append")), content);
    return piped;
  };
}

/** Files that flow in are emptied. */
export const clears = withPath((path, call, context) =>
  noteWrite(context, call, path, false, parameter(call, "value inputobject", 1) ?? literal("")),
);

export function moves(kind: "move" | "copy"): LibraryFunction {
  return withPath((from, call, context) => {
    const to = parameter(call, "destination newname destinationpath", 1);
    return to && noteMove(context, call, from, to, kind);
  });
}

/** `iwr URL -OutFile f`, `irm URL -Method Post -Body $x` */
export const requests: LibraryFunction = (call, context) => {
  const address = parameter(call, "uri", 0);
  if (address === undefined) return undefined;
  const sent = ["body", "infile", "form"].flatMap(name => parameter(call, name) ?? []);
  noteNetwork(context, call, address, sent);
  const answer = reference("response", [fromNetwork(context)]);
  const file = parameter(call, "outfile");
  if (file !== undefined) noteMove(context, call, answer, file, "copy");
  return answer;
};

export const evaluates: LibraryFunction = (call, context) => {
  const code = parameter(call, "command", 0) ?? call.named.get(PIPE);
  return code && evaluateText(code, call, context);
};

/** By number a process is meant; by name, or as they flow in, many are. */
export const stopsProcess: LibraryFunction = (call, context) => {
  const name = parameter(call, "name processname");
  const isNumber = parameter(call, "id", 0) !== undefined;
  if (isTrue(parameter(call, "whatif")) || (isNumber && name === undefined))
    return startsProgram(call, context);
  if (name === undefined && !call.named.has(PIPE)) return undefined;
  return noteLoss(context, call, "sys.kill", `end every process called ${knownTextOf(name) ?? "…"}`);
};

function blocksOf(call: FunctionCall): Datum[] {
  return [...call.positional, ...call.named.values()].filter(datum => datum.kind === "function");
}

/** `% { … }`: the block meets what flows in, item by item. */
export const forEach: LibraryFunction = (call, context) => {
  const input = call.named.get(PIPE) ?? reference("item");
  const items = input.kind === "list" && !input.isOpenEnded ? input.items : [elementOf(input)];
  const results = blocksOf(call).flatMap(block =>
    items.map(item => invoke(context, block, { ...call, positional: [item], named: new Map() })),
  );
  return results.length === 0 ? input : choiceOf(results);
};

export const filters: LibraryFunction = (call, context) => {
  forEach(call, context);
  return call.named.get(PIPE);
};

/** Blocks handed to a cmdlet run sooner or later. */
export const runsBlocks: LibraryFunction = (call, context) => {
  for (const block of blocksOf(call)) invoke(context, block, { ...call, positional: [], named: new Map() });
  return undefined;
};

export const startsProcess: LibraryFunction = (call, context) => {
  const program = parameter(call, "filepath", 0);
  const rest = parameter(call, "argumentlist args", 1) ?? listDatum([]);
  if (program === undefined) return undefined;
  const words = knownTextOf(rest)?.trim().split(/\s+/).map(literal) ?? itemsOf(rest);
  noteSpawn(context, call, [program, ...words], rest.kind === "list" && rest.isOpenEnded);
  return undefined;
};

/** Whatever is no cmdlet is a program with its words as written. */
export const startsProgram: LibraryFunction = (call, context) => {
  const words = (call.words ?? []).flatMap(({ name, value }) => {
    if (name === undefined) return itemsOf(value);
    if (name.startsWith(" ")) return [];
    if (value.kind === "reference" && value.name === SWITCHED_ON) return [literal(`-${name}`)];
    if (isSwitch(name.toLowerCase())) return [literal(isTrue(value) ? `-${name}` : `-${name}:$false`)];
    return [literal(`-${name}`), ...itemsOf(value)];
  });
  const argv = [call.named.get(PROGRAM) ?? literal(call.name), ...words];
  return reference("program()", noteSpawn(context, call, argv, false, undefined, call.named.get(PIPE)));
};

export const changesDirectory = withPath((path, call, context) => noteDirectory(context, call, path));

export const joinsPath: LibraryFunction = (call, context) => {
  const [first, second, ...more] = call.positional;
  const base = parameter(call, "path") ?? first;
  const child = parameter(call, "childpath") ?? (base === first ? second : first);
  if (base === undefined || child === undefined) return base;
  return joined(
    separatedBy(
      literal("/"),
      [base, child, ...more].map(part => windowsPath(part, context)),
    ),
  );
};

export const splitsPath = withPath(path => mapText(path, directoryName));

/** `Write-Output x`, `echo x`: the words flow on. */
export const passes: LibraryFunction = call => {
  const input = parameter(call, "inputobject");
  const words = input === undefined ? call.positional : [...call.positional, input];
  return words.length === 1 ? words[0] : listDatum(words);
};

/** `New-Object Net.WebClient` is known by its type. */
export const makesObject: LibraryFunction = call => {
  const type = knownTextOf(parameter(call, "typename", 0));
  return type === undefined ? undefined : reference(type.toLowerCase().replace(/^system\./, ""));
};
