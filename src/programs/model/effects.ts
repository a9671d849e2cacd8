import {
  concatenate,
  describe,
  dropKnown,
  hasUnknown,
  homeAt,
  knownPrefix,
  knownText,
  type Left,
  type Listing,
  type Payload,
  type Piece,
  type ProgramCall,
  type ProgramEffect,
  type SearchedFiles,
  text,
  type Value,
  words,
} from "../../shell/index.ts";
import type { EffectRow, ParsedCall, Program, Where } from "./program.ts";

const MAX_FILES = 64;

/** Content of the operands is shown, searched or handed on. Unknown programs count as readers of what they are given. */
export function listReads(program: Program | undefined, call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const { text: pattern, files, unless, recursive } = program?.reads ?? {};
  if (program?.is?.includes("readsNothing") === true) return [];
  if (unless !== undefined && options.has(...words(unless))) return [];
  const hasText = pattern !== undefined && !options.has(...words(pattern));
  const named = files === undefined ? [] : options.valuesOf(...words(files));
  const places = readsOfFiles(hasText ? operands.slice(1) : operands, call);
  const others = readsOfFiles(named, call);
  const isRecursive = recursive === "always" || (recursive !== undefined && options.has(...words(recursive)));
  // Names that a list brings may be any: what is searched for in them tells what is shown of them.
  if (!isRecursive && program?.reads?.tree === undefined) return [...places, ...others];
  const search = toSearch(program?.reads ?? {}, call);
  if (!isRecursive)
    return [...places, ...others].map(effect =>
      effect.kind === "read" && hasUnknown(effect.path) ? { ...effect, search } : effect,
    );
  // Told to search folders, grep does not look at its input.
  const isHere =
    pattern !== undefined && places.length === 0 && (recursive !== "always" || call.stdin === undefined);
  const paths = [...(isHere ? plainReads([CURRENT]) : places), ...others];
  const below = searchedFiles(program?.reads?.tree, call);
  const links = followsLinks(program?.reads ?? {}, call) ? { followsLinks: true } : {};
  return paths.map(effect => (effect.kind === "read" ? { ...effect, search, ...below, ...links } : effect));
}

/** What is searched for; the empty text where everything is shown, or it is not known what. */
function toSearch(
  { text: pattern, tree }: NonNullable<Program["reads"]>,
  { options, operands }: ParsedCall,
): Value {
  const all = text("");
  if (pattern === undefined || (tree !== undefined && options.has(...words(tree.all)))) return all;
  const given = options.valuesOf(...words(pattern));
  const [first = all] = given.length === 0 ? operands : given;
  return given.length > 1 ? text(given.map(value => knownText(value) ?? "").join("|")) : first;
}

function followsLinks(
  { followsLinks: with_ = "", keepsLinks = "" }: NonNullable<Program["reads"]>,
  { options }: ParsedCall,
): boolean {
  return (with_ === "always" || options.has(...words(with_))) && !options.has(...words(keepsLinks));
}

function searchedFiles(
  tree: NonNullable<Program["reads"]>["tree"],
  { options }: ParsedCall,
): { readonly below?: SearchedFiles } {
  if (tree === undefined) return {};
  const patterns = (names: string) => options.valuesOf(...words(names));
  const isLeft = (names: string | undefined) => names !== undefined && !options.has(...words(names));
  const only = patterns(tree.only).map(value => (hasUnknown(value) ? "*" : describe(value)));
  const without = patterns(tree.without).flatMap(value => (hasUnknown(value) ? [] : [describe(value)]));
  return {
    below: {
      only: only.filter(pattern => !pattern.startsWith("!")),
      without: [...without, ...only.flatMap(pattern => (pattern.startsWith("!") ? [pattern.slice(1)] : []))],
      leavesHidden: isLeft(tree.hidden),
      leavesIgnored: isLeft(tree.ignored),
    },
  };
}

const CURRENT: Value = { pieces: [{ kind: "text", text: "." }], origins: [] };

export function readsOfFiles(files: readonly Value[], call: ParsedCall): readonly ProgramEffect[] {
  return [...readsOfListed(files, call), ...plainReads(files)];
}

/** Words that may be names of files: no addresses, no sentences. */
export function plainReads(files: readonly Value[]): readonly ProgramEffect[] {
  return files
    .filter(
      value =>
        value.pieces.length > 0 &&
        !isAddress(knownPrefix(value)) &&
        !/\s/.test(knownText(value)?.trim() ?? ""),
    )
    .slice(0, MAX_FILES)
    .map(path => ({ kind: "read", path, isCopy: false }));
}

/** Some shells and some programs read a `~` where a word does not begin with it. */
export function withHome(value: Value, { place, scope }: ProgramCall): Value {
  if (!/^~(?=\/|$)/.test(knownPrefix(value))) return value;
  return concatenate([text(homeAt(place, scope.session.context.home)), dropKnown(value, 1)]);
}

function isAddress(word: string): boolean {
  return word.includes("://") && /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
}

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
function readsOfListed(operands: readonly Value[], call: ProgramCall): readonly ProgramEffect[] {
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

/** A program that prints names of what lies in the places that it is given, or where it is started. */
export function listingIn(places: readonly Value[], leaves: readonly Left[]): Listing {
  return { starts: places.length === 0 ? [CURRENT] : places, selection: "some", names: [], leaves };
}

/** What the rows of a record say about these words. */
export function effectsOfRows(rows: readonly EffectRow[], call: ParsedCall): readonly ProgramEffect[] {
  return rows.flatMap(row => {
    if (row.when !== undefined && !call.options.has(...words(row.when))) return [];
    if (row.unless !== undefined && call.options.isOn(...words(row.unless))) return [];
    return listTargets(row, call)
      .flatMap(path =>
        row.andEnding === undefined ? path : [path, concatenate([path, text(row.andEnding)])],
      )
      .map(path => toEffect(row, path, call));
  });
}

function listTargets(row: EffectRow, call: ParsedCall): readonly Value[] {
  const named = valuesAt(row.delete ?? row.write ?? row.read ?? "", call);
  return named.length === 0 && row.otherwise !== undefined ? [text(row.otherwise)] : named;
}

/** The words a row is about; `-` means a stream and no file. */
function valuesAt(where: Where, { operands, options }: ParsedCall): readonly Value[] {
  switch (where) {
    case "operands":
      return operands;
    case "first":
      return operands.slice(0, 1);
    case "rest":
      return operands.slice(1);
    case "last":
      return operands.slice(-1);
    default:
      return options.valuesOf(...words(where)).filter(value => knownText(value) !== "-");
  }
}

function toEffect(row: EffectRow, path: Value, { options }: ParsedCall): ProgramEffect {
  if (row.delete !== undefined) {
    const { recursive, isShredded, isEmptyOnly, followsLinksUnless } = row;
    const followsLinks = followsLinksUnless !== undefined && !options.has(...words(followsLinksUnless));
    const isRecursive =
      recursive === "always" || (recursive !== undefined && options.has(...words(recursive)));
    return {
      kind: "delete",
      path,
      isRecursive,
      ...(isShredded === true ? { isShredded } : {}),
      ...(isEmptyOnly === true ? { isEmptyOnly } : {}),
      ...(followsLinks ? { followsLinks } : {}),
    };
  }
  if (row.read !== undefined) return { kind: "read", path, isCopy: row.isCopy === true };
  const how = row.how ?? "replace";
  return row.isInto === true ? { kind: "write", path, how, isInto: true } : { kind: "write", path, how };
}

/** What comes in on the input of a program that sends it on. */
export function stdinPayloads({ stdin, redirections }: ProgramCall): readonly Payload[] {
  return [
    ...(stdin === undefined ? [] : [{ value: stdin, role: "body" } as const]),
    ...redirections
      .filter(({ operation }) => operation === "read")
      .map(({ target }): Payload => ({ value: target, role: "file" })),
  ];
}

export function payloads(role: Payload["role"], values: readonly Value[]): readonly Payload[] {
  return values.map(value => ({ value, role }));
}

/** Nothing is sent without a payload. */
export function sendEffect(to: Value | undefined, sent: readonly Payload[]): readonly ProgramEffect[] {
  return sent.length === 0 ? [] : [{ kind: "send", to, payloads: sent }];
}

/** Whatever comes in is sent on to the first word that is no option. */
export function sendStdin(call: ProgramCall, words: readonly Value[]): readonly ProgramEffect[] {
  const host = words.find(word => !knownPrefix(word).startsWith("-"));
  return sendEffect(host, stdinPayloads(call));
}
