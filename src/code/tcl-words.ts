import type { CodeCall, CodeContext } from "../shell/code-calls.ts";
import type { Value } from "../shell/value.ts";
import { concatenate, text, unknown } from "../shell/value.ts";
import type { Effort } from "./effort.ts";
import { step } from "./effort.ts";
import type { Source } from "./source.ts";
import { literalValue } from "./source.ts";
import { C_ESCAPES, readEscape } from "./syntax/escapes.ts";
import { runBracketed } from "./tcl.ts";

export interface Run {
  readonly source: Source;
  readonly context: CodeContext;
  readonly effort: Effort;
  readonly calls: CodeCall[];
  readonly variables: Map<string, Value>;
  /** The program that `send` speaks to. */
  spawned: string | undefined;
  directory: Value | undefined;
  depth: number;
}

export interface Cursor {
  readonly script: string;
  /** Where the script starts in the whole text. */
  readonly base: number;
  at: number;
}

export interface Word {
  readonly value: Value;
  /** Braced text: not yet substituted, maybe a body. */
  readonly body: string | undefined;
  readonly at: number;
}

export const DEEPEST = 24;

/** The words of one command, up to a newline, a semicolon or `close`. */
export function readWords(run: Run, cursor: Cursor, close: string | undefined): Word[] {
  const words: Word[] = [];
  const { script } = cursor;
  while (cursor.at < script.length && step(run.effort)) {
    const character = script.charAt(cursor.at);
    if (character === close) break;
    if (character === "\n" || character === ";") {
      cursor.at += 1;
      break;
    }
    if (character === " " || character === "\t" || character === "\r") cursor.at += 1;
    else if (character === "\\" && script.charAt(cursor.at + 1) === "\n") cursor.at += 2;
    else if (character === "#" && words.length === 0) {
      const end = script.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? script.length : end;
    } else words.push(readWord(run, cursor, close));
  }
  return words;
}

function readWord(run: Run, cursor: Cursor, close: string | undefined): Word {
  const at = cursor.base + cursor.at;
  const first = cursor.script.charAt(cursor.at);
  if (first === "{") {
    const body = readBraced(run, cursor);
    return { value: literalValue(body, run.source), body, at: at + 1 };
  }
  if (first === '"') {
    cursor.at += 1;
    const value = readSubstituted(run, cursor, character => character === '"');
    cursor.at += 1;
    return { value, body: undefined, at };
  }
  const value = readSubstituted(run, cursor, character => /[\s;]/.test(character) || character === close);
  return { value, body: undefined, at };
}

function readBraced(run: Run, cursor: Cursor): string {
  const { script } = cursor;
  const start = cursor.at + 1;
  let depth = 0;
  while (cursor.at < script.length && step(run.effort)) {
    const character = script.charAt(cursor.at);
    cursor.at += 1;
    if (character === "\\") cursor.at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return script.slice(start, cursor.at - 1);
    }
  }
  return script.slice(start);
}

/** Text with `$name`, `[command]` and backslashes replaced. */
function readSubstituted(run: Run, cursor: Cursor, isEnd: (character: string) => boolean): Value {
  const { script } = cursor;
  const values: Value[] = [];
  let literal = "";
  const flush = (value: Value): void => {
    values.push(literalValue(literal, run.source), value);
    literal = "";
  };
  while (cursor.at < script.length && step(run.effort)) {
    const character = script.charAt(cursor.at);
    if (isEnd(character)) break;
    if (character === "\\") {
      const unescaped = readEscape(script, cursor.at, C_ESCAPES);
      literal += unescaped.text;
      cursor.at = unescaped.end;
    } else if (character === "$") {
      const match = /^\$(?:\{([^}]{1,80})\}|([A-Za-z_]\w{0,80}(?:\([^)\s]{1,80}\))?))/.exec(
        script.slice(cursor.at, cursor.at + 170),
      );
      if (match === null) {
        literal += character;
        cursor.at += 1;
      } else {
        cursor.at += match[0].length;
        flush(variable(run, match[1] ?? match[2] ?? ""));
      }
    } else if (character === "[") flush(runBracketed(run, cursor));
    else {
      literal += character;
      cursor.at += 1;
    }
  }
  return concatenate([...values, literalValue(literal, run.source)]);
}

export function variable(run: Run, name: string): Value {
  const environment = /^(?:::)?env\((\w+)\)$/.exec(name)?.[1];
  if (environment === undefined) return run.variables.get(name) ?? unknown("any", `$${name}`);
  const set = run.context.environment(environment);
  if (set !== undefined) return set;
  if (environment === "HOME") return text(run.context.home);
  return unknown("any", `$${environment}`, [{ kind: "environment", name: environment }]);
}
