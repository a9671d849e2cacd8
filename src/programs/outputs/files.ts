import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { baseName, directoryName, joinPath } from "../../shell/paths.ts";
import {
  concatenate,
  dropKnown,
  knownPrefix,
  knownText,
  text,
  type Value,
  wordAt,
} from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { readContents, writeContents, writtenEntry } from "../../shell/walk/file-contents.ts";
import { appendOutput, NO_OUTPUT, type Output } from "../../shell/walk/output.ts";

/** What a program reads: the named files one after the other, or stdin. */
export function inputOf(call: ProgramCall, files: readonly Value[]): Output {
  const [first] = files;
  if (first === undefined) return call.stdin === undefined ? NO_OUTPUT : [call.stdin];
  return files
    .map(path =>
      knownText(path) === "-" ? inputOf(call, []) : readContents(path, call.cwd, call.stdin, call.scope),
    )
    .reduce(appendOutput);
}

const CAT: OptionGrammar = { flags: "-AbeEnstTuv" };

const cat: Model = call =>
  inputOf(
    call,
    parseOptions(call.argv, CAT).operands.map(operand => operand.value),
  );

const tee: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-ip a|append ignore-interrupts",
  });
  const contents = inputOf(call, []);
  for (const { value } of parsed.operands) {
    writeContents(value, contents, parsed.has("a"), {
      cwd: call.cwd,
      scope: call.scope,
      invocation: call.id,
      span: call.span,
    });
  }
  return contents;
};

const COPY: OptionGrammar = {
  flags:
    "-abdfHilLnpPrRTuvxXcD s|symbolic recursive force archive verbose no-clobber update no-target-directory",
  values: "-SmogZ t|target-directory suffix mode owner group context",
  optional: "backup reflink sparse preserve",
};

/** cp, mv, ln, install: the new name holds what the old one does, or is another name of it. */
const copy: Model = call => {
  const parsed = parseOptions(call.argv, COPY);
  const operands = parsed.operands.map(operand => operand.value);
  const folder = parsed.valueOf("t");
  const target = folder ?? operands.at(-1);
  const sources = folder === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined) return NO_OUTPUT;
  if (sources.length === 0 && operands.length === 1)
    linkTo(target, text(baseName(knownText(target) ?? "")), call);
  for (const source of sources) {
    const isFolder = folder !== undefined || sources.length > 1 || isDirectory(target, call);
    const name = knownText(source);
    const path = isFolder
      ? name === undefined
        ? undefined
        : concatenate([target, text("/"), text(baseName(name))])
      : target;
    if (path !== undefined) linkTo(source, path, call);
  }
  return NO_OUTPUT;
};

function linkTo(source: Value, path: Value, call: ProgramCall): void {
  const { scope, cwd } = call;
  const name = knownText(joinPath(cwd, path));
  if (name === undefined) return;
  const program = knownText(wordAt(call.argv, 0));
  const isLink = program !== undefined && baseName(program) === "ln";
  const base = isLink ? text(directoryName(name)) : cwd;
  const original = knownText(joinPath(base, source));
  const entry = writtenEntry(source, cwd, scope);
  const contents = entry?.contents ?? readContents(source, base, call.stdin, scope);
  scope.state.files.set(name, { contents, sameAs: entry?.sameAs ?? original, isLink });
  if (isLink)
    scope.session.links.push({ path: text(name), target: joinPath(base, source), invocation: call.id });
}

function isDirectory(path: Value, call: ProgramCall): boolean {
  const name = knownText(joinPath(call.cwd, path));
  if (knownText(path)?.endsWith("/") === true || name === undefined)
    return knownText(path)?.endsWith("/") === true;
  if (call.scope.state.files.get(name)?.isDirectory === true) return true;
  return (
    call.scope.session.context.files?.kind(name) === "directory" ||
    baseName(knownText(path) ?? "x") === "." ||
    baseName(knownText(path) ?? "x") === ".."
  );
}

const makeDirectory: Model = call => {
  for (const { value } of parseOptions(call.argv, { flags: "-pv", values: "-m" }).operands) {
    const name = knownText(joinPath(call.cwd, value));
    if (name !== undefined) call.scope.state.files.set(name, { contents: [], isDirectory: true });
  }
  return NO_OUTPUT;
};

const touch: Model = call => {
  for (const { value } of parseOptions(call.argv, { flags: "-acfhm", values: "-drt" }).operands) {
    const name = knownText(joinPath(call.cwd, value));
    if (name !== undefined && !call.scope.state.files.has(name))
      call.scope.state.files.set(name, { contents: readContents(value, call.cwd, undefined, call.scope) });
  }
  return NO_OUTPUT;
};

/** `dd if=a of=b`. */
const dd: Model = call => {
  const operand = (name: string) => {
    const word = call.argv.find(value => knownPrefix(value).startsWith(`${name}=`));
    return word === undefined ? undefined : dropKnown(word, name.length + 1);
  };
  const from = operand("if");
  const to = operand("of");
  const contents = inputOf(call, from === undefined ? [] : [from]);
  if (to === undefined) return contents;
  writeContents(to, contents, false, {
    cwd: call.cwd,
    scope: call.scope,
    invocation: call.id,
    span: call.span,
  });
  return NO_OUTPUT;
};

export const fileModels: readonly (readonly [string, Model])[] = [
  ["cat", cat],
  ["bat", cat],
  ["tee", tee],
  ["sponge", tee],
  ["cp", copy],
  ["mv", copy],
  ["ln", copy],
  ["install", copy],
  ["gcp", copy],
  ["mkdir", makeDirectory],
  ["touch", touch],
  ["dd", dd],
];
