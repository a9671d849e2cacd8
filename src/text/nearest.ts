/** Nobody mistypes a word of this length, and comparing takes its time. */
const MAX_WORD_LENGTH = 200;

/** The candidate a mistyped word most likely meant; undefined when none is close. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  maxDistance = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of candidates) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The end of a message about a mistyped word: `; did you mean install?`, or nothing. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  show: (candidate: string) => string = candidate => candidate,
): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? "" : `; did you mean ${show(meant)}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted once. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
