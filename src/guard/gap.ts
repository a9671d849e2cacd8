/**
 * What is not known of a call. `program`: nothing complete is known of what runs. `option`: a word that the record does
 * not know. `value`: a word that decides what is touched. `code`: code that was not read to its end. `reach`: network,
 * other machines, services, devices. `place`: a change that history does not keep, or outside of what is ours to change.
 * `secret`: secret contents. `wiring`: a file that starts something later. `environment`: what changes what programs do.
 * `size`: a bound of the analysis. `warned`: a result held orders to agents.
 */
export const GAP_KINDS = [
  "program",
  "option",
  "value",
  "code",
  "reach",
  "place",
  "secret",
  "wiring",
  "environment",
  "size",
  "warned",
] as const;

export type GapKind = (typeof GAP_KINDS)[number];

/** One thing that is not known of a call. */
export interface Gap {
  readonly kind: GapKind;
  /** what it is about: a program, an option, a path */
  readonly what: string;
  /** one short reason, for people */
  readonly why: string;
}

/** Each gap once, in the order in which they were found. */
export function distinctGaps(gaps: Iterable<Gap>): readonly Gap[] {
  const seen = new Map(Array.from(gaps, gap => [`${gap.kind}\n${gap.what}`, gap]));
  return [...seen.values()];
}

/** A program of which not everything is known, except that it does not stay here. */
export function reach(what: string): Gap {
  return { kind: "reach", what, why: "it works with another machine, a service or other processes" };
}
