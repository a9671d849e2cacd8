import { step } from "../effort.ts";
import { readBody, readConditional, readResult, readStatement, skipWord } from "../syntax/braces.ts";
import { continueExpression, readExpression } from "../syntax/expressions.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, isNext, peek, take, takeIf } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";
import { skipType } from "./types.ts";

type ReadStatement = (reader: Reader) => Node;

export const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
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
  ["throw", readExpression],
  ["case", readExpression],
  ["export", skipWord],
  ["default", skipWord],
  ["declare", skipWord],
  ["interface", skipDeclaration],
  ["type", skipDeclaration],
]);

/** Words that are statements only when a name follows; else they are ordinary names. */
const SOFT_WORDS = new Set(["type", "interface", "using", "declare"]);

/** A keyword followed by what makes it a plain name or an expression is none. */
export function isStatement(reader: Reader): boolean {
  const word = peek(reader).text;
  if (word === "default") return true;
  if (isNext(reader, ".", 1) || isNext(reader, "=", 1) || isNext(reader, ":", 1)) return false;
  if (word === "import" && isNext(reader, "(", 1)) return false;
  return !SOFT_WORDS.has(word) || peek(reader, 1).kind === "name";
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
