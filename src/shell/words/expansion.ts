import type { Scope } from "../state/types.ts";
import type { ParameterOperation, Word, WordPart } from "../syntax/syntax.ts";
import type { Value } from "../value.ts";
import { type Fragment, joinFragments } from "./fragments.ts";

/** The alternatives of a run of parts: each is one list of fragments. */
export type Alternatives = readonly (readonly Fragment[])[];

/** The expansion of one word. A substitution runs once, however often braces repeat it. */
export interface Expansion {
  readonly scope: Scope;
  readonly outputs: Map<object, readonly Value[]>;
  /** Words stand inside words: `${x:-$(y)}`. */
  expandParts(parts: readonly (WordPart | string)[], isQuoted: boolean): Alternatives;
}

/** A use of a parameter: `$x`, `${!x[2]:-y}`. */
export interface ParameterUse {
  readonly parameter: string;
  readonly prefix?: "!" | "#" | undefined;
  readonly index?: Word | undefined;
  readonly operation?: ParameterOperation | undefined;
  readonly label: string;
}

/** The alternatives of parts as one text each. */
export function expandJoined(parts: readonly WordPart[], expansion: Expansion): readonly Value[] {
  return expansion.expandParts(parts, true).map(fragments => joinFragments(fragments, false));
}

export function wrap(value: Value, isQuoted: boolean): Fragment {
  return isQuoted ? { kind: "text", value, isQuoted: true } : { kind: "expansion", value };
}
