import { createBudget } from "../shell/budget.ts";
import type { Value } from "../shell/value.ts";
import { text } from "../shell/value.ts";
import { type Effort, effortFor, step } from "./effort.ts";
import { LUA } from "./lua/library.ts";
import { knownTextOf } from "./meaning/datum.ts";
import { runProgram } from "./meaning/evaluate.ts";
import { modelTable } from "./meaning/models.ts";
import type { Model } from "./meaning/run.ts";
import { createRun } from "./meaning/run.ts";
import { sourceOf } from "./source.ts";

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

const MOST_STEPS = 20_000_000;

/** Read commands, one per line, as `redis-cli` takes them on its stdin. Never throws, linear. */
export function readRedis(code: Value): RedisReading {
  const { text: source } = sourceOf(code);
  const effort = effortFor(source.length, createBudget(MOST_STEPS));
  const commands: RedisCommand[] = [];
  let at = 0;
  for (const line of source.split("\n")) {
    const [name, ...rest] = wordsOf(line, effort);
    if (name !== undefined) {
      commands.push({ name: name.toUpperCase(), arguments: rest, at });
      if (/^eval$/i.test(name)) commands.push(...scriptCommands(rest[0] ?? "", at, effort));
    }
    at += line.length + 1;
  }
  return { commands, isComplete: !effort.isCutShort };
}

/** Words of a line; quotes hold blanks. */
function wordsOf(line: string, effort: Effort): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < line.length && step(effort); index += 1) {
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
function scriptCommands(script: string, at: number, effort: Effort): RedisCommand[] {
  const commands: RedisCommand[] = [];
  const calls: Model = call => {
    const [name, ...rest] = call.positional.map(datum => knownTextOf(datum) ?? "");
    commands.push({ name: (name ?? "").toUpperCase(), arguments: rest, at });
    return undefined;
  };
  const own = modelTable([["redis.call redis.pcall", calls]]);
  const library = {
    ...LUA,
    models: { ...LUA.models, get: (name: string) => own.get(name) ?? LUA.models.get(name) },
  };
  const context = {
    cwd: text("."),
    home: "",
    tmpdir: "",
    user: undefined,
    arguments: [],
    stdin: undefined,
    environment: () => undefined,
    budget: effort.budget,
  };
  runProgram(createRun(library, { text: script, holes: [] }, context, 0, effort), LUA.parse(script, effort));
  return commands;
}
