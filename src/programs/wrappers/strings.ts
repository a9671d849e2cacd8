import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { knownText, text, type Value } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { runInNewShell, unknownOutput } from "../../shell/walk/code-runs.ts";
import { readContents } from "../../shell/walk/file-contents.ts";
import { runInner } from "../../shell/walk/inner.ts";
import { eitherOutput, NO_OUTPUT, type Output } from "../../shell/walk/output.ts";
import { joinValues } from "../../shell/words/fragments.ts";

/** Programs that hand a string to a shell. */
export function runString(code: Value, call: ProgramCall): Output {
  return runInNewShell(code, call, { from: "argument", road: "shell" }, { stdin: call.stdin });
}

const watch: Model = call => {
  const spec: OptionGrammar = {
    flags: "-bcdegptvwrC x|exec beep color no-color errexit chgexit precise no-title no-wrap",
    values: "-nqs interval equexit shotsdir",
    optional: "differences",

    stopsAtOperand: true,
  };
  const parsed = parseOptions(call.argv, spec);
  const words = parsed.operands.map(operand => operand.value);
  return parsed.has("x") ? runInner(words, call) : runString(joinValues(words, " "), call);
};

const flock: Model = call => {
  const spec: OptionGrammar = {
    flags: "-senuxoFV shared exclusive unlock nonblock nb close no-fork verbose",
    values: "-wE timeout wait conflict-exit-code",
    stopsAtOperand: true,
  };
  const [, ...rest] = parseOptions(call.argv, spec).operands.map(operand => operand.value);
  const [first, second] = rest;
  if (first === undefined) return NO_OUTPUT;
  const isString = knownText(first) === "-c" || knownText(first) === "--command";
  if (!isString) return runInner(knownText(first) === "--" ? rest.slice(1) : rest, call);
  return second === undefined ? NO_OUTPUT : runString(second, call);
};

/** util-linux has `-c TEXT`; BSD has the program behind the file name. */
const script: Model = call => {
  const spec: OptionGrammar = {
    flags: "-aefqkFdpr append quiet flush return force",
    values: "-EIOBmtTo c|command echo log-in log-out log-io logging-format log-timing output-limit",

    stopsAtOperand: true,
  };
  const parsed = parseOptions(call.argv, spec);
  const code = parsed.valueOf("c");
  if (code !== undefined) return runString(code, call);
  const later = parseOptions(call.argv, { ...spec, stopsAtOperand: false }).valueOf("c");
  if (later !== undefined) return runString(later, call);
  const argv = parsed.operands.slice(1).map(operand => operand.value);
  return argv.length > 0 ? runInner(argv, call) : runInner([text("sh")], call);
};

/** Jobs for later: the commands are stdin or a file. */
const at: Model = call => {
  const parsed = parseOptions(call.argv, { flags: "-bclmMrvVd", values: "-fqt" });
  if (parsed.has("l", "r", "d", "c")) return [unknownOutput(call)];
  const file = parsed.valueOf("f");
  const contents =
    file === undefined
      ? call.stdin === undefined
        ? []
        : [call.stdin]
      : readContents(file, call.cwd, call.stdin, call.scope);
  return eitherOutput(...contents.map(code => runInNewShell(code, call, { from: "stdin", road: "shell" })));
};

/** One option holds the string; several operands may be strings of their own. */
function stringOption(names: readonly string[], values: readonly string[] = []): Model {
  return call => {
    const parsed = parseOptions(call.argv, { values: [...names, ...values].join(" ") });
    const codes = parsed.valuesOf(...names);
    return codes.length === 0
      ? [unknownOutput(call)]
      : eitherOutput(...codes.map(code => runString(code, call)));
  };
}

/** `nix shell pkgs -c rm x` runs words; `nix run pkgs#bash -- -c x` runs the program of that name. */
const nix: Model = call => {
  const words = call.argv.map(word => knownText(word) ?? "");
  const mark = words.findIndex(word => word === "-c" || word === "--command");
  if (/^(shell|develop)$/.test(words[1] ?? "") && mark > 0) return runInner(call.argv.slice(mark + 1), call);
  const dashes = words.indexOf("--");
  const program = /#([\w.+-]+)$/.exec(words.slice(2, dashes).find(word => word.includes("#")) ?? "")?.[1];
  if (words[1] !== "run" || dashes < 0 || program === undefined) return [unknownOutput(call)];
  return runInner([text(program), ...call.argv.slice(dashes + 1)], call);
};

const everyOperand: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-rkgi raw kill-others ignore-failure",
    values:
      "-ncwmMpsSL names warmup min-runs runs prepare setup cleanup conclude export-json export-markdown shell parameter-list",
  });
  const codes = [
    ...parsed.valuesOf("prepare", "p", "setup", "s", "cleanup"),
    ...parsed.operands.map(operand => operand.value),
  ];
  return eitherOutput(...codes.map(code => runString(code, call)));
};

export const stringModels: readonly (readonly [string, Model])[] = [
  ["watch", watch],
  ["flock", flock],
  ["script", script],
  ["at", at],
  ["batch", at],
  ["nix", nix],
  ["nix-shell", stringOption(["run", "command"], ["p", "packages", "I", "A", "argstr"])],
  [
    "nodemon",
    stringOption(["exec", "x"], ["w", "watch", "e", "ext", "i", "ignore", "C", "cwd", "d", "delay"]),
  ],
  ["onchange", stringOption(["exec"])],
  ["chokidar", stringOption(["c", "command"], ["i", "ignore"])],
  ["concurrently", everyOperand],
  ["hyperfine", everyOperand],
];
