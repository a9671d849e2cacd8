import type { Argument, Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";
import { readExpression, readPostfix, readPrimary } from "./expressions.ts";
import type { Scan } from "./scan.ts";
import { charAt, isAtEnd, nested, skipBlanks, startsWith } from "./scan.ts";
import { readStatement } from "./statements.ts";

/** The name of a command as written, for programs that are no cmdlets. */
export const PROGRAM = " program";
/** What flows into a command from the left. */
export const PIPE = " pipe";

/** Commands joined by bars: each gets the one in front as its input. */
export function readPipeline(scan: Scan): Node {
  return nested(scan, () => {
    skipBlanks(scan);
    let node = readElement(scan, undefined);
    for (
      skipBlanks(scan);
      !isAtEnd(scan) && charAt(scan) === "|" && charAt(scan, 1) !== "|";
      skipBlanks(scan)
    ) {
      scan.at += 1;
      skipBlanks(scan, true);
      node = readElement(scan, node);
    }
    return node;
  });
}

function readElement(scan: Scan, input: Node | undefined): Node {
  const at = scan.at;
  const isInvoked = /^[&.](?=[\s"'$({])/.test(scan.source.slice(scan.at, scan.at + 2));
  if (isInvoked) {
    scan.at += 1;
    skipBlanks(scan);
    const callee = /^["'$({]/.test(charAt(scan))
      ? readPostfix(scan, readPrimary(scan))
      : textNode(readBare(scan));
    return readCommand(scan, callee, input, at);
  }
  if (/^["'$([{@\d]/.test(charAt(scan))) return readValueElement(scan);
  const name = readBare(scan);
  return name === "" ? NOTHING : readCommand(scan, textNode(name), input, at);
}

/** An expression, maybe assigned: `$x = …`, `$x += …`. */
function readValueElement(scan: Scan): Node {
  const value = readExpression(scan);
  skipBlanks(scan);
  const operator = /^(\+?=)(?!=)/.exec(scan.source.slice(scan.at, scan.at + 3))?.[1];
  if (operator === undefined) return readRedirections(scan, value);
  scan.at += operator.length;
  skipBlanks(scan, true);
  const right = readStatement(scan);
  const joined: Node = { kind: "operation", operation: "join", operands: [value, right] };
  return { kind: "assign", target: value, value: operator === "=" ? right : joined };
}

/** A bare word up to a blank or a mark that ends it. */
function readBare(scan: Scan): string {
  let word = "";
  while (!isAtEnd(scan) && !/[\s|;,(){}"'&<>]/.test(charAt(scan))) {
    if (charAt(scan) === "`") scan.at += 1;
    word += charAt(scan);
    scan.at += 1;
  }
  return word;
}

/** The words behind a command name. */
function readCommand(scan: Scan, callee: Node, input: Node | undefined, at: number): Node {
  const words: Argument[] = [];
  const redirected: Node[] = [];
  for (skipBlanks(scan); !isAtEnd(scan) && !endsCommand(scan); skipBlanks(scan)) {
    const before = scan.at;
    const redirection = readRedirection(scan);
    if (redirection === undefined) words.push(readParameter(scan) ?? { value: readWord(scan) });
    else redirected.push(redirection);
    if (scan.at === before) scan.at += 1;
  }
  const node = commandNode(callee, words, input, at);
  return redirected.length === 0
    ? node
    : { kind: "block", body: [...redirected, node], isConditional: false };
}

/** `-Name value`, `-Name:value`, or a switch, which stands alone. */
function readParameter(scan: Scan): Argument | undefined {
  const match = /^-([A-Za-z]\w*)(:?)/.exec(scan.source.slice(scan.at, scan.at + 60));
  if (match === null) return undefined;
  scan.at += match[0].length;
  const name = match[1] ?? "";
  skipBlanks(scan);
  const isFollowed = !endsCommand(scan) && !/^-[A-Za-z]/.test(scan.source.slice(scan.at, scan.at + 2));
  const hasValue = match[2] === ":" || (!isSwitch(name.toLowerCase()) && isFollowed);
  return { name, value: hasValue ? readWord(scan) : nameNode(SWITCHED_ON) };
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

function endsCommand(scan: Scan): boolean {
  return scan.at >= scan.source.length || "\n;)}|&".includes(charAt(scan));
}

/** An argument: bare text, quoted text, a value, or several of them glued or separated by commas. */
function readWord(scan: Scan): Node {
  const first = readGlued(scan);
  const items: Argument[] = [{ value: first }];
  for (skipBlanks(scan); charAt(scan) === "," && !isAtEnd(scan); skipBlanks(scan)) {
    scan.at += 1;
    skipBlanks(scan, true);
    items.push({ value: readGlued(scan) });
  }
  return items.length === 1 ? first : { kind: "list", items };
}

function readGlued(scan: Scan): Node {
  const pieces: (string | Node)[] = [];
  while (!isAtEnd(scan) && !/[\s|;,)}&<>]/.test(charAt(scan))) {
    const before = scan.at;
    if (/^["'$([{@]/.test(charAt(scan))) {
      const value = readPrimary(scan);
      pieces.push(readPostfix(scan, value));
    } else pieces.push(readBareRun(scan));
    if (scan.at === before) scan.at += 1;
  }
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return typeof only === "string" ? textNode(only) : only;
  return { kind: "text", pieces };
}

function readBareRun(scan: Scan): string {
  let run = "";
  while (!isAtEnd(scan) && !/[\s|;,(){}"'&<>$]/.test(charAt(scan))) {
    if (charAt(scan) === "`") scan.at += 1;
    run += charAt(scan);
    scan.at += 1;
  }
  return run;
}

function readRedirections(scan: Scan, value: Node): Node {
  const redirection = readRedirection(scan);
  return redirection === undefined
    ? value
    : { kind: "block", body: [redirection, value], isConditional: false };
}

/** `> file`, `2>> file`; `2>&1` writes nothing. */
function readRedirection(scan: Scan): Node | undefined {
  const match = /^[0-9*]?(>>?)(&\d)?/.exec(scan.source.slice(scan.at, scan.at + 6));
  if (match === null) return undefined;
  const at = scan.at;
  scan.at += match[0].length;
  if (match[2] !== undefined) return NOTHING;
  skipBlanks(scan);
  if (startsWith(scan, "$null")) {
    scan.at += 5;
    return NOTHING;
  }
  return { kind: "call", callee: nameNode(match[1] ?? ">"), arguments: [{ value: readWord(scan) }], at };
}
