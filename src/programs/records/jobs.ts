import {
  eitherOutput,
  joinValues,
  knownText,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  parseOptions,
  readContents,
  runInNewShell,
  runInner,
  text,
  unknownOutput,
  words,
} from "../../shell/index.ts";
import type { Field, ParsedCall, Program } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { runString } from "../model/run.ts";
import { stdinOf } from "./file-access.ts";

const SCRIPT_OPTIONS: OptionGrammar = {
  flags: "-aefqkFdpr append quiet flush return force",
  values: "-EIOBmtTo c|command echo log-in log-out log-io logging-format log-timing output-limit",
  stopsAtOperand: true,
};

/** Programs that hand a string to a shell: now, later, or whenever something changes. */
export const jobs: Field = {
  toldExcept: "script at nix concurrently nix-shell nodemon onchange chokidar",
  programs: () => [
    ...programs(
      `
    watch | is readsNothing | flags -bcdegptvwrC x|exec beep color no-color errexit chgexit precise no-title no-wrap |
        values -nqs interval equexit shotsdir | optional differences | ends at operand
    flock | is readsNothing | flags -senuxoFV shared exclusive unlock nonblock nb close no-fork verbose | values -wE
        timeout wait conflict-exit-code | ends at operand
    script | is readsNothing
    at batch | is readsNothing | flags -bclmMrvVd | values -fqt
    nix | is readsNothing
    concurrently hyperfine | is readsNothing | flags -rkgi raw kill-others ignore-failure | values -ncwmMpsSL names
        warmup min-runs runs prepare setup cleanup conclude export-json export-markdown shell parameter-list
  `,
      {
        watch: {
          run: call =>
            call.options.has("x")
              ? runInner(call.operands, call)
              : runString(joinValues(call.operands, " "), call),
        },
        flock: { run: runFlock },
        script: { options: SCRIPT_OPTIONS, run: runTypescript },
        at: { run: runLater },
        nix: { run: runNix },
        concurrently: {
          run(call) {
            const codes = [
              ...call.options.valuesOf("prepare", "p", "setup", "s", "cleanup"),
              ...call.operands,
            ];
            return eitherOutput(...codes.map(code => runString(code, call)));
          },
        },
      },
    ),
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
  const contents = file === undefined ? stdinOf(call) : readContents(file, call.cwd, call.stdin, call.scope);
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
