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
  isAt,
  isAtEnd,
  nested,
  readCommaList,
  skipBlanks,
  takeIf,
  takeMatch,
} from "./cursor.ts";
import { readExpression, readPostfix, readPrimary } from "./expressions.ts";

/** The name of a command as written, for programs that are no cmdlets. */
export const PROGRAM = " program";
/** What flows into a command from the left. */
export const PIPE = " pipe";

/** Commands joined by bars: each gets the one in front as its input. */
export function readPipeline(cursor: Cursor): Node {
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
