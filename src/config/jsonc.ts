import { type JsonRead, readJson } from "../protocol/index.ts";

const DEPTH_LIMIT = 40;

/**
 * Reads JSON with comments and trailing commas. A hook reads these files before every tool call, so this is one
 * pass over the text and no library; programs that edit such files and keep their comments use `jsonc-parser`.
 */
export function readJsonc(text: string): JsonRead {
  const read = readJson(blankOutComments(text), { recover: true, maxDepth: DEPTH_LIMIT });
  if (read.ok && read.repairs.includes("trailing-text")) return { ok: false, problem: "malformed" };
  return read;
}

function blankOutComments(text: string): string {
  if (!text.includes("/")) return text;
  // A string that never closes goes to the end: trying again from every quote in it would take hours.
  const pattern = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)/g;
  return text.replace(pattern, found => (found.startsWith("/") ? " " : found));
}
