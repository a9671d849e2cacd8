import { createBudget } from "../../shell/budget.ts";
import type { Value } from "../../shell/value.ts";
import { text } from "../../shell/value.ts";
import type { LibraryFunction } from "../meaning/context.ts";
import { createContext } from "../meaning/context.ts";
import { knownTextOf } from "../meaning/datum.ts";
import { runProgram } from "../meaning/evaluate.ts";
import { functionTable } from "../meaning/models.ts";
import { createReadingBudget, type ReadingBudget, step } from "../syntax/reading-budget.ts";
import { sourceOf } from "../syntax/source.ts";
import { LUA } from "./lua/library.ts";

/** One command sent to the store; the name in upper case. */
export interface RedisCommand {
  readonly name: string;
  readonly arguments: readonly string[];
  readonly at: number;
}

export interface RedisReading {
  /** Also those inside `EVAL` scripts. */
  readonly commands: readonly RedisCommand[];
  readonly isComplete: boolean;
}

const MAX_STEPS = 20_000_000;

/** Read commands, one per line, as `redis-cli` takes them on its stdin. Never throws, linear. */
export function readRedis(code: Value): RedisReading {
  const { text: source } = sourceOf(code);
  const budget = createReadingBudget(source.length, createBudget(MAX_STEPS));
  const commands: RedisCommand[] = [];
  let at = 0;
  for (const line of source.split("\n")) {
    const [name, ...rest] = wordsOf(line, budget);
    if (name !== undefined) {
      commands.push({ name: name.toUpperCase(), arguments: rest, at });
      if (/^eval$/i.test(name)) commands.push(...scriptCommands(rest[0] ?? "", at, budget));
    }
    at += line.length + 1;
  }
  return { commands, isComplete: !budget.isCutShort };
}

/** Words of a line; quotes hold blanks. */
function wordsOf(line: string, budget: ReadingBudget): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < line.length && step(budget); index += 1) {
    const character = line.charAt(index);
    if (quote !== "") {
      if (character === "\\" && quote === '"') {
        index += 1;
        word = (word ?? "") + line.charAt(index);
      } else if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** `redis.call("FLUSHALL")` in a script is a command too. */
function scriptCommands(script: string, at: number, budget: ReadingBudget): RedisCommand[] {
  const commands: RedisCommand[] = [];
  const calls: LibraryFunction = call => {
    const [name, ...rest] = call.positional.map(datum => knownTextOf(datum) ?? "");
    commands.push({ name: (name ?? "").toUpperCase(), arguments: rest, at });
    return undefined;
  };
  const own = functionTable([["redis.call redis.pcall", calls]]);
  const library = {
    ...LUA,
    functions: { ...LUA.functions, get: (name: string) => own.get(name) ?? LUA.functions.get(name) },
  };
  const inputs = {
    cwd: text("."),
    home: "",
    tmpdir: "",
    user: undefined,
    arguments: [],
    stdin: undefined,
    environment: () => undefined,
    budget: budget.total,
  };
  runProgram(
    createContext(library, { text: script, holes: [] }, inputs, 0, budget),
    LUA.parse(script, budget),
  );
  return commands;
}
