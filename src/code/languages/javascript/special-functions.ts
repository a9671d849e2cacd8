import {
  createScope,
  type Datum,
  declare,
  joined,
  knownDatumText,
  listDatum,
  listItems,
  literal,
  narrow,
  recordDatum,
  reference,
} from "../../meaning/datum.ts";
import { runsShell, sends, wraps } from "../../meaning/effect-kinds.ts";
import {
  evaluateText,
  fileContent,
  joinCharacters,
  networkOnly,
  noteDelete,
  noteEvaluate,
  noteMove,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  send,
} from "../../meaning/effects.ts";
import {
  anyName,
  type EvaluationContext,
  environmentDatum,
  expandTilde,
  type FunctionCall,
  fromNetwork,
  homeDatum,
  isTrue,
  type LibraryFunction,
  select,
  standardInput,
  toPattern,
  withArgument,
} from "../../meaning/evaluation-context.ts";
import { callBack, invoke, loopElement } from "../../meaning/invoke.ts";
import { decodesByName } from "../../meaning/value-kinds.ts";
import { moduleName } from "./syntax.ts";

const runsLine = runsShell("0", "{cwd}");

/** `spawn("rm", ["-rf", "/"], { shell, cwd })` */
export const runsProgram = withArgument("0", (program, call, context) => {
  const cwd = select(call, "{cwd}");
  const second = select(call, "1");
  const words = second?.kind === "list" ? second.items : [];
  if (isTrue(select(call, "{shell}"))) {
    const line = joined([program, ...words.flatMap(word => [literal(" "), word])]);
    return reference(`${call.name}()`, noteShell(context, call, line, cwd));
  }
  const isOpenEnded =
    second?.kind === "list" ? second.isOpenEnded : second?.kind === "reference" || second?.kind === "choice";
  const input =
    select(call, "{input}") ?? networkOnly(listItems(select(call, "{stdio}") ?? listDatum([]))[0]);
  return reference(`${call.name}()`, noteSpawn(context, call, [program, ...words], isOpenEnded, cwd, input));
});

export const forks = withArgument("0", (script, call, context) => {
  const list = select(call, "1");
  const words = list?.kind === "list" ? list.items : [];
  noteSpawn(context, call, [literal("node"), script, ...words], false, select(call, "{cwd}"));
  return undefined;
});

/** `execa("rm", ["-rf"])`, and execa`rm -rf x`. */
export const runsExeca: LibraryFunction = (call, context) => {
  const isLine = call.positional.length === 1 && knownDatumText(call.positional[0])?.includes(" ") === true;
  return isLine ? runsLine(call, context) : runsProgram(call, context);
};

/** `$({ cwd })` gives another `$`. */
export const runsTemplate: LibraryFunction = (call, context) =>
  call.positional[0]?.kind === "record" ? reference(call.name) : runsLine(call, context);

/** `shell.rm("-rf", "/")` of shelljs: options first, then paths. */
export const shellRemoves: LibraryFunction = (call, context) => {
  const [flags, paths] = splitFlags(call, context);
  return noteDelete(context, call, listDatum(paths), /r/i.test(flags));
};

export function shellMoves(kind: "move" | "copy"): LibraryFunction {
  return (call, context) => {
    const [, paths] = splitFlags(call, context);
    const target = paths.at(-1);
    return target && noteMove(context, call, listDatum(paths.slice(0, -1)), target, kind);
  };
}

/** The tilde is the home there. */
function splitFlags(
  { positional }: FunctionCall,
  context: EvaluationContext,
): readonly [flags: string, paths: readonly Datum[]] {
  const flags = knownDatumText(positional[0]);
  const hasFlags = flags?.startsWith("-") === true;
  const paths = hasFlags ? positional.slice(1) : positional;
  return [hasFlags ? flags : "", paths.map(path => expandTilde(path, context))];
}

/** `socket.pipe(shell.stdin)`: a program reads what comes over the network. */
export const pipes = withArgument("this", (source, call, context) => {
  const target = select(call, "0");
  if (target?.kind !== "reference") return undefined;
  const isToProgram = /(?:spawn|exec\w*)\(\)\.stdin$/.test(target.name);
  if (isToProgram && networkOnly(source) !== undefined)
    noteSpawn(context, call, [literal("sh"), literal("-s")], false, undefined, source);
  return target;
});

/** `rm(path, { recursive: true })`; options that are not known may well say so. */
export const removesByOptions = withArgument("0", (path, call, context) =>
  noteDelete(
    context,
    call,
    path,
    call.positional[1]?.kind === "reference" || isTrue(select(call, "{recursive}")),
  ),
);

/** `rimraf("build/**")`: patterns and trees. */
export const removesPatterns = withArgument("0", (path, call, context) =>
  noteDelete(context, call, toPattern(path), true),
);

/** Callbacks get `(error, content)`. */
export const readsFile = withArgument("0", (path, call, context) => {
  if (/^(?:0|\/dev\/stdin)$/.test(knownDatumText(path) ?? "")) return standardInput(context);
  noteRead(context, call, path);
  const content = fileContent(path);
  callBack(context, call, [reference("error"), content]);
  return content;
});

/** Names without directory; entries when file types are asked for. */
export const listsDirectory: LibraryFunction = (call, context) => {
  const names = anyName(isTrue(select(call, "{withFileTypes}")) ? "entry" : "matches");
  callBack(context, call, [reference("error"), names]);
  return names;
};

/** `Buffer.from("…", "base64")`, `Buffer.from([114, 109])` */
export const makesBuffer: LibraryFunction = (call, context) => {
  const [source] = call.positional;
  if (source?.kind === "list") return joinCharacters(source.items);
  return decodesByName("0", "1", { base64: "base64", base64url: "base64", hex: "hex" })(call, context);
};

/** `.toString("base64")` makes something else of a text; without encoding it is the text. */
export const becomesText = withArgument("this", (text, call) => {
  const encoding = knownDatumText(select(call, "0")) ?? "utf8";
  return /^(?:utf-?8|latin1|ascii|binary|ucs2|utf16le)$/i.test(encoding) ? text : undefined;
});

export const concatenates = withArgument("this", (first, call) => {
  if (first.kind !== "list") return joined([first, ...call.positional]);
  return listDatum([...first.items, ...call.positional.flatMap(listItems)], first.isOpenEnded);
});

/** `names.filter(n => n.endsWith(".log"))` keeps what it says. */
export const filtersItems = withArgument("this", (subject, call, context) => {
  const test = select(call, "0");
  if (test !== undefined)
    invoke(context, test, { ...call, positional: [loopElement(subject)], named: new Map() });
  if (test?.kind !== "function" || subject.kind === "list") return subject;
  const [parameter] = test.definition.parameters;
  const [body] = test.definition.body;
  if (parameter?.kind !== "name" || body?.kind !== "return") return subject;
  const scope = createScope();
  declare(scope, parameter.name, subject);
  narrow(scope, body.value);
  return scope.names.get(parameter.name) ?? subject;
});

/** `promise.then(f)`: f sees what was promised; the result is f's. */
export const continues = withArgument("this", (promised, call, context) => {
  const callback = select(call, "0");
  if (callback === undefined) return promised;
  return invoke(context, callback, { ...call, positional: [promised], named: new Map() });
});

/** `require("fs")`, `await import("node:fs")` */
export const loads = withArgument("0", (name, call, context) => {
  const known = knownDatumText(name);
  if (known === undefined) return undefined;
  if (/^https?:/.test(known)) {
    noteNetwork(context, call, name, []);
    noteEvaluate(context, call, "javascript", reference("module", [fromNetwork(context)]));
  }
  // What is no code is read as data.
  if (/^[./~].*\.(?!(?:[cm]?[jt]sx?|node)$)\w+$/s.test(known)) noteRead(context, call, name);
  return reference(moduleName(known));
});

/** `setTimeout("code")`; a function is followed anyway. */
export const runsLater = withArgument("0", (task, call, context) =>
  task.kind === "text" ? evaluateText(task, call, context) : undefined,
);

/** `f.bind(this, x)` is as good as called. */
export const binds: LibraryFunction = (call, context) =>
  call.positional.length > 1 ? wraps("this", "1..")(call, context) : call.receiver;

/** `new Worker("code", { eval: true })` */
export const startsWorker = withArgument("0", (code, call, context) =>
  isTrue(select(call, "{eval}")) ? evaluateText(code, call, context) : undefined,
);

export const fetches: LibraryFunction = (call, context) => {
  const response = sends("{url} 0 url")(call, context) ?? reference("response");
  callBack(context, call, [response]);
  return response;
};

/** `https.get(url, response => …)`, `http.request({ hostname, path })` */
export const requests = withArgument("0", (address, call, context) => {
  const host = select(call, "{hostname} {host}") ?? reference("host");
  const target =
    address.kind === "record" ? joined([host, address.fields.get("path") ?? literal("")]) : address;
  const rest = call.positional.filter(datum => datum.kind !== "function" && datum !== address);
  send(context, call, target, [...rest, ...call.named.values()]);
  callBack(context, call, [reference("response", [fromNetwork(context)], target)]);
  return reference("request", [fromNetwork(context)], target);
});

/** `net.connect(port, host)`, `net.connect({ port, host })` */
export const connectsHost: LibraryFunction = (call, context) => {
  const [port, host] = call.positional;
  const named = select(call, "{host}") ?? (knownDatumText(host) === undefined ? port : host);
  const target = named ?? reference("address");
  noteNetwork(context, call, target, []);
  const connection = reference("connection", [fromNetwork(context)], target);
  callBack(context, call, [connection]);
  return connection;
};

/** `fileURLToPath("file:///x")` */
export const readsAddress = withArgument("0", address => {
  const known = knownDatumText(address);
  return known?.startsWith("file://") === true ? literal(known.slice("file://".length)) : address;
});

export const namesUser: LibraryFunction = (_call, context) =>
  recordDatum([
    ["homedir", homeDatum(context)],
    ["username", environmentDatum(context, "USER")],
  ]);
