import type { Datum } from "../meaning/datum.ts";
import { knownTextOf, reference } from "../meaning/datum.ts";
import { noteEvaluate, noteRead } from "../meaning/effects.ts";
import { memberOf } from "../meaning/members.ts";
import { contentOf, evaluates, passes } from "../meaning/models.ts";
import type { Model } from "../meaning/run.ts";
import { declare } from "../meaning/scope.ts";

type Rows = readonly (readonly [string, Model])[];

/** `__import__("os")`, `importlib.import_module("os")` */
const imports: Model = call => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : reference(name);
};

/** `getattr(os, "system")` */
const readsAttribute: Model = (call, run) => {
  const [object, name] = call.positional;
  const known = knownTextOf(name);
  return object === undefined || known === undefined ? undefined : memberOf(run, object, known);
};

/** `from os import *`: every name of that module that means something here. */
const importsEverything: Model = (call, run) => {
  const prefix = `${knownTextOf(call.positional[0]) ?? ""}.`;
  for (const path of run.library.models.keys()) {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (name !== "" && !name.includes(".")) declare(run.globals, name, reference(path));
  }
  for (const path of run.library.constants.keys()) {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (name !== "" && !name.includes(".")) declare(run.globals, name, reference(path));
  }
  return undefined;
};

/** `execfile(path)`, `runpy.run_path(path)`: the file's content is the code. */
const runsFile: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  noteEvaluate(run, call, "python", contentOf(path));
  return undefined;
};

/** `globals()["os"]`, `vars(os)["system"]` */
const namesByText: Model = (call): Datum => call.positional[0] ?? reference("builtins");

export const CODE_MODELS: Rows = [
  ["exec eval timeit.timeit timeit.repeat cProfile.run profile.run code.interact", evaluates],
  ["compile", passes()],
  ["execfile runpy.run_path", runsFile],
  ["__import__ importlib.import_module", imports],
  ["getattr", readsAttribute],
  ["import *", importsEverything],
  ["globals locals vars", namesByText],
];
