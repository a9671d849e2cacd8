import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { isUserHook, requireHooks } from "../../hooks/index.ts";

export type Exports = Readonly<Record<string, unknown>>;

/** What a compiled file exports. A portable file is the expression of a function, every other one a module. */
export async function loadCompiled(path: string): Promise<Exports> {
  if (!path.endsWith(".js")) return withDefault((await import(pathToFileURL(path).href)) as Exports);
  const module = { exports: {} as Exports };
  const make: unknown = new Script(readFileSync(path, "utf8"), { filename: path }).runInThisContext();
  if (typeof make !== "function") throw new TypeError("it is no compiled hook");
  make(module, module.exports, requireHooks);
  return module.exports;
}

/** A package in CommonJS has all that it exports in one value. */
function withDefault(exports: Exports): Exports {
  const main = exports["default"];
  return typeof main === "object" && main !== null && !isUserHook(main) ? { ...main, ...exports } : exports;
}
