import type { Argument, Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";
import { readPipeline } from "./commands.ts";
import { charAt, isAtEnd, nested, type Scan, skipBlanks, startsWith, takeIf } from "./scan.ts";
import { readStatementsUntil } from "./statements.ts";

/** A value with its operators: `"a" + $b`, `'{0}' -f $x`, `1, 2`. */
export function readExpression(scan: Scan): Node {
  return nested(scan, () => {
    let left = readList(scan);
    while (!isAtEnd(scan)) {
      skipBlanks(scan);
      const operator = /^(?:[+*/%](?!=)|-[a-z]{1,12}\b|\.\.)/i
        .exec(scan.source.slice(scan.at, scan.at + 16))?.[0]
        ?.toLowerCase();
      if (operator === undefined) return left;
      scan.at += operator.length;
      skipBlanks(scan, true);
      left = combine(operator, left, readList(scan));
    }
    return left;
  });
}

function combine(operator: string, left: Node, right: Node): Node {
  switch (operator) {
    case "+":
      return { kind: "operation", operation: "join", operands: [left, right] };
    case "-f":
      return { kind: "operation", operation: "format", operands: [left, right] };
    case "*":
      return { kind: "operation", operation: "repeat", operands: [left, right] };
    case "-join":
    case "-split":
    case "-replace":
      return {
        kind: "call",
        callee: { kind: "member", object: left, name: operator },
        arguments: [{ value: right }],
        at: 0,
      };
    case "-or":
      return { kind: "choice", options: [left, right] };
    default:
      return { kind: "other", parts: [left, right] };
  }
}

/** `'a', 'b'` */
function readList(scan: Scan): Node {
  const first = readUnary(scan);
  const items: Argument[] = [{ value: first }];
  for (skipBlanks(scan); takeIf(scan, ","); skipBlanks(scan)) {
    skipBlanks(scan, true);
    items.push({ value: readUnary(scan) });
  }
  return items.length === 1 ? first : { kind: "list", items };
}

function readUnary(scan: Scan): Node {
  if (takeIf(scan, "!") || takeIf(scan, "-not ") || takeIf(scan, "-join ")) {
    return { kind: "other", parts: [nested(scan, () => readUnary(scan))] };
  }
  return readPostfix(scan, readPrimary(scan));
}

/** `.Name`, `.Name(…)`, `::Name(…)`, `[…]` */
export function readPostfix(scan: Scan, value: Node): Node {
  let node = value;
  while (!isAtEnd(scan)) {
    const member = /^(?:\.|::)([A-Za-z_]\w{0,80})/.exec(scan.source.slice(scan.at, scan.at + 90));
    const at = scan.at;
    if (member !== null) {
      scan.at += member[0].length;
      node = { kind: "member", object: node, name: (member[1] ?? "").toLowerCase() };
      if (charAt(scan) === "(") node = { kind: "call", callee: node, arguments: readArguments(scan), at };
    } else if (charAt(scan) === "[") {
      scan.at += 1;
      const index = nested(scan, () => readExpression(scan));
      skipTo(scan, "]");
      node = { kind: "index", object: node, index };
    } else return node;
  }
  return node;
}

function readArguments(scan: Scan): Argument[] {
  scan.at += 1;
  const items: Argument[] = [];
  for (skipBlanks(scan, true); !isAtEnd(scan) && charAt(scan) !== ")"; skipBlanks(scan, true)) {
    const before = scan.at;
    items.push({ value: nested(scan, () => readUnary(scan)) });
    skipBlanks(scan, true);
    // Operators inside an argument are rare; what they bind is put to the argument in front.
    if (!takeIf(scan, ",") && charAt(scan) !== ")") {
      const last = items.pop();
      items.push({ value: continueOperators(scan, last?.value ?? NOTHING) });
    }
    if (scan.at === before) scan.at += 1;
  }
  scan.at += 1;
  return items;
}

function continueOperators(scan: Scan, left: Node): Node {
  if (!takeIf(scan, "+")) return left;
  skipBlanks(scan, true);
  const right = nested(scan, () => readExpression(scan));
  takeIf(scan, ",");
  return { kind: "operation", operation: "join", operands: [left, right] };
}

function skipTo(scan: Scan, close: string): void {
  while (!isAtEnd(scan) && charAt(scan) !== close) scan.at += 1;
  scan.at += 1;
}

export function readPrimary(scan: Scan): Node {
  skipBlanks(scan, true);
  const character = charAt(scan);
  if (startsWith(scan, "@'") || startsWith(scan, '@"')) return readHereString(scan);
  if (startsWith(scan, "@(") || startsWith(scan, "$(")) {
    scan.at += 2;
    return readGroup(scan, true);
  }
  if (startsWith(scan, "@{")) {
    scan.at += 2;
    return nested(scan, () => readHash(scan));
  }
  switch (character) {
    case "$":
      return readVariable(scan);
    case "'":
      return readSingleQuoted(scan);
    case '"':
      scan.at += 1;
      return readDoubleQuoted(scan, '"');
    case "(":
      scan.at += 1;
      return readGroup(scan, false);
    case "{":
      return readScriptBlock(scan);
    case "[":
      return readType(scan);
    default: {
      const number = /^-?\d[\w.]*/.exec(scan.source.slice(scan.at, scan.at + 40))?.[0];
      if (number === undefined) return NOTHING;
      scan.at += number.length;
      return { kind: "number", text: number };
    }
  }
}

/** `(…)`, `$(…)`, `@(…)`: what runs inside is the value. */
function readGroup(scan: Scan, isList: boolean): Node {
  return nested(scan, () => {
    const body = readStatementsUntil(scan, ")");
    scan.at += 1;
    const [only] = body;
    if (body.length === 1 && only !== undefined && !isList) return only;
    return { kind: "block", body, isConditional: false };
  });
}

/** `{ … }` as a value: a function of `$_`. */
function readScriptBlock(scan: Scan): Node {
  scan.at += 1;
  return nested(scan, () => {
    const body = readStatementsUntil(scan, "}");
    scan.at += 1;
    return { kind: "function", definition: { name: undefined, parameters: [nameNode("$_")], body } };
  });
}

function readHash(scan: Scan): Node {
  const entries: (readonly [Node, Node])[] = [];
  for (skipBlanks(scan, true); !isAtEnd(scan) && charAt(scan) !== "}"; skipBlanks(scan, true)) {
    const before = scan.at;
    if (takeIf(scan, ";")) continue;
    const key = /^["']?([\w-]+)["']?\s*=\s*/.exec(scan.source.slice(scan.at, scan.at + 120));
    if (key === null) scan.at += 1;
    else {
      scan.at += key[0].length;
      entries.push([textNode((key[1] ?? "").toLowerCase()), readPipeline(scan)]);
    }
    if (scan.at === before) scan.at += 1;
  }
  scan.at += 1;
  return { kind: "record", entries };
}

/** `[IO.File]` in front of `::`; in front of a value it is a cast and says nothing. */
function readType(scan: Scan): Node {
  const match = /^\[([A-Za-z_][\w.]*)(?:\[\])?\]/.exec(scan.source.slice(scan.at, scan.at + 120));
  if (match === null) {
    scan.at += 1;
    return NOTHING;
  }
  scan.at += match[0].length;
  const name = (match[1] ?? "").toLowerCase().replace(/^system\./, "");
  if (startsWith(scan, "::")) return { kind: "reference", path: `[${name}]` };
  skipBlanks(scan);
  return nested(scan, () => readUnary(scan));
}

/** `$x`, `$env:HOME`, `${x}`, `$script:x`; names know no case. */
export function readVariable(scan: Scan): Node {
  const match = /^\$(?:\{([^}]{1,80})\}|((?:[A-Za-z]\w*:)?[A-Za-z_]\w*|[_?^$]))/.exec(
    scan.source.slice(scan.at, scan.at + 120),
  );
  if (match === null) {
    scan.at += 1;
    return textNode("$");
  }
  scan.at += match[0].length;
  const name = (match[1] ?? match[2] ?? "").toLowerCase();
  const environment = /^env:(.*)$/.exec(name)?.[1];
  if (environment !== undefined) {
    return { kind: "member", object: { kind: "reference", path: "$env" }, name: environment.toUpperCase() };
  }
  return nameNode(`$${name.replace(/^(?:script|global|local|private|using):/, "")}`);
}

function readSingleQuoted(scan: Scan): Node {
  scan.at += 1;
  let text = "";
  while (!isAtEnd(scan)) {
    if (takeIf(scan, "''")) text += "'";
    else if (takeIf(scan, "'")) return textNode(text);
    else {
      text += charAt(scan);
      scan.at += 1;
    }
  }
  return textNode(text);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["0", "\0"],
]);

/** Text with variables and `$(…)` in it, up to `close`. */
function readDoubleQuoted(scan: Scan, close: string): Node {
  const pieces: (string | Node)[] = [];
  let text = "";
  while (!isAtEnd(scan)) {
    if (close === '"' && takeIf(scan, '""')) text += '"';
    else if (takeIf(scan, close)) break;
    else if (takeIf(scan, "`")) {
      text += ESCAPES.get(charAt(scan)) ?? charAt(scan);
      scan.at += 1;
    } else if (charAt(scan) === "$" && /[\w{(:_]/.test(charAt(scan, 1))) {
      pieces.push(text, startsWith(scan, "$(") ? readPrimary(scan) : readVariable(scan));
      text = "";
    } else {
      text += charAt(scan);
      scan.at += 1;
    }
  }
  return { kind: "text", pieces: [...pieces, text] };
}

/** `@'…'@` and `@"…"@`, each mark on a line of its own. */
function readHereString(scan: Scan): Node {
  const quote = charAt(scan, 1);
  scan.at += 2;
  const line = scan.source.indexOf("\n", scan.at);
  if (line !== -1) scan.at = line + 1;
  if (quote === '"') return readDoubleQuoted(scan, '\n"@');
  const end = scan.source.indexOf("\n'@", scan.at);
  const body = scan.source.slice(scan.at, end === -1 ? undefined : end);
  scan.at = end === -1 ? scan.source.length : end + 3;
  return textNode(body);
}
