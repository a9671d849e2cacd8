import {
  type Argument,
  callNode,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  textNode,
} from "../../syntax/tree.ts";
import {
  type Cursor,
  charAt,
  isAtEnd,
  nested,
  readCommaList,
  readStatements,
  readUntil,
  skipBlanks,
  startsWith,
  takeIf,
  takeMatch,
} from "./cursor.ts";

/** A value with its operators: `"a" + $b`, `'{0}' -f $x`, `1, 2`. */
export function readExpression(cursor: Cursor): Node {
  return nested(cursor, () => {
    let left = readList(cursor);
    while (!isAtEnd(cursor)) {
      skipBlanks(cursor);
      const operator = takeMatch(cursor, /^(?:[+*/%](?!=)|-[a-z]{1,12}\b|\.\.)/i)?.[0].toLowerCase();
      if (operator === undefined) return left;
      skipBlanks(cursor, true);
      left = combine(operator, left, readList(cursor));
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
      return callNode({ kind: "member", object: left, name: operator }, [right], 0);
    case "-or":
      return { kind: "choice", options: [left, right] };
    default:
      return { kind: "other", parts: [left, right] };
  }
}

/** `'a', 'b'` */
function readList(cursor: Cursor): Node {
  return readCommaList(cursor, () => readUnary(cursor));
}

function readUnary(cursor: Cursor): Node {
  if (takeIf(cursor, "!") || takeIf(cursor, "-not ") || takeIf(cursor, "-join ")) {
    return { kind: "other", parts: [nested(cursor, () => readUnary(cursor))] };
  }
  return readPostfix(cursor, readPrimary(cursor));
}

/** `.Name`, `.Name(…)`, `::Name(…)`, `[…]` */
export function readPostfix(cursor: Cursor, value: Node): Node {
  let node = value;
  while (!isAtEnd(cursor)) {
    const at = cursor.at;
    const member = takeMatch(cursor, /^(?:\.|::)([A-Za-z_]\w{0,80})/);
    if (member !== null) {
      node = { kind: "member", object: node, name: (member[1] ?? "").toLowerCase() };
      if (takeIf(cursor, "(")) node = { kind: "call", callee: node, arguments: readArguments(cursor), at };
    } else if (takeIf(cursor, "[")) {
      const index = nested(cursor, () => readExpression(cursor));
      while (!isAtEnd(cursor) && charAt(cursor) !== "]") cursor.at += 1;
      cursor.at += 1;
      node = { kind: "index", object: node, index };
    } else return node;
  }
  return node;
}

function readArguments(cursor: Cursor): Argument[] {
  const items: Argument[] = [];
  readUntil(cursor, ")", () => {
    const value = nested(cursor, () => readUnary(cursor));
    skipBlanks(cursor, true);
    // Operators inside an argument are rare; what they bind is put to the argument in front.
    const isWhole = takeIf(cursor, ",") || charAt(cursor) === ")";
    items.push({ value: isWhole ? value : continueOperators(cursor, value) });
  });
  return items;
}

function continueOperators(cursor: Cursor, left: Node): Node {
  if (!takeIf(cursor, "+")) return left;
  skipBlanks(cursor, true);
  const right = nested(cursor, () => readExpression(cursor));
  takeIf(cursor, ",");
  return { kind: "operation", operation: "join", operands: [left, right] };
}

export function readPrimary(cursor: Cursor): Node {
  skipBlanks(cursor, true);
  if (startsWith(cursor, "@'") || startsWith(cursor, '@"')) return readHereString(cursor);
  if (takeIf(cursor, "@(") || takeIf(cursor, "$(")) return readGroup(cursor, true);
  if (takeIf(cursor, "@{")) return nested(cursor, () => readHash(cursor));
  if (takeIf(cursor, "'")) return readSingleQuoted(cursor);
  if (takeIf(cursor, '"')) return readDoubleQuoted(cursor, '"');
  if (takeIf(cursor, "(")) return readGroup(cursor, false);
  if (takeIf(cursor, "{")) return readScriptBlock(cursor);
  if (charAt(cursor) === "$") return readVariable(cursor);
  if (charAt(cursor) === "[") return readType(cursor);
  const number = takeMatch(cursor, /^-?\d[\w.]*/)?.[0];
  return number === undefined ? NOTHING : { kind: "number", text: number };
}

/** `(…)`, `$(…)`, `@(…)`: what runs inside is the value. */
function readGroup(cursor: Cursor, isList: boolean): Node {
  return nested(cursor, () => {
    const body = readStatements(cursor, ")");
    const [only] = body;
    if (body.length === 1 && only !== undefined && !isList) return only;
    return sequence(...body);
  });
}

/** `{ … }` as a value: a function of `$_`. */
function readScriptBlock(cursor: Cursor): Node {
  return nested(cursor, () => {
    const body = readStatements(cursor, "}");
    return { kind: "function", definition: { name: undefined, parameters: [nameNode("$_")], body } };
  });
}

function readHash(cursor: Cursor): Node {
  const entries: (readonly [Node, Node])[] = [];
  readUntil(cursor, "}", () => {
    if (takeIf(cursor, ";")) return;
    const key = takeMatch(cursor, /^["']?([\w-]+)["']?\s*=\s*/);
    if (key === null) cursor.at += 1;
    else entries.push([textNode((key[1] ?? "").toLowerCase()), cursor.readStatement(cursor)]);
  });
  return { kind: "record", entries };
}

/** `[IO.File]` in front of `::`; in front of a value it is a cast and says nothing. */
function readType(cursor: Cursor): Node {
  const match = takeMatch(cursor, /^\[([A-Za-z_][\w.]*)(?:\[\])?\]/);
  if (match === null) {
    cursor.at += 1;
    return NOTHING;
  }
  const name = (match[1] ?? "").toLowerCase().replace(/^system\./, "");
  if (startsWith(cursor, "::")) return { kind: "reference", path: `[${name}]` };
  skipBlanks(cursor);
  return nested(cursor, () => readUnary(cursor));
}

/** `$x`, `$env:HOME`, `${x}`, `$script:x`; names know no case. */
export function readVariable(cursor: Cursor): Node {
  const match = takeMatch(cursor, /^\$(?:\{([^}]{1,80})\}|((?:[A-Za-z]\w*:)?[A-Za-z_]\w*|[_?^$]))/);
  if (match === null) {
    cursor.at += 1;
    return textNode("$");
  }
  const name = (match[1] ?? match[2] ?? "").toLowerCase();
  const environment = /^env:(.*)$/.exec(name)?.[1];
  if (environment !== undefined) {
    return { kind: "member", object: { kind: "reference", path: "$env" }, name: environment.toUpperCase() };
  }
  return nameNode(`$${name.replace(/^(?:script|global|local|private|using):/, "")}`);
}

function readSingleQuoted(cursor: Cursor): Node {
  let text = "";
  while (!isAtEnd(cursor)) {
    if (takeIf(cursor, "''")) text += "'";
    else if (takeIf(cursor, "'")) return textNode(text);
    else {
      text += charAt(cursor);
      cursor.at += 1;
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
function readDoubleQuoted(cursor: Cursor, close: string): Node {
  const pieces: (string | Node)[] = [];
  let text = "";
  while (!isAtEnd(cursor)) {
    if (close === '"' && takeIf(cursor, '""')) text += '"';
    else if (takeIf(cursor, close)) break;
    else if (takeIf(cursor, "`")) {
      text += ESCAPES.get(charAt(cursor)) ?? charAt(cursor);
      cursor.at += 1;
    } else if (charAt(cursor) === "$" && /[\w{(:_]/.test(charAt(cursor, 1))) {
      pieces.push(text, startsWith(cursor, "$(") ? readPrimary(cursor) : readVariable(cursor));
      text = "";
    } else {
      text += charAt(cursor);
      cursor.at += 1;
    }
  }
  return { kind: "text", pieces: [...pieces, text] };
}

/** `@'…'@` and `@"…"@`, each mark on a line of its own. */
function readHereString(cursor: Cursor): Node {
  const quote = charAt(cursor, 1);
  cursor.at += 2;
  const line = cursor.source.indexOf("\n", cursor.at);
  if (line !== -1) cursor.at = line + 1;
  if (quote === '"') return readDoubleQuoted(cursor, '\n"@');
  const end = cursor.source.indexOf("\n'@", cursor.at);
  const body = cursor.source.slice(cursor.at, end === -1 ? undefined : end);
  cursor.at = end === -1 ? cursor.source.length : end + 3;
  return textNode(body);
}
