import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { NOTHING, type Node, nameNode } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";
import { readPipeline } from "./commands.ts";
import { readVariable } from "./expressions.ts";
import { charAt, isAtEnd, type Lexer, nested, peekWord, skipBlanks, takeIf } from "./scan.ts";

/** Cut PowerShell into nodes. A command is a call with its words, parameters by name. */
export function parsePowerShell(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatementsUntil({ source, budget, at: 0, depth: 0 }, "");
}

export function readStatementsUntil(lexer: Lexer, close: string): Node[] {
  const nodes: Node[] = [];
  for (
    skipBlanks(lexer, true);
    !isAtEnd(lexer) && (close === "" || charAt(lexer) !== close);
    skipBlanks(lexer, true)
  ) {
    const before = lexer.at;
    if (takeIf(lexer, ";") || takeIf(lexer, "&&") || takeIf(lexer, "||")) continue;
    nodes.push(readStatement(lexer));
    if (lexer.at === before) lexer.at += 1;
  }
  return nodes;
}

type ReadStatement = (lexer: Lexer) => Node;

const STATEMENTS = wordMap<ReadStatement>([
  ["if elseif while until switch for", readConditional],
  ["else try finally do begin process end", readBody],
  ["catch", readCatch],
  ["foreach", readForeach],
  ["function filter", readFunction],
  ["param", readParameters],
  ["return", readReturn],
  ["throw", readPipeline],
]);

export function readStatement(lexer: Lexer): Node {
  const word = peekWord(lexer);
  const read = STATEMENTS.get(word);
  if (
    read === undefined ||
    (word === "foreach" && !/^foreach\s*\(/i.test(lexer.source.slice(lexer.at, lexer.at + 20)))
  ) {
    return readPipeline(lexer);
  }
  lexer.at += word.length;
  skipBlanks(lexer, true);
  return nested(lexer, () => read(lexer));
}

function readBlock(lexer: Lexer): Node[] {
  skipBlanks(lexer, true);
  if (!takeIf(lexer, "{")) return [];
  const body = readStatementsUntil(lexer, "}");
  lexer.at += 1;
  return body;
}

function readParenthesised(lexer: Lexer): Node[] {
  if (!takeIf(lexer, "(")) return [];
  const body = readStatementsUntil(lexer, ")");
  lexer.at += 1;
  return body;
}

function readConditional(lexer: Lexer): Node {
  const condition = readParenthesised(lexer);
  return { kind: "block", body: [...condition, ...readBlock(lexer)], isConditional: true };
}

function readBody(lexer: Lexer): Node {
  return { kind: "block", body: readBlock(lexer), isConditional: true };
}

function readCatch(lexer: Lexer): Node {
  while (!isAtEnd(lexer) && charAt(lexer) !== "{" && charAt(lexer) !== "\n") lexer.at += 1;
  return readBody(lexer);
}

/** `foreach ($x in $list) { … }` */
function readForeach(lexer: Lexer): Node {
  takeIf(lexer, "(");
  skipBlanks(lexer, true);
  const target = readVariable(lexer);
  skipBlanks(lexer, true);
  if (peekWord(lexer) === "in") lexer.at += 2;
  const over = readPipeline(lexer);
  skipBlanks(lexer, true);
  takeIf(lexer, ")");
  return { kind: "each", target, over, body: readBlock(lexer) };
}

function readFunction(lexer: Lexer): Node {
  const name = /^[\w:-]+/.exec(lexer.source.slice(lexer.at, lexer.at + 80))?.[0] ?? "";
  lexer.at += name.length;
  skipBlanks(lexer, true);
  const head = charAt(lexer) === "(" ? parameterNames(lexer) : [];
  const bodyAt = lexer.source.slice(lexer.at, lexer.at + 200);
  const inner = /^\s*\{\s*param\s*\(/i.exec(bodyAt);
  const own =
    inner === null ? head : namesIn(lexer.source.slice(lexer.at + inner[0].length - 1, lexer.at + 400));
  return {
    kind: "function",
    definition: { name: name.toLowerCase(), parameters: own.map(nameNode), body: readBlock(lexer) },
  };
}

/** Only the names matter; types and defaults are passed over. */
function parameterNames(lexer: Lexer): string[] {
  const names = namesIn(lexer.source.slice(lexer.at, lexer.at + 400));
  readParameters(lexer);
  return names;
}

function namesIn(text: string): string[] {
  const close = text.indexOf(")");
  const inside = text.slice(0, close === -1 ? undefined : close);
  return [...inside.matchAll(/\$(\w+)/g)].map(match => `$${(match[1] ?? "").toLowerCase()}`);
}

function readParameters(lexer: Lexer): Node {
  let depth = 0;
  while (!isAtEnd(lexer)) {
    const character = charAt(lexer);
    lexer.at += 1;
    if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth <= 0) break;
    }
  }
  return NOTHING;
}

function readReturn(lexer: Lexer): Node {
  return { kind: "return", value: readPipeline(lexer) };
}
