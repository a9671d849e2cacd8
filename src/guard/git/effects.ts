import { writtenByGit } from "../../programs/index.ts";
import { describe, type GitWords, knownText, text, type Value, wordSet } from "../../shell/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { Actor, CommandEffect } from "../effects.ts";
import { readCheckout, readSwitch } from "./checkout.ts";
import { type GitRun, readGit } from "./invocation.ts";
import { newTreeOf } from "./new-trees.ts";

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
  return [{ kind: "git", by, run }, ...reads(run, there), ...writes(run, there)];
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
  return SHOWING.has(run.subcommand) ? namedFiles(run, by) : [];
}

function namedFiles(run: GitRun, by: Actor): readonly CommandEffect[] {
  const { options } = run;
  if (run.subcommand === "log" && !options.has("p", "patch", "u", "L")) return [];
  if (options.has("stat", "name-only", "name-status")) return [];
  const operands = options.operands.map(operand => operand.value);
  const files = run.subcommand === "grep" && !options.has("e", "f") ? operands.slice(1) : operands;
  return files.map(value => ({ kind: "read", by, path: pathOf(value), isCopy: false }));
}

/** A new working tree is a place that is filled with files; archives and saved diffs are files of their own. */
function writes(run: GitRun, by: Actor): readonly CommandEffect[] {
  const tree = newTreeOf(run);
  const files = writtenByGit(run).filter(path => knownText(path) !== "-");
  return [
    ...(tree === undefined ? [] : [{ kind: "write" as const, by, path: tree, how: "create" as const }]),
    ...files.map(path => ({ kind: "write" as const, by, path, how: "replace" as const })),
  ];
}

function pathOf(value: Value): Value {
  const known = knownText(value);
  const path = known === undefined ? null : /^(?:[^:]+|:\d(?=:)|(?=:[^/(!^:])):(.*)$/s.exec(known);
  return path === null ? value : text(path[1] ?? "");
}
