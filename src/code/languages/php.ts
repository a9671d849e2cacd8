import { knownPrefix, wordSet } from "../../shell/index.ts";
import { singleQuoted } from "../../system/index.ts";
import { firstValue, listDatum, literal, mapText, reference } from "../meaning/datum.ts";
import { opens, reads, sends, sendsToReceiver } from "../meaning/effect-kinds.ts";
import { isAddress, noteNetwork, noteWrite } from "../meaning/effects.ts";
import {
  allDescendants,
  argumentList,
  directChildren,
  fromNetwork,
  type LibraryFunction,
  select,
  standardInput,
  wholeEnvironment,
  withArgument,
  workingDirectory,
} from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { readsVariable } from "../meaning/value-kinds.ts";
import {
  parseStatements,
  readBlock,
  readBody,
  readConditional,
  readResult,
  readStatement,
  skipStatement,
} from "../syntax/braces.ts";
import {
  DEFAULT_GRAMMAR,
  type Grammar,
  type Parser,
  readExpression,
  readItemsUntil,
} from "../syntax/parser.ts";
import type { ReadingBudget } from "../syntax/source.ts";
import {
  type HeredocRules,
  KEEPING_ESCAPES,
  type Lexer,
  type LexerRules,
  QUOTE_ESCAPES,
  readBareVariable,
  readHeredoc,
  readInterpolation,
  readText,
  type SpecialToken,
  type Token,
  type TokenPiece,
} from "../syntax/tokens.ts";
import {
  augments,
  type InfixTable,
  level,
  NOTHING,
  type Node,
  nameNode,
  textNode,
  wordMap,
} from "../syntax/tree.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["//", "#"],
  blockComments: [["/*", "*/"]],
  marks:
    "<=> **= ... <<= >>= === !== ??= ?-> -> => :: == != <> <= >= && || ?? ?: ++ -- += -= *= /= .= %= &= |= ^= << >> **",
  nameCharacters: "$\\",
  readSpecial,
};

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  switch (character) {
    case "'":
      return readText(lexer, { escapes: QUOTE_ESCAPES });
    case '"':
    case "`":
      return readText(
        lexer,
        { escapes: KEEPING_ESCAPES, interpolate: readEmbedded },
        character === "`" ? "command" : "text",
      );
    case "<":
      return readHeredoc(lexer, HEREDOC);
    case "?":
      // Outside the tags is text that is printed.
      if (!source.startsWith("?>", lexer.at)) return undefined;
      lexer.at = tagEnd(source, lexer.at + 2);
      return { kind: "mark", text: ";", pieces: [] };
    default:
      return undefined;
  }
}

/** Behind the next opening tag, or the end of the text. */
function tagEnd(source: string, at: number): number {
  const open = source.indexOf("<?", at);
  if (open === -1) return source.length;
  if (source.startsWith("<?php", open)) return open + 5;
  return open + (source.startsWith("<?=", open) ? 3 : 2);
}

/** `$x`, `$x->y`, `{$x->y()}`, `${x}` */
function readEmbedded(lexer: Lexer): TokenPiece | undefined {
  if (lexer.source.startsWith("{$", lexer.at)) {
    lexer.at += 1;
    return readInterpolation(lexer) ?? "{";
  }
  if (lexer.source.charAt(lexer.at) !== "$") return undefined;
  return readBareVariable(lexer)?.map(quoteKey);
}

/** In a text the key of `$list[key]` stands without quotes. */
function quoteKey(token: Token): Token {
  const isKey = token.kind === "name" && !token.text.startsWith("$") && !token.isSpaced;
  return isKey ? { ...token, kind: "text", pieces: [token.text] } : token;
}

const HEREDOC: HeredocRules = {
  opening: /^<<<[ \t]*(?<quote>["']?)(?<tag>[A-Za-z_]\w*)\k<quote>/,
  escapes: KEEPING_ESCAPES,
  interpolate: readEmbedded,
};

const INFIX: InfixTable = new Map([
  ...level(1, "choice", "or xor"),
  ...level(1, "both", "and"),
  ...level(3, "assign", "="),
  ...augments(3, "join", ".="),
  ...augments(3, "choice", "??="),
  ...augments(3, "other", "+= -= *= /= %= &= |= ^= <<= >>= **="),
  ...level(4, "ternary", "?"),
  ...level(5, "choice", "?: ??"),
  ...level(6, "choice", "||"),
  ...level(7, "both", "&&"),
  ...level(8, "other", "| ^ & << >>"),
  ...level(8, "truth", "== != === !== <> <=> < > <= >= instanceof"),
  ...level(12, "join", "."),
  ...level(13, "other", "+ -"),
  ...level(14, "other", "* / % **"),
]);

type ReadStatement = (parser: Parser) => Node;

const STATEMENTS = wordMap<ReadStatement>([
  ["function", readNamedFunction],
  ["class", readClass],
  ["if elseif while switch catch for", readConditional],
  ["else try finally do", readBody],
  ["foreach", readForeach],
  ["return", readResult],
  ["case", readExpression],
  ["namespace use global declare", skipStatement],
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["new", "clone", "@", "&", "yield", "throw", "static"]),
  negations: new Set(["!", "-", "+", "~", "++", "--"]),
  memberMarks: new Set(["->", "?->", "::"]),
  spreads: new Set(["..."]),
  allowsSpacedCall: true,
  readPrimary,
  readArgumentName,
  statements: STATEMENTS,
  isStatement,
};

/** Cut PHP into nodes. With an opening tag only what stands in tags is code; `php -r` has none, a page starts so. */
function parsePhp(source: string, budget: ReadingBudget): readonly Node[] {
  if (/^\s*<[a-z!]/i.test(source.slice(0, 200)) && !source.includes("<?")) return [];
  const start = /<\?(?:php|=)/.test(source) ? tagEnd(source, 0) : 0;
  const blank = source.slice(0, start).replace(/[^\n]/g, " ");
  return parseStatements(blank + source.slice(start), LEXER_RULES, GRAMMAR, budget);
}

const CASTS = new Set(["string", "int", "integer", "array", "bool", "float", "object", "binary"]);
const OPERATORS_WITH_ARGUMENT = wordSet("echo print include include_once require require_once exit die");

function readPrimary(parser: Parser): Node | undefined {
  const token = parser.peek();
  if (parser.isNext("(") && CASTS.has(parser.peek(1).text) && parser.isNext(")", 2)) {
    parser.at += 3;
    return readExpression(parser, 14);
  }
  if (token.kind !== "name") return undefined;
  if (token.text === "function" || token.text === "fn") {
    parser.at += 1;
    return parser.nested(() => readFunction(parser, undefined));
  }
  if (OPERATORS_WITH_ARGUMENT.has(token.text) && !parser.isNext("(", 1)) {
    const { start, text } = parser.take();
    const { items } = readItemsUntil(parser, () => parser.isNext(";") || parser.peek().kind === "end", 3);
    return { kind: "call", callee: nameNode(text), arguments: items, at: start };
  }
  return undefined;
}

/** `name: value` */
function readArgumentName(parser: Parser): string | undefined {
  const token = parser.peek();
  if (token.kind !== "name" || !parser.isNext(":", 1) || /^\$/.test(token.text)) return undefined;
  parser.at += 2;
  return token.text;
}

function isStatement(parser: Parser): boolean {
  const word = parser.peek().text;
  if (word === "function") return parser.peek(1).kind === "name" || parser.isNext("&", 1);
  return !parser.isNext("=>", 1) && !parser.isNext("::", 1);
}

function readNamedFunction(parser: Parser): Node {
  parser.takeIf("&");
  return readFunction(parser, parser.take().text);
}

/** `foreach ($list as $key => $item) …` */
function readForeach(parser: Parser): Node {
  if (!parser.isNext("(")) return NOTHING;
  const close = parser.findCloser(parser.at);
  parser.at += 1;
  const over = readExpression(parser);
  parser.takeIf("as");
  let target = readExpression(parser);
  if (parser.takeIf("=>")) target = readExpression(parser);
  while (parser.at < close && parser.peek().kind !== "end") parser.at += 1;
  parser.takeIf(")");
  return { kind: "each", target, over, body: [readStatement(parser)] };
}

/** Parameters, `use (…)`, result type and body of a function; `=>` gives a single expression. */
function readFunction(parser: Parser, name: string | undefined): Node {
  parser.takeIf("&");
  const parameters = parser.isNext("(") ? parser.readBetween(readParameter).flat() : [];
  while (!parser.isNext("{") && !parser.isNext("=>") && !parser.isNext(";") && parser.peek().kind !== "end") {
    parser.at = parser.isNext("(") ? parser.findCloser(parser.at) + 1 : parser.at + 1;
  }
  const body: readonly Node[] = parser.takeIf("=>")
    ? [{ kind: "return", value: readExpression(parser, 3) }]
    : parser.isNext("{")
      ? readBlock(parser)
      : [];
  return { kind: "function", definition: { name, parameters, body } };
}

/** Types and modifiers are passed over. */
function readParameter(parser: Parser): Node[] {
  const token = parser.take();
  if (token.kind !== "name" || !token.text.startsWith("$")) return [];
  const target = nameNode(token.text);
  return [parser.takeIf("=") ? { kind: "assign", target, value: readExpression(parser, 4) } : target];
}

/** A class is a record of its functions and first values. */
function readClass(parser: Parser): Node {
  const name = parser.take().text;
  parser.skipTo("{");
  const entries = parser
    .readBetween((): [Node, Node][] => {
      const token = parser.take();
      if (token.text === "function") {
        parser.takeIf("&");
        const method = parser.take().text;
        return [[textNode(method), readFunction(parser, undefined)]];
      }
      const isValue = token.text.startsWith("$") && parser.takeIf("=");
      return isValue ? [[textNode(token.text.slice(1)), readExpression(parser)]] : [];
    })
    .flat();
  return { kind: "assign", target: nameNode(name), value: { kind: "record", entries } };
}

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
  call.name.includes("recursive")
    ? allDescendants(directory, "matches")
    : directChildren(directory, "matches"),
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
    ["escapeshellarg", withArgument("0", word => mapText(word, singleQuoted))],
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
