import {
  assign,
  concatenate,
  decodeEscapes,
  type EscapeStyle,
  joinValues,
  knownText,
  NO_OUTPUT,
  type Output,
  type Piece,
  type ProgramCall,
  quoteWord,
  runHiddenSubstitutions,
  scalar,
  text,
  unknown,
  unknownOutput,
  type Value,
  withOrigins,
  wordAt,
} from "../../shell/index.ts";
import type { Field } from "../model/program.ts";

/** Escapes that hide letters make the text a decoded one; `\n` and `\t` do not. */
const HIDING = /\\(?:x[0-9a-fA-F]|[0-7]{2}|[uU][0-9a-fA-F])/;

function echo(call: ProgramCall): Output {
  let index = 1;
  let hasEscapes = false;
  let hasNewline = true;
  for (; index < call.argv.length; index += 1) {
    const option = /^-([neE]+)$/.exec(knownText(wordAt(call.argv, index)) ?? "");
    if (option === null) break;
    if (option[1]?.includes("n")) hasNewline = false;
    if (/e[^E]*$/.test(option[1] ?? "")) hasEscapes = true;
  }
  const joined = joinValues(call.argv.slice(index), " ");
  const { value, isCut } = hasEscapes ? unescapeValue(joined, "echo", call) : { value: joined, isCut: false };
  return [hasNewline && !isCut ? concatenate([value, text("\n")]) : value];
}

function unescapeValue(
  value: Value,
  style: EscapeStyle,
  call: ProgramCall,
): { readonly value: Value; readonly isCut: boolean } {
  let isCut = false;
  let isHidden = false;
  const pieces = value.pieces.flatMap((piece): readonly Piece[] => {
    if (isCut) return [];
    if (piece.kind !== "text") return [piece];
    isHidden ||= HIDING.test(piece.text);
    const decoded = decodeEscapes(piece.text, style);
    isCut = decoded.isCut;
    return decoded.text === "" ? [] : [{ kind: "text", text: decoded.text }];
  });
  const decoded = { pieces, origins: value.origins };
  return {
    value: isHidden ? withOrigins(decoded, [{ kind: "decoded", invocation: call.id }]) : decoded,
    isCut,
  };
}

function printf(call: ProgramCall): Output {
  const isVariable = knownText(wordAt(call.argv, 1)) === "-v";
  const start = isVariable ? 3 : knownText(wordAt(call.argv, 1)) === "--" ? 2 : 1;
  const format = call.argv[start];
  if (format === undefined) return NO_OUTPUT;
  const result = formatAll(format, call.argv.slice(start + 1), call);
  if (!isVariable) return [result];
  const name = knownText(wordAt(call.argv, 2));
  runHiddenSubstitutions(name, call.scope);
  if (name !== undefined && /^[A-Za-z_]\w*$/.test(name)) assign(name, [scalar(result)], call.scope);
  return NO_OUTPUT;
}

/** The format is used again until no argument is left. */
function formatAll(format: Value, values: readonly Value[], call: ProgramCall): Value {
  const known = knownText(format);
  if (known === undefined) return unknownOutput(call, values);
  const directives = known.split(/(%(?:%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:\([^)]*\)T|[A-Za-z])))/);
  const parts: Value[] = [];
  let next = 0;
  do {
    const before = next;
    for (const directive of directives) {
      if (directive === "%%") parts.push(text("%"));
      else if (/^%.*[A-Za-z]$/s.test(directive) && directive.length > 1) {
        parts.push(formatOne(directive, values[next], call));
        next += 1;
      } else parts.push(unescapeValue(text(directive), "printf", call).value);
    }
    if (next === before || parts.length > 512) break;
  } while (next < values.length);
  return concatenate(parts);
}

function formatOne(directive: string, value: Value | undefined, call: ProgramCall): Value {
  const kind = directive.at(-1);
  if (value === undefined) return text("diouxXeEfgG".includes(kind ?? "") ? "0" : "");
  const known = knownText(value);
  switch (kind) {
    case "b": {
      const unescaped = unescapeValue(value, "percent-b", call);
      // `\c` ends all output, what follows included.
      return unescaped.isCut ? unknown("any", "%b", value.origins) : unescaped.value;
    }
    case "q":
      return known === undefined ? value : text(quoteWord(known), value.origins);
    case "c":
      return known === undefined ? value : text(known.slice(0, 1), value.origins);
    case "d":
    case "i":
    case "u":
      return known === undefined
        ? value
        : text(pad(signed(toNumber(known), directive), directive), value.origins);
    case "x":
    case "X":
    case "o": {
      if (known === undefined) return value;
      const digits = toNumber(known).toString(kind === "o" ? 8 : 16);
      return text(pad(kind === "X" ? digits.toUpperCase() : digits, directive), value.origins);
    }
    default:
      return clip(value, directive);
  }
}

/** `%.3s` cuts, `%5s` fills with blanks. */
function clip(value: Value, directive: string): Value {
  const precision = /\.(\d+)/.exec(directive)?.[1];
  const known = knownText(value);
  if (known === undefined) return value;
  return text(
    pad(precision === undefined ? known : known.slice(0, Number(precision)), directive),
    value.origins,
  );
}

function pad(content: string, directive: string): string {
  const [, flags = "", width = "0"] = /^%([-+ #0]*)(\d*)/.exec(directive) ?? [];
  const length = Math.min(Number(width), 256);
  if (flags.includes("-")) return content.padEnd(length);
  return content.padStart(length, flags.includes("0") && /[diuxXo]$/.test(directive) ? "0" : " ");
}

function signed(number: number, directive: string): string {
  const sign = /^%[-0#]*([+ ])/.exec(directive)?.[1];
  return number < 0 || sign === undefined ? String(number) : `${sign}${number}`;
}

function toNumber(written: string): number {
  if (/^["']./.test(written)) return written.codePointAt(1) ?? 0;
  const number = Number(/^0[0-7]+$/.test(written) ? Number.parseInt(written, 8) : written);
  return Number.isSafeInteger(number) ? number : 0;
}

/** Programs that print their words. */
export const print: Field = {
  toldExcept: "",
  programs: () => [
    { names: "echo print", isGnu: true, is: ["readsNothing", "seldomFails", "prints"], run: echo },
    { names: "printf", isGnu: true, is: ["readsNothing", "seldomFails", "prints"], run: printf },
  ],
};
