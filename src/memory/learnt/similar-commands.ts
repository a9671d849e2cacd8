import { isOneLetterOff } from "../search-words.ts";

/** Programs that look at things: one that finds nothing and one that does are no problem and its solution. */
const LOOKING: ReadonlySet<string> = new Set(
  "[ cat cd diff echo file find grep head ls pwd rg sed sleep stat tail test tree true wc which".split(" "),
);
const WRAPPERS: ReadonlySet<string> = new Set("command env exec nice nohup sudo time timeout".split(" "));

/** What two commands are compared by. */
export interface CommandWords {
  /** the whole command without what only shortens its output */
  readonly text: string;
  readonly program: string;
  /** what it is told to do: words other than the program, its options and assignments */
  readonly operands: readonly string[];
  /** all words, in pieces, so that `test:unit` has `test` */
  readonly pieces: ReadonlySet<string>;
}

/** Undefined for commands that nothing is to be learnt from. */
export function readCommand(command: string): CommandWords | undefined {
  const text = command
    .replace(/\s+/g, " ")
    .replace(/ ?2>&1/g, "")
    .replace(/ ?\| ?(?:head|tail|grep|cat|less|tee)\b.*$/, "")
    .trim();
  const words = (text.split(/ ?(?:&&|;|\|\|) ?/).at(-1) ?? "")
    .split(" ")
    .filter(word => word !== "" && !/^\w+=/.test(word) && !WRAPPERS.has(word));
  const [program = "", ...rest] = words.map(word => word.replace(/^["']|["']$/g, "").toLowerCase());
  if (program === "" || LOOKING.has(program)) return undefined;
  return {
    text,
    program,
    operands: rest.filter(word => !word.startsWith("-")),
    pieces: new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u)),
  };
}

/**
 * Whether the second command tries the same as the first in another way: all that the first was told to do is in it.
 * Another program will do when it is told the same, as `pnpm install` for `npm install`.
 */
export function isSameAttempt(first: CommandWords, second: CommandWords): boolean {
  if (first.text === second.text) return false;
  if (first.program !== second.program && first.operands.length === 0) return false;
  return first.operands.every(operand =>
    operand.split(/[^\p{L}\p{N}]+/u).every(piece => hasPiece(second, piece)),
  );
}

function hasPiece({ pieces }: CommandWords, piece: string): boolean {
  return pieces.has(piece) || [...pieces].some(other => other.length > 2 && isOneLetterOff(other, piece));
}
