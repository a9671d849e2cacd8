import type { Effort } from "../effort.ts";
import { firstValue, joined, knownTextOf, listDatum, literal, mapped, reference } from "../meaning/datum.ts";
import { noteEvaluate, noteNetwork, noteRead, noteWrite } from "../meaning/effects.ts";
import {
  argumentList,
  contentOf,
  evaluates,
  modelTable,
  moves,
  passes,
  passesReceiver,
  removes,
  runsShell,
  sends,
  standardInput,
} from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import { anyName, temporaryPath } from "../meaning/path-values.ts";
import type { Library, Model } from "../meaning/run.ts";
import { environmentDatum } from "../meaning/run.ts";
import { createReader } from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { readStatements } from "./statements.ts";
import { GRAMMAR, LEXICON } from "./syntax.ts";

function parseLua(source: string, effort: Effort): readonly Node[] {
  return readStatements(createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort), true);
}

const opens: Model = (call, run) => {
  const [path, mode] = call.positional;
  if (path === undefined) return undefined;
  const letters = mode === undefined ? "r" : (knownTextOf(mode) ?? "r+");
  if (/[wa+]/.test(letters)) noteWrite(run, call, path, letters.includes("a"));
  if (!/[wa]/.test(letters)) noteRead(run, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const writesToFile: Model = (call, run) => {
  const path = call.receiver?.kind === "reference" ? call.receiver.receiver : undefined;
  if (path !== undefined) noteWrite(run, call, path, true, call.positional[0]);
  return call.receiver;
};

const runsFile: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  noteEvaluate(run, call, "lua", contentOf(path));
  return undefined;
};

const readsVariable: Model = (call, run) => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(run, name);
};

const joinsItems: Model = call => {
  const [list, separator] = call.positional;
  if (list?.kind !== "list" || list.isOpenEnded) return undefined;
  return joined(
    list.items.flatMap((item, index) => (index === 0 ? [item] : [separator ?? literal(""), item])),
  );
};

const formats: Model = call => {
  const all = call.receiver?.kind === "text" ? [call.receiver, ...call.positional] : call.positional;
  const [template, ...fillings] = all;
  return template === undefined ? undefined : formatted(template, fillings);
};

const makesCharacters: Model = call => {
  const codes = call.positional.map(item => Number(knownTextOf(item)));
  return codes.every(code => code >= 0 && code < 256) ? literal(String.fromCharCode(...codes)) : undefined;
};

const reverses: Model = call => {
  const subject = call.positional[0] ?? call.receiver;
  return subject === undefined ? undefined : mapped(subject, known => [...known].reverse().join(""));
};

/** `socket.tcp():connect(host, port)` */
const connects: Model = (call, run) => {
  const [host] = call.positional;
  if (host !== undefined) noteNetwork(run, call, host, []);
  return undefined;
};

/** What the names of Lua's own library mean. */
export const LUA: Library = {
  language: "lua",
  parse: parseLua,
  models: modelTable([
    ["os.execute io.popen vim.fn.system", runsShell()],
    ["os.remove lfs.rmdir vim.fn.delete", removes(false)],
    ["os.rename", moves("move")],
    ["io.open", opens],
    ["io.lines io.input", opens],
    ["file.write", writesToFile],
    ["file.read file.lines file.close text.lines", passesReceiver],
    ["os.getenv", readsVariable],
    ["os.tmpname", (_call, run) => temporaryPath(run)],
    ["io.read", (_call, run) => standardInput(run)],
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
  methods: modelTable([["connect", connects]]),
  constants: new Map([
    ["arg", run => argumentList(run, [])],
    ["io.stdin", standardInput],
  ]),
  properties: new Map(),
  canonical: path => (path.startsWith("_G.") ? path.slice(3) : path),
  environments: new Set(),
  returnsLast: false,
};
