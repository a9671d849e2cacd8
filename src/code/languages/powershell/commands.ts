import { type Argument, NOTHING, type Node, nameNode, textNode } from "../../syntax/tree.ts";
import { readExpression, readPostfix, readPrimary } from "./expressions.ts";
import { charAt, isAtEnd, type Lexer, nested, skipBlanks, startsWith } from "./scan.ts";
import { readStatement } from "./statements.ts";

/** The name of a command as written, for programs that are no cmdlets. */
export const PROGRAM = " program";
/** What flows into a command from the left. */
export const PIPE = " pipe";

/** Commands joined by bars: each gets the one in front as its input. */
export function readPipeline(lexer: Lexer): Node {
  return nested(lexer, () => {
    skipBlanks(lexer);
    let node = readElement(lexer, undefined);
    for (
      skipBlanks(lexer);
      !isAtEnd(lexer) && charAt(lexer) === "|" && charAt(lexer, 1) !== "|";
      skipBlanks(lexer)
    ) {
      lexer.at += 1;
      skipBlanks(lexer, true);
      node = readElement(lexer, node);
    }
    return node;
  });
}

function readElement(lexer: Lexer, input: Node | undefined): Node {
  const at = lexer.at;
  const isInvoked = /^[&.](?=[\s"'$({])/.test(lexer.source.slice(lexer.at, lexer.at + 2));
  if (isInvoked) {
    lexer.at += 1;
    skipBlanks(lexer);
    const callee = /^["'$({]/.test(charAt(lexer))
      ? readPostfix(lexer, readPrimary(lexer))
      : textNode(readBare(lexer));
    return readCommand(lexer, callee, input, at);
  }
  if (/^["'$([{@\d]/.test(charAt(lexer))) return readValueElement(lexer);
  const name = readBare(lexer);
  return name === "" ? NOTHING : readCommand(lexer, textNode(name), input, at);
}

/** An expression, maybe assigned: `$x = …`, `$x += …`. */
function readValueElement(lexer: Lexer): Node {
  const value = readExpression(lexer);
  skipBlanks(lexer);
  const operator = /^(\+?=)(?!=)/.exec(lexer.source.slice(lexer.at, lexer.at + 3))?.[1];
  if (operator === undefined) return readRedirections(lexer, value);
  lexer.at += operator.length;
  skipBlanks(lexer, true);
  const right = readStatement(lexer);
  const joined: Node = { kind: "operation", operation: "join", operands: [value, right] };
  return { kind: "assign", target: value, value: operator === "=" ? right : joined };
}

/** A bare word up to a blank or a mark that ends it. */
function readBare(lexer: Lexer): string {
  let word = "";
  while (!isAtEnd(lexer) && !/[\s|;,(){}"'&<>]/.test(charAt(lexer))) {
    if (charAt(lexer) === "`") lexer.at += 1;
    word += charAt(lexer);
    lexer.at += 1;
  }
  return word;
}

/** The words behind a command name. */
function readCommand(lexer: Lexer, callee: Node, input: Node | undefined, at: number): Node {
  const words: Argument[] = [];
  const redirected: Node[] = [];
  for (skipBlanks(lexer); !isAtEnd(lexer) && !endsCommand(lexer); skipBlanks(lexer)) {
    const before = lexer.at;
    const redirection = readRedirection(lexer);
    if (redirection === undefined) words.push(readParameter(lexer) ?? { value: readWord(lexer) });
    else redirected.push(redirection);
    if (lexer.at === before) lexer.at += 1;
  }
  const node = commandNode(callee, words, input, at);
  return redirected.length === 0
    ? node
    : { kind: "block", body: [...redirected, node], isConditional: false };
}

/** `-Name value`, `-Name:value`, or a switch, which stands alone. */
function readParameter(lexer: Lexer): Argument | undefined {
  const match = /^-([A-Za-z]\w*)(:?)/.exec(lexer.source.slice(lexer.at, lexer.at + 60));
  if (match === null) return undefined;
  lexer.at += match[0].length;
  const name = match[1] ?? "";
  skipBlanks(lexer);
  const isFollowed = !endsCommand(lexer) && !/^-[A-Za-z]/.test(lexer.source.slice(lexer.at, lexer.at + 2));
  const hasValue = match[2] === ":" || (!isSwitch(name.toLowerCase()) && isFollowed);
  return { name, value: hasValue ? readWord(lexer) : nameNode(SWITCHED_ON) };
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
function isSwitch(name: string): boolean {
  return name === "confirm" || SWITCHES.some(word => word.startsWith(name));
}

function endsCommand(lexer: Lexer): boolean {
  return lexer.at >= lexer.source.length || "\n;)}|&".includes(charAt(lexer));
}

/** An argument: bare text, quoted text, a value, or several of them glued or separated by commas. */
function readWord(lexer: Lexer): Node {
  const first = readGlued(lexer);
  const items: Argument[] = [{ value: first }];
  for (skipBlanks(lexer); charAt(lexer) === "," && !isAtEnd(lexer); skipBlanks(lexer)) {
    lexer.at += 1;
    skipBlanks(lexer, true);
    items.push({ value: readGlued(lexer) });
  }
  return items.length === 1 ? first : { kind: "list", items };
}

function readGlued(lexer: Lexer): Node {
  const pieces: (string | Node)[] = [];
  while (!isAtEnd(lexer) && !/[\s|;,)}&<>]/.test(charAt(lexer))) {
    const before = lexer.at;
    if (/^["'$([{@]/.test(charAt(lexer))) {
      const value = readPrimary(lexer);
      pieces.push(readPostfix(lexer, value));
    } else pieces.push(readBareRun(lexer));
    if (lexer.at === before) lexer.at += 1;
  }
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return typeof only === "string" ? textNode(only) : only;
  return { kind: "text", pieces };
}

function readBareRun(lexer: Lexer): string {
  let context = "";
  while (!isAtEnd(lexer) && !/[\s|;,(){}"'&<>$]/.test(charAt(lexer))) {
    if (charAt(lexer) === "`") lexer.at += 1;
    context += charAt(lexer);
    lexer.at += 1;
  }
  return context;
}

function readRedirections(lexer: Lexer, value: Node): Node {
  const redirection = readRedirection(lexer);
  return redirection === undefined
    ? value
    : { kind: "block", body: [redirection, value], isConditional: false };
}

/** `> file`, `2>> file`; `2>&1` writes nothing. */
function readRedirection(lexer: Lexer): Node | undefined {
  const match = /^[0-9*]?(>>?)(&\d)?/.exec(lexer.source.slice(lexer.at, lexer.at + 6));
  if (match === null) return undefined;
  const at = lexer.at;
  lexer.at += match[0].length;
  if (match[2] !== undefined) return NOTHING;
  skipBlanks(lexer);
  if (startsWith(lexer, "$null")) {
    lexer.at += 5;
    return NOTHING;
  }
  return { kind: "call", callee: nameNode(match[1] ?? ">"), arguments: [{ value: readWord(lexer) }], at };
}
