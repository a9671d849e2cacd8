import { tellsAllChanges } from "../programs/index.ts";
import { type Invocation, knownText, type ShellFacts, text } from "../shell/index.ts";
import { basename, isInside, join } from "../system/index.ts";
import {
  expandTarget,
  findRepository,
  resolveTargets,
  type Target,
  type Workspace,
} from "../workspace/index.ts";
import type { CommandEffect, EffectOf } from "./effects.ts";
import type { Footprint } from "./footprint.ts";
import {
  addDirectory,
  addPath,
  addUnresolved,
  addWord,
  type Draft,
  finishDraft,
  startDraft,
} from "./footprint-draft.ts";
import { changesOfRun } from "./git/changes.ts";

/** A text that was analysed, and what it does. */
export interface Examination {
  readonly facts: ShellFacts;
  readonly effects: readonly CommandEffect[];
}

/** What a command may change: by the effects that are known, and by programs whose effects are not. */
export function collectFootprint(examined: readonly Examination[], workspace: Workspace): Footprint {
  const draft = startDraft(workspace);
  for (const { facts, effects } of examined) {
    for (const effect of effects) addEffect(draft, effect);
    const unread = new Set(facts.codeRuns.flatMap(run => (run.isExamined ? [] : (run.invocation ?? []))));
    for (const invocation of facts.invocations)
      if (unread.has(invocation.id) || !tellsAllChanges(invocation)) addProgram(draft, invocation);
    if (facts.unexamined.length > 0) addDirectory(draft, workspace.directory);
  }
  return finishDraft(draft);
}

/** What one effect changes by itself. */
export function footprintOfEffects(effects: readonly CommandEffect[], workspace: Workspace): Footprint {
  const draft = startDraft(workspace);
  for (const effect of effects) addEffect(draft, effect);
  return finishDraft(draft);
}

function addEffect(draft: Draft, effect: CommandEffect): void {
  const { by } = effect;
  if (effect.kind === "delete") addDeletion(draft, effect);
  else if (effect.kind === "write") addWrite(draft, effect);
  else if (effect.kind === "git") addGit(draft, effect);
  else if (effect.kind === "attributes") addWord(draft, effect.path, by, "attributes", effect.isRecursive);
  else if (effect.kind === "alter")
    addWord(draft, effect.path, by, "write", effect.isTree === true, effect.beside);
  else if (effect.kind === "operation" && effect.file !== undefined)
    addWord(draft, effect.file, by, "write", false);
  else if (effect.kind === "move") {
    addWord(draft, effect.from, by, "move", true);
    // New names that cannot be told stand beside the old ones.
    if (effect.to === undefined) addWord(draft, text("."), by, undefined, true);
  }
}

function addDeletion(draft: Draft, effect: EffectOf<"delete">): void {
  const { path, by, selection } = effect;
  const isTree = effect.isEmptyOnly !== true && (effect.isRecursive || selection !== undefined);
  if (effect.isEmptyBelow === true) {
    addEmpty(draft, effect);
    return;
  }
  // What is made again is not worth its size; a file of the project that only has such a name is at risk.
  addWord(draft, path, by, selection === "regenerable" ? undefined : "delete", isTree);
  if (effect.isShredded === true) addWord(draft, path, by, "write", isTree);
}

function addEmpty(draft: Draft, { path, by }: EffectOf<"delete">): void {
  const { disk } = draft.workspace;
  for (const target of resolveTargets(disk, path, by.cwd, by.place, { followsLast: true })) {
    const found = target.isRemote ? undefined : expandTarget(disk, target, true);
    if (found === undefined) addUnresolved(draft, target, by);
    for (const top of [...(found?.paths ?? []), ...(found?.trees ?? [])])
      draft.targets.set(`empty ${top}`, { path: top, how: "delete", isTree: true, isEmptyBelow: true });
  }
}

function addWrite(draft: Draft, effect: EffectOf<"write">): void {
  const { path, by, from, how } = effect;
  const { disk } = draft.workspace;
  if (from === undefined) {
    addWord(draft, path, by, isSpread(draft, effect) ? undefined : "write", fillsDirectory(effect));
    return;
  }
  const sources = resolveTargets(disk, from, by.cwd, by.place, { followsLast: true, isReading: true });
  const names = knownText(from) === undefined ? namesOf(draft, sources) : undefined;
  const isTree =
    how !== "link" && !sources.every(({ path: at }) => at !== undefined && disk.kind(at) === "file");
  if (names === undefined) addWord(draft, path, by, how === "link" ? "delete" : "write", isTree);
  else addCopies(draft, effect, names, isTree);
}

function addCopies(
  draft: Draft,
  { path, by }: EffectOf<"write">,
  names: readonly string[] | "unknown",
  isTree: boolean,
): void {
  for (const target of resolveTargets(draft.workspace.disk, path, by.cwd, by.place, { followsLast: true })) {
    const directory = target.path;
    if (directory === undefined || names === "unknown") addUnresolved(draft, target, by);
    else for (const name of names) addPath(draft, join(directory, name), "write", isTree);
  }
}

function fillsDirectory({ how, isInto }: EffectOf<"write">): boolean {
  return how === "extract" || isInto === true;
}

/** Files with names of their own appear in the project, or somewhere new: its work is at risk, not every file of it. */
function isSpread({ workspace }: Draft, effect: EffectOf<"write">): boolean {
  if (!fillsDirectory(effect)) return false;
  const { by, how } = effect;
  const [target] = resolveTargets(workspace.disk, effect.path, by.cwd, by.place, { followsLast: true });
  return how === "create" || (target?.path !== undefined && isInside(target.path, workspace.cwd));
}

/** The last names of what patterns find: they are the names in the directory that is copied into. */
function namesOf(draft: Draft, sources: readonly Target[]): readonly string[] | "unknown" {
  const names: string[] = [];
  for (const source of sources) {
    const found = source.isRemote ? undefined : expandTarget(draft.workspace.disk, source, false);
    if (found === undefined || found.trees.length > 0) return "unknown";
    names.push(...found.paths.map(basename));
  }
  return names;
}

function addGit(draft: Draft, effect: EffectOf<"git">): void {
  const { run, by } = effect;
  const there = { ...by, cwd: run.directory };
  const { repository, paths, isBeyond } = changesOfRun(run, draft.workspace);
  if (repository !== undefined) {
    const key = repository.gitDirectory;
    const known = draft.repositories.get(key);
    draft.repositories.set(key, {
      ...repository,
      changesFiles: repository.changesFiles || known?.changesFiles === true,
      changesState: repository.changesState || known?.changesState === true,
      ...(repository.changesIgnored === true || known?.changesIgnored === true
        ? { changesIgnored: true }
        : {}),
      ...joinCommits(repository.commits, known?.commits),
    });
  }
  for (const { path, how } of paths) addWord(draft, path, there, how, true);
  if (isBeyond) addUnknown(draft, there);
}

/** Once some are not known, naming others does not help. */
function joinCommits(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): { readonly commits?: readonly string[] } {
  if (one === undefined && other === undefined) return {};
  if (one?.length === 0 || other?.length === 0) return { commits: [] };
  return { commits: [...new Set([...(one ?? []), ...(other ?? [])])] };
}

const MAX_WORDS = 32;

/** A program also works in other repositories that its words name: `make -C ../other`, `prettier --write ~/x/a.ts`. */
function addProgram(draft: Draft, invocation: Invocation): void {
  const { disk, project } = draft.workspace;
  addUnknown(draft, invocation);
  if (invocation.place.kind !== "local") return;
  for (const word of invocation.argv.slice(1, MAX_WORDS)) {
    const written = knownText(word)?.replace(/^-[^=]*=/, "");
    if (written === undefined || !/^(\.\.|.*\/)/s.test(written)) continue;
    const [target] = resolveTargets(disk, text(written), invocation.cwd, invocation.place, {
      followsLast: true,
    });
    const path = target?.path;
    if (
      path === undefined ||
      disk.kind(path) === undefined ||
      (project !== undefined && isInside(project, path))
    )
      continue;
    if (findRepository(disk, path)?.top !== undefined) addDirectory(draft, path);
  }
}

/** A program whose effects cannot be told: everything around it, or what is mounted where it runs. */
function addUnknown(draft: Draft, { cwd, place }: Pick<Invocation, "cwd" | "place">): void {
  if (place.kind === "remote") return;
  if (place.kind === "container") {
    for (const { host, isReadOnly } of place.mounts) if (!isReadOnly) addDirectory(draft, knownText(host));
    return;
  }
  addDirectory(draft, knownText(cwd));
}
