import { decodeEscapes } from "../../shell/index.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";

const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    lower: LOWER,
    upper: UPPER,
    digit: DIGITS,
    alpha: UPPER + LOWER,
    alnum: DIGITS + UPPER + LOWER,
    space: " \t\n\v\f\r",
    blank: " \t",
  }),
);

/** What `tr` does to text; undefined when a set has something this does not know. */
export function translate(
  content: string,
  from: string,
  to: string | undefined,
  options: { readonly deletes: boolean; readonly squeezes: boolean; readonly complements: boolean },
): string | undefined {
  const first = expandSet(from);
  const second = to === undefined ? undefined : expandSet(to);
  if (first === undefined || (to !== undefined && second === undefined)) return undefined;
  const positions = new Map(first.map((character, index) => [character, index] as const));
  const isIn = (character: string) => positions.has(character) !== options.complements;
  const squeezed = new Set(options.deletes || to === undefined ? (second ?? first) : second);
  let result = "";
  let last: string | undefined;
  for (const character of content) {
    if (options.deletes && isIn(character)) continue;
    let next = character;
    if (!options.deletes && second !== undefined && isIn(character)) {
      next =
        (options.complements ? second.at(-1) : (second[positions.get(character) ?? 0] ?? second.at(-1))) ??
        character;
    }
    const isSqueezed =
      options.squeezes &&
      (options.complements && second === undefined ? !squeezed.has(next) : squeezed.has(next));
    if (isSqueezed && next === last) continue;
    result += next;
    last = next;
  }
  return result;
}

function expandSet(source: string): readonly string[] | undefined {
  const decoded = Array.from(decodeEscapes(source, "printf").text);
  const characters: string[] = [];
  for (let index = 0; index < decoded.length; index += 1) {
    const character = decoded[index] ?? "";
    const named =
      character === "[" && decoded[index + 1] === ":"
        ? /^\[:(\w+):\]/.exec(decoded.slice(index, index + 12).join(""))
        : null;
    if (named !== null) {
      const members = CLASSES.get(named[1] ?? "");
      if (members === undefined) return undefined;
      characters.push(...members);
      index += named[0].length - 1;
    } else if (decoded[index + 1] === "-" && index + 2 < decoded.length) {
      const low = character.codePointAt(0) ?? 0;
      const high = decoded[index + 2]?.codePointAt(0) ?? 0;
      if (high < low || high - low > 512) return undefined;
      for (let code = low; code <= high; code += 1) characters.push(String.fromCodePoint(code));
      index += 2;
    } else if (character === "[" && decoded[index + 2] === "*") return undefined;
    else characters.push(character);
  }
  return characters;
}
