import type { Model } from "../walk/call.ts";
import { codeBuiltins } from "./code.ts";
import { declarationBuiltins } from "./declarations.ts";
import { directoryBuiltins } from "./directories.ts";
import { inputBuiltins } from "./input.ts";
import { wrapperBuiltins } from "./wrappers.ts";

let builtins: ReadonlyMap<string, Model> | undefined;

/** Commands of the shell itself; they exist only inside one. */
export function findBuiltin(name: string): Model | undefined {
  builtins ??= new Map([
    ...codeBuiltins,
    ...declarationBuiltins,
    ...directoryBuiltins,
    ...inputBuiltins,
    ...wrapperBuiltins,
  ]);
  return builtins.get(name);
}
