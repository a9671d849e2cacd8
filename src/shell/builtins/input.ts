import { LIMITS } from "../limits.ts";
import { type OptionGrammar, type ParsedOptions, parseOptions } from "../options.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { type Content, scalar } from "../state/state.ts";
import type { Builtin, ProgramCall } from "../state/types.ts";
import { assign } from "../state/variables.ts";
import { knownText, text, unknown, type Value, wordAt } from "../value.ts";
import { runInSameShell } from "../walk/code-runs.ts";
import { runHiddenSubstitutions } from "../walk/test-expressions.ts";
import { separatorsOf } from "../words/parameters.ts";

const READ: OptionGrammar = { flags: "-ersE", values: "-adinNptu", stopsAtOperand: true };

/** Each line of a known text is one value the variable may have; otherwise it is unknown, origins kept. */
const read: Builtin = call => {
  const parsed = parseOptions(call.argv, READ);
  const input = inputOf(call, parsed);
  const lines = linesOf(input, parsed);
  const array = parsed.valueOf("a");
  const separators = ifsOf(call);
  if (array !== undefined) {
    store(
      array,
      lines?.map(line => toArray(splitFields(line, separators), input)),
      input,
      call,
    );
    return NO_OUTPUT;
  }
  const names = parsed.operandValues;
  const targets = names.length === 0 ? [text("REPLY")] : names;
  targets.forEach((name, index) => {
    runHiddenSubstitutions(knownText(name), call.scope);
    const isLast = index === targets.length - 1;
    const values = lines?.map(line => scalar(text(fieldAt(line, separators, index, isLast), input.origins)));
    store(name, values, input, call);
  });
  return NO_OUTPUT;
};

function inputOf(call: ProgramCall, parsed: ParsedOptions): Value {
  const descriptor = Number(knownText(parsed.valueOf("u") ?? text("0")) ?? "0");
  const source = descriptor === 0 ? call.stdin : call.scope.state.descriptors.get(descriptor)?.content;
  return source ?? unknown("any", "input", [{ kind: "input" }]);
}

function linesOf(input: Value, parsed: ParsedOptions): readonly string[] | undefined {
  const known = knownText(input);
  if (known === undefined) return undefined;
  const delimiter = knownText(parsed.valueOf("d") ?? text("\n")) || "\u0000";
  const lines = known.split(delimiter);
  if (lines.at(-1) === "") lines.pop();
  return lines.length > LIMITS.loopItems ? undefined : lines;
}

function ifsOf(call: ProgramCall): string {
  const own = call.environment.find(entry => entry.name === "IFS")?.value;
  return own === undefined ? separatorsOf(call.scope) : (knownText(own) ?? " \t\n");
}

function splitFields(line: string, separators: string): readonly string[] {
  const fields: string[] = [];
  let current = "";
  for (const character of line) {
    if (!separators.includes(character)) current += character;
    else if (current !== "" || !/\s/.test(character)) {
      fields.push(current);
      current = "";
    }
  }
  return current === "" ? fields : [...fields, current];
}

/** The last name gets the rest of the line. */
function fieldAt(line: string, separators: string, index: number, isLast: boolean): string {
  if (separators === "") return index === 0 ? line : "";
  if (index === 0 && isLast) return line.trim();
  const fields = splitFields(line, separators);
  return isLast ? fields.slice(index).join(separators[0]) : (fields[index] ?? "");
}

function toArray(fields: readonly string[], input: Value): Content {
  const elements = new Map(
    fields.map((field, index) => [String(index), text(field, input.origins)] as const),
  );
  return { kind: "array", elements, isOpenEnded: false };
}

function store(name: Value, contents: readonly Content[] | undefined, input: Value, call: ProgramCall): void {
  const known = /^[A-Za-z_]\w*/.exec(knownText(name) ?? "")?.[0];
  if (known === undefined) return;
  const values =
    contents === undefined || contents.length === 0
      ? [scalar(unknown("any", `$${known}`, input.origins))]
      : contents;
  assign(known, values, call.scope);
}

const MAPFILE: OptionGrammar = { flags: "-t", values: "-dnOsuCc", stopsAtOperand: true };

const mapfile: Builtin = call => {
  const parsed = parseOptions(call.argv, MAPFILE);
  const callback = parsed.valueOf("C");
  if (callback !== undefined) runInSameShell(callback, call, { from: "handler", via: "eval" });
  const input = inputOf(call, parsed);
  const lines = linesOf(input, parsed);
  const name = parsed.operands[0]?.value ?? text("MAPFILE");
  const open: Content = {
    kind: "array",
    elements: new Map([["0", unknown("any", "a line", input.origins)]]),
    isOpenEnded: true,
  };
  store(name, [lines === undefined ? open : toArray(lines, input)], input, call);
  return NO_OUTPUT;
};

const getopts: Builtin = call => {
  for (const name of [knownText(wordAt(call.argv, 2)), "OPTARG"]) {
    if (name !== undefined && name !== "") assign(name, [scalar(unknown("any", `$${name}`))], call.scope);
  }
  return NO_OUTPUT;
};

export const inputBuiltins: readonly (readonly [string, Builtin])[] = [
  ["read", read],
  ["mapfile", mapfile],
  ["readarray", mapfile],
  ["getopts", getopts],
];
