import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";

const CONTEXT_LINES = 3;
/** Long texts with little in common would take minutes to compare; beyond this all old lines go and all new come. */
const MAX_EDITS = 2_000;

/**
 * The change of one text file in the form that `patch` and `git apply` take. `undefined` stands for a file that
 * is not there. Empty when nothing changes.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const name = path.replace(/^\//, "");
  const names = [
    before === undefined ? "/dev/null" : `a/${name}`,
    after === undefined ? "/dev/null" : `b/${name}`,
  ] as const;
  const texts = [before ?? "", after ?? ""] as const;
  const patch = texts.includes("")
    ? undefined
    : structuredPatch(...names, ...texts, undefined, undefined, {
        context: CONTEXT_LINES,
        maxEditLength: MAX_EDITS,
      });
  return formatPatch(patch ?? replacement(names, texts), FILE_HEADERS_ONLY);
}

function replacement(
  [oldFileName, newFileName]: readonly [string, string],
  [before, after]: readonly [string, string],
): StructuredPatch {
  const old = markedLines("-", before);
  const fresh = markedLines("+", after);
  const hunk = {
    oldStart: 1,
    oldLines: old.filter(line => line !== NO_END).length,
    newStart: 1,
    newLines: fresh.filter(line => line !== NO_END).length,
    lines: [...old, ...fresh],
  };
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

const NO_END = "\\ No newline at end of file";

function markedLines(mark: "+" | "-", text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n").map(line => mark + line);
  if (!text.endsWith("\n")) return [...lines, NO_END];
  return lines.slice(0, -1);
}
