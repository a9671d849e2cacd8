import {
  assign,
  type Datum,
  firstValue,
  formatted,
  joined,
  knownDatumText,
  listDatum,
  literal,
  mapText,
  reference,
} from "../../meaning/datum.ts";
import { runsLineOrWords } from "../../meaning/effect-kinds.ts";
import {
  networkOnly,
  noteDelete,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
  openFile,
} from "../../meaning/effects.ts";
import {
  allDescendants,
  argumentList,
  type EvaluationContext,
  expandTilde,
  type FunctionCall,
  fromNetwork,
  joinPaths,
  type LibraryFunction,
  select,
  standardInput,
  temporaryPath,
  toPattern,
  wholeEnvironment,
  withArgument,
} from "../../meaning/evaluation-context.ts";
import { invoke, loopElement } from "../../meaning/invoke.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { parsePerl } from "./syntax.ts";

/** What the names of Perl and its usual modules mean. `::` is written as a dot, variables with `$`. */
export const PERL = defineLanguage({
  id: "perl",
  parse: parsePerl,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a row a function
  functions: () => [
    ["print printf say warn die", "prints"],
    ["system exec capture IPC.Run.run IPC.System.Simple.{system,capture}", "runsLineOrWords", "0.."],
    ["open3", "runsLineOrWords", "3.."],
    ["open2", "runsLineOrWords", "2.."],
    ["` readpipe Win32.Spawn", "runsShell", "0"],
    ["eval", "evaluates", "0 this"],
    ["do", "evaluatesFile", "0"],
    ["kill", "kills", "1..", "0"],
    ["fork", "forks"],
    ["IO.Socket.{INET,SSL,IP}.new Net.{FTP,SMTP}.new", "connects", "PeerAddr PeerHost 0", "PeerPort"],
    ["connection.{send,print,syswrite,put,data,datasend}", "sendsToReceiver"],
    ["socket", opensSocket],
    ["connect", connectsSocket],
    ["get getprint head", "sends", "0"],
    ["getstore mirror", "downloads", "0", "1"],
    [
      "{LWP.UserAgent,HTTP.Tiny,Mojo.UserAgent,WWW.Mechanize}.new().{get,post,put,request,post_form}",
      "sends",
      "0 url",
    ],

    ["unlink rmdir", "deletes", "0.."],
    ["rmtree remove_tree File.Remove.remove File.Slurp.remove", removesTrees],
    ["rename move mv", "moves", "0", "1"],
    ["copy cp link symlink File.Copy.Recursive.dircopy", "copies", "0", "1"],
    ["chmod", "changesMode", "1..", "0"],
    ["chown", "changesMode", "2.."],
    ["chdir", "changesDirectory", "0"],
    ["truncate", "writes", "0"],
    ["open", opens],
    ["sysopen", opensDescriptor],
    ["file.{print,printf,write}", "writes", "handle", "0", "appending"],
    ["print> printf> say>", printsTo],
    ["read_file File.Slurp.read_file slurp path.{slurp,slurp_utf8,lines}", "reads", "0 this"],
    ["write_file File.Slurp.write_file", "writes", "0", "1"],
    ["path.{spew,spew_utf8,append}", "writes", "this", "0"],
    ["path.remove_tree", "deletes", "this", "recursively"],
    ["path.remove", "deletes", "this"],
    ["glob File.Glob.bsd_glob", globs],
    ["readdir", "returns", "any name"],
    ["{,File.Find.}{find,finddepth}", finds],
    ["tempdir File.Temp.{tempdir,newdir}", "returns", "temporary path"],
    ["{,File.Temp.}tempfile", (_call, context) => listDatum([reference("file"), temporaryPath(context)])],
    ["cwd getcwd", "returns", "working directory"],
    ["{,File.Spec.}{catfile,catdir}", "joinsPath", "0..", "text", "without restart"],
    ["File.Spec.tmpdir", "returns", "temporary directory"],
    ["File.HomeDir.{my_home,home}", "returns", "home"],
    ["File.Spec.rel2abs abs_path realpath", "makesPath", "0", "absolute"],
    ["{,File.Basename.}dirname", "changesText", "0 this", "dirname"],
    ["{,File.Basename.}basename", "changesText", "0 this", "basename"],
    ["path Path.Tiny.path", makesPath],

    ["join", "joinsItems", "1..", "0"],
    ["sprintf", "formats", "0", "1.."],
    ["pack unpack", "unpacks", "0", "1.."],
    ["chr", "makesCharacters", "0"],
    ["map grep sort first any all", mapsTopics],
    ["reverse", reversesItems],
    ["list.{shift,pop}", shifts],
    ["push unshift", "appendsItems", "0", "1.."],
    ["split", "splits", "1", "0"],
    ["lc lcfirst", "changesText", "0 this", "lower"],
    ["uc ucfirst", "changesText", "0 this", "upper"],
    ["chomp chop scalar quotemeta ref bless defined", "gives", "0 this"],
    ["decode_base64 decode_base64url", "decodes", "base64"],
    ["{,URI.Escape.}uri_unescape", "decodes", "percent"],
    ["Compress.Zlib.{uncompress,memGunzip} uncompress", "decodes", "other"],
  ],
  methods: () => [
    ["do prepare selectall_arrayref", "runsSql", "0"],
    ["system", runsText],
    ["remove_tree rmtree", "deletes", "this", "recursively"],
  ],
  constants: () => [
    ["$ENV", () => wholeEnvironment("$ENV")],
    ["$ARGV @_", context => argumentList(context)],
    ["<> STDIN", standardInput],
    ["$0", () => literal("-e")],
  ],
  canonical: canonicalName,
  environments: new Set(["$ENV"]),
  returnsLast: true,
  hoistsFunctions: true,
  flattensLists: true,
});

const MODULES =
  /^(?:CORE\.GLOBAL|CORE|POSIX|File\.Path|File\.Copy|Cwd|MIME\.Base64|LWP\.Simple|IPC\.Open3|IPC\.Open2|main)\./;

/** Functions of usual modules are known by their bare names, imported or not. */
function canonicalName(written: string): string {
  return written.replace(".new.", ".new().").replace(MODULES, "");
}

/** `open(my $h, MODE, path)` and the old form with mode and path in one text; bars start programs. */
const opens = withArgument("1", (mode, call, context) => {
  const [handle, , target, ...rest] = call.positional;
  const word = knownDatumText(mode)?.trim();
  if (target === undefined) {
    if (word === undefined) noteRead(context, call, mode);
    else openOld(context, call, handle, word);
  } else if (word === "|-" || word === "-|") {
    if (rest.length > 0) noteSpawn(context, call, [target, ...rest], call.isOpenEnded);
    else noteShell(context, call, target);
    if (word === "|-") namePipe(context, handle, rest.length === 0 ? target : listDatum([target, ...rest]));
  } else if (word?.includes("&") === true) duplicate(context, handle, target);
  else openAs(context, call, word ?? "+<", target);
  return undefined;
});

function openOld(
  context: EvaluationContext,
  call: FunctionCall,
  handle: Datum | undefined,
  word: string,
): void {
  if (word.startsWith("|")) {
    const command = literal(word.slice(1).trim());
    noteShell(context, call, command);
    namePipe(context, handle, command);
  } else if (word.endsWith("|")) noteShell(context, call, literal(word.slice(0, -1).trim()));
  else if (/^[<>]{1,2}&/.test(word)) {
    duplicate(context, handle, context.globals.names.get(word.replace(/^[<>]{1,2}&=?/, "")));
  } else {
    const [, mode = "", path = ""] = /^(\+?[<>]{0,2})\s*(.*)$/s.exec(word) ?? [];
    openAs(context, call, mode, literal(path));
  }
}

/** `open(STDIN, ">&", $socket)` puts a socket in the place of stdin. */
function duplicate(context: EvaluationContext, handle: Datum | undefined, source: Datum | undefined): void {
  const isInput = handle?.kind === "text" || (handle?.kind === "reference" && handle.name === "STDIN");
  const socket = networkOnly(source);
  if (isInput && socket !== undefined) context.standardInput = firstValue(socket);
}

/** Later prints to the handle are what the program reads. */
function namePipe(context: EvaluationContext, handle: Datum | undefined, command: Datum): void {
  const name = handle?.kind === "reference" ? handle.name : knownDatumText(handle);
  if (name !== undefined) assign(context.globals, name, reference("pipe", [], command), false);
}

/** Modes are `<`, `>`, `>>` and `+<`. */
function openAs(context: EvaluationContext, call: FunctionCall, mode: string, path: Datum): void {
  const letters = mode.includes(">>") ? "a" : mode.includes(">") ? "w" : mode.includes("+") ? "r+" : "r";
  const file = openFile(context, call, path, letters);
  const [handle] = call.positional;
  if (handle?.kind === "reference") assign(context.globals, handle.name, file, false);
}

const opensDescriptor: LibraryFunction = (call, context) => {
  const [handle = literal("F"), path = literal("")] = call.positional;
  return opens({ ...call, positional: [handle, literal("+<"), path] }, context);
};

/** `print HANDLE …`: to a program, a file or a connection. */
const printsTo = withArgument("0", (handle, call, context) => {
  if (handle.kind !== "reference" || handle.receiver === undefined) return undefined;
  const [template = literal(""), ...items] = call.positional.slice(1);
  const printed = call.name.startsWith("printf") ? formatted(template, items) : joined([template, ...items]);
  const { name, receiver: target } = handle;
  if (name === "file") noteWrite(context, call, target, true, printed);
  else if (name === "connection") noteNetwork(context, call, target, call.positional.slice(1));
  else if (name === "pipe") {
    const argv = target.kind === "list" ? target.items : [literal("sh"), literal("-c"), target];
    noteSpawn(context, call, argv, false, undefined, printed);
  }
  return undefined;
});

/** Paths, and an options record that says nothing about them. */
const removesTrees: LibraryFunction = (call, context) => {
  const paths = call.positional.filter(datum => datum.kind !== "record");
  return noteDelete(context, call, listDatum(paths, call.isOpenEnded), true);
};

/** `find(sub { unlink $_ }, ".")`: the function meets everything below. */
const finds = withArgument("0", (wanted, call, context) => {
  const callee = wanted.kind === "record" ? wanted.fields.get("wanted") : wanted;
  for (const directory of callee === undefined ? [] : call.positional.slice(1)) {
    const found = allDescendants(directory, "text");
    context.globals.names.set("$File::Find::name", found);
    visit(context, call, callee ?? wanted, found);
  }
  return undefined;
});

/** Calls a function whose `$_` is the item. */
function visit(context: EvaluationContext, call: FunctionCall, callee: Datum, item: Datum): Datum {
  context.globals.names.set("$_", item);
  return invoke(context, callee, { ...call, positional: [item], named: new Map(), isOpenEnded: false });
}

/** `map { … } @list`, `grep { … } @list` */
const mapsTopics = withArgument("0", (callee, call, context) => {
  const items = call.positional.slice(1);
  if (callee.kind !== "function") return listDatum(items, call.isOpenEnded);
  const topics =
    items.length === 0
      ? [reference("item")]
      : items.map(item => (item.kind === "list" ? loopElement(item) : item));
  const results = topics.map(topic => visit(context, call, callee, topic));
  return listDatum(call.name === "grep" ? topics : results, call.isOpenEnded);
});

/** `glob("*.o *.a")` is two patterns. */
const globs = withArgument("0", (pattern, _call, context) => {
  const words = knownDatumText(pattern)?.trim().split(/\s+/) ?? [];
  if (words.length < 2) return toPattern(expandTilde(pattern, context));
  return listDatum(words.map(word => toPattern(expandTilde(literal(word), context))));
});

/** `path("~/x")` of Path::Tiny */
const makesPath: LibraryFunction = (call, context) =>
  expandTilde(joinPaths(call.positional, "path", false, call.isOpenEnded), context);

/** `socket(S, …)` gives its first argument a meaning: the handle is the network. */
const opensSocket = withArgument("0", (handle, _call, context) => {
  if (handle.kind === "reference")
    context.globals.names.set(handle.name, reference("connection", [fromNetwork(context)]));
  return undefined;
});

const connectsSocket: LibraryFunction = (call, context) =>
  noteNetwork(context, call, select(call, "1") ?? reference("address"), []);

const runsText: LibraryFunction = (call, context) =>
  call.positional[0]?.kind === "text" ? runsLineOrWords("0..")(call, context) : undefined;

/** One text is turned around, several items change their order. */
const reversesItems: LibraryFunction = call => {
  const [only] = call.positional;
  if (call.positional.length === 1 && only?.kind === "text")
    return mapText(only, known => [...known].reverse().join(""));
  return listDatum([...call.positional].reverse(), call.isOpenEnded);
};

/** `shift`: the first of the list leaves it. */
const shifts = withArgument("this", (list, call) => {
  if (list.kind !== "list") return undefined;
  const item = call.name.endsWith("pop") ? list.items.pop() : list.items.shift();
  return item ?? reference("argument", list.origins);
});
