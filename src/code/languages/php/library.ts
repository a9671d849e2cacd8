import { knownPrefix } from "../../../shell/index.ts";
import { isAddress } from "../../meaning/actions.ts";
import { select, withArgument } from "../../meaning/arguments.ts";
import type { LibraryFunction } from "../../meaning/context.ts";
import {
  argumentList,
  fromNetwork,
  standardInput,
  wholeEnvironment,
  workingDirectory,
} from "../../meaning/context.ts";
import { firstValue, listDatum, literal, mapText, reference } from "../../meaning/datum.ts";
import { opens, reads, sends, sendsToReceiver } from "../../meaning/effect-kinds.ts";
import { noteNetwork, noteWrite } from "../../meaning/effects.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { childrenOf, descendantsOf } from "../../meaning/path-values.ts";
import { readsVariable } from "../../meaning/value-kinds.ts";
import { parsePhp } from "./syntax.ts";

/** Addresses, `php://stdin` and `php://input` are opened and read like files. */
function usesFile(use: LibraryFunction): LibraryFunction {
  return withArgument("0", (path, call, context) => {
    if (isAddress(path)) return sends("0")(call, context);
    const isStream = /^php:\/\/(?!filter)/.test(knownPrefix(firstValue(path)));
    if (isStream) return standardInput(context);
    return use(call, context);
  });
}

const writesContents = withArgument("0", (path, call, context) => {
  const flags = select(call, "2");
  const isAppend = flags?.kind === "reference" && flags.name.includes("append");
  return noteWrite(context, call, path, isAppend, select(call, "1"));
});

/** Iterators over a directory give everything in it, the recursive ones everything below. */
const iterates = withArgument("0", (directory, call) =>
  call.name.includes("recursive") ? descendantsOf(directory, "matches") : childrenOf(directory, "matches"),
);

/** `curl_setopt($h, CURLOPT_POSTFIELDS, $data)`: the handle collects what will be sent. */
const setsCurl = withArgument("2", (value, call, context) => {
  const [handle = value, option] = call.positional;
  const name = option?.kind === "reference" ? option.name : "";
  if (name === "curlopt_url") noteNetwork(context, call, value, []);
  if (/^curlopt_(?:postfields|infile)$/.test(name)) noteNetwork(context, call, handle, [value]);
  return undefined;
});

const opensCurl: LibraryFunction = (call, context) =>
  call.positional.length === 0 ? reference("curl", [fromNetwork(context)]) : sends("0")(call, context);

const sendsIfConnected: LibraryFunction = (call, context) => {
  const [handle, ...positional] = call.positional;
  if (handle?.kind !== "reference" || handle.name !== "connection") return undefined;
  return sendsToReceiver()({ ...call, receiver: handle, positional }, context);
};

/** Without a name it is the whole environment. */
const readsEnvironment: LibraryFunction = (call, context) =>
  call.positional.length === 0 ? wholeEnvironment("$_env") : readsVariable("0")(call, context);

/** What the functions of PHP mean. Their names know no case. */
export const PHP = defineLanguage({
  id: "php",
  parse: parsePhp,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a row a function
  functions: () => [
    ["echo print printf print_r var_dump var_export", "prints"],
    ["system exec shell_exec passthru popen `", "runsShell", "0 command"],
    ["proc_open", "runsWords", "0", "3"],
    ["pcntl_fork", "forks"],
    ["pcntl_exec", "startsProgram", "0", "1"],
    ["eval assert", "evaluates", "0 this"],
    ["create_function", "evaluates", "1"],
    ["include include_once require require_once", "evaluatesFile", "0"],
    ["call_user_func forward_static_call register_shutdown_function", "calls", "0", "1.."],
    ["call_user_func_array", "calls", "0", "1"],
    ["array_map", "mapsItems", "0", "1"],
    ["array_walk array_filter usort", "visitsItems", "1", "0"],
    ["curl_init", opensCurl],
    ["curl_setopt", setsCurl],
    ["curl_exec", (_call, context) => reference("curl_exec()", [fromNetwork(context)])],
    ["fsockopen pfsockopen stream_socket_client socket_connect", "connects", "0", "1"],
    ["fwrite fputs socket_write socket_send", sendsIfConnected],
    ["mail dns_get_record gethostbyname checkdnsrr", "sends", "0"],

    ["unlink rmdir", "deletes", "0"],
    ["rename move_uploaded_file", "moves", "0", "1"],
    ["copy symlink link", "copies", "0", "1"],
    ["file_get_contents file readfile parse_ini_file", usesFile(reads("0"))],
    ["simplexml_load_file highlight_file show_source", usesFile(reads("0"))],
    ["file_put_contents touch", writesContents],
    ["fopen gzopen splfileobject", usesFile(opens("0", "1", "r+"))],
    ["chmod", "changesMode", "0", "1"],
    ["chown chgrp", "changesMode", "0"],
    ["chdir", "changesDirectory", "0"],
    ["getenv", readsEnvironment],
    ["getcwd", "returns", "working directory"],
    ["sys_get_temp_dir", "returns", "temporary directory"],
    ["tempnam tmpfile", "returns", "temporary path"],
    ["dirname", "changesText", "0", "dirname"],
    ["basename", "changesText", "0", "basename"],
    ["realpath", "makesPath", "0", "absolute"],
    ["glob", "makesPath", "0", "pattern"],
    ["scandir readdir", "returns", "any name"],
    ["{recursivedirectory,recursiveiterator,directory,filesystem}iterator", iterates],
    ["fgets fread stream_get_contents fgetc", "gives", "0"],
    ["matches.{getpathname,getrealpath}", "gives", "this"],

    ["mysqli_query pg_query pg_exec mysqli_multi_query", "runsSql", "1"],
    ["pdo", "opensDatabase", "0", /^sqlite:/],
    ["schema.{drop,dropifexists,dropalltables,dropdatabaseifexists}", "losesData", "db.drop", "drop a table"],

    ["implode join", "joinsItems", "1 0", "0"],
    ["explode", "splits", "1", "0"],
    ["sprintf vsprintf", "formats", "0", "1.."],
    ["str_replace", "replaces", "2", "0", "1"],
    ["array", call => listDatum(call.positional, call.isOpenEnded)],
    ["base64_decode", "decodes", "base64"],
    ["hex2bin", "decodes", "hex"],
    ["str_rot13", "decodes", "rot13"],
    ["urldecode", "decodes", "percent and plus"],
    ["rawurldecode", "decodes", "percent"],
    ["gzinflate gzuncompress gzdecode unserialize convert_uudecode", "decodes", "other"],
    ["pack", "unpacks", "0", "1.."],
    ["chr", "makesCharacters", "0"],
    ["strrev", "reverses", "0"],
    ["strtolower", "changesText", "0", "lower"],
    ["strtoupper", "changesText", "0", "upper"],
    ["trim rtrim ltrim", "changesText", "0", "trim"],
    ["strval escapeshellcmd array_values array_reverse array_unique stripslashes", "gives", "0 this"],
    [
      "escapeshellarg",
      withArgument("0", word => mapText(word, known => `'${known.replaceAll("'", "'\\''")}'`)),
    ],
  ],
  methods: () => [
    [
      "exec query prepare statement unprepared multi_query real_query executestatement executequery",
      "runsSql",
      "0",
    ],
    ["truncate", "losesData", "db.delete", "delete every row"],
    ["delete", "losesData", "db.delete", "delete every row", "of a whole table"],
    [
      "deletedirectory deletedir rmdirrecursive removedirectory cleandirectory",
      "deletes",
      "0",
      "recursively",
    ],
  ],
  constants: () => [
    ["$_env $_server", () => wholeEnvironment("$_env")],
    ["$argv", context => argumentList(context, "-")],
    ["__dir__", workingDirectory],
    ["directory_separator", () => literal("/")],
    ["stdin", standardInput],
  ],
  canonical: name => name.replace(/^\\/, "").toLowerCase(),
  environments: new Set(["$_env"]),
  hoistsFunctions: true,
  callsTexts: true,
});
