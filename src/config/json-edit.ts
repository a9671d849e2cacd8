import { type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { JSON_DEPTH_LIMIT, type Json, readJson } from "../protocol/index.ts";

/**
 * A value in the text of a JSON file, as the parser of `jsonc-parser` gives it. Declared here because that package is
 * bundled: our declarations must not need it.
 */
export interface JsonNode {
  readonly type: "object" | "array" | "property" | "string" | "number" | "boolean" | "null";
  readonly value?: unknown;
  readonly offset: number;
  readonly length: number;
  readonly colonOffset?: number;
  readonly parent?: JsonNode;
  readonly children?: JsonNode[];
}

// Edits of JSON text that leave every other byte alone. Inserting a member or an element and removing it again
// gives back the text there was.

/** Why a text cannot be edited, and where: what was expected and what came, never content of the file. */
export interface InvalidText {
  readonly ok: false;
  readonly problem: string;
  readonly line: number;
  readonly column: number;
}

/** The tree of a JSON text, comments and trailing commas allowed; where it is broken otherwise. */
export function openJson(text: string): InvalidText | { readonly ok: true; readonly root: JsonNode } {
  const read = readJson(text, { recover: false, maxDepth: JSON_DEPTH_LIMIT });
  if (!read.ok && read.problem === "too-deep")
    return { ok: false, problem: "nested too deeply", line: 1, column: 1 };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root !== undefined && error === undefined) return { ok: true, root };
  const problem = error === undefined ? "the file is empty" : `it is not valid JSON: ${inWords(error)}`;
  return { ok: false, problem, ...toPlace(text, error?.offset ?? 0) };
}

/** Where a text that `openJson` accepts stops being plain JSON: a comment, a trailing comma. */
export function findLooseJson(text: string): { readonly line: number; readonly column: number } | undefined {
  const body = text.replace(/^\uFEFF/, "");
  // Plain JSON, as nearly every file is, needs no second look.
  if (body.trim() === "" || isPlainJson(body)) return undefined;
  const errors: ParseError[] = [];
  parseTree(body, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  return first === undefined ? undefined : toPlace(body, first.offset);
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `PropertyNameExpected` as "property name expected". */
function inWords({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])[A-Z]/g, " $&")
    .toLowerCase();
}

export function toPlace(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export function findMember(object: JsonNode, name: string): JsonNode | undefined {
  return listProperties(object).find(([key]) => key === name)?.[1];
}

/** Members by name, in order of the text; duplicates are kept. */
export function listProperties(object: JsonNode): readonly (readonly [string, JsonNode])[] {
  return (object.children ?? []).flatMap(property => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [[String(key.value), value] as const];
  });
}

/** Adds a member at the end of an object. */
export function insertMember(text: string, object: JsonNode, name: string, value: Json): string {
  const style = detectStyle(text);
  const indent = childIndent(text, object, style);
  const member = `${JSON.stringify(name)}: ${format(value, indent, style)}`;
  const last = object.children?.at(-1);
  if (last === undefined) return insertOnly(text, object, member, indent, style);
  const end = endOffset(last);
  const comma = findComma(text, end, endOffset(object) - 1);
  if (comma !== undefined) return splice(text, comma + 1, comma + 1, `${style.eol}${indent}${member},`);
  const after = endOfLineComment(text, end);
  return `${text.slice(0, end)},${text.slice(end, after)}${style.eol}${indent}${member}${text.slice(after)}`;
}

/** Adds an element in front of the others. */
export function insertFirst(text: string, array: JsonNode, value: Json): string {
  const style = detectStyle(text);
  const indent = childIndent(text, array, style);
  const element = format(value, indent, style);
  if ((array.children ?? []).length === 0) return insertOnly(text, array, element, indent, style);
  const at = array.offset + 1;
  return splice(text, at, at, `${style.eol}${indent}${element},`);
}

function insertOnly(text: string, container: JsonNode, child: string, indent: string, style: Style): string {
  const at = container.offset + 1;
  const isBare = at === endOffset(container) - 1;
  const closing = isBare ? lineIndent(text, container.offset) : "";
  return splice(text, at, at, `${style.eol}${indent}${child}${style.eol}${closing}`);
}

/** Removes the member or element at an index, with its comma. */
export function removeChild(text: string, container: JsonNode, index: number): string {
  const children = container.children ?? [];
  const child = children[index];
  if (child === undefined) return text;
  const previous = children[index - 1];
  const from = previous === undefined ? container.offset + 1 : endOffset(previous);
  const end = endOffset(child);
  const next = children[index + 1]?.offset ?? endOffset(container) - 1;
  const comma = findComma(text, end, next);
  const blank = child.offset - trailingBlank(text.slice(from, child.offset));
  if (comma !== undefined) return splice(text, keepLineEnd(text, from, blank, comma + 1), comma + 1, "");
  const before = previous === undefined ? undefined : findComma(text, from, child.offset);
  if (before !== undefined) {
    const shortened = splice(text, keepLineEnd(text, from, blank, end), end, "");
    return splice(shortened, before, before + 1, "");
  }
  return removeOnly(text, blank, end);
}

function removeOnly(text: string, from: number, end: number): string {
  const rest = /^\r?\n/.exec(text.slice(end))?.[0].length ?? 0;
  return splice(text, from, end + rest, "");
}

/** Puts other text in the place of a value. */
export function replaceNode(text: string, node: JsonNode, replacement: string): string {
  return splice(text, node.offset, endOffset(node), replacement);
}

/** Where to cut so that what follows does not slip into a line comment. */
function keepLineEnd(text: string, from: number, blank: number, end: number): number {
  const isAfterComment = endsInLineComment(text.slice(from, blank));
  if (!isAfterComment || /^[ \t]*\r?\n/.test(text.slice(end))) return blank;
  return blank + (/^\r?\n/.exec(text.slice(blank))?.[0].length ?? 0);
}

/** Between two nodes stand blanks, commas and comments only. */
function endsInLineComment(between: string): boolean {
  const pieces = between.match(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|[\s,]+/g);
  return pieces?.at(-1)?.startsWith("//") ?? false;
}

function trailingBlank(text: string): number {
  return /(?<![ \t\r\n])[ \t\r\n]*$/.exec(text)?.[0].length ?? 0;
}

/** The end of a line comment that follows on the same line, else the position itself. */
function endOfLineComment(text: string, from: number): number {
  const found = /^[ \t]*\/\/[^\r\n]*/.exec(text.slice(from));
  return from + (found?.[0].length ?? 0);
}

function findComma(text: string, from: number, to: number): number | undefined {
  const skipped = /^(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, to));
  const at = from + (skipped?.[0].length ?? 0);
  return at < to && text[at] === "," ? at : undefined;
}

interface Style {
  readonly eol: string;
  readonly unit: string;
}

function detectStyle(text: string): Style {
  const unit = /^\s*\{[^\S\r\n]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit };
}

function childIndent(text: string, container: JsonNode, style: Style): string {
  for (const child of container.children ?? []) {
    const start = lineStart(text, child.offset);
    const leading = text.slice(start, child.offset);
    if (/^[ \t]*$/.test(leading)) return leading;
  }
  return lineIndent(text, container.offset) + style.unit;
}

function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? "";
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function format(value: Json, indent: string, style: Style): string {
  return JSON.stringify(value, null, style.unit).replaceAll("\n", style.eol + indent);
}

function endOffset(node: JsonNode): number {
  return node.offset + node.length;
}

function splice(text: string, from: number, to: number, inserted: string): string {
  return text.slice(0, from) + inserted + text.slice(to);
}
