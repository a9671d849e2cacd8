import type { Call, Model } from "../call.ts";
import { runInNewShell } from "../code-runs.ts";
import { readContents } from "../file-contents.ts";
import { LIMITS } from "../limits.ts";
import { type OptionSpec, parseOptions } from "../options.ts";
import { appendOutput, eitherOutput, NO_OUTPUT, type Output } from "../output.ts";
import { concatenate, knownText, type Piece, text, unknown, type Value } from "../value.ts";
import { quoteWord } from "../words/escapes.ts";
import { joinValues } from "../words/fragments.ts";
import { splitString } from "./environment.ts";
import { runInner } from "./inner.ts";

/** xargs and parallel: a program is run with words that come from a stream. */

const XARGS: OptionSpec = {
  flags: [
    ..."0oprtx",
    "null",
    "interactive",
    "no-run-if-empty",
    "open-tty",
    "verbose",
    "exit",
    "show-limits",
  ],
  values: [
    ..."aEdILnPsJRS",
    "arg-file",
    "delimiter",
    "max-lines",
    "max-args",
    "max-procs",
    "max-chars",
    "process-slot-var",
  ],
  optional: ["e", "i", "l", "eof", "replace"],
  as: { null: "0", "arg-file": "a", delimiter: "d", replace: "i" },
  stopsAtOperand: true,
};

const xargs: Model = (call, id) => {
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
      return mark === undefined
        ? runWithWords(template, items, input, call, id)
        : runReplaced(template, knownText(mark) ?? "{}", items, input, call, id);
    }),
  );
};

/** The words in a stream; undefined when they are not known or too many. */
function itemsOf(input: Value, delimiter: string | undefined): readonly Value[] | undefined {
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

/** Stdin of the programs is empty, their last words are the items. */
function runWithWords(
  template: readonly Value[],
  items: readonly Value[] | undefined,
  input: Value,
  call: Call,
  id: number,
): Output {
  const words = items ?? [unknown("any", "words from stdin", input.origins, true)];
  return runInner([...template, ...words], call, id, { isOpenEnded: items === undefined, stdin: undefined });
}

function runReplaced(
  template: readonly Value[],
  mark: string,
  items: readonly Value[] | undefined,
  input: Value,
  call: Call,
  id: number,
): Output {
  const few =
    items !== undefined && items.length <= LIMITS.loopItems ? items : [unknown("any", mark, input.origins)];
  return few
    .map(item =>
      runInner(
        template.map(word => replaceMark(word, mark, item)),
        call,
        id,
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

const PARALLEL: OptionSpec = {
  flags: [
    ..."0kmXtvqu",
    "null",
    "keep-order",
    "group",
    "ungroup",
    "dry-run",
    "dryrun",
    "bar",
    "progress",
    "eta",
    "will-cite",
    "pipe",
    "quote",
    "verbose",
    "no-run-if-empty",
    "halt-on-error",
    "lb",
    "line-buffer",
    "silent",
    "shuf",
    "plus",
  ],
  values: [
    ..."jaIJnNLdSCr",
    "jobs",
    "arg-file",
    "max-args",
    "delimiter",
    "colsep",
    "sshlogin",
    "tmpdir",
    "joblog",
    "results",
    "timeout",
    "retries",
    "halt",
    "delay",
    "load",
    "memfree",
    "workdir",
    "wd",
    "env",
    "tagstring",
    "block",
    "recstart",
    "recend",
  ],
  as: { "arg-file": "a", null: "0", delimiter: "d" },
  stopsAtOperand: true,
};

/** `parallel CMD ::: a b`: the command is a shell string with `{}` for the item. */
const parallel: Model = (call, id) => {
  const parsed = parseOptions(call.argv, PARALLEL);
  const words = parsed.operands.map(operand => operand.value);
  const split = words.findIndex(word => /^:::/.test(knownText(word) ?? ""));
  const template = split < 0 ? words : words.slice(0, split);
  const lists = split < 0 ? [streamItems(call, parsed.valueOf("a"))] : listsAfter(words.slice(split), call);
  const mark = knownText(parsed.valueOf("I") ?? text("{}")) ?? "{}";
  const items = lists[0];
  const code = (item: Value) => joinValues(fillTemplate(template, mark, quoted(item), lists), " ");
  const few =
    items !== undefined && items.length <= LIMITS.loopItems
      ? items
      : [unknown("any", "{}", call.stdin?.origins ?? [], true)];
  return few
    .map(item =>
      runInNewShell(template.length === 0 ? item : code(item), call, id, {
        from: template.length === 0 ? "stdin" : "argument",
        road: "shell",
      }),
    )
    .reduce(appendOutput, NO_OUTPUT);
};

/** Items are put into the string as words, however they look. */
function quoted(item: Value): Value {
  const known = knownText(item);
  return known === undefined ? item : text(quoteWord(known), item.origins);
}

function streamItems(call: Call, file: Value | undefined): readonly Value[] | undefined {
  const [input] = file === undefined ? [call.stdin] : readContents(file, call.cwd, call.stdin, call.scope);
  return input === undefined ? undefined : itemsOf(input, "\n");
}

/** `::: a b ::: c d` gives lists of items, `:::: file` lists of lines. */
function listsAfter(words: readonly Value[], call: Call): readonly (readonly Value[] | undefined)[] {
  const lists: { readonly isFile: boolean; readonly items: Value[] }[] = [];
  for (const word of words) {
    const sign = /^(:::?:?)\+?$/.exec(knownText(word) ?? "")?.[1];
    if (sign !== undefined && sign.length >= 3) lists.push({ isFile: sign === "::::", items: [] });
    else lists.at(-1)?.items.push(word);
  }
  return lists.map(({ isFile, items }) => (isFile ? streamItems(call, items[0]) : items));
}

function fillTemplate(
  template: readonly Value[],
  mark: string,
  item: Value,
  lists: readonly (readonly Value[] | undefined)[],
): readonly Value[] {
  const marks = [mark, "{.}", "{/}", "{//}", "{/.}", "{1}"];
  const isMarked = template.some(word =>
    word.pieces.some(
      piece =>
        piece.kind === "text" && (marks.some(one => piece.text.includes(one)) || /\{\d/.test(piece.text)),
    ),
  );
  if (!isMarked) return [...template, item];
  return template.map(word => {
    const first = marks.reduce((filled, one) => replaceMark(filled, one, item), word);
    return lists
      .slice(1)
      .reduce(
        (filled, list, index) =>
          replaceMark(filled, `{${index + 2}}`, list?.[0] ?? unknown("any", `{${index + 2}}`)),
        first,
      );
  });
}

export const streamModels: readonly (readonly [string, Model])[] = [
  ["xargs", xargs],
  ["gxargs", xargs],
  ["parallel", parallel],
];
