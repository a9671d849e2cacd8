import { parseOptions } from "../../shell/options.ts";
import { knownText, text } from "../../shell/value.ts";
import type { Model } from "../../shell/walk/call.ts";
import { filterLiteral } from "./decoders.ts";
import { inputOf } from "./files.ts";
import { compileSubstitutions } from "./substitute.ts";
import { translate } from "./translate.ts";

/** Text filters, computed where the input is known. */

const tr: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-t d|delete s|squeeze-repeats c|C|complement",

    stopsAtOperand: true,
  });
  const [from, to] = parsed.operands.map(operand => knownText(operand.value));
  const options = { deletes: parsed.has("d"), squeezes: parsed.has("s"), complements: parsed.has("c") };
  return filterLiteral(
    inputOf(call, []),
    content => (from === undefined ? undefined : translate(content, from, to, options)),
    call,
  );
};

/** The interpreter model reads the script; here only the text that comes out is computed. */
export const sedOutput: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-nsuz E|r|regexp-extended quiet silent",
    values: "-fl e|expression file",
    optional: "-i in-place",
  });
  const scripts = parsed.valuesOf("e").map(value => knownText(value));
  const operands = parsed.operands.map(operand => operand.value);
  const first = scripts.length === 0 ? operands.shift() : undefined;
  if (first !== undefined) scripts.push(knownText(first));
  const isSimple = !parsed.has("n", "quiet", "silent", "f", "i", "in-place", "z", "s");
  const change =
    isSimple && scripts.every(script => script !== undefined)
      ? compileSubstitutions(scripts.join("\n"), parsed.has("E"), call.scope.session.budget)
      : undefined;
  return filterLiteral(inputOf(call, operands), content => change?.(content), call);
};

const cut: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-snz complement",
    values: "c|b|characters|bytes d|delimiter f|fields output-delimiter",
  });
  const list = knownText(parsed.valueOf("c", "f") ?? text("")) ?? "";
  const delimiter = parsed.has("c") ? "" : (knownText(parsed.valueOf("d") ?? text("\t")) ?? "\t");
  const pick = (line: string) => {
    const parts = delimiter === "" ? Array.from(line) : line.split(delimiter);
    if (delimiter !== "" && parts.length === 1) return line;
    return parts.filter((_, index) => isListed(index + 1, list)).join(delimiter);
  };
  const change = (content: string) =>
    /^[\d,-]+$/.test(list) && !parsed.has("complement")
      ? content.split("\n").map(pick).join("\n")
      : undefined;
  return filterLiteral(
    inputOf(
      call,
      parsed.operands.map(operand => operand.value),
    ),
    change,
    call,
  );
};

function isListed(position: number, list: string): boolean {
  return list.split(",").some(range => {
    const [from = "", to = from] = range.split("-");
    return (
      position >= Number(from === "" ? 1 : from) &&
      position <= (to === "" ? Number.POSITIVE_INFINITY : Number(to))
    );
  });
}

function sliceModel(isHead: boolean): Model {
  return call => {
    const words = call.argv.map((word, index) =>
      index === 1 && /^-\d+$/.test(knownText(word) ?? "")
        ? text(`-n${(knownText(word) ?? "").slice(1)}`)
        : word,
    );
    const parsed = parseOptions(words, {
      flags: "-qvfFz",
      values: "-s n|lines c|bytes",
    });
    const files = parsed.operands.map(operand => operand.value);
    const count = knownText(parsed.valueOf("n", "c") ?? text("10")) ?? "";
    const change = (content: string) =>
      /^\+?\d+$/.test(count) ? slice(content, count, parsed.has("c"), isHead) : undefined;
    return filterLiteral(inputOf(call, files), change, call);
  };
}

function slice(content: string, count: string, isCharacters: boolean, isHead: boolean): string {
  const units = isCharacters ? Array.from(content) : (content.match(/[^\n]*\n|[^\n]+$/g) ?? []);
  const number = Number(count);
  const kept = isHead
    ? units.slice(0, number)
    : count.startsWith("+")
      ? units.slice(number - 1)
      : number === 0
        ? []
        : units.slice(-number);
  return kept.join("");
}

const reverseLines: Model = call => {
  const files = parseOptions(call.argv, { flags: "-br", values: "-s" }).operands.map(
    operand => operand.value,
  );
  const change = (content: string) => (content.match(/[^\n]*\n|[^\n]+$/g) ?? []).reverse().join("");
  return filterLiteral(inputOf(call, files), change, call);
};

export const filterModels: readonly (readonly [string, Model])[] = [
  ["tr", tr],
  ["gtr", tr],
  ["cut", cut],
  ["head", sliceModel(true)],
  ["tail", sliceModel(false)],
  ["tac", reverseLines],
];
