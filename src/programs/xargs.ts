import { LIMITS } from "../shell/limits.ts";
import { readContents } from "../shell/state/file-contents.ts";
import { appendOutput, eitherOutput, NO_OUTPUT } from "../shell/state/output.ts";
import type { Output, ProgramCall } from "../shell/state/types.ts";
import { knownText, text, unknown, type Value } from "../shell/value.ts";
import { runInner } from "../shell/walk/inner.ts";
import { PARALLEL_OPTIONS, runParallel } from "./parallel.ts";
import type { Field, ParsedCall } from "./program.ts";
import { plainReads } from "./reads.ts";
import { itemsOf, replaceMark } from "./templates.ts";

/** A list on the input becomes arguments of another program. */
export const argumentLists: Field = {
  programs: [
    {
      names: "xargs",
      isGnu: true,
      is: ["passesOn", "dangerous"],
      options: {
        flags: "-oprtx 0|null interactive no-run-if-empty open-tty verbose exit show-limits",
        values: "-EILnPsJRS a|arg-file d|delimiter max-lines max-args max-procs max-chars process-slot-var",
        optional: "-el i|replace eof",
        stopsAtOperand: true,
      },
      effects: call => plainReads(call.options.valuesOf("a")),
      run: runXargs,
    },
    { names: "parallel", is: ["readsNothing", "dangerous"], options: PARALLEL_OPTIONS, run: runParallel },
  ],
};

function runXargs(call: ParsedCall): Output {
  const { options, operands: argv } = call;
  call.scope.session.argumentLists.set(call.id, call.stdin);
  const template = argv.length === 0 ? [text("echo")] : argv;
  const file = options.valueOf("a");
  const inputs =
    file === undefined
      ? [call.stdin ?? unknown("any", "stdin", [{ kind: "input" }])]
      : readContents(file, call.cwd, call.stdin, call.scope);
  const mark = options.has("i") ? (options.valueOf("i") ?? text("{}")) : options.valueOf("I", "J");
  const delimiter = options.has("0")
    ? "\u0000"
    : knownText(options.valueOf("d") ?? text(mark === undefined ? "" : "\n"));
  return eitherOutput(
    ...inputs.map(input => {
      const items = itemsOf(input, delimiter === "" ? undefined : delimiter);
      const count = Number(knownText(options.valueOf("n", "max-args") ?? text("")) || "0");
      return mark === undefined
        ? runWithWords(template, items, count, input, call)
        : runReplaced(template, knownText(mark) ?? "{}", items, input, call);
    }),
  );
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
