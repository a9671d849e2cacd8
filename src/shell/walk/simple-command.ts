import type { EnvironmentEntry } from "../facts.ts";
import { onlyValue } from "../state/call.ts";
import { eitherOutput, NO_OUTPUT } from "../state/output.ts";
import { forkState, spanOf } from "../state/session.ts";
import { mergeState, refill, replaceState, type ShellState, scalar } from "../state/state.ts";
import type { Declaration, Output, PendingCall, Scope } from "../state/types.ts";
import { wordsOf } from "../syntax/adjacent.ts";
import type { Assignment, Command, Word } from "../syntax/syntax.ts";
import { concatenate, knownText, text, unknown, type Value } from "../value.ts";
import type { Fields } from "../words/fragments.ts";
import { resolveWords } from "../words/resolve.ts";
import { evaluateAssignment, runAssignment } from "./assignments.ts";
import { execute } from "./execute.ts";
import { closeStreams, openStreams, recordRedirections, type Streams } from "./redirections.ts";

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
  const { prefix, words: written } = wordsOf(node);
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
    span: spanOf(scope.source, node),
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
  const output = execute(call, aliasOf(name, scope));
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
function aliasOf(name: Word | undefined, scope: Scope): string | undefined {
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
    span: spanOf(scope.source, assignment),
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
