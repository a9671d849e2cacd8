import { knownTextOf, reference } from "../meaning/datum.ts";
import { noteEvaluate, noteNetwork } from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { evaluates, evaluateText, isTrue } from "../meaning/models.ts";
import { givesToken } from "../meaning/path-values.ts";
import type { Model } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";
import { moduleRoad } from "./roads.ts";

type Rows = readonly (readonly [string, Model])[];

/** `require("fs")`, `await import("node:fs")` */
const loads: Model = (call, run) => {
  const [name] = call.positional;
  const known = knownTextOf(name);
  if (name === undefined || known === undefined) return undefined;
  if (/^https?:/.test(known)) {
    noteNetwork(run, call, name, []);
    noteEvaluate(run, call, "javascript", reference("module", [fromNetwork(run)]));
  }
  return reference(moduleRoad(known));
};

/** `new Function("a", "return a")`: the last argument is the body. */
const makesFunction: Model = (call, run) => {
  const body = call.positional.at(-1);
  return body === undefined ? undefined : evaluateText(run, call, body);
};

/** `setTimeout("code")`; a function is called. */
const runsLater: Model = (call, run) => {
  const [task] = call.positional;
  if (task?.kind === "text") return evaluateText(run, call, task);
  if (task?.kind === "function") run.uncalled.set(task.definition, task);
  return undefined;
};

/** `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`: called, or as good as called. */
function callsReceiver(hasList: boolean): Model {
  return (call, run) => {
    const [, ...rest] = call.positional;
    const [list] = rest;
    const positional = hasList ? (list?.kind === "list" ? list.items : []) : rest;
    return call.receiver === undefined
      ? undefined
      : invoke(run, call.receiver, { ...call, receiver: undefined, positional });
  };
}

const binds: Model = (call, run) => {
  if (call.positional.length > 1) callsReceiver(false)(call, run);
  return call.receiver;
};

/** `Reflect.apply(f, this, [x])` */
const appliesFirst: Model = (call, run) => {
  const [callee, , list] = call.positional;
  if (callee === undefined) return undefined;
  return invoke(run, callee, { ...call, positional: list?.kind === "list" ? list.items : [] });
};

/** `new Worker("code", { eval: true })` */
const startsWorker: Model = (call, run) => {
  const [code, options] = call.positional;
  const isCode = options?.kind === "record" && isTrue(options.fields.get("eval"));
  return isCode && code !== undefined ? evaluateText(run, call, code) : undefined;
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
