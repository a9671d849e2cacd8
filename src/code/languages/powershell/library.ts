import {
  decodeBase64,
  decodeUtf8,
  decodeUtf16LittleEndian,
  directoryName,
  dropKnown,
  knownPrefix,
} from "../../../shell/index.ts";
import {
  createChoice,
  type Datum,
  firstValue,
  joined,
  knownDatumText,
  listDatum,
  listItems,
  literal,
  mapText,
  mapValue,
  reference,
  separatedBy,
} from "../../meaning/datum.ts";
import {
  decode,
  evaluateText,
  fileContent,
  noteDelete,
  noteDirectory,
  noteLoss,
  noteMove,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
} from "../../meaning/effects.ts";
import {
  argumentList,
  type EvaluationContext,
  expandTilde,
  type FunctionCall,
  forwardSlashes,
  fromNetwork,
  homeDatum,
  isTrue,
  type LibraryFunction,
  select,
  temporaryDirectory,
  toPattern,
  withArgument,
  workingDirectory,
} from "../../meaning/evaluation-context.ts";
import { invoke, loopElement } from "../../meaning/invoke.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { isSwitch, PIPE, PROGRAM, parsePowerShell, SWITCHED_ON } from "./syntax.ts";

/** A path as the guard knows paths: slashes forward, `~` expanded, no provider in front. */
function windowsPath(path: Datum, context: EvaluationContext): Datum {
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
function pathParameter(call: FunctionCall, context: EvaluationContext): Datum | undefined {
  const given = parameter(call, "literalpath lp");
  if (given !== undefined) return windowsPath(given, context);
  const path = parameter(call, "path filepath", 0) ?? call.named.get(PIPE);
  return path === undefined ? undefined : toPattern(windowsPath(path, context), "text");
}

function withPath(
  act: (path: Datum, call: FunctionCall, context: EvaluationContext) => Datum | undefined,
): LibraryFunction {
  return (call, context) => {
    const path = pathParameter(call, context);
    return path === undefined ? undefined : act(path, call, context);
  };
}

/** Parameters of Remove-Item; a dash word that is none of them belongs to the program of that name. */
const REMOVE_PARAMETERS =
  "path literalpath lp recurse force filter include exclude confirm whatif verbose credential stream erroraction ea debug".split(
    " ",
  );

const REGISTRY = /^(?:HK(?:LM|CU|CR|U|CC):|(?:Microsoft\.PowerShell\.Core\/)?Registry::)/i;

const removes: LibraryFunction = (call, context) => {
  const isForeign = [...call.named.keys()].some(
    name => !name.startsWith(" ") && !REMOVE_PARAMETERS.some(known => known.startsWith(name.toLowerCase())),
  );
  if (isForeign) return startsProgram(call, context);
  const path = isTrue(parameter(call, "whatif")) ? undefined : pathParameter(call, context);
  if (path !== undefined && REGISTRY.test(knownPrefix(firstValue(path))))
    return noteLoss(context, call, "fs.system-write", "delete keys of the registry", "ask");
  return path && noteDelete(context, call, path, isTrue(parameter(call, "recurse")));
};

/** Everything in a directory, or what a filter leaves of it. */
const lists: LibraryFunction = (call, context) => {
  const path = pathParameter(call, context) ?? literal(".");
  const pattern = parameter(call, "filter include", 1) ?? literal("*");
  const known = knownDatumText(path);
  const directory = known === undefined ? path : literal(known.replace(/\/$/, ""));
  const between = isTrue(parameter(call, "recurse")) ? "/**/" : "/";
  return toPattern(joined([directory, literal(between), pattern]));
};

const reads = withPath((path, call, context) => {
  noteRead(context, call, path);
  return fileContent(path);
});

function writes(isAppend: boolean): LibraryFunction {
  return (call, context) => {
    const piped = call.named.get(PIPE);
    const path = parameter(call, "literalpath path filepath", 0);
    if (path === undefined) return undefined;
    const content = parameter(call, "value inputobject", 1) ?? piped;
    noteWrite(context, call, toPattern(path), isAppend || isTrue(parameter(call, "append")), content);
    return piped;
  };
}

/** Files that flow in are emptied. */
const clears = withPath((path, call, context) =>
  noteWrite(context, call, path, false, parameter(call, "value inputobject", 1) ?? literal("")),
);

function moves(kind: "move" | "copy"): LibraryFunction {
  return withPath((from, call, context) => {
    const to = parameter(call, "destination newname destinationpath", 1);
    return to && noteMove(context, call, from, to, kind);
  });
}

/** `iwr URL -OutFile f`, `irm URL -Method Post -Body $x` */
const requests: LibraryFunction = (call, context) => {
  const address = parameter(call, "uri", 0);
  if (address === undefined) return undefined;
  const sent = ["body", "infile", "form"].flatMap(name => parameter(call, name) ?? []);
  noteNetwork(context, call, address, sent);
  const answer = reference("response", [fromNetwork(context)]);
  const file = parameter(call, "outfile");
  if (file !== undefined) noteMove(context, call, answer, file, "copy");
  return answer;
};

const evaluates: LibraryFunction = (call, context) => {
  const code = parameter(call, "command", 0) ?? call.named.get(PIPE);
  return code && evaluateText(code, call, context);
};

/** By number a process is meant; by name, or as they flow in, many are. */
const stopsProcess: LibraryFunction = (call, context) => {
  const name = parameter(call, "name processname");
  const isNumber = parameter(call, "id", 0) !== undefined;
  if (isTrue(parameter(call, "whatif")) || (isNumber && name === undefined))
    return startsProgram(call, context);
  if (name === undefined && !call.named.has(PIPE)) return undefined;
  return noteLoss(context, call, "sys.kill", `end every process called ${knownDatumText(name) ?? "…"}`);
};

function listBlocks(call: FunctionCall): Datum[] {
  return [...call.positional, ...call.named.values()].filter(datum => datum.kind === "function");
}

/** `% { … }`: the block meets what flows in, item by item. */
const forEach: LibraryFunction = (call, context) => {
  const input = call.named.get(PIPE) ?? reference("item");
  const items = input.kind === "list" && !input.isOpenEnded ? input.items : [loopElement(input)];
  const results = listBlocks(call).flatMap(block =>
    items.map(item => invoke(context, block, { ...call, positional: [item], named: new Map() })),
  );
  return results.length === 0 ? input : createChoice(results);
};

const filters: LibraryFunction = (call, context) => {
  forEach(call, context);
  return call.named.get(PIPE);
};

/** Blocks handed to a cmdlet run sooner or later. */
const runsBlocks: LibraryFunction = (call, context) => {
  for (const block of listBlocks(call)) invoke(context, block, { ...call, positional: [], named: new Map() });
  return undefined;
};

const startsProcess: LibraryFunction = (call, context) => {
  const program = parameter(call, "filepath", 0);
  const rest = parameter(call, "argumentlist args", 1) ?? listDatum([]);
  if (program === undefined) return undefined;
  const words = knownDatumText(rest)?.trim().split(/\s+/).map(literal) ?? listItems(rest);
  noteSpawn(context, call, [program, ...words], rest.kind === "list" && rest.isOpenEnded);
  return undefined;
};

/** Whatever is no cmdlet is a program with its words as written. */
const startsProgram: LibraryFunction = (call, context) => {
  const words = (call.words ?? []).flatMap(({ name, value }) => {
    if (name === undefined) return listItems(value);
    if (name.startsWith(" ")) return [];
    if (value.kind === "reference" && value.name === SWITCHED_ON) return [literal(`-${name}`)];
    if (isSwitch(name.toLowerCase())) return [literal(isTrue(value) ? `-${name}` : `-${name}:$false`)];
    return [literal(`-${name}`), ...listItems(value)];
  });
  const argv = [call.named.get(PROGRAM) ?? literal(call.name), ...words];
  return reference("program()", noteSpawn(context, call, argv, false, undefined, call.named.get(PIPE)));
};

const changesDirectory = withPath((path, call, context) => noteDirectory(context, call, path));

const joinsPath: LibraryFunction = (call, context) => {
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

const splitsPath = withPath(path => mapText(path, directoryName));

/** `Write-Output x`, `echo x`: the words flow on. */
const passes: LibraryFunction = call => {
  const input = parameter(call, "inputobject");
  const words = input === undefined ? call.positional : [...call.positional, input];
  return words.length === 1 ? words[0] : listDatum(words);
};

/** `New-Object Net.WebClient` is known by its type. */
const makesObject: LibraryFunction = call => {
  const type = knownDatumText(parameter(call, "typename", 0));
  return type === undefined ? undefined : reference(type.toLowerCase().replace(/^system\./, ""));
};

/** Bytes travel as a text of one character per byte, so that the encoding can be chosen later. */
const decodesBytes = withArgument("0", (encoded, _call, context) =>
  decode(context, encoded, known => {
    const bytes = decodeBase64(known);
    return bytes && [...bytes].map(byte => String.fromCharCode(byte)).join("");
  }),
);

function getsString(decodeBytes: (bytes: Uint8Array) => string): LibraryFunction {
  return withArgument("0", text =>
    mapText(text, known => decodeBytes(Uint8Array.from(known, character => character.charCodeAt(0) & 0xff))),
  );
}

/** `[IO.Directory]::Delete(path, $true)`, `$file.Delete()` */
function deletes(path: string, isRecursive: string): LibraryFunction {
  return withArgument(path, (target, call, context) =>
    noteDelete(context, call, target, isTrue(select(call, isRecursive))),
  );
}

/** `Process.Start("cmd", "/c …")` */
const startsLine = withArgument("0", (program, call, context) => {
  const words = select(call, "1");
  noteShell(context, call, words === undefined ? program : joined([program, literal(" "), words]));
  return undefined;
});

const namesFolder: LibraryFunction = (call, context) =>
  /^(?:userprofile|personal)$/i.test(knownDatumText(select(call, "0")) ?? "")
    ? homeDatum(context)
    : undefined;

/** `$a -replace "x", "y"`, `$a.Replace("x", "y")` */
const replaces = withArgument("this", (text, call) => {
  const [from, to] = listItems(select(call, "0") ?? listDatum([]))
    .concat(call.positional.slice(1))
    .map(knownDatumText);
  return mapText(text, known =>
    from === undefined || from === "" ? undefined : known.split(from).join(to ?? ""),
  );
});

/** What cmdlets and the usual .NET calls mean. Everything else is a program. */
export const POWERSHELL = defineLanguage({
  id: "powershell",
  parse: parsePowerShell,
  functions: () => [
    ["remove-item rm del rd ri erase rmdir", removes],
    ["get-childitem gci ls dir get-item gi resolve-path rvpa", lists],
    ["get-content gc cat type", reads],
    ["set-content sc out-file tee-object tee export-csv new-item ni", writes(false)],
    ["add-content ac", writes(true)],
    ["clear-content clc", clears],
    ["move-item mi mv move rename-item rni ren", moves("move")],
    ["copy-item cpi cp copy expand-archive compress-archive", moves("copy")],
    ["invoke-webrequest iwr curl wget invoke-restmethod irm start-bitstransfer", requests],
    ["invoke-expression iex", evaluates],
    ["foreach-object foreach %", forEach],
    ["where-object where ? select-object select sort-object sort", filters],
    ["invoke-command icm start-job sajb measure-command start-threadjob", runsBlocks],
    ["start-process saps start", startsProcess],
    ["stop-process spps kill", stopsProcess],
    ["set-location cd sl chdir push-location pushd", changesDirectory],
    ["join-path", joinsPath],
    ["split-path", splitsPath],
    ["write-output echo write", passes],
    ["write-{host,verbose,warning,error,debug} out-{host,null,string}", call => call.named.get(PIPE)],
    ["new-object", makesObject],
    ["test-path get-location gl get-command gcm get-help import-module set-strictmode", () => undefined],
    [">", writes(false)],
    [">>", writes(true)],
    ["*", startsProgram],

    ["[convert].frombase64string", decodesBytes],
    ["[text.encoding].{utf8,ascii,default}.getstring", getsString(decodeUtf8)],
    ["[text.encoding].unicode.getstring", getsString(decodeUtf16LittleEndian)],
    ["[io.{file,directory}].delete", deletes("0", "1")],
    ["[io.file].{readalltext,readalllines,readallbytes}", "reads", "0"],
    ["[io.file].{writealltext,writealllines,writeallbytes,create}", "writes", "0", "1"],
    ["[io.file].appendalltext", "writes", "0", "1", "appending"],
    ["[io.{file,directory}].move", "moves", "0", "1"],
    ["[diagnostics.process].start", startsLine],
    ["[scriptblock].create", "evaluates", "0"],
    ["[environment].getfolderpath", namesFolder],
    ["[environment].getenvironmentvariable", "readsVariable", "0"],
    ["net.webclient.{downloadstring,downloaddata,uploadstring,uploadfile,uploaddata}", "sends", "0"],
    ["net.webclient.downloadfile", "downloads", "0", "1"],
    ["[net.sockets.tcpclient].new", "connects", "0"],
    ["{text,list}.-join", "joinsItems", "this", "0"],
    ["text.{-split,split}", "splits", "this", "0"],
    ["text.{-replace,replace}", replaces],
    ["{text,matches}.delete", deletes("this", "0")],
  ],
  methods: () => [
    ["downloadstring uploadstring uploadfile", "sends", "0"],
    ["downloadfile", "downloads", "0", "1"],
    ["invoke invokereturnasis", "calls", "this", "0.."],
  ],
  constants: () => [
    ["$home $env.USERPROFILE", homeDatum],
    ["$profile", () => literal("~/.config/powershell/profile.ps1")],
    ["$pwd $psscriptroot", workingDirectory],
    ["$args", context => argumentList(context)],
    ["$env.TEMP", temporaryDirectory],
    ["$env.SYSTEMDRIVE", () => literal("C:")],
    ["$env.SYSTEMROOT $env.WINDIR", () => literal("C:/Windows")],
  ],
  properties: () => [["text.{fullname,path,pspath,name} matches.{fullname,path,name}", path => path]],
  // Names know no case, but environment variables are kept in capitals.
  canonical: name => (name.startsWith("$env.") ? name : name.toLowerCase()),
  toPath: windowsPath,
  returnsLast: true,
  callsTexts: true,
});
