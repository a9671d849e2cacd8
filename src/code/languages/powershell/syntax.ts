import { type ReadingBudget, step } from "../../syntax/source.ts";
import {
  type Argument,
  callNode,
  conditional,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  textNode,
  wordMap,
} from "../../syntax/tree.ts";

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

/** Where the reader stands in PowerShell text. Words are bare there, so it reads characters, not tokens. */
interface Cursor {
  readonly source: string;
  readonly budget: ReadingBudget;
  /** Reads the statement at hand. It is handed on, because values hold statements and statements hold values. */
  readonly readStatement: (cursor: Cursor) => Node;
  at: number;
  depth: number;
}

const MAX_DEPTH = 48;
const MAX_MATCH = 120;

function charAt(cursor: Cursor, ahead = 0): string {
  return cursor.source.charAt(cursor.at + ahead);
}

function startsWith(cursor: Cursor, text: string): boolean {
  return cursor.source.startsWith(text, cursor.at);
}

function isAtEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.source.length || !step(cursor.budget);
}

function takeIf(cursor: Cursor, text: string): boolean {
  if (!startsWith(cursor, text)) return false;
  cursor.at += text.length;
  return true;
}

/** What a pattern finds at this very place, consumed; it looks a bounded way ahead. */
function takeMatch(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(cursor.source.slice(cursor.at, cursor.at + MAX_MATCH));
  if (match !== null) cursor.at += match[0].length;
  return match;
}

/** Does a pattern fit at this very place? */
function isAt(cursor: Cursor, pattern: RegExp): boolean {
  return pattern.test(cursor.source.slice(cursor.at, cursor.at + MAX_MATCH));
}

/** Reads what stands in front of `close`, which is consumed; always moves on. */
function readUntil(cursor: Cursor, close: string, read: () => void): void {
  const isClosed = (): boolean => close !== "" && charAt(cursor) === close;
  for (skipBlanks(cursor, true); !isAtEnd(cursor) && !isClosed(); skipBlanks(cursor, true)) {
    const before = cursor.at;
    read();
    if (cursor.at === before) cursor.at += 1;
  }
  cursor.at += 1;
}

function readStatements(cursor: Cursor, close: string): Node[] {
  const nodes: Node[] = [];
  readUntil(cursor, close, () => {
    if (takeIf(cursor, ";") || takeIf(cursor, "&&") || takeIf(cursor, "||")) return;
    nodes.push(cursor.readStatement(cursor));
  });
  return nodes;
}

/** One value, or a list of several with commas between them. */
function readCommaList(cursor: Cursor, read: () => Node): Node {
  const items = [{ value: read() }];
  for (skipBlanks(cursor); !isAtEnd(cursor) && takeIf(cursor, ","); skipBlanks(cursor)) {
    skipBlanks(cursor, true);
    items.push({ value: read() });
  }
  const [only] = items;
  return items.length === 1 && only !== undefined ? only.value : { kind: "list", items };
}

/** Blanks, continued lines and comments; newlines too where they mean nothing. */
function skipBlanks(cursor: Cursor, hasNewlines = false): void {
  const { source } = cursor;
  while (cursor.at < source.length) {
    const character = charAt(cursor);
    if (character === " " || character === "\t" || character === "\r") cursor.at += 1;
    else if (character === "\n" && hasNewlines) cursor.at += 1;
    else if (character === "`" && /^`\r?\n/.test(source.slice(cursor.at, cursor.at + 3)))
      cursor.at = source.indexOf("\n", cursor.at) + 1;
    else if (startsWith(cursor, "<#")) {
      const end = source.indexOf("#>", cursor.at);
      cursor.at = end === -1 ? source.length : end + 2;
    } else if (character === "#" && !/[\w.)\]]/.test(source.charAt(cursor.at - 1))) {
      const end = source.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? source.length : end;
    } else return;
  }
}

/** One more level of brackets; too deep gives up on that part and says so. */
function nested(cursor: Cursor, read: () => Node): Node {
  if (cursor.depth >= MAX_DEPTH) {
    cursor.budget.isCutShort = true;
    cursor.at += 1;
    return NOTHING;
  }
  cursor.depth += 1;
  const node = read();
  cursor.depth -= 1;
  return node;
}

/** A value with its operators: `"a" + $b`, `'{0}' -f $x`, `1, 2`. */
function readExpression(cursor: Cursor): Node {
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
function readPostfix(cursor: Cursor, value: Node): Node {
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

function readPrimary(cursor: Cursor): Node {
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
function readVariable(cursor: Cursor): Node {
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

/** The name of a command as written, for programs that are no cmdlets. */
export const PROGRAM = " program";
/** What flows into a command from the left. */
export const PIPE = " pipe";

/** Commands joined by bars: each gets the one in front as its input. */
function readPipeline(cursor: Cursor): Node {
  return nested(cursor, () => {
    skipBlanks(cursor);
    let node = readElement(cursor, undefined);
    for (
      skipBlanks(cursor);
      !isAtEnd(cursor) && charAt(cursor) === "|" && charAt(cursor, 1) !== "|";
      skipBlanks(cursor)
    ) {
      cursor.at += 1;
      skipBlanks(cursor, true);
      node = readElement(cursor, node);
    }
    return node;
  });
}

function readElement(cursor: Cursor, input: Node | undefined): Node {
  const at = cursor.at;
  if (takeMatch(cursor, /^[&.](?=[\s"'$({])/) !== null) {
    skipBlanks(cursor);
    const callee = isAt(cursor, /^["'$({]/)
      ? readPostfix(cursor, readPrimary(cursor))
      : textNode(readBare(cursor, ENDS_NAME));
    return readCommand(cursor, callee, input, at);
  }
  if (isAt(cursor, /^["'$([{@\d]/)) return readValueElement(cursor);
  const name = readBare(cursor, ENDS_NAME);
  return name === "" ? NOTHING : readCommand(cursor, textNode(name), input, at);
}

/** An expression, maybe assigned: `$x = …`, `$x += …`. */
function readValueElement(cursor: Cursor): Node {
  const value = readExpression(cursor);
  skipBlanks(cursor);
  const operator = takeMatch(cursor, /^\+?=(?!=)/)?.[0];
  if (operator === undefined) {
    const redirection = readRedirection(cursor);
    return redirection === undefined ? value : sequence(redirection, value);
  }
  skipBlanks(cursor, true);
  const right = cursor.readStatement(cursor);
  const joined: Node = { kind: "operation", operation: "join", operands: [value, right] };
  return { kind: "assign", target: value, value: operator === "=" ? right : joined };
}

const ENDS_NAME = /[\s|;,(){}"'&<>]/;
const ENDS_BARE_TEXT = /[\s|;,(){}"'&<>$]/;

/** Bare text up to a blank or a mark that ends it. */
function readBare(cursor: Cursor, end: RegExp): string {
  let word = "";
  while (!isAtEnd(cursor) && !end.test(charAt(cursor))) {
    if (charAt(cursor) === "`") cursor.at += 1;
    word += charAt(cursor);
    cursor.at += 1;
  }
  return word;
}

/** The words behind a command name. */
function readCommand(cursor: Cursor, callee: Node, input: Node | undefined, at: number): Node {
  const words: Argument[] = [];
  const redirected: Node[] = [];
  for (skipBlanks(cursor); !isAtEnd(cursor) && !endsCommand(cursor); skipBlanks(cursor)) {
    const before = cursor.at;
    const redirection = readRedirection(cursor);
    if (redirection === undefined) words.push(readParameter(cursor) ?? { value: readWord(cursor) });
    else redirected.push(redirection);
    if (cursor.at === before) cursor.at += 1;
  }
  const node = commandNode(callee, words, input, at);
  return redirected.length === 0 ? node : sequence(...redirected, node);
}

/** `-Name value`, `-Name:value`, or a switch, which stands alone. */
function readParameter(cursor: Cursor): Argument | undefined {
  const [, name, colon] = takeMatch(cursor, /^-([A-Za-z]\w*)(:?)/) ?? [];
  if (name === undefined) return undefined;
  skipBlanks(cursor);
  const isFollowed = !endsCommand(cursor) && !isAt(cursor, /^-[A-Za-z]/);
  const hasValue = colon === ":" || (!isSwitch(name.toLowerCase()) && isFollowed);
  return { name, value: hasValue ? readWord(cursor) : nameNode(SWITCHED_ON) };
}

/** The value of a switch that was given. */
export const SWITCHED_ON = "$true";

function commandNode(callee: Node, words: readonly Argument[], input: Node | undefined, at: number): Node {
  const known = callee.kind === "text" && callee.pieces.length === 1 ? callee.pieces[0] : undefined;
  const extra: Argument[] = input === undefined ? [] : [{ name: PIPE, value: input }];
  if (typeof known !== "string") return { kind: "call", callee, arguments: [...words, ...extra], at };
  // Paths are programs; the wildcard model starts them.
  const name = known.toLowerCase().replace(/\.exe$/, "");
  const target = nameNode(/^[\w%?-]+$/.test(name) ? name : "*");
  return {
    kind: "call",
    callee: target,
    arguments: [...words, { name: PROGRAM, value: callee }, ...extra],
    at,
  };
}

const SWITCHES =
  "recurse force whatif verbose append noclobber passthru nonewline usebasicparsing wait asplaintext hidden directory file name raw nonewwindow debug".split(
    " ",
  );

/** Switches stand alone; `-Confirm` and its value are written with a colon. */
export function isSwitch(name: string): boolean {
  return name === "confirm" || SWITCHES.some(word => word.startsWith(name));
}

function endsCommand(cursor: Cursor): boolean {
  return cursor.at >= cursor.source.length || "\n;)}|&".includes(charAt(cursor));
}

/** An argument: bare text, quoted text, a value, or several of them glued or separated by commas. */
function readWord(cursor: Cursor): Node {
  return readCommaList(cursor, () => readGlued(cursor));
}

function readGlued(cursor: Cursor): Node {
  const pieces: (string | Node)[] = [];
  while (!isAtEnd(cursor) && !/[\s|;,)}&<>]/.test(charAt(cursor))) {
    const before = cursor.at;
    if (isAt(cursor, /^["'$([{@]/)) pieces.push(readPostfix(cursor, readPrimary(cursor)));
    else pieces.push(readBare(cursor, ENDS_BARE_TEXT));
    if (cursor.at === before) cursor.at += 1;
  }
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return typeof only === "string" ? textNode(only) : only;
  return { kind: "text", pieces };
}

/** `> file`, `2>> file`; `2>&1` and `> $null` write nothing. */
function readRedirection(cursor: Cursor): Node | undefined {
  const at = cursor.at;
  const match = takeMatch(cursor, /^[0-9*]?(>>?)(&\d)?/);
  if (match === null) return undefined;
  if (match[2] !== undefined) return NOTHING;
  skipBlanks(cursor);
  return takeIf(cursor, "$null") ? NOTHING : callNode(match[1] ?? ">", [readWord(cursor)], at);
}
