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
