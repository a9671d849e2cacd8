import { type Argument, NOTHING, type Node, nameNode, textNode } from "../../syntax/tree.ts";
import { readPipeline } from "./commands.ts";
import { charAt, isAtEnd, type Lexer, nested, skipBlanks, startsWith, takeIf } from "./scan.ts";
import { readStatementsUntil } from "./statements.ts";

/** A value with its operators: `"a" + $b`, `'{0}' -f $x`, `1, 2`. */
export function readExpression(lexer: Lexer): Node {
  return nested(lexer, () => {
    let left = readList(lexer);
    while (!isAtEnd(lexer)) {
      skipBlanks(lexer);
      const operator = /^(?:[+*/%](?!=)|-[a-z]{1,12}\b|\.\.)/i
        .exec(lexer.source.slice(lexer.at, lexer.at + 16))?.[0]
        ?.toLowerCase();
      if (operator === undefined) return left;
      lexer.at += operator.length;
      skipBlanks(lexer, true);
      left = combine(operator, left, readList(lexer));
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
function readList(lexer: Lexer): Node {
  const first = readUnary(lexer);
  const items: Argument[] = [{ value: first }];
  for (skipBlanks(lexer); takeIf(lexer, ","); skipBlanks(lexer)) {
    skipBlanks(lexer, true);
    items.push({ value: readUnary(lexer) });
  }
  return items.length === 1 ? first : { kind: "list", items };
}

function readUnary(lexer: Lexer): Node {
  if (takeIf(lexer, "!") || takeIf(lexer, "-not ") || takeIf(lexer, "-join ")) {
    return { kind: "other", parts: [nested(lexer, () => readUnary(lexer))] };
  }
  return readPostfix(lexer, readPrimary(lexer));
}

/** `.Name`, `.Name(…)`, `::Name(…)`, `[…]` */
export function readPostfix(lexer: Lexer, value: Node): Node {
  let node = value;
  while (!isAtEnd(lexer)) {
    const member = /^(?:\.|::)([A-Za-z_]\w{0,80})/.exec(lexer.source.slice(lexer.at, lexer.at + 90));
    const at = lexer.at;
    if (member !== null) {
      lexer.at += member[0].length;
      node = { kind: "member", object: node, name: (member[1] ?? "").toLowerCase() };
      if (charAt(lexer) === "(") node = { kind: "call", callee: node, arguments: readArguments(lexer), at };
    } else if (charAt(lexer) === "[") {
      lexer.at += 1;
      const index = nested(lexer, () => readExpression(lexer));
      skipTo(lexer, "]");
      node = { kind: "index", object: node, index };
    } else return node;
  }
  return node;
}

function readArguments(lexer: Lexer): Argument[] {
  lexer.at += 1;
  const items: Argument[] = [];
  for (skipBlanks(lexer, true); !isAtEnd(lexer) && charAt(lexer) !== ")"; skipBlanks(lexer, true)) {
    const before = lexer.at;
    items.push({ value: nested(lexer, () => readUnary(lexer)) });
    skipBlanks(lexer, true);
    // Operators inside an argument are rare; what they bind is put to the argument in front.
    if (!takeIf(lexer, ",") && charAt(lexer) !== ")") {
      const last = items.pop();
      items.push({ value: continueOperators(lexer, last?.value ?? NOTHING) });
    }
    if (lexer.at === before) lexer.at += 1;
  }
  lexer.at += 1;
  return items;
}

function continueOperators(lexer: Lexer, left: Node): Node {
  if (!takeIf(lexer, "+")) return left;
  skipBlanks(lexer, true);
  const right = nested(lexer, () => readExpression(lexer));
  takeIf(lexer, ",");
  return { kind: "operation", operation: "join", operands: [left, right] };
}

function skipTo(lexer: Lexer, close: string): void {
  while (!isAtEnd(lexer) && charAt(lexer) !== close) lexer.at += 1;
  lexer.at += 1;
}

export function readPrimary(lexer: Lexer): Node {
  skipBlanks(lexer, true);
  const character = charAt(lexer);
  if (startsWith(lexer, "@'") || startsWith(lexer, '@"')) return readHereString(lexer);
  if (startsWith(lexer, "@(") || startsWith(lexer, "$(")) {
    lexer.at += 2;
    return readGroup(lexer, true);
  }
  if (startsWith(lexer, "@{")) {
    lexer.at += 2;
    return nested(lexer, () => readHash(lexer));
  }
  switch (character) {
    case "$":
      return readVariable(lexer);
    case "'":
      return readSingleQuoted(lexer);
    case '"':
      lexer.at += 1;
      return readDoubleQuoted(lexer, '"');
    case "(":
      lexer.at += 1;
      return readGroup(lexer, false);
    case "{":
      return readScriptBlock(lexer);
    case "[":
      return readType(lexer);
    default: {
      const number = /^-?\d[\w.]*/.exec(lexer.source.slice(lexer.at, lexer.at + 40))?.[0];
      if (number === undefined) return NOTHING;
      lexer.at += number.length;
      return { kind: "number", text: number };
    }
  }
}

/** `(…)`, `$(…)`, `@(…)`: what runs inside is the value. */
function readGroup(lexer: Lexer, isList: boolean): Node {
  return nested(lexer, () => {
    const body = readStatementsUntil(lexer, ")");
    lexer.at += 1;
    const [only] = body;
    if (body.length === 1 && only !== undefined && !isList) return only;
    return { kind: "block", body, isConditional: false };
  });
}

/** `{ … }` as a value: a function of `$_`. */
function readScriptBlock(lexer: Lexer): Node {
  lexer.at += 1;
  return nested(lexer, () => {
    const body = readStatementsUntil(lexer, "}");
    lexer.at += 1;
    return { kind: "function", definition: { name: undefined, parameters: [nameNode("$_")], body } };
  });
}

function readHash(lexer: Lexer): Node {
  const entries: (readonly [Node, Node])[] = [];
  for (skipBlanks(lexer, true); !isAtEnd(lexer) && charAt(lexer) !== "}"; skipBlanks(lexer, true)) {
    const before = lexer.at;
    if (takeIf(lexer, ";")) continue;
    const key = /^["']?([\w-]+)["']?\s*=\s*/.exec(lexer.source.slice(lexer.at, lexer.at + 120));
    if (key === null) lexer.at += 1;
    else {
      lexer.at += key[0].length;
      entries.push([textNode((key[1] ?? "").toLowerCase()), readPipeline(lexer)]);
    }
    if (lexer.at === before) lexer.at += 1;
  }
  lexer.at += 1;
  return { kind: "record", entries };
}

/** `[IO.File]` in front of `::`; in front of a value it is a cast and says nothing. */
function readType(lexer: Lexer): Node {
  const match = /^\[([A-Za-z_][\w.]*)(?:\[\])?\]/.exec(lexer.source.slice(lexer.at, lexer.at + 120));
  if (match === null) {
    lexer.at += 1;
    return NOTHING;
  }
  lexer.at += match[0].length;
  const name = (match[1] ?? "").toLowerCase().replace(/^system\./, "");
  if (startsWith(lexer, "::")) return { kind: "reference", path: `[${name}]` };
  skipBlanks(lexer);
  return nested(lexer, () => readUnary(lexer));
}

/** `$x`, `$env:HOME`, `${x}`, `$script:x`; names know no case. */
export function readVariable(lexer: Lexer): Node {
  const match = /^\$(?:\{([^}]{1,80})\}|((?:[A-Za-z]\w*:)?[A-Za-z_]\w*|[_?^$]))/.exec(
    lexer.source.slice(lexer.at, lexer.at + 120),
  );
  if (match === null) {
    lexer.at += 1;
    return textNode("$");
  }
  lexer.at += match[0].length;
  const name = (match[1] ?? match[2] ?? "").toLowerCase();
  const environment = /^env:(.*)$/.exec(name)?.[1];
  if (environment !== undefined) {
    return { kind: "member", object: { kind: "reference", path: "$env" }, name: environment.toUpperCase() };
  }
  return nameNode(`$${name.replace(/^(?:script|global|local|private|using):/, "")}`);
}

function readSingleQuoted(lexer: Lexer): Node {
  lexer.at += 1;
  let text = "";
  while (!isAtEnd(lexer)) {
    if (takeIf(lexer, "''")) text += "'";
    else if (takeIf(lexer, "'")) return textNode(text);
    else {
      text += charAt(lexer);
      lexer.at += 1;
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
function readDoubleQuoted(lexer: Lexer, close: string): Node {
  const pieces: (string | Node)[] = [];
  let text = "";
  while (!isAtEnd(lexer)) {
    if (close === '"' && takeIf(lexer, '""')) text += '"';
    else if (takeIf(lexer, close)) break;
    else if (takeIf(lexer, "`")) {
      text += ESCAPES.get(charAt(lexer)) ?? charAt(lexer);
      lexer.at += 1;
    } else if (charAt(lexer) === "$" && /[\w{(:_]/.test(charAt(lexer, 1))) {
      pieces.push(text, startsWith(lexer, "$(") ? readPrimary(lexer) : readVariable(lexer));
      text = "";
    } else {
      text += charAt(lexer);
      lexer.at += 1;
    }
  }
  return { kind: "text", pieces: [...pieces, text] };
}

/** `@'…'@` and `@"…"@`, each mark on a line of its own. */
function readHereString(lexer: Lexer): Node {
  const quote = charAt(lexer, 1);
  lexer.at += 2;
  const line = lexer.source.indexOf("\n", lexer.at);
  if (line !== -1) lexer.at = line + 1;
  if (quote === '"') return readDoubleQuoted(lexer, '\n"@');
  const end = lexer.source.indexOf("\n'@", lexer.at);
  const body = lexer.source.slice(lexer.at, end === -1 ? undefined : end);
  lexer.at = end === -1 ? lexer.source.length : end + 3;
  return textNode(body);
}
