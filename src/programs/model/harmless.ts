import { words } from "../../shell/index.ts";
import { makeHarmlessIndex } from "./harmless-index.ts";

/** Options that make a harmless program write or run something, or read what it does not know by itself. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--no-in|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;
let harmless: ReadonlyMap<string, readonly [reads: string, runs: string]> | undefined;

/** What a command of plain words does, where no more than its words is needed to tell that it is harmless. */
export function harmlessUse(program: string, given: readonly string[]): "reads" | "runs" | undefined {
  harmless ??= new Map(makeHarmlessIndex().map(([name, reads, runs]) => [name, [reads, runs]]));
  const known = harmless.get(program);
  if (known === undefined) return undefined;
  const [reads, runs] = known;
  const [first = ""] = given;
  const isReader = startsWithAny(reads, first);
  if ((!isReader && !startsWithAny(runs, first)) || given.some(word => NOT_HARMLESS.test(word)))
    return undefined;
  return isReader ? "reads" : "runs";
}

/** `*` is any first word, and none. */
export function startsWithAny(list: string, first: string): boolean {
  return list === "*" || (first !== "" && list !== "" && words(list).includes(first));
}
