import type { LanguageDefinition, LibraryFunction } from "../../meaning/context.ts";
import { environmentDatum } from "../../meaning/context.ts";
import {
  firstValue,
  joined,
  knownTextOf,
  listDatum,
  literal,
  mapped,
  reference,
} from "../../meaning/datum.ts";
import { noteEvaluate, noteNetwork, noteRead, noteWrite } from "../../meaning/effects.ts";
import {
  argumentList,
  contentOf,
  evaluates,
  functionTable,
  moves,
  passes,
  passesReceiver,
  removes,
  runsShell,
  sends,
  standardInput,
} from "../../meaning/models.ts";
import { formatted } from "../../meaning/operate.ts";
import { anyName, temporaryPath } from "../../meaning/path-values.ts";
import { createParser } from "../../syntax/reader.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { tokenise } from "../../syntax/tokens.ts";
import type { Node } from "../../syntax/tree.ts";
import { readStatements } from "./statements.ts";
import { GRAMMAR, LEXER_RULES } from "./syntax.ts";

function parseLua(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatements(createParser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget), true);
}

const opens: LibraryFunction = (call, context) => {
  const [path, mode] = call.positional;
  if (path === undefined) return undefined;
  const letters = mode === undefined ? "r" : (knownTextOf(mode) ?? "r+");
  if (/[wa+]/.test(letters)) noteWrite(context, call, path, letters.includes("a"));
  if (!/[wa]/.test(letters)) noteRead(context, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const writesToFile: LibraryFunction = (call, context) => {
  const path = call.receiver?.kind === "reference" ? call.receiver.receiver : undefined;
  if (path !== undefined) noteWrite(context, call, path, true, call.positional[0]);
  return call.receiver;
};

const runsFile: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  noteEvaluate(context, call, "lua", contentOf(path));
  return undefined;
};

const readsVariable: LibraryFunction = (call, context) => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(context, name);
};

const joinsItems: LibraryFunction = call => {
  const [list, separator] = call.positional;
  if (list?.kind !== "list" || list.isOpenEnded) return undefined;
  return joined(
    list.items.flatMap((item, index) => (index === 0 ? [item] : [separator ?? literal(""), item])),
  );
};

const formats: LibraryFunction = call => {
  const all = call.receiver?.kind === "text" ? [call.receiver, ...call.positional] : call.positional;
  const [template, ...fillings] = all;
  return template === undefined ? undefined : formatted(template, fillings);
};

const makesCharacters: LibraryFunction = call => {
  const codes = call.positional.map(item => Number(knownTextOf(item)));
  return codes.every(code => code >= 0 && code < 256) ? literal(String.fromCharCode(...codes)) : undefined;
};

const reverses: LibraryFunction = call => {
  const subject = call.positional[0] ?? call.receiver;
  return subject === undefined ? undefined : mapped(subject, known => [...known].reverse().join(""));
};

/** `socket.tcp():connect(host, port)` */
const connects: LibraryFunction = (call, context) => {
  const [host] = call.positional;
  if (host !== undefined) noteNetwork(context, call, host, []);
  return undefined;
};

/** What the names of Lua's own library mean. */
export const LUA: LanguageDefinition = {
  id: "lua",
  parse: parseLua,
  functions: functionTable([
    ["os.execute io.popen vim.fn.system", runsShell()],
    ["os.remove lfs.rmdir vim.fn.delete", removes(false)],
    ["os.rename", moves("move")],
    ["io.open", opens],
    ["io.lines io.input", opens],
    ["file.write", writesToFile],
    ["file.read file.lines file.close text.lines", passesReceiver],
    ["os.getenv", readsVariable],
    ["os.tmpname", (_call, context) => temporaryPath(context)],
    ["io.read", (_call, context) => standardInput(context)],
    ["load loadstring", evaluates],
    ["dofile loadfile", runsFile],
    ["require", call => reference(knownTextOf(call.positional[0]) ?? "module")],
    ["pcall xpcall assert ipairs pairs tostring", passes()],
    ["lfs.dir", () => anyName("matches")],
    ["string.format text.format", formats],
    ["string.char", makesCharacters],
    ["string.reverse text.reverse", reverses],
    ["table.concat", joinsItems],
    [
      "table.unpack unpack",
      call => (call.positional[0]?.kind === "list" ? listDatum(call.positional[0].items) : undefined),
    ],
    ["socket.http.request ssl.https.request http.request", sends()],
  ]),
  methods: functionTable([["connect", connects]]),
  constants: new Map([
    ["arg", context => argumentList(context, [])],
    ["io.stdin", standardInput],
  ]),
  properties: new Map(),
  canonical: path => (path.startsWith("_G.") ? path.slice(3) : path),
  environments: new Set(),
  returnsLast: false,
};
