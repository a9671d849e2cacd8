const CONTEXT_LINES = 3;
const NO_NEWLINE = "\\ No newline at end of file\n";

interface Step {
  readonly kind: " " | "-" | "+";
  readonly line: string;
}

/**
 * The change of one text file in the form that `patch` and `git apply` take. `undefined` stands for a file that
 * is not there. Empty when nothing changes.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const steps = compareLines(splitLines(before ?? ""), splitLines(after ?? ""));
  const name = path.replace(/^\//, "");
  const header = [
    `--- ${before === undefined ? "/dev/null" : `a/${name}`}\n`,
    `+++ ${after === undefined ? "/dev/null" : `b/${name}`}\n`,
  ];
  return [...header, ...hunks(steps)].join("");
}

/** Lines with their line ends; the last one may have none. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function compareLines(before: readonly string[], after: readonly string[]): readonly Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (lines: readonly string[]): Step[] => lines.map(line => ({ kind: " ", line }));
  return [
    ...same(before.slice(0, start)),
    ...shortestEdit(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** The greedy algorithm of Myers: for every number of edits, the furthest point on every diagonal. */
function shortestEdit(before: readonly string[], after: readonly string[]): readonly Step[] {
  const rounds: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let edits = 0; ; edits++) {
    rounds.push(furthest);
    const next = new Map(furthest);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDown(furthest, diagonal, edits)
        ? reached(furthest, diagonal + 1)
        : reached(furthest, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(rounds, before, after);
    }
    furthest = next;
  }
}

function reached(furthest: ReadonlyMap<number, number>, diagonal: number): number {
  return furthest.get(diagonal) ?? -1;
}

function isDown(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && reached(furthest, diagonal - 1) < reached(furthest, diagonal + 1);
}

function walkBack(
  rounds: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const furthest = rounds[edits] ?? new Map<number, number>();
    const from = isDown(furthest, x - y, edits) ? x - y + 1 : x - y - 1;
    const fromX = reached(furthest, from);
    while (x > fromX && y > fromX - from) {
      steps.push({ kind: " ", line: before[--x] ?? "" });
      y--;
    }
    if (edits === 0) break;
    if (x === fromX) steps.push({ kind: "+", line: after[--y] ?? "" });
    else steps.push({ kind: "-", line: before[--x] ?? "" });
  }
  return steps.reverse();
}

function* hunks(steps: readonly Step[]): Generator<string> {
  const changed = steps.flatMap((step, index) => (step.kind === " " ? [] : [index]));
  let from = 0;
  while (from < changed.length) {
    let to = from;
    while (to + 1 < changed.length && (changed[to + 1] ?? 0) - (changed[to] ?? 0) <= 2 * CONTEXT_LINES) to++;
    const first = Math.max(0, (changed[from] ?? 0) - CONTEXT_LINES);
    const last = Math.min(steps.length, (changed[to] ?? 0) + CONTEXT_LINES + 1);
    yield hunk(steps, first, last);
    from = to + 1;
  }
}

function hunk(steps: readonly Step[], first: number, last: number): string {
  const counted = (part: readonly Step[], kind: "-" | "+") =>
    part.filter(step => step.kind === " " || step.kind === kind).length;
  const range = (kind: "-" | "+") => {
    const skipped = counted(steps.slice(0, first), kind);
    const length = counted(steps.slice(first, last), kind);
    return `${length === 0 ? skipped : skipped + 1},${length}`;
  };
  const lines = steps
    .slice(first, last)
    .map(({ kind, line }) => `${kind}${line}${line.endsWith("\n") ? "" : `\n${NO_NEWLINE}`}`);
  return `@@ -${range("-")} +${range("+")} @@\n${lines.join("")}`;
}
