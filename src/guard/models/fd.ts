import { isRegenerablePattern } from "../../programs/regenerable.ts";
import { describe, text } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import type { Call, Model } from "./call.ts";
import { historyOf, startsRemover } from "./find.ts";
import type { Search } from "./find-expression.ts";

/** `fd` searches by a regular expression and by extension. */
export const fd: Model = call => {
  const search = readFd(call);
  const runs = call.argv.some(word => /^(-x|-X|--exec|--exec-batch)$/.test(describe(word)));
  if (!runs || !startsRemover(call.facts, call.invocation)) return [];
  const found = search.starts.map(
    (path): CommandEffect => ({
      kind: "delete",
      by: call.by,
      path,
      isRecursive: true,
      selection: search.listed,
      isContentsOnly: true,
    }),
  );
  return [...found, ...historyOf(call, search)];
};

export function readFd(call: Pick<Call, "argv">): Search {
  const operands: string[] = [];
  const extensions: string[] = [];
  for (let index = 1; index < call.argv.length; index += 1) {
    const word = describe(call.argv[index] ?? text(""));
    if (/^(-x|-X|--exec|--exec-batch)$/.test(word)) break;
    const value = describe(call.argv[index + 1] ?? text(""));
    if (word === "-e" || word === "--extension") extensions.push(value);
    if (
      /^(-e|--extension|-t|--type|-d|--max-depth|-E|--exclude|-S|--size|--changed-within|--changed-before|-j|-o|--owner)$/.test(
        word,
      )
    )
      index += 1;
    else if (!word.startsWith("-")) operands.push(word);
  }
  const [pattern, ...starts] = operands;
  const isGlob = call.argv.some(word => /^(-g|--glob)$/.test(describe(word)));
  const name = isGlob ? pattern : pattern?.replace(/^\^|\$$/g, "").replace(/\\\./g, ".");
  const isNarrow =
    (extensions.length > 0 && extensions.every(extension => isRegenerablePattern(`*.${extension}`))) ||
    (name !== undefined && isRegenerablePattern(name));
  const isFiltered = extensions.length > 0 || (name !== undefined && name !== "" && name !== ".");
  return {
    starts: starts.length === 0 ? [text(".")] : starts.map(start => text(start)),
    selection: undefined,
    handed: undefined,
    listed: isNarrow ? "regenerable" : isFiltered ? "some" : "all",
    isBelowOnly: true,
    names: name === undefined ? [] : [name],
  };
}
