import type { LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import { knownTextOf, reference } from "../../meaning/datum.ts";
import { noteEvaluate, noteNetwork } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { evaluates, evaluateText, isTrue } from "../../meaning/models.ts";
import { givesToken } from "../../meaning/path-values.ts";
import { moduleName } from "./roads.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `require("fs")`, `await import("node:fs")` */
const loads: LibraryFunction = (call, context) => {
  const [name] = call.positional;
  const known = knownTextOf(name);
  if (name === undefined || known === undefined) return undefined;
  if (/^https?:/.test(known)) {
    noteNetwork(context, call, name, []);
    noteEvaluate(context, call, "javascript", reference("module", [fromNetwork(context)]));
  }
  return reference(moduleName(known));
};

/** `new Function("a", "return a")`: the last argument is the body. */
const makesFunction: LibraryFunction = (call, context) => {
  const body = call.positional.at(-1);
  return body === undefined ? undefined : evaluateText(context, call, body);
};

/** `setTimeout("code")`; a function is called. */
const runsLater: LibraryFunction = (call, context) => {
  const [task] = call.positional;
  if (task?.kind === "text") return evaluateText(context, call, task);
  if (task?.kind === "function") context.uncalled.set(task.definition, task);
  return undefined;
};

/** `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`: called, or as good as called. */
function callsReceiver(hasList: boolean): LibraryFunction {
  return (call, context) => {
    const [, ...rest] = call.positional;
    const [list] = rest;
    const positional = hasList ? (list?.kind === "list" ? list.items : []) : rest;
    return call.receiver === undefined
      ? undefined
      : invoke(context, call.receiver, { ...call, receiver: undefined, positional });
  };
}

const binds: LibraryFunction = (call, context) => {
  if (call.positional.length > 1) callsReceiver(false)(call, context);
  return call.receiver;
};

/** `Reflect.apply(f, this, [x])` */
const appliesFirst: LibraryFunction = (call, context) => {
  const [callee, , list] = call.positional;
  if (callee === undefined) return undefined;
  return invoke(context, callee, { ...call, positional: list?.kind === "list" ? list.items : [] });
};

/** `new Worker("code", { eval: true })` */
const startsWorker: LibraryFunction = (call, context) => {
  const [code, options] = call.positional;
  const isCode = options?.kind === "record" && isTrue(options.fields.get("eval"));
  return isCode && code !== undefined ? evaluateText(context, call, code) : undefined;
};

export const CODE_METHODS: Rows = [
  ["call", callsReceiver(false)],
  ["apply", callsReceiver(true)],
  ["bind", binds],
];

export const CODE_MODELS: Rows = [
  ["Reflect.apply", appliesFirst],
  ["Worker worker_threads.Worker", startsWorker],
  [
    "Date.now process.hrtime process.pid crypto.randomUUID Math.random Math.floor Number parseInt parseFloat",
    givesToken,
  ],
  ["require import module.require require.main.require _load createRequire()", loads],
  ["module.createRequire", () => reference("require")],
  ["eval vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script", evaluates],
  ["Function", makesFunction],
  ["setTimeout setInterval setImmediate queueMicrotask process.nextTick", runsLater],
];
