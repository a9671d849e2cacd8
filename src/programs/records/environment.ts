import {
  concatenate,
  dropKnown,
  type EnvironmentEntry,
  joinPath,
  knownPrefix,
  knownText,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type Piece,
  type ProgramCall,
  parseOptions,
  runInner,
  splitAssignment,
  text,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import type { Field } from "../model/program.ts";

const ENV_OPTIONS: OptionGrammar = {
  flags: "-0v i|ignore-environment null debug list-signal-handling",
  values: "-Pa u|unset C|chdir S|split-string argv0",
  optional: "block-signal default-signal ignore-signal",
  stopsAtOperand: true,
};

/** `env`: assignments, options, and `-S`, whose text is split into more words of `env` itself. */
export const environment: Field = {
  toldExcept: "",
  programs: () => [
    {
      names: "env",
      isGnu: true,
      is: ["readsNothing"],
      options: ENV_OPTIONS,
      run: call => runEnv(call, call.options, 0),
    },
    { names: "printenv", is: ["readsNothing"] },
  ],
};

function runEnv(call: ProgramCall, parsed: ParsedOptions, splits: number): Output {
  const split = parsed.options.find(option => option.name === "S" && option.value !== undefined);
  if (split?.value !== undefined && splits < 8) {
    const isNextWord = split.value === call.argv[split.index + 1];
    const rest = call.argv.slice(split.index + (isNextWord ? 2 : 1));
    const bundled = parsed.options.some(option => option.index === split.index && option.name === "i")
      ? [text("-i")]
      : [];
    const argv = [...call.argv.slice(0, split.index), ...bundled, ...splitString(split.value), ...rest];
    return runEnv({ ...call, argv }, parseOptions(argv, ENV_OPTIONS), splits + 1);
  }
  let index = parsed.operands[0]?.index ?? call.argv.length;
  const environment: EnvironmentEntry[] = parsed
    .valuesOf("u")
    .map(value => ({ name: knownText(value) ?? "?", value: undefined }));
  let isCleared = parsed.has("i");
  for (; index < call.argv.length; index += 1) {
    const word = wordAt(call.argv, index);
    if (knownText(word) === "-") isCleared = true;
    else {
      const entry = splitAssignment(word) ?? splitFunction(word) ?? manyAssignments(word, index, call);
      if (entry?.value === undefined) break;
      environment.push(entry);
    }
  }
  const directory = parsed.valueOf("C");
  const argv = call.argv.slice(index);
  if (argv.length === 0) return [unknownOutput(call)];
  return runInner(argv, call, {
    environment: [...(isCleared ? [] : call.environment), ...environment],
    isCleared: call.isCleared || isCleared,
    cwd: directory === undefined ? call.cwd : joinPath(call.cwd, directory),
  });
}

/** `env $(cat .env) cmd`: words that are not known, in front of a program that is. */
function manyAssignments(word: Value, index: number, { argv }: ProgramCall): EnvironmentEntry | undefined {
  const isMany =
    word.pieces.every(piece => piece.kind === "unknown" && piece.mayBeMany) &&
    word.origins.some(({ kind }) => kind === "program" || kind === "file");
  return isMany && index + 1 < argv.length ? { name: "*", value: word } : undefined;
}

/** `BASH_FUNC_name%%='() { … }'` is how bash hands functions to its children. */
function splitFunction(word: Value): EnvironmentEntry | undefined {
  const name = /^(BASH_FUNC_[^=]+%%)=/.exec(knownPrefix(word))?.[1];
  return name === undefined ? undefined : { name, value: dropKnown(word, name.length + 1) };
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
