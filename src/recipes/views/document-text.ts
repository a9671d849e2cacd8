import { parseDocument, stringify } from "yaml";
import { jsonText } from "./json-text.ts";

export type DocumentFormat = "json" | "yaml";

const YAML_STYLE = { lineWidth: 0, aliasDuplicateObjects: false };

/** One document in the form a program asked for. */
export function documentText(document: unknown, format: DocumentFormat): string {
  if (format === "json") return jsonText(document);
  return stringify(JSON.parse(JSON.stringify(document)), YAML_STYLE);
}

/** JSON that another program printed, as YAML; integers keep all their digits. */
export function jsonTextAsYaml(text: string): string {
  return stringify(parseDocument(text, { intAsBigInt: true }).toJS(), YAML_STYLE);
}
