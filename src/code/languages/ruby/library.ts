import { knownPrefix, rotate13 } from "../../../shell/index.ts";
import {
  appendItem,
  type Datum,
  firstValue,
  joined,
  knownDatumText,
  listDatum,
  listOptions,
  literal,
  reference,
  withType,
} from "../../meaning/datum.ts";
import { opens, reads, runsLineOrWords, sends } from "../../meaning/effect-kinds.ts";
import {
  decode,
  isAddress,
  networkOnly,
  noteDelete,
  noteDirectory,
  noteShell,
} from "../../meaning/effects.ts";
import {
  absolute,
  allDescendants,
  anyName,
  argumentList,
  type EvaluationContext,
  expandTilde,
  joinPaths,
  type LibraryFunction,
  select,
  standardInput,
  temporaryPath,
  toPattern,
  wholeEnvironment,
  withArgument,
  workingDirectory,
} from "../../meaning/evaluation-context.ts";
import { callBack, invoke, readMember } from "../../meaning/invoke.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { unpacks } from "../../meaning/value-kinds.ts";
import { parseRuby } from "./syntax.ts";

/** Opens or reads a file for a block. With a bar in front the name is a command, with open-uri an address. */
function usesFile(use: LibraryFunction): LibraryFunction {
  return withArgument("0", (path, call, context) => {
    const known = knownDatumText(path);
    if (known?.startsWith("|") === true)
      return reference("`()", noteShell(context, call, literal(known.slice(1))));
    if (isAddress(path)) return sends("0")(call, context);
    const file = use(call, context);
    if (file !== undefined) callBack(context, call, [file]);
    return file;
  });
}

/** Gives a value to a block, if there is one. */
function yields(
  make: (first: Datum | undefined, context: EvaluationContext) => Datum | undefined,
): LibraryFunction {
  return (call, context) => {
    const value = make(call.positional[0], context);
    if (value !== undefined) callBack(context, call, [value]);
    return value;
  };
}

/** With a block the old directory comes back; without one it does not. */
const changesDirectory = withArgument("0", (path, call, context) => {
  if (path.kind === "function") return undefined;
  const outer = context.directory;
  noteDirectory(context, call, path);
  if (callBack(context, call, [path]) !== undefined) context.directory = outer;
  return undefined;
});

/** `File.expand_path("~/x", dir)` */
const expandsPath = withArgument("0", (path, call, context) => {
  const plain = expandTilde(path, context);
  const base = select(call, "1");
  const isRooted = listOptions(plain).every(option => knownPrefix(firstValue(option)).startsWith("/"));
  return absolute(base === undefined || isRooted ? plain : joined([base, literal("/"), plain]), context);
});

const globs = yields(pattern => pattern && toPattern(pattern));

/** A function of files whose name is not known may delete. */
const noteWorst: LibraryFunction = (call, context) => {
  const isOfFiles =
    call.receiver?.kind === "reference" && /^(?:FileUtils|File|Dir|IO)$/.test(call.receiver.name);
  for (const path of isOfFiles ? call.positional.slice(1) : [])
    if (path.kind === "text") noteDelete(context, call, path, true);
  return undefined;
};

/** `obj.send(:system, "…")` */
const sendsMessage = withArgument("0", (name, call, context) => {
  const known = knownDatumText(name);
  if (known === undefined) return noteWorst(call, context);
  const isOwn = call.receiver === undefined || context.language.functions.has(known);
  const callee = isOwn ? reference(known) : readMember(context, call.receiver ?? name, known);
  return invoke(context, callee, { ...call, positional: call.positional.slice(1) });
});

/** `method(:system)` */
const namesMethod = withArgument("0", (name, call, context) => {
  const known = knownDatumText(name);
  if (known === undefined) return undefined;
  return call.receiver === undefined ? reference(known) : readMember(context, call.receiver, known);
});

/** `$stdin.reopen(socket)` */
const reopens = withArgument("0", (source, _call, context) => {
  if (networkOnly(source) !== undefined) context.standardInput = firstValue(source);
  return undefined;
});

const runs = runsLineOrWords("0..", "chdir", "stdin_data");

/** Whatever the receiver is, a text handed to a method of that name is for a shell. */
const runsText: LibraryFunction = (call, context) =>
  call.positional[0]?.kind === "text" ? runs(call, context) : undefined;

const appends = withArgument("this", (target, call) => {
  const item = select(call, "0");
  if (item === undefined) return undefined;
  if (target.kind !== "list") return joined([target, item]);
  appendItem(target, item);
  return target;
});

const unpacksList: LibraryFunction = (call, context) => {
  const plain = unpacks("0", "this")(call, context);
  return plain === undefined ? undefined : listDatum([plain]);
};

/** `text.tr("a-z", "n-za-m")` is rot13; any other table is not computed. */
const translates = withArgument("this", (text, call, context) => {
  const isRotation = knownDatumText(select(call, "0"))?.toLowerCase().startsWith("a-z") === true;
  return decode(context, text, isRotation ? rotate13 : () => undefined);
});

const COPIED = "{cp,cp_r,copy,copy_entry,install,cp_lr,ln,ln_s,ln_sf}";
const LOOPS = "{each,each_entry,each_with_index,each_slice,select,filter,reject,tap,then,sort_by}";

/** What the names of Ruby's own library mean. `::` is written as a dot. */
export const RUBY = defineLanguage({
  id: "ruby",
  parse: parseRuby,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a row a function
  functions: () => [
    ["puts print p pp warn {$stdout,$stderr,STDOUT,STDERR}.{puts,print,write}", "prints"],
    ["system exec spawn IO.popen PTY.spawn", runs],
    ["Open3.{capture2,capture2e,capture3,popen2,popen2e,popen3,pipeline,pipeline_r}", runs],
    ["` sh Rake.sh", "runsShell", "0"],
    ["eval instance_eval class_eval module_eval {binding,TOPLEVEL_BINDING}.eval", "evaluates", "0 this"],
    ["RubyVM.InstructionSequence.compile", "evaluates", "0 this"],
    ["send public_send __send__", sendsMessage],
    ["method", namesMethod],
    ["kill", "kills", "1..", "0"],
    ["fork", "forks", "-1"],
    ["loop", "repeats"],
    ["Net.HTTP.{get,get_response,post,post_form} URI.open", "sends", "0 url"],
    ["{HTTParty,Faraday,RestClient}.{get,post}", "sends", "0 url"],
    ["Net.HTTP.{start,new} TCPSocket.{new,open} UDPSocket.new", "connects", "0"],
    ["connection.delete", "sends", "handle", "0.."],
    ["connection.{write,puts,print,send,post,request,put}", "sendsToReceiver"],
    ["text.reopen", reopens],

    [
      "{FileUtils.,}{rm_r,rm_rf,rmtree,remove_dir,remove_entry,remove_entry_secure}",
      "deletes",
      "0",
      "recursively",
    ],
    ["{FileUtils.,}{rm,rm_f,remove,safe_unlink,rmdir}", "deletes", "0"],
    ["{FileUtils.,}{mv,move} File.rename", "moves", "0", "1"],
    [`{FileUtils.,}${COPIED} File.{symlink,link}`, "copies", "0", "1"],
    ["{FileUtils.,}{chmod,chown} File.{chmod,chown}", "changesMode", "1..", "0"],
    ["{FileUtils.,}{chmod_R,chown_R}", "changesMode", "1..", "0", "recursively"],
    ["FileUtils.{cd,chdir} Dir.chdir", changesDirectory],
    ["File.{delete,unlink} Dir.{delete,rmdir,unlink}", "deletes", "0.."],
    ["{File.,,IO.,Kernel.}open File.new", usesFile(opens("0", "1 mode"))],
    ["{File,IO}.{read,binread,readlines,foreach} {YAML,JSON}.load_file", usesFile(reads("0"))],
    ["{File,IO}.{write,binwrite} File.truncate", "writes", "0", "1"],
    ["IO.copy_stream", "copies", "0", "1"],
    ["file.{write,puts,print,<<,syswrite}", "writes", "handle", "0", "appending"],
    ["path.rmtree", "deletes", "this", "recursively"],
    ["path.{delete,unlink,rmdir}", "deletes", "this"],
    ["path.{write,binwrite}", "writes", "this", "0"],
    ["path.{read,binread,readlines}", "reads", "this"],

    ["SQLite3.Database.{new,open}", "opensDatabase", "0"],

    ["File.join", "joinsPath", "0..", "text", "without restart"],
    ["File.{expand_path,absolute_path,realpath}", expandsPath],
    ["File.dirname", "changesText", "0", "dirname"],
    ["File.basename", "changesText", "0", "basename"],
    ["Dir.{glob,[]}", globs],
    ["Dir.{children,entries,each_child,foreach}", yields(() => anyName("matches"))],
    ["Find.find", yields(path => path && allDescendants(path, "matches"))],
    ["Dir.mktmpdir Tempfile.{new,create}", yields((_path, context) => temporaryPath(context))],
    ["Dir.home Etc.getpwuid().dir", "returns", "home"],
    ["Dir.tmpdir", "returns", "temporary directory"],
    ["Dir.{pwd,getwd}", "returns", "working directory"],
    ["Pathname.{pwd,getwd}", (_call, context) => withType(workingDirectory(context), "path")],
    ["ENV.{fetch,[]}", "readsVariable", "0"],
    ["Pathname.new Pathname", withArgument("0", path => withType(path, "path"))],
    ["path.{join,+}", withArgument("this", (path, call) => joinPaths([path, ...call.positional], "path"))],
    ["path.{children,each_child}", "makesPath", "this", "everything in it"],
    [
      "path.{expand_path,realpath}",
      withArgument("this", (path, _call, context) => absolute(expandTilde(path, context), context)),
    ],

    [`{list,matches,path}.${LOOPS} text.{then,tap}`, "visitsItems", "-1", "this"],
    ["{list,matches,path}.{map,collect,flat_map}", "mapsItems", "-1", "this"],
    ["list.join", "joinsItems", "this", "0"],
    ["text.{split,shellsplit}", "splits", "this", "0"],
    ["list.{<<,push,append} text.{<<,concat}", appends],
    ["text.unpack", unpacksList],
    ["text.unpack1 list.pack", "unpacks", "0", "this"],
    ["text.{gsub,sub,gsub!,sub!}", "replaces", "this", "0", "1"],
    ["text.tr", translates],
    ["text.reverse", "reverses", "this"],
    ["text.{strip,chomp,chop,lstrip,rstrip}", "changesText", "this", "trim"],
    ["text.downcase", "changesText", "this", "lower"],
    ["text.upcase", "changesText", "this", "upper"],
    [
      "text.{to_s,to_str,to_sym,freeze,dup,force_encoding,read,gets,readlines} path.{to_s,to_path}",
      "gives",
      "this",
    ],
    ["list.{flatten,uniq,sort,to_a} matches.{sort,to_a}", "gives", "this"],
    ["String Array URI URI.{parse,encode_www_form} JSON.generate", "gives", "0 this"],
    ["Shellwords.{split,shellsplit}", "gives", "0"],
    ["Base64.{decode64,strict_decode64,urlsafe_decode64}", "decodes", "base64"],
    ["Marshal.load Zlib.Inflate.inflate Zlib.gunzip", "decodes", "other"],
    ["format sprintf", "formats", "0", "1.."],
    ["gets readline readlines {$stdin,STDIN,ARGF}.read", "returns", "standard input"],
  ],
  methods: () => [
    ["system", runsText],
    ["send public_send __send__", sendsMessage],
    ["method", namesMethod],
    ["call yield", "calls", "this", "0.."],
    ["instance_eval class_eval", "evaluates", "0 this"],
    ["rm_rf rm_r remove_entry_secure", "deletes", "0", "recursively"],
    ["rmtree", "deletes", "this", "recursively"],
    ["each map each_with_index find_each in_batches", "mapsItems", "-1", "this"],
    ["execute exec exec_query query run do execute_batch", "runsSql", "0"],
    ["delete_all destroy_all", "losesData", "db.delete", "delete every row", "of a whole table"],
    ["update_all", "losesData", "db.delete", "change every row", "of a whole table"],
    ["destroy destroy! delete", "losesData", "db.delete", "delete every row", "of each row"],
    ["drop_table drop_database", "losesData", "db.drop", "drop a table"],
    ["truncate truncate_tables", "losesData", "db.delete", "delete every row"],
  ],
  constants: () => [
    ["ENV", () => wholeEnvironment("ENV")],
    ["ARGV", context => argumentList(context)],
    ["ARGF STDIN $stdin", standardInput],
    ["__dir__", workingDirectory],
  ],
  canonical: canonicalName,
  environments: new Set(["ENV"]),
  returnsLast: true,
});

function canonicalName(name: string): string {
  return name.replace(/^FileUtils\.Verbose\./, "FileUtils.").replace(/^(?:Kernel|Object|self|Process)\./, "");
}
