import { namesInPatch, writtenByGit } from "../../programs/index.ts";
import { describe, type GitWords, hasGlob, knownText, text, type Value, wordSet } from "../../shell/index.ts";
import { join, quoteWord } from "../../system/index.ts";
import { hasBranch, hasCommitName, type Workspace } from "../../workspace/index.ts";
import type { Actor, CommandEffect, EffectOf } from "../rule-context.ts";
import { findNewTree, type GitRun, readGit } from "./run.ts";

/** Branches that earlier commands of the same text went to, by repository. */
export type BranchMemory = Map<string, string | undefined>;

/** One run of git, with the branch it finds itself on after everything before it. */
export function effectsOfGit(
  words: GitWords,
  by: Actor,
  workspace: Workspace,
  memory: BranchMemory,
): readonly CommandEffect[] {
  const found = readGit(words, by.place, workspace);
  const key = found.repository?.gitDirectory ?? describe(found.directory);
  const run: GitRun = memory.has(key) ? { ...found, branch: memory.get(key) } : found;
  const next = branchAfter(run, workspace);
  if (next !== undefined) memory.set(key, next.name);
  const there = { ...by, cwd: run.directory };
  return [
    { kind: "git", by, run },
    ...reads(run, there),
    ...writes(run, there),
    ...patched(run, there, workspace),
  ];
}

function branchAfter(run: GitRun, workspace: Workspace): { readonly name: string | undefined } | undefined {
  if (run.subcommand !== "checkout" && run.subcommand !== "switch") return undefined;
  const done = run.subcommand === "checkout" ? readCheckout(run, workspace) : readSwitch(run, workspace);
  if (done.kind === "branch") return { name: done.name };
  return done.kind === "forced" && done.shown !== "all changed files" ? { name: done.shown } : undefined;
}

/** Pack the whole of a repository, whatever is named. */
const PACKING = wordSet("archive bundle");
const SHOWING = wordSet("show diff log blame annotate grep cat-file archive format-patch difftool");

/** Git shows the content of files too: by path, or as `commit:path`. */
function reads(run: GitRun, by: Actor): readonly CommandEffect[] {
  if (PACKING.has(run.subcommand)) {
    const path =
      run.repository === undefined ? run.directory : text(run.repository.top ?? run.repository.gitDirectory);
    return [{ kind: "read", by, path, isCopy: true }, ...namedFiles(run, by)];
  }
  // What is stored can be shown by its number.
  const isStored = run.subcommand === "hash-object" && run.options.has("w");
  return [
    ...(isStored || SHOWING.has(run.subcommand) ? namedFiles(run, by) : []),
    ...givenFiles(run).map((path): EffectOf<"read"> => ({ kind: "read", by, path, isCopy: false })),
  ];
}

/** Take files that are none of the repository, and show them, keep them or complain of their lines. */
const TAKING = wordSet("interpret-trailers merge-file apply am mailinfo mailsplit send-email imap-send");

/** `git commit -F FILE`, `git config -f FILE -l`, `git interpret-trailers FILE`. */
function givenFiles({ subcommand, options }: GitRun): readonly Value[] {
  const isTaken = TAKING.has(subcommand) || subcommand === "notes";
  const named = options.valuesOf("F", "f", "file", "contents", "pathspec-from-file");
  return isTaken ? [...named, ...options.operandValues] : named;
}

function namedFiles(run: GitRun, by: Actor): readonly CommandEffect[] {
  const { options } = run;
  if (run.subcommand === "log" && !options.has("p", "patch", "u", "L")) return [];
  if (options.has("stat", "name-only", "name-status")) return [];
  const operands = options.operands.map(operand => operand.value);
  const files = run.subcommand === "grep" && !options.has("e", "f") ? operands.slice(1) : operands;
  const read = (path: Value): EffectOf<"read"> => ({ kind: "read", by, path, isCopy: false });
  if (!options.has("no-index", "no-exclude-standard")) return files.map(value => read(pathspecPath(value)));
  // As `diff` and `grep` without git: files that it does not know are shown as well.
  const isAll = run.subcommand !== "grep" || options.has("v", "invert-match", "e", "f");
  const search = isAll ? text("") : (operands[0] ?? text(""));
  return (files.length === 0 ? [run.directory] : files.map(pathspecPath)).map(path => ({
    ...read(path),
    search,
  }));
}

/** A new working tree is a place that is filled with files; archives and saved diffs are files of their own. */
function writes(run: GitRun, by: Actor): readonly CommandEffect[] {
  // In a repository that is there already, `init` only adds samples.
  const isAgain = run.subcommand === "init" && run.repository?.top === knownText(run.directory);
  const tree = isAgain && run.options.operands.length === 0 ? undefined : findNewTree(run);
  const files = writtenByGit(run).filter(path => knownText(path) !== "-");
  return [
    ...(tree === undefined ? [] : [{ kind: "write" as const, by, path: tree, how: "create" as const }]),
    ...files.map(path => ({ kind: "write" as const, by, path, how: "replace" as const })),
  ];
}

const MAX_PATCH_BYTES = 256 * 1024;

/** The files that a patch names, as far as it can be read. */
function patched(
  { subcommand, options, directory }: GitRun,
  by: Actor,
  { disk }: Workspace,
): readonly CommandEffect[] {
  if (subcommand !== "apply" || options.has("check", "stat", "numstat", "summary", "cached", "R", "reverse"))
    return [];
  const strip = Number(knownText(options.valueOf("p") ?? text("")) || "1");
  const inside = knownText(options.valueOf("directory") ?? text("")) ?? "";
  const place = knownText(directory);
  return options.operandValues.flatMap(file => {
    const name = knownText(file);
    if (name === undefined || place === undefined) return [];
    return namesInPatch(
      disk.text(name.startsWith("/") ? name : join(place, name), MAX_PATCH_BYTES) ?? "",
    ).map(one => ({
      kind: "write" as const,
      by,
      path: text(join(place, inside, ...one.split("/").slice(strip))),
      how: "edit" as const,
    }));
  });
}

function pathspecPath(value: Value): Value {
  const known = knownText(value);
  const path = known === undefined ? null : /^(?:[^:]+|:\d(?=:)|(?=:[^/(!^:])):(.*)$/s.exec(known);
  return path === null ? value : text(path[1] ?? "");
}

/** What a checkout does: go to a branch, make one, or bring files back over what is there. */
export type Checkout =
  | { readonly kind: "branch"; readonly name: string | undefined }
  | { readonly kind: "paths"; readonly shown: string }
  | { readonly kind: "forced"; readonly shown: string }
  | { readonly kind: "nothing" };

export function readCheckout(run: GitRun, workspace: Workspace): Checkout {
  const { options } = run;
  const operands = options.operands.map(operand => operand.value);
  if (options.isOn("help")) return { kind: "nothing" };
  if (options.has("pathspec-from-file")) return { kind: "paths", shown: "the listed files" };
  const made = knownName(options.valueOf("b", "B", "orphan"));
  if (options.mayBeOn("f")) return { kind: "forced", shown: made ?? shownFiles(operands) };
  if (options.has("b", "orphan")) return { kind: "branch", name: made };
  if (options.has("B")) return branchMade(run, workspace, made);
  if (options.endOfOptions !== undefined) {
    const paths = options.operands.filter(operand => operand.index > (options.endOfOptions ?? 0));
    return paths.length > 0
      ? { kind: "paths", shown: shownFiles(paths.map(path => path.value)) }
      : branchCheckout(operands);
  }
  if (operands.length === 0)
    return options.has("p") ? { kind: "paths", shown: "chosen changes" } : { kind: "nothing" };
  if (options.has("ours", "theirs", "2", "3")) return { kind: "paths", shown: shownFiles(operands) };
  const [first, second] = operands;
  if (second !== undefined)
    return options.has("t")
      ? branchCheckout(operands)
      : { kind: "paths", shown: shownFiles(operands.slice(1)) };
  if (first !== undefined && isPathspec(run, workspace, first))
    return { kind: "paths", shown: describe(first) };
  return branchCheckout(operands);
}

export function readSwitch(run: GitRun, workspace: Workspace): Checkout {
  const { options } = run;
  const operands = options.operands.map(operand => operand.value);
  if (options.isOn("help")) return { kind: "nothing" };
  if (options.mayBeOn("f")) return { kind: "forced", shown: shownFiles(operands) };
  const forced = knownName(options.valueOf("C"));
  if (forced !== undefined) return branchMade(run, workspace, forced);
  if (options.has("c", "orphan")) return { kind: "branch", name: knownName(options.valueOf("c", "orphan")) };
  return branchCheckout(operands);
}

/** `-B` and `-C` make a branch, or move the one that is there. */
function branchMade({ repository, branch }: GitRun, { disk }: Workspace, name: string | undefined): Checkout {
  const isMoved =
    name !== undefined && name !== branch && repository !== undefined && hasBranch(disk, repository, name);
  return isMoved ? { kind: "forced", shown: name } : { kind: "branch", name };
}

function branchCheckout(operands: readonly Value[]): Checkout {
  const name = knownName(operands[0]);
  if (name === undefined) return { kind: "branch", name: undefined };
  const isDetached = name === "-" || /^(HEAD|[0-9a-f]{7,40}$)|[~^@:]/.test(name);
  return { kind: "branch", name: isDetached ? undefined : name };
}

function knownName(value: Value | undefined): string | undefined {
  return value === undefined ? undefined : knownText(value);
}

function shownFiles(paths: readonly Value[]): string {
  return paths.length === 0 ? "all changed files" : paths.slice(0, 3).map(describe).join(" ");
}

const FILE_EXTENSION =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|md|txt|json|ya?ml|toml|lock|html?|s?css|vue|svelte|sql|xml|cfg|ini|env|proto|gradle|tf)$/i;

/** A single argument is a path when it can be nothing else, or is one on disk and no commit has that name. */
function isPathspec(run: GitRun, workspace: Workspace, operand: Value): boolean {
  if (hasGlob(operand)) return true;
  const name = knownText(operand);
  if (name === undefined) return false;
  if (/^(\.{1,2}(\/|$)|\/|:[/(!^])/.test(name) || name.endsWith("/")) return true;
  const { repository } = run;
  if (repository !== undefined && hasCommitName(workspace.disk, repository, name)) return false;
  const directory = knownText(run.directory);
  if (directory !== undefined && workspace.disk.kind(join(directory, name)) !== undefined) return true;
  return FILE_EXTENSION.test(name);
}

/** Shell text that an alias of a configuration file stands for. */
export interface AliasText {
  readonly text: string;
  readonly cwd: string;
  readonly invocation: number | undefined;
}

const MAX_TEXTS = 8;

/** Git starts them at the top of the working tree, with the arguments added. */
export function aliasTexts(effects: readonly CommandEffect[]): readonly AliasText[] {
  return effects
    .flatMap(effect => {
      if (effect.kind !== "git" || effect.run.shellAlias === undefined) return [];
      const { run, by } = effect;
      const words = run.argv.slice(1).map(word => quoteWord(describe(word)));
      const cwd = run.repository?.top ?? describe(run.directory);
      return [{ text: [run.shellAlias, ...words].join(" "), cwd, invocation: by.invocation?.id }];
    })
    .filter(({ cwd }) => cwd.startsWith("/"))
    .slice(0, MAX_TEXTS);
}
