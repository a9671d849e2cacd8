import { compileGlob, matchEnds } from "../system/index.ts";
import { LIMITS } from "./limits.ts";

/**
 * What the analysis knows about one piece of text: a word, the bytes in a pipe, a path, a script.
 *
 * A value is a run of pieces; their concatenation is the text. No piece at all is the empty string. A value
 * never stands for several alternatives: where the shell could see `a` or `b`, there are two facts.
 */
export interface Value {
  readonly pieces: readonly Piece[];
  /** Where the text came from, besides the command itself. Empty for text that was simply written there. */
  readonly origins: readonly Origin[];
}

export type Piece = TextPiece | GlobPiece | UnknownPiece;

/** Exactly these characters; every quote, escape and expansion is done. */
interface TextPiece {
  readonly kind: "text";
  readonly text: string;
}

/**
 * An active pattern (`*`, `?`, `[a-z]`, `@(a|b)`) that stays a pattern. Shell rules: matches no `/` (except
 * `**`), and at the start of a path component no leading dot. The word may become several words, or none.
 */
interface GlobPiece {
  readonly kind: "glob";
  readonly pattern: string;
}

/** Text that only the run decides. */
interface UnknownPiece {
  readonly kind: "unknown";
  readonly shape: UnknownShape;
  /** Not quoted: may fall apart into several words, or vanish. */
  readonly mayBeMany: boolean;
  /** As written, for people: `$DIR`, `$(git ls-files)`. */
  readonly label: string;
}

/**
 * `any`: may be empty, hold slashes, start with a dash. `nonempty`: the same but never empty (`${X:?}`).
 * `token`: never empty, no slash, no blank, no leading dash or dot (`$$`, `$(date +%s)`, a number).
 */
type UnknownShape = "any" | "nonempty" | "token";

/**
 * A place text came from. `program` is the output of an invocation that is not computed: look at that invocation to
 * learn what it may have read. `decoded` is there for computed and for uncomputable decoding alike.
 */
export type Origin =
  | { readonly kind: "file"; readonly path: Value }
  | { readonly kind: "network"; readonly invocation: number }
  | { readonly kind: "decoded"; readonly invocation: number }
  | { readonly kind: "program"; readonly invocation: number }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "input" };

/** Half-open range of UTF-16 offsets in the text given to `analyse`; for nested code, the word that held it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const NO_ORIGINS: readonly Origin[] = [];

export function text(content: string, origins: readonly Origin[] = NO_ORIGINS): Value {
  return { pieces: content === "" ? [] : [{ kind: "text", text: content }], origins };
}

/** The word at that place of a command; empty where there is none. */
export function wordAt(words: readonly Value[], index: number): Value {
  return words[index] ?? text("");
}

export function unknown(
  shape: UnknownShape,
  label: string,
  origins: readonly Origin[] = NO_ORIGINS,
  mayBeMany = false,
): Value {
  return { pieces: [{ kind: "unknown", shape, label, mayBeMany }], origins };
}

/** The text when every character is known, else undefined. */
export function knownText(value: Value): string | undefined {
  const only = value.pieces[0];
  // Nearly every word is one text.
  if (value.pieces.length === 1 && only?.kind === "text") return only.text;
  let result = "";
  for (const piece of value.pieces) {
    if (piece.kind !== "text") return undefined;
    result += piece.text;
  }
  return result;
}

/** The known characters in front of the first pattern or unknown. */
export function knownPrefix(value: Value): string {
  const only = value.pieces[0];
  if (value.pieces.length === 1 && only?.kind === "text") return only.text;
  let result = "";
  for (const piece of value.pieces) {
    if (piece.kind !== "text") break;
    result += piece.text;
  }
  return result;
}

export function isKnown(value: Value): boolean {
  for (const piece of value.pieces) if (piece.kind !== "text") return false;
  return true;
}

export function hasUnknown(value: Value): boolean {
  for (const piece of value.pieces) if (piece.kind === "unknown") return true;
  return false;
}

export function hasGlob(value: Value): boolean {
  for (const piece of value.pieces) if (piece.kind === "glob") return true;
  return false;
}

/** Joins texts and unites origins. Text that doubles itself for ever ends as an unknown. */
export function concatenate(values: readonly Value[]): Value {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  const pieces: Piece[] = [];
  const origins = unitedOrigins(values);
  let length = 0;
  // Of known text that stands beside more of it, which is joined once.
  let known = "";
  for (const value of values) {
    for (const piece of value.pieces) {
      length += piece.kind === "text" ? piece.text.length : 1;
      if (length > LIMITS.textCharacters || pieces.length > LIMITS.pieces) break;
      if (piece.kind === "text") {
        known += piece.text;
        continue;
      }
      if (known !== "") pieces.push({ kind: "text", text: known });
      known = "";
      pieces.push(piece);
    }
  }
  if (known !== "") pieces.push({ kind: "text", text: known });
  const isTooLong = length > LIMITS.textCharacters || pieces.length > LIMITS.pieces;
  return isTooLong ? unknown("any", "very long text", origins) : { pieces, origins };
}

function unitedOrigins(values: readonly Value[]): readonly Origin[] {
  for (const { origins } of values)
    if (origins.length > 0) return uniteOrigins(values.map(value => value.origins));
  return NO_ORIGINS;
}

export function uniteOrigins(lists: readonly (readonly Origin[])[]): readonly Origin[] {
  if (lists.every(list => list.length === 0)) return NO_ORIGINS;
  const filled = lists.filter(list => list.length > 0);
  const [first] = filled;
  if (first !== undefined && filled.length === 1) return first;
  const seen = new Map<string, Origin>();
  for (const list of filled) for (const origin of list) seen.set(originKey(origin), origin);
  return [...seen.values()];
}

export function withOrigins(value: Value, origins: readonly Origin[]): Value {
  return origins.length === 0 ? value : { ...value, origins: uniteOrigins([value.origins, origins]) };
}

function originKey(origin: Origin): string {
  switch (origin.kind) {
    case "file":
      return `file ${describe(origin.path)}`;
    case "environment":
      return `environment ${origin.name}`;
    case "input":
      return "input";
    default:
      return `${origin.kind} ${origin.invocation}`;
  }
}

/** One unknown in place of several values, as precise as they allow. */
export function blend(values: readonly Value[], label: string): Value {
  const shapes = values.map(unknownShape);
  const shape = shapes.includes("any") ? "any" : shapes.includes("nonempty") ? "nonempty" : "token";
  return unknown(
    values.length === 0 ? "any" : shape,
    label,
    uniteOrigins(values.map(value => value.origins)),
  );
}

/** A part of it may be anything: a name of a file, what a program said. Numbers and the like may not. */
export function isOpen({ pieces, origins }: Value): boolean {
  return pieces.some(
    piece =>
      piece.kind !== "text" && (piece.kind === "glob" || piece.shape !== "token" || origins.length > 0),
  );
}

function unknownShape(value: Value): UnknownShape {
  const known = knownText(value);
  if (known !== undefined) return /^\w[\w.-]*$/.test(known) ? "token" : known === "" ? "any" : "nonempty";
  const only = value.pieces[0];
  if (value.pieces.length === 1 && only?.kind === "unknown") return only.shape;
  return value.pieces.some(piece => piece.kind !== "unknown" || piece.shape !== "any") ? "nonempty" : "any";
}

/** For people and for keys: known text as it is, patterns and unknowns by their own spelling. */
export function describe(value: Value): string {
  const only = value.pieces[0];
  if (value.pieces.length === 1 && only?.kind === "text") return only.text;
  let result = "";
  for (const piece of value.pieces)
    result += piece.kind === "text" ? piece.text : piece.kind === "glob" ? piece.pattern : piece.label;
  return result;
}

/** Without the first `count` characters, which must all be known text. */
export function dropKnown(value: Value, count: number): Value {
  let left = count;
  const pieces: Piece[] = [];
  for (const piece of value.pieces) {
    if (left > 0 && piece.kind === "text") {
      const rest = piece.text.slice(left);
      left = Math.max(0, left - piece.text.length);
      if (rest !== "") pieces.push({ kind: "text", text: rest });
    } else pieces.push(piece);
  }
  return { pieces, origins: value.origins };
}

/** Every choice from each list, or undefined when there are more than the limit. */
export function combine<Item>(
  lists: readonly (readonly Item[])[],
  limit: number = LIMITS.expansionsPerWord,
): readonly (readonly Item[])[] | undefined {
  let result: Item[][] = [[]];
  for (const list of lists) {
    const [only] = list;
    if (list.length === 1 && only !== undefined) {
      for (const chosen of result) chosen.push(only);
      continue;
    }
    if (result.length * list.length > limit) return undefined;
    result = result.flatMap(chosen => list.map(item => [...chosen, item]));
  }
  return result;
}

/** The same, whose unknown parts may be any number of words, quotes or not. */
export function asMany(value: Value): Value {
  return {
    ...value,
    pieces: value.pieces.map(piece => (piece.kind === "unknown" ? { ...piece, mayBeMany: true } : piece)),
  };
}

/** True when the value certainly starts at the root. */
export function isAbsolute(value: Value): boolean {
  return knownPrefix(value).startsWith("/");
}

/** True when the first character is not known and could be a slash (or the whole be empty). */
export function mayBeAbsolute(value: Value): boolean {
  const [first] = value.pieces;
  return first?.kind === "unknown" && first.shape !== "token";
}

/**
 * `value` seen from `directory`, with `.`, `..` and doubled slashes taken out as far as they are known.
 * A value that may be absolute stays as it is; the empty value is the directory itself.
 */
export function joinPath(directory: Value, value: Value): Value {
  if (value.pieces.length === 0) return directory;
  const [first] = value.pieces;
  // No file has so long a name, but a program may shorten it before it is used.
  if (first?.kind === "text" && first.text.length > LIMITS.pathCharacters) {
    const cut = concatenate([text(first.text.slice(0, LIMITS.pathCharacters / 4)), unknown("nonempty", "…")]);
    return joinPath(directory, { ...cut, origins: value.origins });
  }
  if (isAbsolute(value) || mayBeAbsolute(value)) return normalisePath(value);
  return normalisePath(concatenate([directory, text("/"), value]));
}

export function normalisePath(value: Value): Value {
  if (isNormal(value)) return value;
  const kept: Piece[][] = [];
  for (const component of components(value)) {
    const name = plainName(component);
    if (name === "" || name === ".") continue;
    if (name !== "..") {
      kept.push(component);
      continue;
    }
    const last = kept.at(-1);
    if (last === undefined ? !isAbsolute(value) : !canGoUp(last)) kept.push(component);
    else kept.pop();
  }
  const root = isAbsolute(value) ? "/" : "";
  const pieces: Piece[] = root === "" ? [] : [{ kind: "text", text: root }];
  kept.forEach((component, index) => {
    if (index > 0) pieces.push({ kind: "text", text: "/" });
    pieces.push(...component);
  });
  return concatenate([
    { pieces: [], origins: value.origins },
    { pieces, origins: [] },
  ]);
}

/** Nothing is there to be taken out, as in most paths. */
function isNormal({ pieces }: Value): boolean {
  const [only] = pieces;
  if (pieces.length !== 1 || only?.kind !== "text") return false;
  const path = only.text;
  return !(path.startsWith(".") || path.endsWith("/") || path.includes("//") || path.includes("/."));
}

/** The pieces between slashes. An unknown that may hold slashes stays inside one component. */
export function components(value: Value): Piece[][] {
  const result: Piece[][] = [[]];
  for (const piece of value.pieces) {
    if (piece.kind !== "text") {
      result.at(-1)?.push(piece);
      continue;
    }
    piece.text.split("/").forEach((part, index) => {
      if (index > 0) result.push([]);
      if (part !== "") result.at(-1)?.push({ kind: "text", text: part });
    });
  }
  return result;
}

function plainName(component: readonly Piece[]): string | undefined {
  if (component.length === 0) return "";
  const [only] = component;
  return component.length === 1 && only?.kind === "text" ? only.text : undefined;
}

/** `x/..` can be dropped only if x is exactly one level. */
function canGoUp(component: readonly Piece[]): boolean {
  if (plainName(component) === "..") return false;
  return component.every(piece => piece.kind !== "unknown" || piece.shape === "token");
}

/** `/proc/self/cwd/x` is `x` seen from the directory, `/proc/self/root/x` is `/x`, of whichever process. */
export function leaveProcess(directory: Value, value: Value): Value {
  if (!knownPrefix(value).startsWith("/proc/")) return value;
  const parts = components(value);
  const link = plainName(parts[3] ?? []);
  if (link !== "cwd" && link !== "root") return value;
  const rest = parts.slice(4).flatMap(part => [text("/"), { pieces: part, origins: [] }]);
  const start = link === "cwd" ? directory : text("");
  return concatenate([start, ...(rest.length === 0 && link === "root" ? [text("/")] : rest)]);
}

/** The last component of a path that is known but for what its patterns match. */
export function lastComponent(value: Value): Value {
  const has = value.pieces.map(piece => piece.kind === "text" && piece.text.includes("/"));
  const at = has.lastIndexOf(true);
  const piece = value.pieces[at];
  if (piece?.kind !== "text") return value;
  const name = piece.text.slice(piece.text.lastIndexOf("/") + 1);
  const rest = value.pieces.slice(at + 1);
  return { ...value, pieces: name === "" ? rest : [{ kind: "text", text: name }, ...rest] };
}

/** The last component of a known path, as `basename` gives it. */
export function baseName(path: string): string {
  const trimmed = withoutTrailingSlashes(path);
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** The path without its last component, as `dirname` gives it. */
export function directoryName(path: string): string {
  const trimmed = withoutTrailingSlashes(path);
  if (trimmed === "") return path.startsWith("/") ? "/" : ".";
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0) return ".";
  return withoutTrailingSlashes(trimmed.slice(0, slash)) || "/";
}

/** A loop, because the obvious expression is quadratic on a long run of slashes. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/**
 * Could this value be exactly `subject`? Patterns match within one path component and no leading dot; an
 * unknown may be anything its shape permits.
 */
export function couldBe(value: Value, subject: string): boolean {
  let positions = new Set([0]);
  for (const piece of value.pieces) {
    const next = new Set<number>();
    for (const position of positions) {
      if (piece.kind === "text") {
        if (subject.startsWith(piece.text, position)) next.add(position + piece.text.length);
        continue;
      }
      if (piece.kind === "glob") {
        for (const end of globEnds(piece.pattern, subject, position)) next.add(end);
        continue;
      }
      const limit = piece.shape === "token" ? endOfToken(subject, position) : subject.length;
      for (let end = position + (piece.shape === "any" ? 0 : 1); end <= limit; end += 1) next.add(end);
    }
    positions = next;
    if (positions.size === 0) return false;
  }
  return positions.has(subject.length);
}

function endOfToken(subject: string, position: number): number {
  if (subject[position] === "-" || subject[position] === ".") return position;
  const match = /[/\s]/.exec(subject.slice(position));
  return match === null ? subject.length : position + match.index;
}

function globEnds(pattern: string, subject: string, position: number): readonly number[] {
  const slash = pattern.startsWith("**") ? -1 : subject.indexOf("/", position);
  const component = slash < 0 ? subject : subject.slice(0, slash);
  const isAtStart = position === 0 || subject[position - 1] === "/";
  const ends = [...matchEnds(compileGlob(pattern, "shell"), component, position)];
  return isAtStart && subject[position] === "." ? ends.filter(end => end === position) : ends;
}
