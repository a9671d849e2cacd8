import { parseDocument, stringify } from "yaml";

export type DocumentFormat = "json" | "yaml";

const YAML_STYLE = { lineWidth: 0, aliasDuplicateObjects: false };

/** One document in the form a program asked for. */
export function documentText(document: unknown, format: DocumentFormat): string {
  if (format === "json") return `${JSON.stringify(document, null, 2)}\n`;
  return stringify(JSON.parse(JSON.stringify(document)), YAML_STYLE);
}

/** JSON that somebody else printed, as YAML; integers keep all their digits. */
export function jsonTextAsYaml(text: string): string {
  return stringify(parseDocument(text, { intAsBigInt: true }).toJS(), YAML_STYLE);
}
