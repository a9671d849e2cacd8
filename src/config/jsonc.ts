import { type JsonRead, readJson } from "../protocol/index.ts";

const DEPTH_LIMIT = 40;

/** The first member that an object of the text has twice: of two, only the last would count. */
export function findRepeatedMember(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token] of blankOutComments(text).matchAll(/"(?:\\.|[^"\\])*"\s*:?|[{}[\]]/gs)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token.endsWith(":")) {
      const read = readJson(token.slice(0, -1));
      const name = read.ok ? String(read.value) : token;
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

/**
 * Reads JSON with comments and trailing commas. A hook reads these files before every tool call, so this is one
 * pass over the text and no library; programs that edit such files and keep their comments use `jsonc-parser`.
 */
export function readJsonc(text: string): JsonRead {
  const read = readJson(blankOutComments(text), { recover: true, maxDepth: DEPTH_LIMIT });
  if (read.ok && read.repairs.includes("trailing-text")) return { ok: false, problem: "malformed" };
  return read;
}

/** The same text with a blank for every comment. */
export function blankOutComments(text: string): string {
  if (!text.includes("/")) return text;
  // A string that never closes goes to the end: trying again from every quote in it would take hours.
  const pattern = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)/g;
  return text.replace(pattern, found => (found.startsWith("/") ? " " : found));
}
