import type { LibraryFunction } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { knownTextOf, reference } from "../../meaning/datum.ts";
import { noteEvaluate, noteRead } from "../../meaning/effects.ts";
import { memberOf } from "../../meaning/members.ts";
import { contentOf, evaluates, passes } from "../../meaning/models.ts";
import { declare } from "../../meaning/scope.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `__import__("os")`, `importlib.import_module("os")` */
const imports: LibraryFunction = call => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : reference(name);
};

/** `getattr(os, "system")` */
const readsAttribute: LibraryFunction = (call, context) => {
  const [object, name] = call.positional;
  const known = knownTextOf(name);
  return object === undefined || known === undefined ? undefined : memberOf(context, object, known);
};

/** `from os import *`: every name of that module that means something here. */
const importsEverything: LibraryFunction = (call, context) => {
  const prefix = `${knownTextOf(call.positional[0]) ?? ""}.`;
  for (const path of context.language.functions.keys()) {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (name !== "" && !name.includes(".")) declare(context.globals, name, reference(path));
  }
  for (const path of context.language.constants.keys()) {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (name !== "" && !name.includes(".")) declare(context.globals, name, reference(path));
  }
  return undefined;
};

/** `execfile(path)`, `runpy.run_path(path)`: the file's content is the code. */
const runsFile: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  noteEvaluate(context, call, "python", contentOf(path));
  return undefined;
};

/** `globals()["os"]`, `vars(os)["system"]` */
const namesByText: LibraryFunction = (call): Datum => call.positional[0] ?? reference("builtins");

export const CODE_MODELS: Rows = [
  ["exec eval timeit.timeit timeit.repeat cProfile.run profile.run code.interact", evaluates],
  ["compile", passes()],
  ["execfile runpy.run_path", runsFile],
  ["__import__ importlib.import_module", imports],
  ["getattr", readsAttribute],
  ["import *", importsEverything],
  ["globals locals vars", namesByText],
];
