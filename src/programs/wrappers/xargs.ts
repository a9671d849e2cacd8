import { LIMITS } from "../../shell/limits.ts";
import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { concatenate, knownText, type Piece, text, unknown, type Value } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { readContents } from "../../shell/walk/file-contents.ts";
import { runInner } from "../../shell/walk/inner.ts";
import { appendOutput, eitherOutput, NO_OUTPUT, type Output } from "../../shell/walk/output.ts";
import { splitString } from "./environment.ts";

const XARGS: OptionGrammar = {
  flags: "-oprtx 0|null interactive no-run-if-empty open-tty verbose exit show-limits",
  values: "-EILnPsJRS a|arg-file d|delimiter max-lines max-args max-procs max-chars process-slot-var",
  optional: "-el i|replace eof",

  stopsAtOperand: true,
};

const xargs: Model = call => {
  const parsed = parseOptions(call.argv, XARGS);
  const argv = parsed.operands.map(operand => operand.value);
  const template = argv.length === 0 ? [text("echo")] : argv;
  const file = parsed.valueOf("a");
  const inputs =
    file === undefined
      ? [call.stdin ?? unknown("any", "stdin", [{ kind: "input" }])]
      : readContents(file, call.cwd, call.stdin, call.scope);
  const mark = parsed.has("i") ? (parsed.valueOf("i") ?? text("{}")) : parsed.valueOf("I", "J");
  const delimiter = parsed.has("0")
    ? "\u0000"
    : knownText(parsed.valueOf("d") ?? text(mark === undefined ? "" : "\n"));
  return eitherOutput(
    ...inputs.map(input => {
      const items = itemsOf(input, delimiter === "" ? undefined : delimiter);
      const count = Number(knownText(parsed.valueOf("n", "max-args") ?? text("")) || "0");
      return mark === undefined
        ? runWithWords(template, items, count, input, call)
        : runReplaced(template, knownText(mark) ?? "{}", items, input, call);
    }),
  );
};

/** The words in a stream; undefined when they are not known or too many. */
export function itemsOf(input: Value, delimiter: string | undefined): readonly Value[] | undefined {
  const known = knownText(input);
  if (known === undefined) return undefined;
  const items =
    delimiter === undefined
      ? splitString(text(known, input.origins))
      : known
          .split(decodeDelimiter(delimiter))
          .filter(item => item !== "")
          .map(item => text(item, input.origins));
  return items.length > LIMITS.fieldsPerWord ? undefined : items;
}

function decodeDelimiter(delimiter: string): string {
  return delimiter === "\\n" ? "\n" : delimiter === "\\t" ? "\t" : delimiter === "\\0" ? "\u0000" : delimiter;
}

/** Stdin of the programs is empty, their last words are the items; `count` of them at a time if not 0. */
function runWithWords(
  template: readonly Value[],
  items: readonly Value[] | undefined,
  count: number,
  input: Value,
  call: ProgramCall,
): Output {
  if (items === undefined) {
    const words = unknown("any", "words from stdin", input.origins, true);
    return runInner([...template, words], call, { isOpenEnded: true, stdin: undefined });
  }
  const size = count > 0 && items.length / count <= LIMITS.loopItems ? count : Math.max(1, items.length);
  let output = NO_OUTPUT;
  for (let start = 0; start < Math.max(1, items.length); start += size) {
    const words = items.slice(start, start + size);
    output = appendOutput(
      output,
      runInner([...template, ...words], call, { isOpenEnded: false, stdin: undefined }),
    );
  }
  return output;
}

function runReplaced(
  template: readonly Value[],
  mark: string,
  items: readonly Value[] | undefined,
  input: Value,
  call: ProgramCall,
): Output {
  const few =
    items !== undefined && items.length <= LIMITS.loopItems ? items : [unknown("any", mark, input.origins)];
  return few
    .map(item =>
      runInner(
        template.map(word => replaceMark(word, mark, item)),
        call,
        { stdin: undefined },
      ),
    )
    .reduce(appendOutput, NO_OUTPUT);
}

/** Every occurrence of `mark` in the known text of a word gives way to the item. */
export function replaceMark(word: Value, mark: string, item: Value): Value {
  if (mark === "") return word;
  return concatenate(
    word.pieces.flatMap((piece: Piece) => {
      if (piece.kind !== "text" || !piece.text.includes(mark))
        return [{ pieces: [piece], origins: word.origins }];
      return piece.text
        .split(mark)
        .flatMap((part, index) => (index === 0 ? [text(part, word.origins)] : [item, text(part)]));
    }),
  );
}

export const xargsModels: readonly (readonly [string, Model])[] = [
  ["xargs", xargs],
  ["gxargs", xargs],
];
