export function jsonText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
