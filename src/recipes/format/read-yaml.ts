import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Json, JsonObject } from "../../protocol/index.ts";
import { isCanonicalNumber } from "../values/value.ts";
import type { Problem } from "./recipe.ts";

/** A value of a YAML file that still knows where it stood and how its scalar was spelled. */
export type YamlNode =
  | {
      readonly kind: "scalar";
      readonly offset: number;
      readonly value: string | number | boolean | null;
      readonly spelling: string;
    }
  | { readonly kind: "list"; readonly offset: number; readonly items: readonly YamlNode[] }
  | { readonly kind: "map"; readonly offset: number; readonly entries: ReadonlyMap<string, YamlEntry> };

export interface YamlEntry {
  readonly keyOffset: number;
  readonly node: YamlNode;
}

interface YamlRead {
  /** undefined when the text could not be read */
  readonly root: YamlNode | undefined;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly locate: (offset: number) => { readonly line: number; readonly column: number };
}

const DEPTH_LIMIT = 100;
/** Aliases may repeat a value, but not until memory ends. */
const VALUE_LIMIT = 1_000_000;

/** Reads one YAML 1.2 document, core schema. Nothing is thrown; every error has its place. */
export function readYaml(text: string): YamlRead {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const lines = new LineCounter();
  const locate = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problem = (message: string, offset: number): Problem => ({ message, ...locate(offset) });
  const document = parseDocument(body, {
    lineCounter: lines,
    version: "1.2",
    schema: "core",
    resolveKnownTags: false,
    prettyErrors: false,
    merge: false,
  });
  const warnings = document.warnings.map(({ message, pos }) => problem(message, pos[0]));
  const errors = document.errors.map(({ code, message, pos }) => {
    const { line, column } = locate(pos[0]);
    const detail = code === "RESOURCE_EXHAUSTION" ? "nested too deeply" : message.replace(/\.$/, "");
    return problem(`YAML parse error: ${detail} at line ${line}, column ${column}`, pos[0]);
  });
  if (errors.length > 0) return { root: undefined, errors: errors.slice(0, 20), warnings, locate };
  try {
    return { root: convert(document), errors, warnings, locate };
  } catch (error) {
    if (!(error instanceof YamlLimitError)) throw error;
    const { line, column } = locate(error.offset);
    const message = `YAML parse error: ${error.message} at line ${line}, column ${column}`;
    return { root: undefined, errors: [problem(message, error.offset)], warnings, locate };
  }
}

class YamlLimitError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function convert(document: Document.Parsed): YamlNode | undefined {
  /** anchored nodes already converted, with the number of values in them; undefined while under way */
  const anchors = new Map<Node, { node: YamlNode; size: number } | undefined>();
  let count = 0;

  function visit(node: Node | null, depth: number, fallbackOffset: number): YamlNode {
    const offset = node?.range?.[0] ?? fallbackOffset;
    if (depth > DEPTH_LIMIT) throw new YamlLimitError(`nested deeper than ${DEPTH_LIMIT} levels`, offset);
    if (++count > VALUE_LIMIT) throw new YamlLimitError(`more than ${VALUE_LIMIT} values`, offset);
    if (isAlias(node)) return visitAlias(node.resolve(document), offset);
    const before = count;
    if (node !== null && "anchor" in node && node.anchor !== undefined) anchors.set(node, undefined);
    const converted = visitPlain(node, depth, offset);
    if (node !== null && anchors.has(node)) anchors.set(node, { node: converted, size: count - before + 1 });
    return converted;
  }

  function visitAlias(target: Node | undefined, offset: number): YamlNode {
    const known = target === undefined ? undefined : anchors.get(target);
    if (known === undefined) throw new YamlLimitError("alias refers to itself or to nothing", offset);
    count += known.size;
    if (count > VALUE_LIMIT)
      throw new YamlLimitError(`aliases expand to more than ${VALUE_LIMIT} values`, offset);
    return known.node;
  }

  function visitPlain(node: Node | null, depth: number, offset: number): YamlNode {
    if (isMap(node)) {
      const entries = new Map<string, YamlEntry>();
      for (const { key, value } of node.items as { key: Node; value: Node | null }[]) {
        const name = keyText(key, offset);
        const keyOffset = key.range?.[0] ?? offset;
        if (name === "__proto__") throw new YamlLimitError("'__proto__' is not allowed as a key", keyOffset);
        if (entries.has(name)) throw new YamlLimitError(`key '${name}' appears twice`, keyOffset);
        entries.set(name, { keyOffset, node: visit(value, depth + 1, keyOffset) });
      }
      return { kind: "map", offset, entries };
    }
    if (isSeq(node)) {
      return { kind: "list", offset, items: node.items.map(item => visit(item as Node, depth + 1, offset)) };
    }
    return scalarNode(isScalar(node) ? node.value : null, isScalar(node) ? node.source : undefined, offset);
  }

  return document.contents === null ? undefined : visit(document.contents, 0, 0);
}

function keyText(key: Node, offset: number): string {
  if (isScalar(key)) return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
  throw new YamlLimitError("a key must be plain text", key?.range?.[0] ?? offset);
}

/** Numbers that would change their digits, and those JSON does not know, stay text. */
function scalarNode(value: unknown, source: string | undefined, offset: number): YamlNode {
  const spelling = source ?? (value === null ? "" : String(value));
  if (typeof value === "number") {
    const isLong = Number.isInteger(value) && !Number.isSafeInteger(value);
    const isLossy = !Number.isFinite(value) || (isLong && !isCanonicalNumber(spelling));
    return { kind: "scalar", offset, value: isLossy ? spelling : value, spelling };
  }
  if (typeof value === "string" || typeof value === "boolean" || value === null) {
    return { kind: "scalar", offset, value, spelling: typeof value === "string" ? value : spelling };
  }
  return { kind: "scalar", offset, value: spelling, spelling };
}

export function yamlToJson(node: YamlNode): Json {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(yamlToJson);
  return yamlToJsonObject(node.entries);
}

export function yamlToJsonObject(entries: ReadonlyMap<string, YamlEntry>): JsonObject {
  return Object.fromEntries([...entries].map(([key, { node }]) => [key, yamlToJson(node)]));
}
