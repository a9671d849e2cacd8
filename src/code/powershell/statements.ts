import type { Effort } from "../effort.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode } from "../syntax/tree.ts";
import { readPipeline } from "./commands.ts";
import { readVariable } from "./expressions.ts";
import type { Scan } from "./scan.ts";
import { charAt, isAtEnd, nested, peekWord, skipBlanks, takeIf } from "./scan.ts";

/** Cut PowerShell into nodes. A command is a call with its words, parameters by name. */
export function parsePowerShell(source: string, effort: Effort): readonly Node[] {
  return readStatementsUntil({ source, effort, at: 0, depth: 0 }, "");
}

export function readStatementsUntil(scan: Scan, close: string): Node[] {
  const nodes: Node[] = [];
  for (
    skipBlanks(scan, true);
    !isAtEnd(scan) && (close === "" || charAt(scan) !== close);
    skipBlanks(scan, true)
  ) {
    const before = scan.at;
    if (takeIf(scan, ";") || takeIf(scan, "&&") || takeIf(scan, "||")) continue;
    nodes.push(readStatement(scan));
    if (scan.at === before) scan.at += 1;
  }
  return nodes;
}

type ReadStatement = (scan: Scan) => Node;

const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
  ["if", readConditional],
  ["elseif", readConditional],
  ["while", readConditional],
  ["until", readConditional],
  ["switch", readConditional],
  ["for", readConditional],
  ["else", readBody],
  ["try", readBody],
  ["finally", readBody],
  ["do", readBody],
  ["begin", readBody],
  ["process", readBody],
  ["end", readBody],
  ["catch", readCatch],
  ["foreach", readForeach],
  ["function", readFunction],
  ["filter", readFunction],
  ["param", readParameters],
  ["return", readReturn],
  ["throw", readPipeline],
]);

export function readStatement(scan: Scan): Node {
  const word = peekWord(scan);
  const read = STATEMENTS.get(word);
  if (
    read === undefined ||
    (word === "foreach" && !/^foreach\s*\(/i.test(scan.source.slice(scan.at, scan.at + 20)))
  ) {
    return readPipeline(scan);
  }
  scan.at += word.length;
  skipBlanks(scan, true);
  return nested(scan, () => read(scan));
}

function readBlock(scan: Scan): Node[] {
  skipBlanks(scan, true);
  if (!takeIf(scan, "{")) return [];
  const body = readStatementsUntil(scan, "}");
  scan.at += 1;
  return body;
}

function readParenthesised(scan: Scan): Node[] {
  if (!takeIf(scan, "(")) return [];
  const body = readStatementsUntil(scan, ")");
  scan.at += 1;
  return body;
}

function readConditional(scan: Scan): Node {
  const condition = readParenthesised(scan);
  return { kind: "block", body: [...condition, ...readBlock(scan)], isConditional: true };
}

function readBody(scan: Scan): Node {
  return { kind: "block", body: readBlock(scan), isConditional: true };
}

function readCatch(scan: Scan): Node {
  while (!isAtEnd(scan) && charAt(scan) !== "{" && charAt(scan) !== "\n") scan.at += 1;
  return readBody(scan);
}

/** `foreach ($x in $list) { … }` */
function readForeach(scan: Scan): Node {
  takeIf(scan, "(");
  skipBlanks(scan, true);
  const target = readVariable(scan);
  skipBlanks(scan, true);
  if (peekWord(scan) === "in") scan.at += 2;
  const over = readPipeline(scan);
  skipBlanks(scan, true);
  takeIf(scan, ")");
  return { kind: "each", target, over, body: readBlock(scan) };
}

function readFunction(scan: Scan): Node {
  const name = /^[\w:-]+/.exec(scan.source.slice(scan.at, scan.at + 80))?.[0] ?? "";
  scan.at += name.length;
  skipBlanks(scan, true);
  const head = charAt(scan) === "(" ? parameterNames(scan) : [];
  const bodyAt = scan.source.slice(scan.at, scan.at + 200);
  const inner = /^\s*\{\s*param\s*\(/i.exec(bodyAt);
  const own =
    inner === null ? head : namesIn(scan.source.slice(scan.at + inner[0].length - 1, scan.at + 400));
  return {
    kind: "function",
    definition: { name: name.toLowerCase(), parameters: own.map(nameNode), body: readBlock(scan) },
  };
}

/** Only the names matter; types and defaults are passed over. */
function parameterNames(scan: Scan): string[] {
  const names = namesIn(scan.source.slice(scan.at, scan.at + 400));
  readParameters(scan);
  return names;
}

function namesIn(text: string): string[] {
  const close = text.indexOf(")");
  const inside = text.slice(0, close === -1 ? undefined : close);
  return [...inside.matchAll(/\$(\w+)/g)].map(match => `$${(match[1] ?? "").toLowerCase()}`);
}

function readParameters(scan: Scan): Node {
  let depth = 0;
  while (!isAtEnd(scan)) {
    const character = charAt(scan);
    scan.at += 1;
    if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth <= 0) break;
    }
  }
  return NOTHING;
}

function readReturn(scan: Scan): Node {
  return { kind: "return", value: readPipeline(scan) };
}
