import { parseOptions } from "../options.ts";
import { knownText, text } from "../value.ts";
import type { Model } from "../walk/call.ts";
import { unknownOutput } from "../walk/code-runs.ts";
import { runString } from "../wrappers/strings.ts";

/** Interpreters without a reader of their own: options that hold code. */
const INTERPRETERS: readonly (readonly [string, readonly string[]])[] = [
  ["Rscript", ["e"]],
  ["R", ["e"]],
  ["julia", ["e", "eval", "E", "print"]],
  ["octave", ["eval"]],
  ["guile", ["c"]],
  ["racket", ["e", "eval"]],
  ["sbcl", ["eval"]],
  ["clojure", ["e", "eval"]],
  ["elixir", ["e", "eval"]],
  ["erl", ["eval"]],
  ["groovy", ["e"]],
  ["scala", ["e"]],
  ["ghc", ["e"]],
  ["swipl", ["g", "t"]],
  ["janet", ["e"]],
  ["crystal", ["eval"]],
];

/** A call that starts a process, with its first string: the one text search, for languages nobody reads. */
const STARTS =
  /\b(?:system2?|shell|exec\w*|run|spawn\w*|popen|cmd|sh|os_cmd|os:cmd)\b[\s([]*(?:`([^`]*)`|"([^"]*)"|'([^']*)')/g;

function interpreter(options: readonly string[]): Model {
  return (call, id) => {
    const codes = parseOptions(call.argv, { values: options, abbreviates: false }).valuesOf(...options);
    for (const code of codes) {
      for (const match of (knownText(code) ?? "").matchAll(STARTS)) {
        runString(text(match[1] ?? match[2] ?? match[3] ?? ""), call, id);
      }
    }
    return [unknownOutput(call, id)];
  };
}

export const otherLanguageModels: readonly (readonly [string, Model])[] = INTERPRETERS.map(
  ([name, options]) => [name, interpreter(options)],
);
