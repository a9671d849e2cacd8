import { argumentList, standardInput, wholeEnvironment } from "../../meaning/context.ts";
import { listDatum, literal, reference } from "../../meaning/datum.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { temporaryPath } from "../../meaning/path-values.ts";
import * as special from "./special-functions.ts";
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
    ["socket", special.opensSocket],
    ["connect", special.connectsSocket],
    ["get getprint head", "sends", "0"],
    ["getstore mirror", "downloads", "0", "1"],
    [
      "{LWP.UserAgent,HTTP.Tiny,Mojo.UserAgent,WWW.Mechanize}.new().{get,post,put,request,post_form}",
      "sends",
      "0 url",
    ],

    ["unlink rmdir", "deletes", "0.."],
    ["rmtree remove_tree File.Remove.remove File.Slurp.remove", special.removesTrees],
    ["rename move mv", "moves", "0", "1"],
    ["copy cp link symlink File.Copy.Recursive.dircopy", "copies", "0", "1"],
    ["chmod", "changesMode", "1..", "0"],
    ["chown", "changesMode", "2.."],
    ["chdir", "changesDirectory", "0"],
    ["truncate", "writes", "0", "1", "appending"],
    ["open", special.opens],
    ["sysopen", special.opensDescriptor],
    ["file.{print,printf,write}", "writes", "handle", "0", "appending"],
    ["print> printf> say>", special.printsTo],
    ["read_file File.Slurp.read_file slurp path.{slurp,slurp_utf8,lines}", "reads", "0 this"],
    ["write_file File.Slurp.write_file", "writes", "0", "1"],
    ["path.{spew,spew_utf8,append}", "writes", "this", "0"],
    ["path.remove_tree", "deletes", "this", "recursively"],
    ["path.remove", "deletes", "this"],
    ["glob File.Glob.bsd_glob", special.globs],
    ["readdir", "returns", "any name"],
    ["{,File.Find.}{find,finddepth}", special.finds],
    ["tempdir File.Temp.{tempdir,newdir}", "returns", "temporary path"],
    ["{,File.Temp.}tempfile", (_call, context) => listDatum([reference("file"), temporaryPath(context)])],
    ["cwd getcwd", "returns", "working directory"],
    ["{,File.Spec.}{catfile,catdir}", "joinsPath", "0..", "text", "without restart"],
    ["File.Spec.tmpdir", "returns", "temporary directory"],
    ["File.HomeDir.{my_home,home}", "returns", "home"],
    ["File.Spec.rel2abs abs_path realpath", "makesPath", "0", "absolute"],
    ["{,File.Basename.}dirname", "changesText", "0 this", "dirname"],
    ["{,File.Basename.}basename", "changesText", "0 this", "basename"],
    ["path Path.Tiny.path", special.makesPath],

    ["join", "joinsItems", "1..", "0"],
    ["sprintf", "formats", "0", "1.."],
    ["pack unpack", "unpacks", "0", "1.."],
    ["chr", "makesCharacters", "0"],
    ["map grep sort first any all", special.mapsTopics],
    ["reverse", special.reversesItems],
    ["list.{shift,pop}", special.shifts],
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
    ["system", special.runsText],
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
