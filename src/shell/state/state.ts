import { LIMITS } from "../limits.ts";
import type { FunctionNode, ParsedScript, ProcessSubstitutionPart } from "../syntax/syntax.ts";
import { blend, describe, type Span, text, unknown, type Value } from "../value.ts";

/** What one shell remembers while its commands are walked from left to right. */
export interface ShellState {
  /** Where the shell may be now; one entry in all ordinary cases. */
  cwds: readonly Value[];
  previousCwds: readonly Value[];
  /** Where the shell still is if the last `cd` fails; that directory does not exist now. */
  fallbackCwds: readonly Value[] | undefined;
  directoryStack: readonly (readonly Value[])[];
  readonly variables: Map<string, Variable>;
  readonly functions: Map<string, FunctionDefinition>;
  readonly aliases: Map<string, string>;
  /** Absolute path → what this command put there. */
  readonly files: Map<string, FileEntry>;
  readonly traps: Map<string, Handler>;
  readonly descriptors: Map<number, Descriptor>;
  /** Pipes of `>(…)` that nothing was written to yet. */
  readonly sinks: Map<string, Sink>;
  positionals: Positionals;
}

/** An open descriptor besides stdin and stdout: what reading it gives, the file that writing to it fills. */
export interface Descriptor {
  readonly content?: Value | undefined;
  readonly path?: Value | undefined;
}

interface Sink {
  readonly script: ParsedScript;
  readonly node: ProcessSubstitutionPart;
}

/** The alternatives of a variable; `unset` is one of them when a branch may have skipped the assignment. */
export interface Variable {
  readonly contents: readonly Content[];
  readonly isExported: boolean;
  /** `declare -n`: the contents name another variable. */
  readonly isReference: boolean;
  /** What every value becomes before it is kept: `declare -i`, `-l`, `-u`. */
  readonly typing?: Typing | undefined;
}

export type Typing = "integer" | "lower" | "upper";

export type Content =
  | { readonly kind: "unset" }
  | { readonly kind: "scalar"; readonly value: Value }
  | { readonly kind: "array"; readonly elements: ReadonlyMap<string, Value>; readonly isOpenEnded: boolean };

export interface Positionals {
  readonly zero: Value;
  readonly values: readonly Value[];
  readonly isOpenEnded: boolean;
}

export interface FunctionDefinition {
  readonly node: FunctionNode;
  readonly source: Source;
  readonly isExported: boolean;
}

/** A text being walked, and how its positions and unknown parts relate to the command given. */
export interface Source {
  readonly text: string;
  /** For nested code: everything in it is reported at this place of the command. */
  readonly base: Span | undefined;
  /** Characters of `text` that stand for unknown parts. */
  readonly placeholders: ReadonlyMap<string, Value>;
}

export interface Handler {
  readonly code: Value;
  readonly span: Span;
  /** The `trap` that set it. */
  readonly invocation: number;
}

export interface FileEntry {
  /** Alternatives of what is in it. */
  readonly contents: readonly Value[];
  /** The file is a copy of, or link to, this path: `cp /bin/rm x`. */
  readonly sameAs?: string | undefined;
  readonly isLink?: boolean | undefined;
  readonly isDirectory?: boolean | undefined;
}

export function cloneState(state: ShellState): ShellState {
  return {
    ...state,
    variables: new Map(state.variables),
    functions: new Map(state.functions),
    aliases: new Map(state.aliases),
    files: new Map(state.files),
    traps: new Map(state.traps),
    descriptors: new Map(state.descriptors),
    sinks: new Map(state.sinks),
  };
}

/** Makes `target` hold what either of two branches may have left behind. */
export function mergeState(target: ShellState, other: ShellState): void {
  target.cwds = uniteValues([target.cwds, other.cwds], "the current directory");
  target.previousCwds = uniteValues([target.previousCwds, other.previousCwds], "$OLDPWD");
  for (const name of new Set([...target.variables.keys(), ...other.variables.keys()])) {
    const merged = mergeVariables(name, target.variables.get(name), other.variables.get(name));
    if (merged !== undefined) target.variables.set(name, merged);
  }
  for (const [name, definition] of other.functions) target.functions.set(name, definition);
  for (const [name, alias] of other.aliases) target.aliases.set(name, alias);
  for (const [path, entry] of other.files)
    target.files.set(path, mergeFiles(path, target.files.get(path), entry));
  for (const [signal, handler] of other.traps) target.traps.set(signal, handler);
  for (const [descriptor, value] of other.descriptors) target.descriptors.set(descriptor, value);
  if (
    target.positionals !== other.positionals &&
    target.positionals.values.length < other.positionals.values.length
  ) {
    target.positionals = other.positionals;
  }
}

function mergeFiles(path: string, one: FileEntry | undefined, two: FileEntry): FileEntry {
  if (one === undefined || one === two) return two;
  return { ...two, contents: uniteValues([one.contents, two.contents], path) };
}

/** A subshell is gone, the files it wrote are not. */
export function adoptFiles(parent: ShellState, child: ShellState): void {
  for (const [path, entry] of child.files) parent.files.set(path, entry);
}

/** Makes `target` equal to `source`. */
export function replaceState(target: ShellState, source: ShellState): void {
  const { cwds, previousCwds, directoryStack, positionals, fallbackCwds } = source;
  Object.assign(target, { cwds, previousCwds, directoryStack, positionals, fallbackCwds });
  refill(target.variables, source.variables);
  refill(target.functions, source.functions);
  refill(target.aliases, source.aliases);
  refill(target.files, source.files);
  refill(target.traps, source.traps);
  refill(target.descriptors, source.descriptors);
  refill(target.sinks, source.sinks);
}

/** Replaces all entries of a map. */
export function refill<Key, Item>(target: Map<Key, Item>, source: ReadonlyMap<Key, Item>): void {
  if (target === source) return;
  if (target.size > 0) target.clear();
  if (source.size > 0) for (const [key, item] of source) target.set(key, item);
}

function mergeVariables(
  name: string,
  one: Variable | undefined,
  two: Variable | undefined,
): Variable | undefined {
  if (one === two) return one;
  const absent: Content = { kind: "scalar", value: environmentValue(name) };
  const contents = uniteContents([...(one?.contents ?? [absent]), ...(two?.contents ?? [absent])], name);
  return {
    contents,
    isExported: (one?.isExported ?? false) || (two?.isExported ?? false),
    isReference: (one?.isReference ?? false) || (two?.isReference ?? false),
    typing: one?.typing ?? two?.typing,
  };
}

/** A variable the command never set: the process may have it or not. */
export function environmentValue(name: string): Value {
  return unknown("any", `$${name}`, [{ kind: "environment", name }]);
}

function uniteContents(contents: readonly Content[], name: string): readonly Content[] {
  const distinct = new Map<string, Content>();
  for (const content of contents) distinct.set(contentKey(content), content);
  if (distinct.size <= LIMITS.alternatives) return [...distinct.values()];
  return [{ kind: "scalar", value: blend([...distinct.values()].flatMap(contentValues), `$${name}`) }];
}

function contentKey(content: Content): string {
  if (content.kind === "unset") return "unset";
  if (content.kind === "scalar") return `scalar ${valueKey(content.value)}`;
  return `array ${[...content.elements].map(([key, value]) => `${key}=${valueKey(value)}`).join("\n")}`;
}

function contentValues(content: Content): readonly Value[] {
  if (content.kind === "unset") return [text("")];
  return content.kind === "scalar" ? [content.value] : [...content.elements.values()];
}

/** Equal keys mean the same pieces; origins are left aside. */
export function valueKey(value: Value): string {
  return (
    value.pieces.map(piece => `${piece.kind[0]}${piece.kind === "unknown" ? piece.shape : ""}`).join("") +
    describe(value)
  );
}

/** Distinct values of several lists; a single unknown when there are too many. */
export function uniteValues(lists: readonly (readonly Value[])[], label: string): readonly Value[] {
  const [first, second] = lists;
  if (lists.length === 2 && first === second && first !== undefined) return first;
  const distinct = new Map<string, Value>();
  for (const list of lists) for (const value of list) distinct.set(valueKey(value), value);
  if (distinct.size <= LIMITS.alternatives) return [...distinct.values()];
  return [blend([...distinct.values()], label)];
}

export const NO_POSITIONALS: Positionals = { zero: text("bash"), values: [], isOpenEnded: false };

export function scalar(value: Value): Content {
  return { kind: "scalar", value };
}
