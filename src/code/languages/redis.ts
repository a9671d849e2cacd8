import type { Value } from "../../shell/index.ts";
import { knownDatumText } from "../meaning/datum.ts";
import { runInDatabase, standaloneBudget } from "../meaning/evaluate.ts";
import type { LibraryFunction } from "../meaning/evaluation-context.ts";
import { createSource, type ReadingBudget, step } from "../syntax/source.ts";
import { LUA } from "./lua.ts";

/** One command sent to the store; the name in upper case. */
interface RedisCommand {
  readonly name: string;
  readonly arguments: readonly string[];
  readonly at: number;
}

interface RedisReading {
  /** Also those inside `EVAL` scripts. */
  readonly commands: readonly RedisCommand[];
  readonly isComplete: boolean;
}

/** Read commands, one per line, as `redis-cli` takes them on its stdin. Never throws, linear. */
export function readRedis(code: Value): RedisReading {
  const { text: source } = createSource(code);
  const budget = standaloneBudget(source.length);
  const commands: RedisCommand[] = [];
  let at = 0;
  for (const line of source.split("\n")) {
    const [name, ...rest] = splitWords(line, budget);
    if (name !== undefined) {
      commands.push({ name: name.toUpperCase(), arguments: rest, at });
      if (/^eval$/i.test(name)) commands.push(...scriptCommands(rest[0] ?? "", at, budget));
    }
    at += line.length + 1;
  }
  return { commands, isComplete: !budget.isCutShort };
}

/** Words of a line; quotes hold blanks. */
function splitWords(line: string, budget: ReadingBudget): string[] {
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
    const [name = "", ...rest] = call.positional.map(datum => knownDatumText(datum) ?? "");
    commands.push({ name: name.toUpperCase(), arguments: rest, at });
    return undefined;
  };
  const get = (name: string): LibraryFunction | undefined =>
    /^redis\.p?call$/.test(name) ? calls : LUA.functions.get(name);
  runInDatabase({ ...LUA, functions: { ...LUA.functions, get } }, { text: script, holes: [] }, budget);
  return commands;
}

/** A script for Redis that empties it, or goes through its keys and deletes them; a lock is released by its one key. */
export function scriptEmptiesStore(script: string): boolean {
  const called = [...script.matchAll(/\bredis\s*\.\s*p?call\s*\(\s*\\?["'](\w+)/gi)].map(([, name = ""]) =>
    name.toLowerCase(),
  );
  const deletes = called.includes("del") || called.includes("unlink");
  return (
    called.some(name => /^flush(?:all|db)$/.test(name)) ||
    (deletes && called.some(name => /^(?:keys|scan)$/.test(name)))
  );
}
