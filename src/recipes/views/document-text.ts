import { stringify } from "yaml";

export type DocumentFormat = "json" | "yaml";

/** One document in the form a program asked for. */
export function documentText(document: unknown, format: DocumentFormat): string {
  if (format === "json") return `${JSON.stringify(document, null, 2)}\n`;
  return stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, aliasDuplicateObjects: false });
}
