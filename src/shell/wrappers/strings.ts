import { type OptionSpec, optionNames, parseOptions } from "../options.ts";
import { knownText, text, type Value } from "../value.ts";
import type { Call, Model } from "../walk/call.ts";
import { runInNewShell, unknownOutput } from "../walk/code-runs.ts";
import { readContents } from "../walk/file-contents.ts";
import { eitherOutput, NO_OUTPUT, type Output } from "../walk/output.ts";
import { joinValues } from "../words/fragments.ts";
import { runInner } from "./inner.ts";

/** Programs that hand a string to a shell. */
export function runString(code: Value, call: Call, id: number): Output {
  return runInNewShell(code, call, id, { from: "argument", road: "shell" }, { stdin: call.stdin });
}

const watch: Model = (call, id) => {
  const spec: OptionSpec = {
    flags: optionNames("bcdegptvwxrC", "beep color no-color errexit chgexit precise no-title exec no-wrap"),
    values: optionNames("", "n q s interval equexit shotsdir"),
    optional: ["differences"],
    as: { exec: "x" },
    stopsAtOperand: true,
  };
  const parsed = parseOptions(call.argv, spec);
  const words = parsed.operands.map(operand => operand.value);
  return parsed.has("x") ? runInner(words, call, id) : runString(joinValues(words, " "), call, id);
};

const flock: Model = (call, id) => {
  const spec: OptionSpec = {
    flags: optionNames("senuxoFV", "shared exclusive unlock nonblock nb close no-fork verbose"),
    values: optionNames("wE", "timeout wait conflict-exit-code"),
    stopsAtOperand: true,
  };
  const [, ...rest] = parseOptions(call.argv, spec).operands.map(operand => operand.value);
  const [first, second] = rest;
  if (first === undefined) return NO_OUTPUT;
  const isString = knownText(first) === "-c" || knownText(first) === "--command";
  if (!isString) return runInner(knownText(first) === "--" ? rest.slice(1) : rest, call, id);
  return second === undefined ? NO_OUTPUT : runString(second, call, id);
};

/** util-linux has `-c TEXT`; BSD has the program behind the file name. */
const script: Model = (call, id) => {
  const spec: OptionSpec = {
    flags: optionNames("aefqkFdpr", "append quiet flush return force"),
    values: optionNames(
      "cEIOBmtTo",
      "command echo log-in log-out log-io logging-format log-timing output-limit",
    ),
    as: { command: "c" },
    stopsAtOperand: true,
  };
  const parsed = parseOptions(call.argv, spec);
  const code = parsed.valueOf("c");
  if (code !== undefined) return runString(code, call, id);
  const later = parseOptions(call.argv, { ...spec, stopsAtOperand: false }).valueOf("c");
  if (later !== undefined) return runString(later, call, id);
  const argv = parsed.operands.slice(1).map(operand => operand.value);
  return argv.length > 0 ? runInner(argv, call, id) : runInner([text("sh")], call, id);
};

/** Jobs for later: the commands are stdin or a file. */
const at: Model = (call, id) => {
  const parsed = parseOptions(call.argv, { flags: [..."bclmMrvVd"], values: ["f", "q", "t"] });
  if (parsed.has("l", "r", "d", "c")) return [unknownOutput(call, id)];
  const file = parsed.valueOf("f");
  const contents =
    file === undefined
      ? call.stdin === undefined
        ? []
        : [call.stdin]
      : readContents(file, call.cwd, call.stdin, call.scope);
  return eitherOutput(
    ...contents.map(code => runInNewShell(code, call, id, { from: "stdin", road: "shell" })),
  );
};

/** One option holds the string; several operands may be strings of their own. */
function stringOption(names: readonly string[], values: readonly string[] = []): Model {
  return (call, id) => {
    const parsed = parseOptions(call.argv, { values: [...names, ...values] });
    const codes = parsed.valuesOf(...names);
    return codes.length === 0
      ? [unknownOutput(call, id)]
      : eitherOutput(...codes.map(code => runString(code, call, id)));
  };
}

/** `nix shell pkgs -c rm x` runs words; `nix run pkgs#bash -- -c x` runs the program of that name. */
const nix: Model = (call, id) => {
  const words = call.argv.map(word => knownText(word) ?? "");
  const mark = words.findIndex(word => word === "-c" || word === "--command");
  if (/^(shell|develop)$/.test(words[1] ?? "") && mark > 0)
    return runInner(call.argv.slice(mark + 1), call, id);
  const dashes = words.indexOf("--");
  const program = /#([\w.+-]+)$/.exec(words.slice(2, dashes).find(word => word.includes("#")) ?? "")?.[1];
  if (words[1] !== "run" || dashes < 0 || program === undefined) return [unknownOutput(call, id)];
  return runInner([text(program), ...call.argv.slice(dashes + 1)], call, id);
};

const everyOperand: Model = (call, id) => {
  const parsed = parseOptions(call.argv, {
    flags: optionNames("", "r k g raw kill-others i ignore-failure"),
    values: optionNames(
      "",
      "n names c w warmup m M min-runs runs prepare p setup s cleanup conclude export-json export-markdown S shell L parameter-list",
    ),
  });
  const codes = [
    ...parsed.valuesOf("prepare", "p", "setup", "s", "cleanup"),
    ...parsed.operands.map(operand => operand.value),
  ];
  return eitherOutput(...codes.map(code => runString(code, call, id)));
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
