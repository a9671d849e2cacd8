import { decodeBase64, decodeUtf8, decodeUtf16LittleEndian } from "../../../shell/index.ts";
import { decode } from "../../meaning/actions.ts";
import { isTrue, select, withArgument } from "../../meaning/arguments.ts";
import type { LibraryFunction } from "../../meaning/context.ts";
import { argumentList, homeDatum, temporaryDirectory, workingDirectory } from "../../meaning/context.ts";
import { itemsOf, joined, knownTextOf, listDatum, literal, mapText } from "../../meaning/datum.ts";
import { noteDelete, noteShell } from "../../meaning/effects.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import * as cmdlets from "./cmdlets.ts";
import { PIPE } from "./commands.ts";
import { parsePowerShell } from "./statements.ts";

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
  /^(?:userprofile|personal)$/i.test(knownTextOf(select(call, "0")) ?? "") ? homeDatum(context) : undefined;

/** `$a -replace "x", "y"`, `$a.Replace("x", "y")` */
const replaces = withArgument("this", (text, call) => {
  const [from, to] = itemsOf(select(call, "0") ?? listDatum([]))
    .concat(call.positional.slice(1))
    .map(knownTextOf);
  return mapText(text, known =>
    from === undefined || from === "" ? undefined : known.split(from).join(to ?? ""),
  );
});

/** What cmdlets and the usual .NET calls mean. Everything else is a program. */
export const POWERSHELL = defineLanguage({
  id: "powershell",
  parse: parsePowerShell,
  functions: () => [
    ["remove-item rm del rd ri erase rmdir", cmdlets.removes],
    ["get-childitem gci ls dir get-item gi resolve-path rvpa", cmdlets.lists],
    ["get-content gc cat type", cmdlets.reads],
    ["set-content sc out-file tee-object tee export-csv new-item ni", cmdlets.writes(false)],
    ["add-content ac", cmdlets.writes(true)],
    ["clear-content clc", cmdlets.clears],
    ["move-item mi mv move rename-item rni ren", cmdlets.moves("move")],
    ["copy-item cpi cp copy expand-archive compress-archive", cmdlets.moves("copy")],
    ["invoke-webrequest iwr curl wget invoke-restmethod irm start-bitstransfer", cmdlets.requests],
    ["invoke-expression iex", cmdlets.evaluates],
    ["foreach-object foreach %", cmdlets.forEach],
    ["where-object where ? select-object select sort-object sort", cmdlets.filters],
    ["invoke-command icm start-job sajb measure-command start-threadjob", cmdlets.runsBlocks],
    ["start-process saps start", cmdlets.startsProcess],
    ["stop-process spps kill", cmdlets.stopsProcess],
    ["set-location cd sl chdir push-location pushd", cmdlets.changesDirectory],
    ["join-path", cmdlets.joinsPath],
    ["split-path", cmdlets.splitsPath],
    ["write-output echo write", cmdlets.passes],
    ["write-{host,verbose,warning,error,debug} out-{host,null,string}", call => call.named.get(PIPE)],
    ["new-object", cmdlets.makesObject],
    ["test-path get-location gl get-command gcm get-help import-module set-strictmode", () => undefined],
    [">", cmdlets.writes(false)],
    [">>", cmdlets.writes(true)],
    ["*", cmdlets.startsProgram],

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
    ["$pwd $psscriptroot", workingDirectory],
    ["$args", context => argumentList(context)],
    ["$env.TEMP", temporaryDirectory],
    ["$env.SYSTEMDRIVE", () => literal("C:")],
    ["$env.SYSTEMROOT $env.WINDIR", () => literal("C:/Windows")],
  ],
  properties: () => [["text.{fullname,path,pspath,name} matches.{fullname,path,name}", path => path]],
  // Names know no case, but environment variables are kept in capitals.
  canonical: name => (name.startsWith("$env.") ? name : name.toLowerCase()),
  toPath: cmdlets.windowsPath,
  returnsLast: true,
  callsTexts: true,
});
