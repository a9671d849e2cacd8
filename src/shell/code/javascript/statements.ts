import { type Effort, step } from "../effort.ts";
import type { Reader } from "../syntax/reader.ts";
import {
  closerOf,
  continueExpression,
  createReader,
  isNext,
  nested,
  outsideBrackets,
  peek,
  readExpression,
  take,
  takeIf,
} from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";
import { GRAMMAR, LEXICON, readCondition, skipType } from "./syntax.ts";

/** Cut JavaScript or TypeScript into nodes. */
export function parseJavaScript(source: string, effort: Effort): readonly Node[] {
  const reader = createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort);
  return readStatements(reader, () => false);
}

type ReadStatement = (reader: Reader) => Node;

const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
  ["import", readImport],
  ["const", readDeclarations],
  ["let", readDeclarations],
  ["var", readDeclarations],
  ["using", readDeclarations],
  ["if", readConditional],
  ["while", readConditional],
  ["with", readConditional],
  ["switch", readConditional],
  ["catch", readConditional],
  ["else", readBody],
  ["try", readBody],
  ["finally", readBody],
  ["do", readBody],
  ["for", readFor],
  ["return", readResult],
  ["throw", readPlain],
  ["case", readPlain],
  ["export", () => NOTHING],
  ["default", () => NOTHING],
  ["declare", () => NOTHING],
  ["interface", skipDeclaration],
  ["type", skipDeclaration],
]);

/** Words that are statements only when a name follows; else they are ordinary names. */
const SOFT_WORDS = new Set(["type", "interface", "using", "declare"]);

function readStatements(reader: Reader, isDone: () => boolean): Node[] {
  const nodes: Node[] = [];
  while (!isDone() && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

/** `{ … }` as statements. */
export function readBlock(reader: Reader): Node[] {
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  const nodes = outsideBrackets(reader, () => readStatements(reader, () => reader.at >= close));
  takeIf(reader, "}");
  return nodes;
}

function readStatement(reader: Reader): Node {
  if (takeIf(reader, ";")) return NOTHING;
  if (isNext(reader, "{"))
    return nested(reader, () => ({ kind: "block", body: readBlock(reader), isConditional: false }));
  const token = peek(reader);
  const read = token.kind === "name" ? STATEMENTS.get(token.text) : undefined;
  const isExpression =
    read === undefined ||
    isNext(reader, ".", 1) ||
    isNext(reader, "=", 1) ||
    isNext(reader, ":", 1) ||
    (token.text === "import" && isNext(reader, "(", 1)) ||
    (SOFT_WORDS.has(token.text) && peek(reader, 1).kind !== "name");
  if (isExpression && !(token.text === "default" && isNext(reader, ":", 1))) return readExpression(reader);
  return nested(reader, () => {
    reader.at += 1;
    return read?.(reader) ?? NOTHING;
  });
}

function readPlain(reader: Reader): Node {
  return readExpression(reader);
}

function readResult(reader: Reader): Node {
  const isEmpty = peek(reader).startsLine || isNext(reader, ";") || isNext(reader, "}");
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(reader) };
}

function readBody(reader: Reader): Node {
  return { kind: "block", body: [readStatement(reader)], isConditional: true };
}

function readConditional(reader: Reader): Node {
  const condition = readCondition(reader);
  return { kind: "block", body: [condition, readStatement(reader)], isConditional: true };
}

function skipDeclaration(reader: Reader): Node {
  reader.at += 1;
  while (
    !peek(reader).startsLine &&
    !isNext(reader, ";") &&
    peek(reader).kind !== "end" &&
    step(reader.effort)
  ) {
    reader.at = isNext(reader, "{") ? closerOf(reader, reader.at) + 1 : reader.at + 1;
  }
  return NOTHING;
}

/** `const a = 1, { b } = c` */
function readDeclarations(reader: Reader): Node {
  const body: Node[] = [];
  do {
    const target = readExpression(reader, 3);
    takeIf(reader, "!");
    if (takeIf(reader, ":")) skipType(reader);
    if (isNext(reader, "of") || isNext(reader, "in")) return target;
    body.push(takeIf(reader, "=") ? { kind: "assign", target, value: readExpression(reader, 1) } : target);
  } while (takeIf(reader, ",") && step(reader.effort));
  return { kind: "block", body, isConditional: false };
}

const DECLARERS = new Set(["const", "let", "var", "using"]);

function readFor(reader: Reader): Node {
  takeIf(reader, "await");
  if (!isNext(reader, "(")) return NOTHING;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  if (DECLARERS.has(peek(reader).text)) reader.at += 1;
  // A target alone, above comparison, so that `in` is left standing.
  const target = readExpression(reader, 10);
  const isEach = takeIf(reader, "of") || takeIf(reader, "in");
  const header = [isEach ? readExpression(reader) : continueExpression(reader, target, 0)];
  while (reader.at < close && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    header.push(readExpression(reader));
    if (reader.at === before) reader.at += 1;
  }
  takeIf(reader, ")");
  const body = readStatement(reader);
  const [over] = header;
  if (isEach && over !== undefined) return { kind: "each", target, over, body: [body] };
  return { kind: "block", body: [...header, body], isConditional: true };
}

/** `import a, { b as c } from "m"`, `import * as d from "m"` */
function readImport(reader: Reader): Node {
  const bindings: { name: string; member: string | undefined }[] = [];
  while (
    peek(reader).kind !== "text" &&
    peek(reader).kind !== "end" &&
    !isNext(reader, ";") &&
    step(reader.effort)
  ) {
    const token = take(reader);
    if (token.text === "from" && peek(reader).kind === "text") break;
    if (token.kind === "mark" && token.text === "*" && takeIf(reader, "as")) {
      bindings.push({ name: take(reader).text, member: undefined });
    } else if (token.kind === "mark" && token.text === "{") {
      readImportNames(reader, bindings);
    } else if (token.kind === "name" && token.text !== "type") {
      bindings.push({ name: token.text, member: undefined });
    }
  }
  const module = peek(reader).kind === "text" ? readExpression(reader) : textNode("");
  const at = peek(reader).start;
  const loaded: Node = { kind: "call", callee: nameNode("require"), arguments: [{ value: module }], at };
  return {
    kind: "block",
    body: bindings.map(({ name, member }) => ({
      kind: "assign",
      target: nameNode(name),
      value:
        member === undefined || member === "default"
          ? loaded
          : { kind: "member", object: loaded, name: member },
    })),
    isConditional: false,
  };
}

function readImportNames(reader: Reader, bindings: { name: string; member: string | undefined }[]): void {
  while (!isNext(reader, "}") && peek(reader).kind !== "end" && step(reader.effort)) {
    const token = take(reader);
    if (token.kind !== "name") continue;
    const alias = takeIf(reader, "as") ? take(reader).text : token.text;
    bindings.push({ name: alias, member: token.text });
  }
  takeIf(reader, "}");
}
