import { findOwner } from "../launcher/index.ts";
import { dirname, quoteWord } from "../system/index.ts";

/**
 * What brings the files of a package back: a build in a checkout, elsewhere the package manager that put them there.
 * Undefined where only installing again helps. `program` is a file of its `dist/bin`.
 */
export function repairCommand(program: string, version: string, stateHome: string): string | undefined {
  const owner = findOwner(program, stateHome);
  if (owner.kind === "checkout")
    return `npm --prefix ${quoteWord(dirname(dirname(dirname(program))))} run build`;
  return "command" in owner ? owner.command(version) : undefined;
}
