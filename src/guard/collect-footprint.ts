import { tellsAllChanges } from "../programs/index.ts";
import { type Invocation, knownText, LIMITS, type ShellFacts, text, type Value } from "../shell/index.ts";
import { isOfStateHome } from "../state/index.ts";
import { ancestors, basename, isInside, join } from "../system/index.ts";
import {
  expandTarget,
  findRepository,
  MAX_PATH,
  resolveTargets,
  type Target,
  type Workspace,
} from "../workspace/index.ts";
import { collectEffects, MAX_EFFECTS } from "./collect.ts";
import type { Footprint, FootprintRepository, FootprintTarget } from "./footprint.ts";
import { changesOfRun } from "./git/changes.ts";
import type { Actor, CommandEffect, EffectOf } from "./rule-context.ts";

/** As many words as the analysis reads of one command. */
const MAX_KEPT_EFFECTS = LIMITS.words;

/** A text that was analysed, and what it does. */
export interface Examination {
  readonly facts: ShellFacts;
  readonly effects: readonly CommandEffect[];
}

/** What a command may change: by the effects that are known, and by programs whose effects are not. */
export function collectFootprint(examined: readonly Examination[], workspace: Workspace): Footprint {
  const draft = startDraft(workspace);
  for (const { facts, effects } of examined) {
    // A person may say yes to what is too much to be looked at: all that it names is kept first.
    const isMore = effects.length > MAX_EFFECTS;
    for (const effect of isMore ? collectEffects(facts, workspace, MAX_KEPT_EFFECTS) : effects)
      addEffect(draft, effect);
    const unread = new Set(facts.codeRuns.flatMap(run => (run.isExamined ? [] : (run.invocation ?? []))));
    for (const invocation of facts.invocations)
      if (unread.has(invocation.id) || !tellsAllChanges(invocation)) addProgram(draft, invocation);
    if (facts.unexamined.length > 0 || isMore) addDirectory(draft, workspace.directory);
  }
  if (draft.unresolved.size > 0)
    for (const { facts } of examined) for (const invocation of facts.invocations) addNamed(draft, invocation);
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
  const { names } = effect;
  const known = names === undefined ? undefined : new Set(draft.targets.keys());
  addWord(draft, path, by, selection === "regenerable" ? undefined : "delete", isTree);
  if (names !== undefined)
    for (const [key, target] of draft.targets)
      if (known?.has(key) === false) draft.targets.set(key, { ...target, names });
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
  const names = knownText(from) === undefined ? collectNames(draft, sources) : undefined;
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
function collectNames(draft: Draft, sources: readonly Target[]): readonly string[] | "unknown" {
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
      ...(repository.changesNested === true || known?.changesNested === true ? { changesNested: true } : {}),
      ...joinCommits(repository.commits, known?.commits),
      ...joinTaken(repository.takesWork, known?.takesWork),
    });
  }
  for (const { path, how } of paths) addWord(draft, path, there, how, true);
  if (isBeyond) addUnknown(draft, there);
}

function joinTaken(
  one: FootprintRepository["takesWork"] = [],
  other: FootprintRepository["takesWork"] = [],
): Pick<FootprintRepository, "takesWork"> {
  return one.length + other.length === 0 ? {} : { takesWork: [...one, ...other] };
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

/** Options by which programs are told where to work: `make -C`, `npm --prefix`, `terraform -chdir=`. */
const WORKS_IN =
  /^-(C|-?(?:directory|dir|cwd|prefix|chdir|working-dir|working-directory|project-dir|root))(?:=|$)/;

/**
 * A program also works in folders and repositories that its words name, and on files: `make -C ../other`,
 * `prettier --write ~/x/a.ts`.
 */
function addProgram(draft: Draft, invocation: Invocation): void {
  const { disk, project } = draft.workspace;
  addUnknown(draft, invocation);
  if (invocation.place.kind !== "local") return;
  const words = invocation.argv.slice(1, MAX_WORDS).map(word => knownText(word) ?? "");
  for (const [index, word] of words.entries()) {
    const written = word.replace(/^-[^=]*=/, "");
    if (!/^(\.\.|.*\/)/s.test(written)) continue;
    const [target] = resolveTargets(disk, text(written), invocation.cwd, invocation.place, {
      followsLast: true,
    });
    const path = target?.path;
    const kind = path === undefined ? undefined : disk.kind(path);
    if (path === undefined || kind === undefined || (project !== undefined && isInside(project, path)))
      continue;
    const isPlace = WORKS_IN.test(word) || WORKS_IN.test(words[index - 1] ?? "");
    if (findRepository(disk, path)?.top !== undefined) addDirectory(draft, path);
    else if (kind === "directory" && isPlace) addDirectory(draft, path);
    else if (kind === "file") addPossible(draft, path);
  }
}

/** Programs and libraries of the system are named to be run or read. */
const OF_SYSTEM = /^\/(usr|bin|sbin|lib\w*|etc|opt|nix|snap|boot|sys|System|Library|Applications)\//;

function addPossible({ targets }: Draft, path: string): void {
  if (isDevice(path) || OF_SYSTEM.test(path)) return;
  targets.set(`possible ${path}`, { path, how: "write", isTree: false, isPossible: true });
}

/**
 * What is changed has names that come from elsewhere, as in `grep -rl x ~/code | xargs sed -i`: they are among what the
 * same call names. Of the project the work at risk is kept as it is.
 */
function addNamed(draft: Draft, { argv, cwd, place }: Invocation): void {
  const { disk, project } = draft.workspace;
  if (place.kind !== "local") return;
  for (const word of argv.slice(1, MAX_WORDS)) {
    const isPath = knownText(word)?.startsWith("-") !== true;
    for (const target of isPath ? resolveTargets(disk, word, cwd, place, { followsLast: true }) : []) {
      const path = target.isRemote || isDevice(target.path) ? undefined : (target.path ?? target.base);
      const isThere = path !== undefined && disk.kind(path) !== undefined;
      if (isThere && (project === undefined || !isInside(project, path)))
        addPath(draft, path, "delete", true);
    }
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

/** A footprint while it grows. */
export interface Draft {
  readonly workspace: Workspace;
  readonly targets: Map<string, FootprintTarget>;
  readonly repositories: Map<string, FootprintRepository>;
  readonly unknownIn: Set<string>;
  readonly unresolved: Set<string>;
}

function startDraft(workspace: Workspace): Draft {
  return {
    workspace,
    targets: new Map(),
    repositories: new Map(),
    unknownIn: new Set(),
    unresolved: new Set(),
  };
}

function finishDraft({ targets, repositories, unknownIn, unresolved }: Draft): Footprint {
  return {
    targets: [...targets.values()],
    repositories: [...repositories.values()],
    unknownIn: [...unknownIn],
    unresolved: [...unresolved],
  };
}

/** The directory, or the one of the project in which it is made; the session's own when it is not known. */
function addDirectory({ workspace, unknownIn }: Draft, path: string | undefined): void {
  const { disk, cwd, project } = workspace;
  if (path?.startsWith("/") !== true) {
    unknownIn.add(cwd);
    return;
  }
  const resolved = disk.resolve(path, true);
  if (disk.kind(resolved) === "directory") {
    unknownIn.add(resolved);
    return;
  }
  const directory = ancestors(resolved.slice(0, MAX_PATH)).find(at => disk.kind(at) === "directory") ?? "/";
  unknownIn.add(project !== undefined && isInside(project, directory) ? directory : cwd);
}

/** Everything that a word names; without `how` it is a directory in which anything may change. */
function addWord(
  draft: Draft,
  word: Value,
  by: Pick<Actor, "cwd" | "place">,
  how: FootprintTarget["how"] | undefined,
  isTree: boolean,
  beside: (path: string) => readonly string[] = path => [path],
): void {
  const { disk } = draft.workspace;
  const followsLast = how === "write" || how === "attributes";
  for (const target of resolveTargets(disk, word, by.cwd, by.place, { followsLast })) {
    if (target.isRemote || isDevice(target.path)) continue;
    const found = expandTarget(disk, target, followsLast);
    if (found === undefined) addUnresolved(draft, target, by);
    else if (how === undefined)
      for (const path of [...found.paths, ...found.trees]) addDirectory(draft, path);
    else {
      for (const path of found.paths.flatMap(beside)) addPath(draft, path, how, isTree);
      for (const path of found.trees) addPath(draft, path, how, true);
    }
  }
  if (followsLast) addLinks(draft, word, by);
}

/** Writing to a link may put a file in its place: programs differ. */
function addLinks(draft: Draft, word: Value, by: Pick<Actor, "cwd" | "place">): void {
  const { disk } = draft.workspace;
  if (knownText(word) === undefined) return;
  for (const { path, isRemote } of resolveTargets(disk, word, by.cwd, by.place, { followsLast: false }))
    if (path !== undefined && !isRemote && disk.kind(path) === "symlink")
      addPath(draft, path, "delete", false);
}

function addPath(draft: Draft, path: string, how: FootprintTarget["how"], isTree: boolean): void {
  const { disk, project, stateHomes } = draft.workspace;
  // No file has so long a name.
  if (path.length >= MAX_PATH) return;
  // The history is in no history itself.
  if (stateHomes.some(home => isOfStateHome(home, path, project))) return;
  const isNew = how === "write" && disk.isAbsent(path);
  // Directories on the way are made with it.
  const top = (isNew ? [...ancestors(path)].reverse().find(disk.isAbsent) : undefined) ?? path;
  const key = `${how} ${top}`;
  const known = draft.targets.get(key);
  draft.targets.set(key, { path: top, how, isTree: isTree || top !== path || known?.isTree === true });
}

function addUnresolved(draft: Draft, target: Target, by: Pick<Actor, "cwd">): void {
  if (target.isRemote) return;
  draft.unresolved.add(target.shown);
  addDirectory(draft, target.base ?? knownText(by.cwd));
}

/** Terminals, the null device and the like keep nothing. */
function isDevice(path: string | undefined): boolean {
  return path !== undefined && /^\/(dev|proc)\/(?!shm\/)/.test(path);
}
