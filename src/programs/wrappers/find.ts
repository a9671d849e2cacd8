import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { directoryName, isAbsolute, joinPath } from "../../shell/paths.ts";
import { concatenate, knownPrefix, knownText, text, unknown, type Value, wordAt } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import { runInner } from "../../shell/walk/inner.ts";
import { appendOutput, type Output } from "../../shell/walk/output.ts";
import { runString } from "./strings.ts";
import { replaceMark } from "./xargs.ts";

/** Programs that look for files and run something on each. `{}` becomes "something at or below the start". */

const ACTIONS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

const find: Model = call => {
  let output: Output = [unknownOutput(call)];
  for (let index = 1; index < call.argv.length; index += 1) {
    const action = knownText(wordAt(call.argv, index));
    if (action === undefined || !ACTIONS.has(action)) continue;
    const end = endOfAction(call.argv, index + 1);
    const template = call.argv.slice(index + 1, end);
    for (const start of startPoints(call)) {
      output = appendOutput(output, runFound(template, start, action.endsWith("dir"), call));
    }
    index = end;
  }
  return output;
};

/** `;` or `+` behind `{}`. */
function endOfAction(argv: readonly Value[], start: number): number {
  for (let index = start; index < argv.length; index += 1) {
    const word = knownText(wordAt(argv, index));
    if (word === ";" || (word === "+" && knownText(wordAt(argv, index - 1)) === "{}")) return index;
  }
  return argv.length;
}

/** The paths in front of the first expression; the current directory without any. */
function startPoints(call: ProgramCall): readonly Value[] {
  const starts: Value[] = [];
  for (const word of call.argv.slice(1)) {
    const written = knownPrefix(word);
    if (/^-(?:[HLP]|O\d|D)$/.test(written)) continue;
    if (written.startsWith("-") || written === "(" || written === "!" || written === ")") break;
    starts.push(word);
  }
  return starts.length === 0 ? [text(".")] : starts;
}

function runFound(
  template: readonly Value[],
  start: Value,
  isInDirectory: boolean,
  call: ProgramCall,
): Output {
  const found = unknown("any", "{}", [{ kind: "program", invocation: call.id }]);
  const name = unknown("token", "{}", [{ kind: "program", invocation: call.id }]);
  const item = isInDirectory ? concatenate([text("./"), name]) : below(start, found);
  const cwd = isInDirectory ? parentOrBelow(joinPath(call.cwd, start), found) : call.cwd;
  return runInner(
    template.map(word => replaceMark(word, "{}", item)),
    call,
    { cwd },
  );
}

/** Each file is handled in the directory that holds it: the parent of the start, or something inside. */
function parentOrBelow(start: Value, found: Value): Value {
  const known = knownText(start);
  return known === undefined ? found : concatenate([text(directoryName(known)), found]);
}

function below(start: Value, found: Value): Value {
  const known = knownText(start);
  return concatenate([
    known === "/" ? text("/") : start,
    ...(known?.endsWith("/") === true ? [] : [text("/")]),
    found,
  ]);
}

const FD: OptionGrammar = {
  flags: "-HIuUsigalpFL01hV hidden no-ignore unrestricted absolute-path follow full-path list-details print0",
  values:
    "-dtepEcjSnoC max-depth min-depth exact-depth type extension exclude color threads size changed-within changed-before owner base-directory search-path and",
};

/** `fd PATTERN DIR -x CMD`: everything behind -x is the command. */
const fd: Model = call => {
  const at = call.argv.findIndex(word => /^(?:-[xX]|--exec|--exec-batch)$/.test(knownText(word) ?? ""));
  if (at < 0) return [unknownOutput(call)];
  const parsed = parseOptions(call.argv.slice(0, at), FD);
  const start = parsed.valueOf("search-path") ?? parsed.operands[1]?.value ?? text(".");
  const base = parsed.valueOf("base-directory", "C");
  const end = call.argv.findIndex((word, index) => index > at && knownText(word) === ";");
  const template = call.argv.slice(at + 1, end < 0 ? undefined : end);
  const found = unknown("any", "{}", [{ kind: "program", invocation: call.id }]);
  const item =
    isAbsolute(start) || knownText(start) !== "." ? below(start, found) : concatenate([text("./"), found]);
  const marks = ["{}", "{.}", "{/}", "{//}", "{/.}"];
  const isMarked = template.some(word => marks.some(mark => knownPrefix(word).includes(mark)));
  const words = isMarked
    ? template.map(word => marks.reduce((filled, mark) => replaceMark(filled, mark, item), word))
    : [...template, item];
  return runInner(words, call, { cwd: base === undefined ? call.cwd : joinPath(call.cwd, base) });
};

/** `entr CMD /_`: runs when a listed file changes. */
const entr: Model = call => {
  const parsed = parseOptions(call.argv, { flags: "-acdnprsz", stopsAtOperand: true });
  const words = parsed.operands.map(operand => operand.value);
  const [first] = words;
  if (parsed.has("s") && first !== undefined) return runString(first, call);
  const item = unknown("any", "/_", call.stdin?.origins ?? []);
  return runInner(
    words.map(word => replaceMark(word, "/_", item)),
    call,
    { stdin: undefined },
  );
};

export const findModels: readonly (readonly [string, Model])[] = [
  ["find", find],
  ["gfind", find],
  ["bfs", find],
  ["fd", fd],
  ["fdfind", fd],
  ["entr", entr],
];
