import { baseName, directoryName } from "../../../shell/index.ts";
import {
  joined,
  knownDatumText,
  listDatum,
  literal,
  mapText,
  recordDatum,
  reference,
  withType,
} from "../../meaning/datum.ts";
import { joinCharacters, noteSpawn } from "../../meaning/effects.ts";
import {
  anyName,
  argumentList,
  directChildren,
  fromNetwork,
  homeDatum,
  joinPaths,
  type LibraryFunction,
  select,
  standardInput,
  temporaryPath,
  wholeEnvironment,
  withArgument,
  workingDirectory,
} from "../../meaning/evaluation-context.ts";
import { loopElement } from "../../meaning/invoke.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import * as special from "./special-functions.ts";
import { parsePython } from "./syntax.ts";

const CODECS = {
  rot13: "rot13",
  hex: "hex",
  base64: "base64",
  zlib: "other",
  zip: "other",
  bz2: "other",
} as const;

/** `call_command("flush")` is `manage.py flush`. */
const startsManaged: LibraryFunction = (call, context) => {
  noteSpawn(context, call, [literal("manage.py"), ...call.positional], true);
  return undefined;
};

/** As the archive's own program does it, where no folder is named here. */
function extracts(from: string, to: string): LibraryFunction {
  return withArgument(from, (archive, call, context) => {
    const into = select(call, to) ?? literal(".");
    const words = /\.(zip|jar|whl|egg)$/i.test(knownDatumText(archive) ?? "")
      ? [literal("unzip"), literal("-o"), archive, literal("-d"), into]
      : [literal("tar"), literal("-xf"), archive, literal("-C"), into];
    noteSpawn(context, call, words, false);
    return undefined;
  });
}

const CLIENTS =
  "{requests,httpx,requests.Session(),requests.session(),httpx.Client(),httpx.AsyncClient(),aiohttp.ClientSession(),urllib3.PoolManager()}";

/** What the names of Python's own library and of usual packages mean. */
export const PYTHON = defineLanguage({
  id: "python",
  parse: parsePython,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a row a function
  functions: () => [
    ["print pprint pprint.{pprint,pp} sys.{stdout,stderr}.write", "prints"],
    ["os.{system,popen,popen2,popen3,popen4} popen2.{popen2,popen3}", "runsShell", "0 command cmd"],
    ["{commands,subprocess}.{getoutput,getstatusoutput}", "runsShell", "0 command cmd"],
    ["asyncio.create_subprocess_shell", "runsShell", "0 cmd"],
    ["subprocess.{run,call,check_call,check_output,Popen}", special.runsSubprocess],
    ["asyncio.create_subprocess_exec", special.startsWords("0", "1..")],
    ["os.{execl,execlp,execle,execlpe}", special.startsWords("0", "2..")],
    ["os.{execv,execvp,execve,execvpe,posix_spawn,posix_spawnp}", "startsProgram", "0", "1", 1],
    ["os.{spawnl,spawnlp,spawnle,spawnlpe}", special.startsWords("1", "3..")],
    ["os.{spawnv,spawnvp,spawnve,spawnvpe}", "startsProgram", "1", "2", 1],
    ["pty.spawn pexpect.{spawn,run,runu}", special.spawnsTerminal],
    ["sh.* plumbum.cmd.*", special.runsAttribute],
    ["sh.Command", withArgument("0", name => reference(`sh.${knownDatumText(name) ?? "…"}`))],
    ["os.{kill,killpg}", "kills", "0", "1"],
    ["os.dup2", special.duplicates],
    // Whatever runs the words runs the line.
    ["shlex.split", withArgument("0", line => withType(line, "command-line"))],
    ["map filter", "mapsItems", "0", "1"],
    ["os.fork os.forkpty", "forks"],
    ["multiprocessing.Process", "forks", "target"],
    ["threading.Thread", "wraps", "target", "args"],
    ["threading.Timer signal.signal", "wraps", "1 function", "args 2.."],
    ["functools.partial atexit.register asyncio.to_thread", "wraps", "0 func", "args 1.."],

    [
      "{,io.,codecs.,gzip.,bz2.,lzma.,tarfile.}open os.fdopen zipfile.ZipFile",
      "opens",
      "0 file filename",
      "1 mode",
    ],
    ["os.open", special.opensDescriptor],
    ["path.open", "opens", "this", "0 mode"],
    ["file.{write,writelines}", "writes", "handle", "0", "appending"],
    ["os.{remove,unlink,rmdir,removedirs}", "deletes", "0 path name"],
    ["shutil.rmtree distutils.dir_util.remove_tree", "deletes", "0 path this", "recursively"],
    ["path.{unlink,rmdir}", "deletes", "this"],
    ["path.{rmtree,remove_tree}", "deletes", "this", "recursively"],
    ["os.{rename,replace,renames} shutil.move", "moves", "0 src", "1 dst"],
    ["path.{rename,replace,move}", "moves", "this", "0 target"],
    ["shutil.{copy,copy2,copyfile,copytree} os.{link,symlink}", "copies", "0 src", "1 dst"],
    ["path.{copy,copy_into}", "copies", "this", "0 target"],
    ["shutil.make_archive", special.packs],
    ["shutil.unpack_archive", extracts("0 filename", "1 extract_dir path")],
    ["file.extractall", extracts("handle", "0 path")],
    ["file.extract", special.extractsMember],
    ["os.{truncate,ftruncate}", special.truncates],
    ["file.truncate", "writes", "handle"],
    ["path.{write_text,write_bytes,touch}", "writes", "this", "0"],
    ["path.{read_text,read_bytes}", "reads", "this"],
    ["linecache.{getlines,getline} fileinput.input", special.readsLines],
    ["pandas.{read_csv,read_json} numpy.{loadtxt,fromfile}", "reads", "0 filename"],
    ["dotenv.dotenv_values", special.readsVariables],
    ["os.{chown,lchown} shutil.chown", "changesMode", "0 path"],
    ["os.{chmod,lchmod}", "changesMode", "0 path", "1 mode"],
    ["path.{chmod,lchmod}", "changesMode", "this", "0 mode"],
    ["os.chdir contextlib.chdir", "changesDirectory", "0 path"],

    ["{sqlite3,duckdb,aiosqlite,apsw}.{connect,Connection}", "opensDatabase", "0 database"],
    ["database.cursor", "gives", "this"],
    ["{sqlalchemy.,sqlalchemy.sql.,}text", "gives", "0"],
    ["{django.core.management.,}call_command", startsManaged],

    ["os.path.join", "joinsPath", "0.."],
    ["pathlib.{Path,PurePath}", "joinsPath", "0..", "path"],
    ["path.joinpath", withArgument("this", (path, call) => joinPaths([path, ...call.positional], "path"))],
    ["os.path.expanduser path.expanduser", "makesPath", "0 this", "home for tilde"],
    [
      "os.path.expandvars",
      withArgument("0", (path, _call, context) => special.expandVariables(path, context)),
    ],
    ["pathlib.Path.home", (_call, context) => withType(homeDatum(context), "path")],
    ["pathlib.Path.cwd", (_call, context) => withType(workingDirectory(context), "path")],
    ["os.{getcwd,getcwdb}", "returns", "working directory"],
    ["os.path.{abspath,realpath} path.{resolve,absolute}", "makesPath", "0 this", "absolute"],
    ["os.path.normpath", "makesPath", "0", "normal"],
    ["os.path.dirname", "changesText", "0 this", "dirname"],
    ["os.path.basename", "changesText", "0 this", "basename"],
    ["os.getenv os.environ.{get,pop,setdefault}", "readsVariable", "0", "1"],
    ["tempfile.{mkdtemp,mktemp}", "returns", "temporary path"],
    ["tempfile.mkstemp", (_call, context) => listDatum([literal("3"), temporaryPath(context)])],
    [
      "tempfile.{TemporaryDirectory,NamedTemporaryFile}",
      (_call, context) => temporaryPath(context, "temporary"),
    ],
    ["tempfile.gettempdir", "returns", "temporary directory"],
    ["glob.{glob,iglob}", special.globsText],
    ["path.glob", special.globs("")],
    ["path.rglob", special.globs("**/")],
    ["path.iterdir", "makesPath", "this", "everything in it"],
    ["os.listdir", "returns", "any name"],
    ["os.scandir", call => directChildren(select(call, "0") ?? literal("."), "entry")],
    ["os.{walk,fwalk}", special.walks("0", "text")],
    ["path.walk", special.walks("this", "path")],
    ["path.with_suffix", special.withEnd(path => path.replace(/\.[^./]*$/, ""), "")],
    ["path.with_name", special.withEnd(directoryName, "/")],
    ["path.{as_posix,relative_to,strip,rstrip} os.fspath", "gives", "this"],
    ["os.path.relpath shutil.which shlex.join", "gives", "0"],

    ["text.join", "joinsItems", "0", "this"],
    ["text.{split,rsplit}", "splits", "this", "0"],
    ["text.replace", "replaces", "this", "0", "1"],
    ["text.format", "formats", "this", "0.."],
    ["text.{strip,lstrip,rstrip}", "changesText", "this", "trim"],
    ["text.{lower,casefold}", "changesText", "this", "lower"],
    ["text.upper", "changesText", "this", "upper"],
    ["text.{encode,expandtabs,read,readline,readlines,buffer.read}", "gives", "this"],
    ["text.reversed list.reversed reversed", "reverses", "this 0"],
    ["text.slice list.slice", "slices"],
    ["list.{append,add,insert,appendleft}", "appendsItems", "this", "-1.."],
    ["list.{extend,update}", "appendsItems", "this", "0"],
    ["list.copy matches.copy", "gives", "this"],
    ["text.decode", "decodesByName", "this", "0", CODECS],
    ["codecs.decode", "decodesByName", "0", "1", CODECS],
    ["base64.{b64decode,urlsafe_b64decode,standard_b64decode,decodebytes,decodestring}", "decodes", "base64"],
    ["binascii.a2b_base64", "decodes", "base64"],
    ["{bytes,bytearray}.fromhex binascii.{unhexlify,a2b_hex} base64.b16decode", "decodes", "hex"],
    ["base64.b32decode", "decodes", "base32"],
    ["urllib.parse.unquote", "decodes", "percent"],
    ["urllib.parse.unquote_plus", "decodes", "percent and plus"],
    ["{zlib,gzip,bz2,lzma}.decompress base64.{a85decode,b85decode} marshal.loads", "decodes", "other"],
    [
      "str bytes.decode repr list tuple sorted set iter next frozenset copy.{copy,deepcopy}",
      "gives",
      "0 this",
    ],
    ["os.{fsencode,fsdecode} str.encode compile json.dumps", "gives", "0 this"],
    [
      "bytes bytearray",
      withArgument("0", given => (given.kind === "list" ? joinCharacters(given.items) : given)),
    ],
    ["chr", "makesCharacters", "0"],
    ["range", special.counts],
    [
      "len bool int float abs round time.{time,time_ns} os.getpid uuid.{uuid4,uuid1} random.randint id hash",
      "givesToken",
    ],
    ["{datetime.datetime.now(),time,datetime.now()}.strftime", "givesToken"],
    ["enumerate", withArgument("0", list => listDatum([listDatum([literal("0"), loopElement(list)])], true))],
    ["dict", call => (call.named.size > 0 ? recordDatum(call.named) : call.positional[0])],
    ["record.get", special.readsField],
    ["record.values", "listsFields", "this", "values"],
    ["record.items", "listsFields", "this", "entries"],
    ["record.keys", "listsFields", "this", "keys"],
    ["input raw_input", "returns", "standard input"],

    ["exec eval timeit.{timeit,repeat} {cProfile,profile}.run code.interact", "evaluates", "0 this"],
    ["execfile runpy.run_path", "evaluatesFile", "0"],
    ["importlib.import_module", special.imports],
    ["__import__", special.importsFirst],
    ["getattr", special.readsAttribute],
    ["import *", special.importsEverything],
    ["globals locals vars", call => call.positional[0] ?? reference("builtins")],

    [`${CLIENTS}.{get,post,put,patch,delete,head,options}`, "sends", "0 url"],
    [`${CLIENTS}.request`, "sends", "1 url", "2.."],
    ["urllib.request.urlopen urllib.urlopen urllib2.urlopen", special.opensAddress],
    ["urllib.request.Request urllib2.Request", special.makesRequest],
    ["urllib.request.urlretrieve urllib.urlretrieve wget.download", special.retrieves],
    ["http.client.{HTTPSConnection,HTTPConnection} smtplib.{SMTP,SMTP_SSL} ftplib.FTP", "connects", "0 host"],
    ["telnetlib.Telnet {socket,websocket}.create_connection", "connects", "0 host"],
    // A fresh socket leads nowhere yet, but whatever is read from it came over the network.
    ["socket.socket", (_call, context) => reference("socket.socket()", [fromNetwork(context)])],
    ["socket.socket().{connect,connect_ex}", "connects", "0"],
    ["connection.{request,send,sendall,sendmail,send_message,storbinary,storlines,write}", "sendsToReceiver"],
    ["socket.socket().{send,sendall,sendto,makefile}", "sendsToReceiver"],
    ["socket.{gethostbyname,getaddrinfo,gethostbyname_ex}", "sends", "0 host"],
  ],
  methods: () => [
    ["map imap imap_unordered map_async", "mapsItems", "0", "1"],
    ["submit apply_async call_soon call_later run_in_executor", "wraps", "0 func", "args 1.."],
    ["system", special.runsWhenText],
    [
      "execute executescript executemany exec_driver_sql query raw sql fetch fetchval",
      "runsSql",
      "0 sql statement query operation",
    ],
    ["drop_database drop_all", "losesData", "db.drop", "drop a database"],
    ["drop", "losesData", "db.drop", "drop a collection", "without arguments"],
    ["delete_many", "losesData", "db.delete", "delete every document", "without filter"],
    ["flushall flushdb", "losesData", "db.flush", "empty the store"],
    ["delete", "losesData", "db.delete", "delete every row", "of a whole table"],
    ["update", "losesData", "db.delete", "change every row", "of a whole table"],
    ["kill terminate", special.endsProcesses],
    ["filter", call => (call.positional.length + call.named.size === 0 ? call.receiver : undefined)],
    ["unlink", "deletes", "this"],
    ["rmtree", "deletes", "0 path this", "recursively"],
    ["write_text write_bytes", "writes", "this", "0"],
    ["read_text read_bytes", "reads", "this"],
    ["decode", "decodesByName", "this", "0", CODECS],
    ["sendall sendmail", "sendsToReceiver"],
  ],
  constants: () => [
    ["os.environ os.environb", () => wholeEnvironment("os.environ")],
    ["os.sep os.path.sep", () => literal("/")],
    ["os.curdir", () => literal(".")],
    ["os.pardir", () => literal("..")],
    ["sys.argv", context => argumentList(context, "-c")],
    ["sys.executable", () => literal("python3")],
    ["sys.stdin", standardInput],
    ["string.ascii_lowercase", () => literal("abcdefghijklmnopqrstuvwxyz")],
    ["__file__", context => joined([workingDirectory(context), literal("/script.py")])],
  ],
  properties: () => [
    ["path.parent", path => mapText(path, directoryName, "path")],
    ["path.name", path => mapText(path, baseName, "text")],
    ["path.stem", path => mapText(path, known => baseName(known).replace(/\.[^.]*$/, ""), "text")],
    ["path.parents", special.listParents],
    ["temporary.name entry.path", path => withType(path, "text")],
    ["entry.name", () => anyName("text")],
  ],
  canonical: canonicalName,
  environments: new Set(["os.environ"]),
});

const PREFIXES = ["sys.modules.", "builtins.", "__builtins__.", "__builtin__."];

/** Other ways to write the same name. */
function canonicalName(written: string): string {
  let name = written.includes(".__dict__") ? written.replaceAll(".__dict__", "") : written;
  for (const prefix of PREFIXES) if (name.startsWith(prefix)) name = name.slice(prefix.length);
  // Snippets often leave the import out.
  if (name === "Path" || name.startsWith("Path.")) return `pathlib.${name}`;
  if (name.startsWith("posix.")) return `os.${name.slice("posix.".length)}`;
  if (name.startsWith("posixpath.")) return `os.path.${name.slice("posixpath.".length)}`;
  if (name.startsWith("pathlib.PosixPath")) return name.replace("PosixPath", "Path");
  return name;
}
