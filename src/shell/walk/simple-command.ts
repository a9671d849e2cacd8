import type { EnvironmentEntry, Redirection } from "../facts.ts";
import { LIMITS } from "../limits.ts";
import { readContents, writeContents } from "../state/files.ts";
import {
  type Content,
  type Declaration,
  type Descriptor,
  eitherOutput,
  forkState,
  mergeState,
  NO_OUTPUT,
  type Output,
  type PendingCall,
  refill,
  replaceState,
  type Scope,
  type ShellState,
  scalar,
  toSpan,
} from "../state/state.ts";
import {
  type Attributes,
  assign,
  assignElement,
  lookUp,
  onlyValue,
  scalarValues,
} from "../state/variables.ts";
import { commandWords } from "../syntax/parse.ts";
import type {
  ArrayValue,
  Assignment,
  Command,
  HereDoc,
  Redirect,
  RedirectionNode,
  Word,
} from "../syntax/syntax.ts";
import { combine, concatenate, joinPath, knownText, type Span, text, unknown, type Value } from "../value.ts";
import { expandTilde, reveal } from "../words/expand.ts";
import type { Fields } from "../words/fragments.ts";
import { resolveQuoted, resolveSingle, resolveWords } from "../words/resolve.ts";
import { runShellText } from "./code-runs.ts";
import { execute } from "./execute.ts";

/** One way to run the command. */
interface Variant {
  readonly fields: Fields;
  readonly cwd: Value;
  readonly stdin: Value | undefined;
}

export function runCommand(node: Command, scope: Scope): Output {
  const { state } = scope;
  const cwds = state.cwds;
  const [cwd = unknown("any", "the current directory")] = cwds;
  const { prefix, words: written } = commandWords(node);
  const { words, declarations } = readWords(written, scope);
  const streams = openStreams(node.redirects, cwd, scope);
  if (words.every(fields => fields.values.length === 0)) {
    for (const assignment of prefix) runAssignment(assignment, scope);
    recordRedirections(streams.redirections, cwds, undefined, scope);
    const output = prefix.length === 0 ? fileOutput(streams) : NO_OUTPUT;
    return closeStreams(streams, output, cwd, scope, scope.session.invocations.length);
  }
  const environment = evaluatePrefix(prefix, scope);
  const id = scope.session.invocations.length;
  const redirections = recordRedirections(streams.redirections, cwds, id, scope);
  const variants: Variant[] = [];
  for (const fields of words)
    if (fields.values.length > 0)
      for (const directory of cwds)
        for (const stdin of streams.stdins) variants.push({ fields, cwd: directory, stdin });
  const isCaptured = scope.isCaptured || streams.stdoutFiles !== undefined;
  const base = {
    environment,
    redirections,
    declarations,
    span: toSpan(scope.source, node),
    name: firstWord(written),
  };
  const inner = isCaptured === scope.isCaptured ? scope : { ...scope, isCaptured };
  const output = runVariants(variants, streams, base, inner);
  const rest = closeStreams(streams, output, cwd, scope, id);
  flushSinks(scope, id);
  return rest;
}

/** `$(< file)` gives the content of the file. */
function fileOutput({ stdins, redirections }: Streams): Output {
  const isRead = redirections.length === 1 && redirections[0]?.operation === "read";
  return isRead ? stdins.filter(value => value !== undefined) : NO_OUTPUT;
}

type Base = Pick<PendingCall, "environment" | "redirections" | "declarations" | "span"> & {
  readonly name: Word | undefined;
};

/** A single variant runs in the shell itself; of several, each starts from the same state. */
function runVariants(variants: readonly Variant[], streams: Streams, base: Base, scope: Scope): Output {
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) return runVariant(only, streams, base, scope);
  const ends: ShellState[] = [];
  const outputs = variants.map(variant => {
    const state = forkState(scope);
    state.cwds = [variant.cwd];
    ends.push(state);
    return runVariant(variant, streams, base, { ...scope, state });
  });
  const [first, ...others] = ends;
  if (first !== undefined) {
    replaceState(scope.state, first);
    for (const other of others) mergeState(scope.state, other);
  }
  return eitherOutput(...outputs);
}

const NO_DESCRIPTORS: ShellState["descriptors"] = new Map();

function runVariant({ fields, cwd, stdin }: Variant, streams: Streams, base: Base, scope: Scope): Output {
  const { name, environment, redirections, declarations, span } = base;
  const written = declarations.length === 0 ? [] : declarations.flatMap(writeDeclaration);
  // Every member is named: copies of objects that were put together are slow, and all calls begin here.
  const call: PendingCall = {
    argv: written.length === 0 ? fields.values : [...fields.values, ...written],
    isOpenEnded: fields.isOpenEnded,
    cwd,
    stdin,
    environment,
    isCleared: false,
    redirections,
    declarations,
    place: scope.place,
    isElevated: scope.isElevated,
    parent: scope.parent,
    isInShell: true,
    skipsFunctions: false,
    wrappers: 0,
    span,
    scope: stdin === scope.stdin ? scope : { ...scope, stdin },
  };
  const { descriptors } = scope.state;
  const saved = descriptors.size === 0 ? NO_DESCRIPTORS : new Map(descriptors);
  refill(descriptors, streams.descriptors);
  const output = execute(call, findAlias(name, scope));
  const isExec = knownText(call.argv[0] ?? unknown("any", "")) === "exec" && call.argv.length === 1;
  if (!isExec) refill(descriptors, saved);
  const last = fields.values.at(-1);
  if (last !== undefined)
    scope.state.variables.set("_", { contents: [scalar(last)], isExported: false, isReference: false });
  return output;
}

/** `export A=1` has `A=1` among its words; arrays have no spelling as a word. */
function writeDeclaration({ name, contents }: Declaration): readonly Value[] {
  const [content, ...others] = contents;
  return content?.kind === "scalar" && others.length === 0
    ? [concatenate([text(`${name}=`), content.value])]
    : [];
}

function firstWord([first]: readonly (Word | Assignment)[]): Word | undefined {
  return first?.type === "Word" ? first : undefined;
}

/** Only a word written plainly is looked up among the aliases. */
function findAlias(name: Word | undefined, scope: Scope): string | undefined {
  return name !== undefined && name.text === name.value ? scope.state.aliases.get(name.value) : undefined;
}

function readWords(
  written: readonly (Word | Assignment)[],
  scope: Scope,
): { readonly words: readonly Fields[]; readonly declarations: readonly Declaration[] } {
  const words = written.filter(item => item.type === "Word");
  const assignments = written.filter(item => item.type === "Assignment");
  if (words.length === 0) return { words: [], declarations: [] };
  const fields = resolveWords(words, scope);
  const declarations = assignments.map(assignment => ({
    name: assignment.name,
    contents: evaluateAssignment(assignment, scope),
    span: toSpan(scope.source, assignment),
  }));
  return { words: fields, declarations };
}

function evaluatePrefix(prefix: readonly Assignment[], scope: Scope): readonly EnvironmentEntry[] {
  return prefix.map(assignment => ({
    name: assignment.name,
    value: onlyValue(evaluateAssignment(assignment, scope), assignment.name),
  }));
}

/** A `>(…)` given to a program without a record reads what that program may write. */
function flushSinks(scope: Scope, id: number): void {
  for (const [path, sink] of scope.state.sinks) {
    scope.state.sinks.delete(path);
    const stdin = unknown("any", "output", [{ kind: "program", invocation: id }]);
    scope.session.walker.runSubstitution(sink.script, sink.node, { ...scope, stdin });
  }
}

/** What an assignment puts into its variable, all alternatives; nothing is changed yet. */
function evaluateAssignment(node: Assignment, scope: Scope): readonly Content[] {
  if (node.value.type === "ArrayValue") {
    const before =
      node.append === true && scope.state.variables.has(node.name) ? lookUp(node.name, scope) : [];
    const arrays = evaluateArray(node.value, scope);
    return before.length === 0 ? arrays : before.flatMap(old => arrays.map(added => extendArray(old, added)));
  }
  const values = resolveSingle(node.value, scope).map(value => expandLaterTildes(value, node.value, scope));
  if (node.append !== true) return values.map(scalar);
  const before = scalarValues(lookUp(node.name, scope));
  const chosen = combine([before, values], LIMITS.alternatives) ?? [
    [...before.slice(0, 1), ...values.slice(0, 1)],
  ];
  const isSum = scope.state.variables.get(node.name)?.typing === "integer";
  return chosen.map(pair => scalar(isSum ? addTerms(pair) : concatenate(pair)));
}

/** `n+=2` of a number, as an expression that is computed when it is kept. */
function addTerms(terms: readonly Value[]): Value {
  return concatenate(
    terms.flatMap((term, index) => [
      text(index === 0 ? "(" : "+("),
      term.pieces.length === 0 ? text("0") : term,
      text(")"),
    ]),
  );
}

/** Makes the assignment in the current shell and records it. */
function runAssignment(node: Assignment, scope: Scope): void {
  const contents = evaluateAssignment(node, scope);
  const span = toSpan(scope.source, node);
  if (node.index === undefined) storeDeclaration({ name: node.name, contents, span }, scope, undefined);
  else {
    for (const value of resolveSingle(node.index, scope)) {
      const key = knownText(value);
      scope.session.walker.compute(value, scope);
      for (const element of scalarValues(contents)) assignElement(node.name, key, element, scope);
    }
    recordAssignment(node.name, contents, false, span, scope);
  }
}

export function storeDeclaration(
  declaration: Declaration,
  scope: Scope,
  attributes: Attributes | undefined,
): void {
  const { name, span } = declaration;
  const contents = assign(name, declaration.contents, scope, attributes);
  recordAssignment(name, contents, scope.state.variables.get(name)?.isExported ?? false, span, scope);
  for (const value of scalarValues(contents)) runPromptVariable(name, value, scope, span);
}

function recordAssignment(
  name: string,
  contents: readonly Content[],
  isExported: boolean,
  span: Declaration["span"],
  scope: Scope,
): void {
  for (const content of contents) {
    const values =
      content.kind === "scalar"
        ? [content.value]
        : content.kind === "array"
          ? [...content.elements.values()]
          : [];
    for (const value of values) scope.session.assignments.push({ name, value, isExported, span });
  }
}

/** `PATH=a:~/b`: a tilde after a colon is expanded, too. Only for a value written without quotes. */
function expandLaterTildes(value: Value, word: Word | ArrayValue, scope: Scope): Value {
  const known = knownText(value);
  if (known === undefined || word.type !== "Word" || word.parts !== undefined || !known.includes(":~"))
    return value;
  return concatenate(
    known.split(":").flatMap((part, index) => {
      const [first = []] = index === 0 ? [] : expandTilde(part, true, scope);
      return [
        ...(index === 0 ? [] : [{ pieces: [{ kind: "text" as const, text: ":" }], origins: [] }]),
        ...(index === 0 ? [{ pieces: [{ kind: "text" as const, text: part }], origins: [] }] : first),
      ];
    }),
  );
}

function evaluateArray(node: ArrayValue, scope: Scope): readonly Content[] {
  const lists = node.elements.map((element): readonly (readonly Entry[])[] => {
    const keyed = /^\[([^\]]*)\]\+?=/.exec(element.text);
    if (keyed === null) {
      return resolveWords([element], scope).map(({ values, isOpenEnded }) => [
        ...values.map((value): Entry => ({ key: undefined, value, isOpenEnded })),
      ]);
    }
    return resolveSingle(element, scope).map(value => {
      const entry = splitKeyed(value, keyed[1] ?? "");
      const key = entry.key ?? "";
      // A substitution in it was walked with the word.
      const isRead = !/[$`]/.test(key) || key !== keyed[1];
      scope.session.walker.compute(isRead ? text(key) : unknown("any", key), scope);
      return [entry];
    });
  });
  const chosen = combine(lists, LIMITS.alternatives) ?? [lists.flatMap(list => list.slice(0, 1))];
  return chosen.map(entries => makeArray(entries.flat()));
}

interface Entry {
  readonly key: string | undefined;
  readonly value: Value;
  readonly isOpenEnded: boolean;
}

/** `[key]=value` as one resolved text. */
function splitKeyed(value: Value, written: string): Entry {
  const [first, ...rest] = value.pieces;
  const content = first?.kind === "text" ? first.text : "";
  const close = content.indexOf("]=");
  if (close < 0) return { key: written.replace(/^["']|["']$/g, ""), value, isOpenEnded: false };
  const tail = content.slice(close + 2);
  const pieces = tail === "" ? rest : [{ kind: "text" as const, text: tail }, ...rest];
  return { key: content.slice(1, close), value: { pieces, origins: value.origins }, isOpenEnded: false };
}

function makeArray(entries: readonly Entry[], elements = new Map<string, Value>()): Content {
  let next = elements.size;
  for (const { key, value } of entries) {
    const index = key ?? String(next);
    elements.set(index, value);
    if (/^\d{1,9}$/.test(index)) next = Number(index) + 1;
  }
  return { kind: "array", elements, isOpenEnded: entries.some(entry => entry.isOpenEnded) };
}

function extendArray(old: Content, added: Content): Content {
  const before = new Map(
    old.kind === "array" ? old.elements : old.kind === "scalar" ? [["0", old.value]] : [],
  );
  if (added.kind !== "array") return added;
  const entries = [...added.elements].map(
    ([key, value]): Entry => ({
      key: /^\d+$/.test(key) ? undefined : key,
      value,
      isOpenEnded: added.isOpenEnded,
    }),
  );
  return makeArray(entries, before);
}

const PROMPTS = new Set(["PS0", "PS1", "PS2", "PS4"]);

/** Prompts expand substitutions when they are shown, and PROMPT_COMMAND is run before each of them. */
function runPromptVariable(name: string, value: Value, scope: Scope, span: Span): void {
  if (name === "PROMPT_COMMAND") runShellText(value, scope, span);
  else if (PROMPTS.has(name)) {
    const known = knownText(value);
    if (known !== undefined && /\$\(|`/.test(known)) runShellText(asQuotedWord(known), scope, span);
  }
}

/** A command that only expands this text as inside double quotes. */
export function asQuotedWord(content: string): Value {
  return text(`: "${content.replaceAll('"', '\\"')}"`);
}

/** What the redirections of one command do to its streams. */
interface Streams {
  /** Alternatives of stdin; one undefined entry when it is the shell's own. */
  readonly stdins: readonly (Value | undefined)[];
  /** Files that get stdout; undefined when it goes where the surrounding one goes. */
  readonly stdoutFiles: readonly OutputFile[] | undefined;
  /** Stdout does not reach the pipe: it is in a file, closed, or joined to stderr. */
  readonly isDiverted: boolean;
  /** All descriptors as this command sees them. */
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  readonly redirections: readonly Redirection[];
}

interface OutputFile {
  readonly path: Value;
  readonly isAppend: boolean;
  readonly span: Span;
}

const OPERATIONS: Readonly<Record<Redirect["operator"], Redirection["operation"] | undefined>> = {
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">&": "write",
  ">>": "append",
  "&>>": "append",
  "<": "read",
  "<>": "read-write",
  "<&": undefined,
};

/** Evaluates redirections from left to right. They become facts with `recordRedirections`. */
export function openStreams(nodes: readonly RedirectionNode[], cwd: Value, scope: Scope): Streams {
  if (nodes.length === 0) return inheritedStreams(scope);
  let stdins: readonly (Value | undefined)[] = [scope.stdin];
  let stdoutFiles: readonly OutputFile[] | undefined;
  let isDiverted = false;
  const descriptors = new Map(scope.state.descriptors);
  const redirections: Redirection[] = [];

  const feed = (descriptor: number | undefined, contents: readonly Value[]) => {
    const [first] = contents;
    if (descriptor === 0 || descriptor === undefined) stdins = contents;
    else if (first !== undefined) {
      descriptors.set(descriptor, { ...descriptors.get(descriptor), content: first });
      scope.state.files.set(`/dev/fd/${descriptor}`, { contents });
    }
  };

  const redirect = (node: Redirect) => {
    const span = toSpan(scope.source, node);
    const descriptor = openDescriptor(node, scope);
    const targets = node.target === undefined ? [] : resolveSingle(node.target, scope, true);
    for (const target of targets) {
      const known = knownText(target);
      const copied =
        node.operator === ">&" || node.operator === "<&" ? /^(\d+)-?$|^-$/.exec(known ?? "") : null;
      if (copied !== null || node.operator === "<&") {
        const from = copied?.[1] === undefined ? undefined : Number(copied[1]);
        const copy =
          from === undefined ? undefined : from === 0 ? { content: scope.stdin } : descriptors.get(from);
        if (node.operator === ">&" && descriptor === 1 && from !== 1) {
          isDiverted = true;
          stdoutFiles = copy?.path === undefined ? undefined : [{ path: copy.path, isAppend: true, span }];
        } else if (node.operator === "<&" && copy?.content !== undefined)
          feed(descriptor ?? 0, [copy.content]);
        continue;
      }
      const operation = OPERATIONS[node.operator] ?? "read";
      redirections.push({
        operation,
        descriptor,
        target,
        cwd,
        place: scope.place,
        invocation: undefined,
        span,
      });
      if (operation === "read" || operation === "read-write")
        feed(descriptor, readContents(target, cwd, scope.stdin, scope));
      if (operation !== "read" && descriptor !== undefined && descriptor > 2) {
        descriptors.set(descriptor, { ...descriptors.get(descriptor), path: joinPath(cwd, target) });
      }
      if (descriptor === 1 && (operation === "write" || operation === "append")) {
        isDiverted = true;
        stdoutFiles = [
          ...(targets.length > 1 ? (stdoutFiles ?? []) : []),
          { path: target, isAppend: operation === "append", span },
        ];
      }
    }
  };

  for (const node of nodes) {
    if (node.type === "Redirect") redirect(node);
    else if (node.type === "HereDoc") feed(explicitDescriptor(node), readHereDocument(node, scope));
    else if (node.target !== undefined) {
      feed(explicitDescriptor(node), resolveSingle(node.target, scope).map(addNewline));
    }
  }
  return { stdins, stdoutFiles, isDiverted, descriptors, redirections };
}

function inheritedStreams({ stdin, state }: Scope): Streams {
  const { descriptors } = state;
  return { stdins: [stdin], stdoutFiles: undefined, isDiverted: false, descriptors, redirections: [] };
}

/** Makes facts of them. `invocation`: the id of the command they belong to, if any. */
export function recordRedirections(
  redirections: readonly Redirection[],
  cwds: readonly Value[],
  invocation: number | undefined,
  scope: Scope,
): readonly Redirection[] {
  if (redirections.length === 0) return redirections;
  const facts = cwds.flatMap(cwd => redirections.map(redirection => ({ ...redirection, cwd, invocation })));
  scope.session.redirections.push(...facts);
  return facts;
}

/** Puts the output where the redirections send it; gives what is left for the pipe. */
export function closeStreams(
  streams: Streams,
  output: Output,
  cwd: Value,
  scope: Scope,
  invocation: number,
): Output {
  for (const file of streams.stdoutFiles ?? []) {
    writeContents(file.path, output, file.isAppend, { cwd, scope, invocation, span: file.span });
  }
  return streams.isDiverted ? NO_OUTPUT : output;
}

function explicitDescriptor(node: RedirectionNode): number | undefined {
  return node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : undefined;
}

/** `{name}>file` opens a new descriptor and puts its number into the variable. */
function openDescriptor(node: Redirect, scope: Scope): number | undefined {
  if (node.descriptor?.type === "FileDescriptorVariable") {
    const number = 10 + scope.state.descriptors.size;
    assign(node.descriptor.name, [scalar(text(String(number)))], scope);
    return number;
  }
  if (node.descriptor !== undefined) return explicitDescriptor(node);
  return node.operator.startsWith("<") ? 0 : 1;
}

function addNewline(value: Value): Value {
  return concatenate([value, text("\n")]);
}

function readHereDocument(node: HereDoc, scope: Scope): readonly Value[] {
  const { body } = node;
  const strip = (value: Value) => (node.operator === "<<-" ? stripTabs(value) : value);
  if (node.delimiter?.quoted === true) return [strip(reveal(body.text, scope, true))];
  if (body.parts !== undefined) return resolveQuoted(body.parts, scope).map(strip);
  const content = body.text.replace(/\\([\\$`]|\n)/g, (_, escaped: string) =>
    escaped === "\n" ? "" : escaped,
  );
  return [strip(reveal(content, scope, true))];
}

function stripTabs(value: Value): Value {
  let isLineStart = true;
  const pieces = value.pieces.map(piece => {
    if (piece.kind !== "text") {
      isLineStart = false;
      return piece;
    }
    const stripped = piece.text.replace(/\n\t+/g, "\n");
    const content = isLineStart ? stripped.replace(/^\t+/, "") : stripped;
    isLineStart = piece.text.endsWith("\n");
    return { ...piece, text: content };
  });
  return { pieces, origins: value.origins };
}
