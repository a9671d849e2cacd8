import type { ProgramEffect } from "../shell/effects.ts";
import { words } from "../shell/options.ts";
import { knownPrefix, knownText, type Value } from "../shell/value.ts";
import { readsOfListed } from "./listings.ts";
import type { ParsedCall, Program } from "./program.ts";

const MAX_FILES = 64;

/** Content of the operands is shown, searched or handed on. Unknown programs count as readers of what they are given. */
export function readsOf(program: Program | undefined, call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const { text, files, unless } = program?.reads ?? {};
  if (program?.is?.includes("readsNothing") === true) return [];
  if (unless !== undefined && options.has(...words(unless))) return [];
  const hasText = text !== undefined && !options.has(...words(text));
  const named = files === undefined ? [] : options.valuesOf(...words(files));
  return readsOfFiles([...(hasText ? operands.slice(1) : operands), ...named], call);
}

export function readsOfFiles(files: readonly Value[], call: ParsedCall): readonly ProgramEffect[] {
  return [...readsOfListed(files, call), ...plainReads(files)];
}

/** Words that may be names of files: no addresses, no sentences. */
export function plainReads(files: readonly Value[]): readonly ProgramEffect[] {
  return files
    .filter(
      value =>
        value.pieces.length > 0 &&
        !/^[a-z][a-z0-9+.-]*:\/\//i.test(knownPrefix(value)) &&
        !/\s/.test(knownText(value)?.trim() ?? ""),
    )
    .slice(0, MAX_FILES)
    .map(path => ({ kind: "read", path, isCopy: false }));
}
