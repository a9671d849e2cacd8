import {
  appendOutput,
  eitherOutput,
  joinValues,
  knownText,
  LIMITS,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  type ProgramCall,
  parseOptions,
  readContents,
  runInNewShell,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  words,
} from "../../shell/index.ts";
import { quoteWord } from "../../system/index.ts";
import { plainReads } from "../model/effects.ts";
import { type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { replaceMark, runString, splitItems } from "../model/run.ts";
import { knownStdin } from "./file-access.ts";

const SCRIPT_OPTIONS: OptionGrammar = {
  flags: "-aefqkFdpr append quiet flush return force",
  values: "-EIOBmtTo c|command echo log-in log-out log-io logging-format log-timing output-limit",
  stopsAtOperand: true,
};

/** Programs that hand a string to a shell: now, later, or whenever something changes. */
export const jobs: Field = {
  tellsChanges: true,
  programs: () => [
    program("watch", "readsNothing", {
      options: {
        flags: "-bcdegptvwrC x|exec beep color no-color errexit chgexit precise no-title no-wrap",
        values: "-nqs interval equexit shotsdir",
        optional: "differences",
        stopsAtOperand: true,
      },
      run: call =>
        call.options.has("x")
          ? runInner(call.operands, call)
          : runString(joinValues(call.operands, " "), call),
    }),
    program("flock", "readsNothing", {
      options: {
        flags: "-senuxoFV shared exclusive unlock nonblock nb close no-fork verbose",
        values: "-wE timeout wait conflict-exit-code",
        stopsAtOperand: true,
      },
      run: runFlock,
    }),
    program("script", "readsNothing changesMore", {
      options: SCRIPT_OPTIONS,
      effects: ({ operands: [path = text("typescript")], options }) => [
        { kind: "write", path, how: options.has("a", "append") ? "append" : "replace" },
      ],
      run: runTypescript,
    }),
    program("at batch", "readsNothing changesMore", {
      options: { flags: "-bclmMrvVd", values: "-fqt" },
      run: runLater,
    }),
    program("nix", "readsNothing changesMore", {
      run: runNix,
      runsFiles: "*.nix *.sh",
      operations: [
        "pkg.address run|shell|develop github:*|gitlab:*|git+*|http:*|https:*|tarball+* | run what an address holds at that moment | safer nix flake metadata {rest} | stops nix run github:someone/tool | passes nix run nixpkgs#hello",
      ],
    }),
    program("concurrently hyperfine", "readsNothing changesMore", {
      options: {
        flags: "-rkgi raw kill-others ignore-failure",
        values:
          "-ncwmMpsSL names warmup min-runs runs prepare setup cleanup conclude export-json export-markdown shell parameter-list",
      },
      run(call) {
        const codes = [...call.options.valuesOf("prepare", "p", "setup", "s", "cleanup"), ...call.operands];
        return eitherOutput(...codes.map(code => runString(code, call)));
      },
    }),
    stringOption("nix-shell", "run command", "-pIA packages argstr"),
    stringOption("nodemon", "exec x", "-weiCd watch ext ignore cwd delay"),
    stringOption("onchange", "exec"),
    stringOption("chokidar", "c command", "-i ignore"),
  ],
};

/** One option holds the string. */
function stringOption(names: string, code: string, values = ""): Program {
  return {
    names,
    is: ["readsNothing"],
    options: { values: `${code} ${values}` },
    run(call) {
      const codes = call.options.valuesOf(...words(code));
      return codes.length === 0
        ? [unknownOutput(call)]
        : eitherOutput(...codes.map(one => runString(one, call)));
    },
  };
}

function runFlock(call: ParsedCall): Output {
  const [, ...rest] = call.operands;
  const [first, second] = rest;
  if (first === undefined) return NO_OUTPUT;
  const isString = knownText(first) === "-c" || knownText(first) === "--command";
  if (!isString) return runInner(knownText(first) === "--" ? rest.slice(1) : rest, call);
  return second === undefined ? NO_OUTPUT : runString(second, call);
}

/** util-linux has `-c TEXT`; BSD has the program behind the file name. */
function runTypescript(call: ParsedCall): Output {
  const code =
    call.options.valueOf("c") ??
    parseOptions(call.argv, { ...SCRIPT_OPTIONS, stopsAtOperand: false }).valueOf("c");
  if (code !== undefined) return runString(code, call);
  const argv = call.operands.slice(1);
  return runInner(argv.length > 0 ? argv : [text("sh")], call);
}

/** Jobs for later: the commands are stdin or a file. */
function runLater(call: ParsedCall): Output {
  if (call.options.has("l", "r", "d", "c")) return [unknownOutput(call)];
  const file = call.options.valueOf("f");
  const contents =
    file === undefined ? knownStdin(call) : readContents(file, call.cwd, call.stdin, call.scope);
  return eitherOutput(...contents.map(code => runInNewShell(code, call, { from: "stdin", via: "shell" })));
}

/** `nix shell pkgs -c rm x` runs words; `nix run pkgs#bash -- -c x` runs the program of that name. */
function runNix(call: ParsedCall): Output {
  const shown = call.argv.map(word => knownText(word) ?? "");
  const mark = shown.findIndex(word => word === "-c" || word === "--command");
  if (/^(shell|develop)$/.test(shown[1] ?? "") && mark > 0) return runInner(call.argv.slice(mark + 1), call);
  const dashes = shown.indexOf("--");
  const program = /#([\w.+-]+)$/.exec(shown.slice(2, dashes).find(word => word.includes("#")) ?? "")?.[1];
  if (shown[1] !== "run" || dashes < 0 || program === undefined) return [unknownOutput(call)];
  return runInner([text(program), ...call.argv.slice(dashes + 1)], call);
}

const PARALLEL_OPTIONS: OptionGrammar = {
  flags:
    "-kmXtvqu 0|null keep-order group ungroup dry-run|dryrun bar progress eta will-cite pipe quote verbose help version no-run-if-empty halt-on-error lb line-buffer silent shuf plus",
  values:
    "-jIJnNLSCr a|arg-file d|delimiter jobs max-args colsep sshlogin tmpdir joblog results timeout retries halt delay load memfree workdir wd env tagstring block recstart recend nice basefile compress-program limit profile shebang sshloginfile tempdir transferfile return max-procs max-chars max-lines max-replace-args process-slot-var rpl tag-color trim termseq",

  stopsAtOperand: true,
};

/** A list on the input becomes arguments of another program. */
export const argumentLists: Field = {
  tellsChanges: true,
  programs: () => [
    program("xargs", "passesOn makesWords dangerous gnu", {
      options: {
        flags: "-oprtx 0|null interactive no-run-if-empty open-tty verbose exit show-limits help version",
        values: "-EILnPsJRS a|arg-file d|delimiter max-lines max-args max-procs max-chars process-slot-var",
        optional: "-el i|replace eof",
        stopsAtOperand: true,
      },
      complete: { except: "o open-tty p interactive a J R S process-slot-var" },
      effects: call => plainReads(call.options.valuesOf("a")),
      run: runXargs,
    }),
    program("parallel", "readsNothing makesWords dangerous", { options: PARALLEL_OPTIONS, run: runParallel }),
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
      const items = splitItems(input, delimiter === "" ? undefined : delimiter);
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

/** `parallel CMD ::: a b`: the command is a shell string with `{}` for the item. */
function runParallel(call: ParsedCall): Output {
  const { options, operands: words } = call;
  if (options.isOn("dry-run") || options.isOn("help")) return [unknownOutput(call)];
  call.scope.session.argumentLists.set(call.id, call.stdin);
  const split = words.findIndex(word => /^:::/.test(knownText(word) ?? ""));
  const template = split < 0 ? words : words.slice(0, split);
  const lists = split < 0 ? [streamItems(call, options.valueOf("a"))] : listsAfter(words.slice(split), call);
  const mark = knownText(options.valueOf("I") ?? text("{}")) ?? "{}";
  const items = lists[0];
  const code = (item: Value) => joinValues(fillTemplate(template, mark, quoted(item), lists), " ");
  const few =
    items !== undefined && items.length <= LIMITS.loopItems
      ? items
      : [unknown("any", "{}", call.stdin?.origins ?? [], true)];
  return few
    .map(item =>
      runInNewShell(template.length === 0 ? item : code(item), call, {
        from: template.length === 0 ? "stdin" : "argument",
        via: "shell",
      }),
    )
    .reduce(appendOutput, NO_OUTPUT);
}

/** Items are put into the string as words, however they look. */
function quoted(item: Value): Value {
  const known = knownText(item);
  return known === undefined ? item : text(quoteWord(known), item.origins);
}

function streamItems(call: ProgramCall, file: Value | undefined): readonly Value[] | undefined {
  const [input] = file === undefined ? [call.stdin] : readContents(file, call.cwd, call.stdin, call.scope);
  return input === undefined ? undefined : splitItems(input, "\n");
}

/** `::: a b ::: c d` gives lists of items, `:::: file` lists of lines. */
function listsAfter(words: readonly Value[], call: ProgramCall): readonly (readonly Value[] | undefined)[] {
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
