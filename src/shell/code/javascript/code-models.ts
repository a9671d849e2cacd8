import { knownTextOf, reference } from "../meaning/datum.ts";
import { noteEvaluate, noteNetwork } from "../meaning/effects.ts";
import { evaluates, evaluateText } from "../meaning/models.ts";
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

export const CODE_MODELS: Rows = [
  ["require import module.require require.main.require _load createRequire()", loads],
  ["module.createRequire", () => reference("require")],
  ["eval vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script", evaluates],
  ["Function", makesFunction],
  ["setTimeout setInterval setImmediate queueMicrotask process.nextTick", runsLater],
];
