import type { Problem } from "../format/recipe.ts";

const LINE_WIDTH = 160;

/** Where a problem stands, with the line of the file and a caret under the place; empty when it is not known. */
export function problemExcerpt(problem: Problem, sources: ReadonlyMap<string, string>): readonly string[] {
  const { file, line, column } = problem;
  if (file === undefined) return [];
  if (line === undefined || column === undefined) return [file];
  const text = sources
    .get(file)
    ?.replace(/^\uFEFF/, "")
    .split(/\r?\n/)[line - 1];
  const place = `${file}:${line}:${column}`;
  if (text === undefined) return [place];
  const number = String(line);
  const start = Math.max(0, column - LINE_WIDTH / 2);
  const shown = text.slice(start, start + LINE_WIDTH);
  const before = text.slice(start, column - 1).replace(/[^\t]/g, " ");
  return [place, `  ${number} │ ${shown}`, `  ${" ".repeat(number.length)} │ ${before}^`];
}

export function problemLines(
  problem: Problem,
  sources: ReadonlyMap<string, string>,
  bullet: string,
  indent: string,
): readonly string[] {
  const [first = "", ...rest] = problem.message.split("\n");
  return [
    `${bullet}${first}`,
    ...rest.map(line => indent + line),
    ...problemExcerpt(problem, sources).map(line => indent + line),
  ];
}
