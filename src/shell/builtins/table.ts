import type { Builtin } from "../state/types.ts";
import { codeBuiltins } from "./code.ts";
import { declarationBuiltins } from "./declarations.ts";
import { directoryBuiltins } from "./directories.ts";
import { inputBuiltins } from "./input.ts";
import { wrapperBuiltins } from "./wrappers.ts";

let builtins: ReadonlyMap<string, Builtin> | undefined;

/** Commands of the shell itself; they exist only inside one. */
export function findBuiltin(name: string): Builtin | undefined {
  builtins ??= new Map([
    ...codeBuiltins,
    ...declarationBuiltins,
    ...directoryBuiltins,
    ...inputBuiltins,
    ...wrapperBuiltins,
  ]);
  return builtins.get(name);
}
