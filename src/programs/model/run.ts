import {
  concatenate,
  dropKnown,
  knownPrefix,
  knownText,
  LIMITS,
  type Output,
  type Piece,
  type ProgramCall,
  runInNewShell,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";

/** Hands a string to a shell, as `sh -c` does. */
export function runString(code: Value, call: ProgramCall): Output {
  return runInNewShell(code, call, { from: "argument", via: "shell" }, { stdin: call.stdin });
}

/** A command line that an option or a variable gives; signs in front belong to the program that reads it. */
export function runOptionText(given: Value, call: ProgramCall): void {
  const signs = /^[|-]+\s*/.exec(knownPrefix(given))?.[0].length ?? 0;
  const code = dropKnown(given, signs);
  if (code.pieces.length > 0)
    runInNewShell(code, { ...call, environment: [] }, { from: "argument", via: "option" });
}

/** The same call seen from another machine: nothing is known about the directory. */
export function remoteCall(call: ProgramCall, via: string, host: Value | undefined): ProgramCall {
  return { ...call, place: { kind: "remote", via, host }, cwd: unknown("any", "the remote directory") };
}

/** The words in a stream; undefined when they are not known or too many. */
export function splitItems(input: Value, delimiter: string | undefined): readonly Value[] | undefined {
  const known = knownText(input);
  if (known === undefined) return undefined;
  const items =
    delimiter === undefined
      ? splitString(text(known, input.origins))
      : known
          .split(decodeDelimiter(delimiter))
          .filter(item => item !== "")
          .map(item => text(item, input.origins));
  return items.length > LIMITS.fieldsPerWord ? undefined : items;
}

function decodeDelimiter(delimiter: string): string {
  return delimiter === "\\n" ? "\n" : delimiter === "\\t" ? "\t" : delimiter === "\\0" ? "\u0000" : delimiter;
}

/** Every occurrence of `mark` in the known text of a word gives way to the item. */
export function replaceMark(word: Value, mark: string, item: Value): Value {
  if (mark === "") return word;
  return concatenate(
    word.pieces.flatMap((piece: Piece) => {
      if (piece.kind !== "text" || !piece.text.includes(mark))
        return [{ pieces: [piece], origins: word.origins }];
      return piece.text
        .split(mark)
        .flatMap((part, index) => (index === 0 ? [text(part, word.origins)] : [item, text(part)]));
    }),
  );
}

/** Words of a string the way `env -S` reads it: quotes, backslashes, blanks; `${NAME}` stays unknown. */
export function splitString(value: Value): readonly Value[] {
  const words: Value[] = [];
  let pieces: Piece[] | undefined;
  let quote = "";
  const push = (piece: Piece) => {
    pieces ??= [];
    pieces.push(piece);
  };
  const finish = () => {
    if (pieces !== undefined)
      words.push(
        concatenate([
          { pieces: [], origins: value.origins },
          ...pieces.map(piece => ({ pieces: [piece], origins: [] })),
        ]),
      );
    pieces = undefined;
  };
  for (const piece of value.pieces) {
    if (piece.kind !== "text") {
      push(piece);
      continue;
    }
    for (let index = 0; index < piece.text.length; index += 1) {
      const character = piece.text[index] ?? "";
      if (quote !== "" ? character === quote : character === "'" || character === '"') {
        quote = quote === "" ? character : "";
        pieces ??= [];
      } else if (character === "\\" && quote !== "'") {
        index += 1;
        const next = piece.text[index] ?? "";
        if (next === "_" && quote === "") finish();
        else
          push({ kind: "text", text: next === "_" ? " " : next === "n" ? "\n" : next === "t" ? "\t" : next });
      } else if (quote === "" && /\s/.test(character)) finish();
      else push({ kind: "text", text: character });
    }
  }
  finish();
  return words;
}
