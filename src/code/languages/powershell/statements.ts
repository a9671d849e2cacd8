import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { conditional, NOTHING, type Node, nameNode } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";
import { readPipeline } from "./commands.ts";
import {
  type Cursor,
  charAt,
  isAt,
  isAtEnd,
  nested,
  readStatements,
  skipBlanks,
  takeIf,
  takeMatch,
} from "./cursor.ts";
import { readVariable } from "./expressions.ts";

/** Cut PowerShell into nodes. A command is a call with its words, parameters by name. */
export function parsePowerShell(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatements({ source, budget, readStatement, at: 0, depth: 0 }, "");
}

const STATEMENTS = wordMap<(cursor: Cursor) => Node>([
  ["if elseif while until switch for", readConditional],
  ["else try finally do begin process end", readBody],
  ["catch", readCatch],
  ["foreach", readForeach],
  ["function filter", readFunction],
  ["param", skipParameters],
  ["return", cursor => ({ kind: "return", value: readPipeline(cursor) })],
  ["throw", readPipeline],
]);

function readStatement(cursor: Cursor): Node {
  const start = cursor.at;
  const word = takeMatch(cursor, /^[A-Za-z][\w-]*/)?.[0].toLowerCase() ?? "";
  const read = STATEMENTS.get(word);
  if (read === undefined || (word === "foreach" && !isAt(cursor, /^\s*\(/))) {
    cursor.at = start;
    return readPipeline(cursor);
  }
  skipBlanks(cursor, true);
  return nested(cursor, () => read(cursor));
}

function readBlock(cursor: Cursor): Node[] {
  skipBlanks(cursor, true);
  return takeIf(cursor, "{") ? readStatements(cursor, "}") : [];
}

function readConditional(cursor: Cursor): Node {
  const condition = takeIf(cursor, "(") ? readStatements(cursor, ")") : [];
  return conditional(...condition, ...readBlock(cursor));
}

function readBody(cursor: Cursor): Node {
  return conditional(...readBlock(cursor));
}

function readCatch(cursor: Cursor): Node {
  while (!isAtEnd(cursor) && charAt(cursor) !== "{" && charAt(cursor) !== "\n") cursor.at += 1;
  return readBody(cursor);
}

/** `foreach ($x in $list) { … }` */
function readForeach(cursor: Cursor): Node {
  takeIf(cursor, "(");
  skipBlanks(cursor, true);
  const target = readVariable(cursor);
  skipBlanks(cursor, true);
  takeMatch(cursor, /^in(?![\w-])/i);
  const over = readPipeline(cursor);
  skipBlanks(cursor, true);
  takeIf(cursor, ")");
  return { kind: "each", target, over, body: readBlock(cursor) };
}

const MAX_PARAMETERS_LENGTH = 400;

/** Of the parameters, in front of the body or at its start, only the names matter. */
function readFunction(cursor: Cursor): Node {
  const name = takeMatch(cursor, /^[\w:-]+/)?.[0].toLowerCase() ?? "";
  skipBlanks(cursor, true);
  const head = cursor.source.slice(cursor.at, cursor.at + MAX_PARAMETERS_LENGTH);
  const written = /^(?:\s*\{\s*param\s*)?\(([^)]*)/i.exec(head)?.[1] ?? "";
  if (charAt(cursor) === "(") skipParameters(cursor);
  const parameters = [...written.matchAll(/\$\w+/g)].map(match => nameNode(match[0].toLowerCase()));
  return { kind: "function", definition: { name, parameters, body: readBlock(cursor) } };
}

function skipParameters(cursor: Cursor): Node {
  let depth = 0;
  while (!isAtEnd(cursor)) {
    const character = charAt(cursor);
    cursor.at += 1;
    if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth <= 0) break;
    }
  }
  return NOTHING;
}
