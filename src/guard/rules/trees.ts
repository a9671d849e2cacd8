import { describe, type Listing, type Origin, type Piece, text, type Value } from "../../shell/index.ts";
import { basename, dirname, globMatches, isInside, join } from "../../system/index.ts";
import {
  componentCouldBe,
  componentCouldBeInAnyShell,
  expandTarget,
  filesBelow,
  isStartupFile,
  type ProtectedPath,
  partsBelow,
  patternNamesSecret,
  plainName,
  protectedPaths,
  secretAt,
  secretByName,
  type Target,
  wiringPart,
} from "../../workspace/index.ts";
import { type Actor, type Check, type EffectOf, type RuleContext, targetsForWord } from "../rule-context.ts";

// One test for everything that reaches more than it names: a tree that is put into a folder, a read of a folder, and a
// target that is computed. What is reached is compared with the protected paths of the home and the project.

/** Copies, extractions, moves, computed writes and reads of folders. */
export const TREES: Check = {
  inspect(effect, context) {
    if (effect.by.place.kind === "remote") return;
    if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "read") inspectRead(effect, context);
  },
};

type Component = readonly Piece[];

/** Places that a word may stand for. `**` stands for any number of folders, hidden ones included. */
interface Reach {
  readonly base: string;
  /** below the base */
  readonly parts: readonly Part[];
  /** what lies below is reached as well */
  readonly isTree: boolean;
  /** only what is there: the word is a result of a search */
  readonly isListed: boolean;
}

type Part = "**" | ((name: string) => boolean);

function inspectWrite(effect: EffectOf<"write">, context: RuleContext): void {
  if (effect.how === "create" || effect.how === "make") return;
  if (isTreeWrite(effect, context)) inspectTree(effect, context);
  // Nobody hides where an ordinary file goes.
  if (effect.path.pieces[0]?.kind === "unknown" && effect.path.origins.some(({ kind }) => kind === "decoded"))
    context.report("agent.bypass", effect.by, describe(effect.path));
  for (const reach of computedReaches(effect.path, effect.by, context, effect.from !== undefined))
    reportWrites(context, effect.by, reach);
}

/** Something with names of its own is put into a folder, or a folder is put there. */
function isTreeWrite({ how, from, isInto }: EffectOf<"write">, context: RuleContext): boolean {
  if (how === "link") return false;
  return how === "extract" || from !== undefined || (isInto === true && hasSources(context));
}

function hasSources({ effects }: RuleContext): boolean {
  return effects.length > 0;
}

function inspectTree(effect: EffectOf<"write">, context: RuleContext): void {
  for (const { path } of targetsForWord(context, effect.path, effect.by, true)) {
    if (path === undefined) continue;
    const landed = landedPaths(effect, path, context);
    if (landed === undefined) reportUnlisted(context, effect, path);
    else for (const one of landed) reportLanded(context, effect.by, one);
  }
}

/** The paths that come to be, as far as the sources can be listed; undefined when one of them cannot. */
function landedPaths(
  effect: EffectOf<"write">,
  folder: string,
  context: RuleContext,
): readonly string[] | undefined {
  const { by, from, how } = effect;
  const sources = how === "extract" ? [] : from === undefined ? copiedBy(by, context) : [from];
  if (sources.length === 0) return undefined;
  const landed: string[] = [];
  for (const source of sources)
    for (const target of targetsForWord(context, source, by, true, true)) {
      const found = listSource(target, source, folder, context);
      if (found === undefined) return undefined;
      landed.push(...found);
    }
  return landed;
}

/** What a program that copies reads, where its record does not say which goes where. */
function copiedBy({ invocation }: Actor, { effects }: RuleContext): readonly Value[] {
  return effects.flatMap(effect =>
    effect.kind === "read" && effect.isCopy && effect.by.invocation?.id === invocation?.id
      ? [effect.path]
      : [],
  );
}

function listSource(
  target: Target,
  source: Value,
  folder: string,
  context: RuleContext,
): readonly string[] | undefined {
  const { disk } = context.workspace;
  const written = writtenBelow(context);
  if (target.isRemote) return undefined;
  if (target.path !== undefined) {
    const files = listFilesBelow(context, target.path, written);
    if (files === undefined) return undefined;
    const isContents = /(^|\/)\.?$/.test(describe(source));
    // `cp -T` and programs like it put the contents where others put the folder.
    const places =
      isContents || basename(folder) !== basename(target.path) ? [folder] : [folder, dirname(folder)];
    return places.flatMap(place => files.map(file => (file === "" ? place : join(place, file))));
  }
  const found = expandTarget(disk, target, false);
  if (found === undefined || found.trees.length > 0 || target.base === undefined) return undefined;
  const named = written.filter(path => couldBegin(target, path)).map(path => matchedTop(target, path));
  const tops = [...new Set([...found.paths, ...named])];
  const files = tops.map(top =>
    listFilesBelow(context, top, written)?.map(file => join(basename(top), file)),
  );
  return files.every(each => each !== undefined) ? files.flat().map(file => join(folder, file)) : undefined;
}

/** Files below a path, on the disk and by what the command writes there; the empty name stands for itself. */
function listFilesBelow(
  { workspace }: RuleContext,
  path: string,
  written: readonly string[],
): readonly string[] | undefined {
  const { disk } = workspace;
  const added = written.flatMap(file =>
    isInside(path, file) ? [(partsBelow(path, file) ?? []).join("/")] : [],
  );
  const kind = disk.kind(path);
  if (kind === "directory") {
    const there = filesBelow(disk, path);
    return there === undefined ? undefined : [...there, ...added];
  }
  if (kind !== undefined) return [""];
  return added.length > 0 ? added : undefined;
}

const knownWritten = new WeakMap<RuleContext, readonly string[]>();

/** The files that the command itself writes. */
function writtenBelow(context: RuleContext): readonly string[] {
  const known = knownWritten.get(context);
  if (known !== undefined) return known;
  const paths = context.effects.flatMap(effect =>
    effect.kind === "write" && effect.how !== "create" && effect.from === undefined && effect.isInto !== true
      ? targetsForWord(context, effect.path, effect.by, true).flatMap(({ path }) => path ?? [])
      : [],
  );
  knownWritten.set(context, paths);
  return paths;
}

/** The path lies at or below something that the pattern names. */
function couldBegin({ base, rest }: Target, path: string): boolean {
  const parts = partsBelow(base, path);
  return (
    parts !== undefined &&
    parts.length >= rest.length &&
    rest.every((component, index) => componentCouldBe(component, parts[index] ?? ""))
  );
}

function matchedTop({ base = "/", rest }: Target, path: string): string {
  return join(base, ...(partsBelow(base, path) ?? []).slice(0, rest.length));
}

/**
 * What is in an archive, on another machine or not there yet may have any name. Into a home it reaches everything in it;
 * elsewhere what is there to be overwritten.
 */
function reportUnlisted(context: RuleContext, effect: EffectOf<"write">, folder: string): void {
  const { workspace } = context;
  const { disk, home, project } = workspace;
  if (effect.from !== undefined && effect.how !== "extract" && disk.kind(folder) !== "directory") return;
  const isHome = isInside(folder, home);
  const reached = protectedPaths(workspace, folder).filter(
    ({ path, kind }) =>
      isInside(folder, path) &&
      (isHome ||
        (!disk.isAbsent(path) && (kind === "wiring" || project === undefined || !isInside(project, path)))),
  );
  reportFirst(context, effect.by, reached);
}

/** Who may log in is said by a file of this name in a home; elsewhere it is a file like others. */
function isEntry(workspace: RuleContext["workspace"], path: string): boolean {
  return isInside(join(workspace.home, ".ssh"), path) && secretAt(workspace, path) === "entry";
}

function reportLanded(context: RuleContext, by: Actor, path: string): void {
  const { workspace } = context;
  if (wiringPart(workspace, path) !== undefined) reportPath(context, by, { path, kind: "wiring" });
  else if (isStartupFile(workspace, path) || isEntry(workspace, path))
    reportPath(context, by, { path, kind: "startup" });
  else if (secretAt(workspace, path) !== undefined && !workspace.disk.isAbsent(path))
    reportPath(context, by, { path, kind: "secret" });
}

function reportWrites(context: RuleContext, by: Actor, reach: Reach): void {
  const { workspace } = context;
  const reached = protectedPaths(workspace, reach.base).filter(
    ({ path }) => reaches(reach, path) && !(reach.isListed && workspace.disk.isAbsent(path)),
  );
  reportFirst(context, by, reached);
}

/** One finding of each kind: the first that would be reached stands for the rest. */
function reportFirst(context: RuleContext, by: Actor, reached: readonly ProtectedPath[]): void {
  for (const kind of ["wiring", "startup", "secret"] as const) {
    const first = reached.find(one => one.kind === kind);
    if (first !== undefined) reportPath(context, by, first);
  }
}

function reportPath(context: RuleContext, by: Actor, { path, kind }: ProtectedPath): void {
  const rule = kind === "wiring" ? "agent.bypass" : kind === "startup" ? "fs.rcfile" : "sec.write";
  context.report(rule, by, path);
}

/** A folder that is read shows the secrets in it. */
function inspectRead(effect: EffectOf<"read">, context: RuleContext): void {
  const { workspace } = context;
  const { disk, project } = workspace;
  const { by, search, isCopy } = effect;
  const listed = computedReaches(effect.path, by, context, false);
  const folders = targetsForWord(context, effect.path, by, true, true).flatMap(
    ({ path, isRemote }): Reach[] => {
      if (path === undefined || isRemote || disk.kind(path) !== "directory") return [];
      // Programs that take the top of a disk look at the disk.
      if (path === "/" && !isCopy && search === undefined) return [];
      return [{ base: path, parts: [], isTree: true, isListed: true }];
    },
  );
  // Secrets of the project are looked for below it, by what is searched for: `secretsListed`.
  const isOfProject = (path: string) => project !== undefined && isInside(project, path);
  const reached = [...listed, ...folders].filter(({ base }) => !isOfProject(base));
  if (reached.length === 0) return;
  const found = protectedPaths(workspace).find(
    ({ path, kind }) =>
      kind === "secret" &&
      !disk.isAbsent(path) &&
      !isOfProject(path) &&
      reached.some(reach => reaches(reach, path)),
  );
  if (found !== undefined && !isNarrowed(effect, context)) context.report("sec.read", by, found.path);
}

/**
 * A search hands names to the program, and none of a secret: `find ~/.ssh -name '*.pub' -exec cat {} +`. Where it starts is
 * an effect of its own.
 */
export function isNarrowed({ by }: EffectOf<"read">, context: RuleContext): boolean {
  const { disk } = context.workspace;
  const reads = context.effects.filter(
    (one): one is EffectOf<"read"> =>
      one.kind === "read" && one.by.invocation !== undefined && one.by.invocation.id === by.invocation?.id,
  );
  const listings = reads.flatMap(({ path }) => findListings(path, context));
  if (listings.length === 0 || listings.some(({ names }) => names.length === 0 || names.some(mayBeSecret)))
    return false;
  const all = reads.flatMap(({ path }) => computedReaches(path, by, context, false));
  return !protectedPaths(context.workspace).some(
    ({ path, kind }) => kind === "secret" && !disk.isAbsent(path) && all.some(reach => reaches(reach, path)),
  );
}

function mayBeSecret(pattern: string): boolean {
  if (!/[*?[]/.test(pattern)) return secretByName(pattern, { added: [], removed: [] }) !== undefined;
  const sample = pattern.replace(/[*?[]/g, "x");
  return (
    patternNamesSecret([{ kind: "glob", pattern }]) ||
    secretByName(sample, { added: [], removed: [] }) !== undefined
  );
}

const sameName =
  (name: string): Part =>
  other =>
    other === name;

/** What a word that is not known completely may stand for. */
function computedReaches(word: Value, by: Actor, context: RuleContext, isTree: boolean): readonly Reach[] {
  if (
    word.pieces.every(piece => piece.kind === "text") &&
    by.cwd.pieces.every(piece => piece.kind === "text")
  )
    return [];
  const listings = findListings(word.origins.length > 0 ? word : by.cwd, context);
  if (listings.length > 0)
    return listings.flatMap(listing => listedReaches(listing, word, by, context, isTree));
  return targetsForWord(context, word, by, true).flatMap(({ path, base, rest, isRemote }) => {
    if (path !== undefined || base === undefined || isRemote || isFree(context, base, rest)) return [];
    const isCode = isOfCode(context, by);
    const parts = rest.map((component): Part => {
      const only = component.length === 1 ? component[0] : undefined;
      if (only?.kind === "unknown" && only.shape !== "token") return "**";
      if (only?.kind === "glob" && only.pattern.includes("**")) return "**";
      return name => (isCode ? componentCouldBeInAnyShell : componentCouldBe)(component, name);
    });
    return [{ base, parts, isTree, isListed: false }];
  });
}

/** A name in the project of which nothing is known is the name of an ordinary file. */
function isFree({ workspace }: RuleContext, base: string, rest: readonly Component[]): boolean {
  const { project, home } = workspace;
  if (project === undefined || !isInside(project, base) || isInside(base, home)) return false;
  const [first] = rest;
  return first?.[0]?.kind !== "text" || plainName(first) !== undefined;
}

/** Code matches hidden names by a star where shells do not. */
function isOfCode({ facts }: RuleContext, { invocation }: Actor): boolean {
  return invocation !== undefined && facts.codeEffects.some(one => one.invocation === invocation.id);
}

/** The lists of names that a word comes from. */
export function findListings(word: Value, { facts }: RuleContext): readonly Listing[] {
  const idOf = (origin: Origin) => (origin.kind === "program" ? origin.invocation : -1);
  for (const origin of word.origins) {
    const listing = facts.listings.get(idOf(origin));
    if (listing !== undefined) return [listing];
  }
  return [];
}

/** The results of a search, and what the word adds behind them. */
function listedReaches(
  { starts, names, selection }: Listing,
  word: Value,
  by: Actor,
  context: RuleContext,
  isTree: boolean,
): readonly Reach[] {
  // What git ignores can be made again, and may be a secret all the same.
  if (selection === "regenerable" && names.length > 0) return [];
  const last = word.pieces.reduce((found, piece, index) => (piece.kind === "text" ? found : index), -1);
  const behind = word.pieces
    .slice(last + 1)
    .map(piece => (piece.kind === "text" ? piece.text : ""))
    .join("");
  const added = (last < 0 ? describe(word) : behind).split("/").filter(part => part !== "");
  const named: Part[] =
    names.length === 0
      ? []
      : [name => names.some(pattern => globMatches(pattern.toLowerCase(), name.toLowerCase()))];
  return starts.flatMap(start =>
    targetsForWord(context, start, { ...by, cwd: text(context.workspace.directory) }, true).flatMap(
      target => {
        const base = target.path ?? target.base;
        if (base === undefined || target.isRemote) return [];
        const parts: Part[] = ["**", ...named, ...added.map(sameName)];
        return [{ base, parts, isTree, isListed: true }];
      },
    ),
  );
}

function reaches({ base, parts, isTree }: Reach, path: string): boolean {
  const names = partsBelow(base, path);
  return names !== undefined && fits(parts, names, isTree);
}

function fits(parts: readonly Part[], names: readonly string[], isTree: boolean): boolean {
  const [part, ...others] = parts;
  if (part === undefined) return names.length === 0 || isTree;
  if (part === "**") {
    for (let skipped = 0; skipped <= names.length; skipped += 1)
      if (fits(others, names.slice(skipped), isTree)) return true;
    return false;
  }
  const [name, ...rest] = names;
  return name !== undefined && part(name) && fits(others, rest, isTree);
}
