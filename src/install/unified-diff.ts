import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

const CONTEXT_LINES = 3;

/**
 * The change of one text file in the form that `patch` and `git apply` take. `undefined` stands for a file that
 * is not there. Empty when nothing changes.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const name = path.replace(/^\//, "");
  const patch = structuredPatch(
    before === undefined ? "/dev/null" : `a/${name}`,
    after === undefined ? "/dev/null" : `b/${name}`,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: CONTEXT_LINES },
  );
  return formatPatch(patch, FILE_HEADERS_ONLY);
}
