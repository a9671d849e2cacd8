import type { Listing, ProgramEffect } from "../shell/effects.ts";
import type { ProgramCall } from "../shell/state/types.ts";
import { hasUnknown, knownText, type Piece, type Value } from "../shell/value.ts";

/** The list of files that a value comes from, through filters; undefined when no search or list is behind it. */
export function listingBehind(value: Value, { scope }: ProgramCall): Listing | undefined {
  for (const origin of value.origins) {
    const listing = origin.kind === "program" ? scope.session.listings.get(origin.invocation) : undefined;
    if (listing !== undefined) return listing;
  }
  return undefined;
}

/** The list that a program in front of this call turns into its arguments. */
export function listedArguments(call: ProgramCall): Listing | "unknown" | undefined {
  const { argumentLists } = call.scope.session;
  const feeder = starters(call).find(id => argumentLists.has(id));
  if (feeder === undefined) return undefined;
  const list = argumentLists.get(feeder);
  return (list === undefined ? undefined : listingBehind(list, call)) ?? "unknown";
}

/** The word stands for a result of the search that started the call: the search itself is judged with its filter. */
export function isSearchResult(word: Value, call: ProgramCall): boolean {
  const { listings } = call.scope.session;
  return knownText(word) === undefined && starters(call).some(id => listings.get(id)?.isSearch === true);
}

/** Ids of all invocations that led to this one, nearest first. */
function starters({ parent, scope }: ProgramCall): readonly number[] {
  const ids: number[] = [];
  for (let next = parent; next !== undefined && ids.length < 16; ) {
    ids.push(next.invocation);
    next = scope.session.invocations[next.invocation]?.parent;
  }
  return ids;
}

/** Names that a list puts among the operands, read as files. */
export function readsOfListed(operands: readonly Value[], call: ProgramCall): readonly ProgramEffect[] {
  const named = operands.flatMap(value => (hasUnknown(value) ? foundPaths(listingBehind(value, call)) : []));
  const listing = call.isOpenEnded ? listedArguments(call) : undefined;
  const listed = listing === "unknown" ? [] : foundPaths(listing);
  return [...named, ...listed].map(path => ({ kind: "read", path, isCopy: false }));
}

/** The names that were searched for; without any, the places that were searched. */
function foundPaths(listing: Listing | undefined): readonly Value[] {
  if (listing === undefined) return [];
  return listing.names.length === 0 ? listing.starts : listing.names.map(patternValue);
}

/** Plain characters in front stay plain, so that a leading dot is seen. */
function patternValue(name: string): Value {
  const start = name.search(/[*?[]/);
  const front = start < 0 ? name : name.slice(0, start);
  const pieces: Piece[] = front === "" ? [] : [{ kind: "text", text: front }];
  return {
    pieces: start < 0 ? pieces : [...pieces, { kind: "glob", pattern: name.slice(start) }],
    origins: [],
  };
}
