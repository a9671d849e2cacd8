import { isRegenerableName, showsInput, takesIgnored } from "../../programs/index.ts";
import { baseName, describe, knownPrefix, knownText, text } from "../../shell/index.ts";
import { compileGlob, isInside, join, matchesGlob } from "../../system/index.ts";
import { liveTokenIn } from "../../text/index.ts";
import {
  findRepository,
  isIgnoredNow,
  isIgnoredWith,
  matchesAnyPattern,
  parseIgnoreFile,
  partsBelow,
  type Repository,
  secretAt,
  trackedFiles,
} from "../../workspace/index.ts";
import type { GitRun } from "../git/run.ts";
import { isOfFamily } from "../rule.ts";
import {
  type CommandEffect,
  type EffectOf,
  type RuleContext,
  targetsForWord,
  touchedPath,
} from "../rule-context.ts";
import { findListings } from "./trees.ts";

/** A secret that goes along without being named. */
export interface TakenSecret {
  readonly path: string;
  /** what was found, never the value */
  readonly kind: string;
}

const MAX_ENTRIES = 4000;
const MAX_DEPTH = 12;
const MAX_FILE_BYTES = 64 * 1024;
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
const MAX_FOUND = 3;
const MAX_PATTERN = 2000;

/**
 * What `git add -A`, `git commit -a` and `git stash -u` would take along: new files by their names and contents, changed
 * ones by their contents. Bounded in files and bytes, so that it costs the same on every machine.
 */
export function secretsTaken({ run, by }: EffectOf<"git">, context: RuleContext): readonly TakenSecret[] {
  const { repository } = run;
  const top = repository?.top;
  if (repository === undefined || top === undefined) return [];
  const starts = stagedPaths(run, top, by.invocation?.isOpenEnded === true);
  if (starts.length === 0) return [];
  const isTracked = run.subcommand === "commit" || run.options.has("u", "update");
  const scope = scopeOfGit(context, repository, top, {
    onlyTracked: isTracked && run.subcommand !== "stash",
    withIgnored: takesIgnored(run),
    changed: changedRules(by.invocation?.id, context),
  });
  return scope === undefined ? [] : walk(starts, scope, context);
}

function stagedPaths(
  { subcommand, options, directory }: GitRun,
  top: string,
  isOpenEnded: boolean,
): readonly string[] {
  const place = knownText(directory) ?? top;
  if (options.isOn("dry-run") || options.has("help")) return [];
  if (subcommand === "commit") return options.has("a", "all") ? [top] : [];
  if (subcommand === "stash") return options.has("u", "a", "include-untracked", "all") ? [top] : [];
  if (subcommand !== "add" && subcommand !== "stage") return [];
  if (options.isOn("n")) return [];
  // What is not known may be everything that is there: `git add $(git ls-files -o)`.
  if (isOpenEnded || options.operandValues.some(value => value.pieces.some(({ kind }) => kind === "unknown")))
    return [top];
  // The shell puts names there that begin with what stands in front of the pattern.
  const operands = options.operandValues.map(value => knownText(value) ?? `${knownPrefix(value)}*`);
  if (operands.length === 0) return options.has("A", "all", "u", "update") ? [top] : [];
  return operands.map(operand =>
    operand.startsWith(":/")
      ? join(top, operand.slice(2))
      : operand.includes("*")
        ? join(place, operand.slice(0, operand.indexOf("*")).replace(/(?<![^/])[^/]*$/, ""))
        : operand.startsWith("/")
          ? operand
          : join(place, operand),
  );
}

/** What of a tree goes along, and how closely it is looked at. */
interface Scope {
  readonly top: string;
  /** neither it nor what is below */
  readonly leaves: (parts: readonly string[], path: string) => boolean;
  /** a new file by its name and its content, a changed one by its content, a searched one by its name */
  readonly takes: (name: string, path: string) => "whole" | "content" | "name" | "no";
}

interface GitTakes {
  readonly onlyTracked: boolean;
  readonly withIgnored: boolean;
  readonly changed: ReadonlyMap<string, string | undefined>;
}

/** Files of ignore rules that the same command changed before, with their new text where that is known. */
function changedRules(
  before: number | undefined,
  context: RuleContext,
): ReadonlyMap<string, string | undefined> {
  const changed = new Map<string, string | undefined>();
  for (const effect of context.effects) {
    const { by } = effect;
    const isBefore = by.invocation !== undefined && before !== undefined && by.invocation.id < before;
    const isChange =
      effect.kind === "delete" ||
      effect.kind === "move" ||
      (effect.kind === "write" && effect.how !== "append");
    const word = isBefore && isChange ? touchedPath(effect) : undefined;
    if (word === undefined) continue;
    for (const { path } of targetsForWord(context, word, by, true)) {
      if (path === undefined || !/\/(?:\.gitignore|exclude)$/.test(path)) continue;
      const written = context.facts.writtenFiles.find(file => knownText(file.path) === path);
      changed.set(path, written === undefined ? undefined : knownText(written.content));
    }
  }
  return changed;
}

function scopeOfGit(
  { workspace }: RuleContext,
  repository: Repository,
  top: string,
  { onlyTracked, withIgnored, changed }: GitTakes,
): Scope | undefined {
  const { disk, given } = workspace;
  const tracked = trackedFiles(disk, repository);
  // Without the index everything there may be old.
  if (tracked === undefined) return undefined;
  return {
    top,
    leaves: (parts, path) =>
      parts[0] === ".git" ||
      (withIgnored
        ? isRegenerableName(parts.at(-1) ?? "")
        : !tracked.has(parts.join("/")) &&
          (changed.size === 0
            ? isIgnoredNow(workspace, top, parts)
            : isIgnoredWith(changed, workspace, top, parts))) ||
      (disk.kind(path) === "directory" && disk.kind(join(path, ".git")) !== undefined),
    takes: (name, path) => {
      const indexed = tracked.get(name);
      if (indexed === undefined) return onlyTracked ? "no" : "whole";
      const now = disk.state(path);
      const isChanged =
        now !== undefined &&
        (now.size !== indexed.size || Math.floor(now.modifiedMs / 1000) !== indexed.modifiedSeconds);
      return isChanged || given.written?.()?.hasWritten(path) === true ? "content" : "no";
    },
  };
}

/** What an archive, a package or a deploy would take along of a folder. */
export function secretsInTree(effect: EffectOf<"read">, context: RuleContext): readonly TakenSecret[] {
  const { taken } = effect;
  if (taken?.staysHere === true && !context.effects.some(leaves)) return [];
  return secretsBelow(effect, context);
}

function secretsBelow({ taken, path, by }: EffectOf<"read">, context: RuleContext): readonly TakenSecret[] {
  const { workspace } = context;
  const { disk } = workspace;
  if (taken === undefined || by.place.kind === "remote") return [];
  return targetsForWord(context, path, by, true).flatMap(({ path: top }) => {
    if (top === undefined || disk.kind(top) !== "directory") return [];
    const own = taken.ignoreFiles.map(name => disk.text(join(top, name), MAX_FILE_BYTES));
    const rules = parseIgnoreFile(
      top,
      [own.find(one => one !== undefined) ?? "", ...taken.leftOut].join("\n"),
    );
    const repository = taken.leavesIgnored === true ? findRepository(disk, top) : undefined;
    const base = repository?.top;
    const scope: Scope = {
      top,
      leaves: (parts, one) =>
        parts[0] === ".git" ||
        isRegenerableName(parts.at(-1) ?? "") ||
        matchesAnyPattern(rules, parts) ||
        (base !== undefined && isIgnoredNow(workspace, base, partsBelow(base, one) ?? [])),
      takes: () => "whole",
    };
    return walk([top], scope, context);
  });
}

/**
 * Secrets that go into an archive which stays on this machine. The file is noted, so that showing or sending it later is
 * showing or sending them; one that goes to the output is shown now.
 */
export function inspectPacked(effect: EffectOf<"read">, context: RuleContext): void {
  const { invocation } = effect.by;
  if (effect.taken?.staysHere !== true || invocation === undefined) return;
  const [secret] = secretsBelow(effect, context);
  if (secret === undefined) return;
  const chain = context.facts.invocations.filter(
    ({ id, pipeline }) =>
      id === invocation.id ||
      (pipeline !== undefined &&
        pipeline.id === invocation.pipeline?.id &&
        pipeline.index > invocation.pipeline.index),
  );
  const effects = context.effects.filter(({ by }) => chain.some(({ id }) => id === by.invocation?.id));
  const files = effects.flatMap(one => (one.kind === "write" && one.how !== "extract" ? [one] : []));
  for (const { path, by } of files)
    for (const target of targetsForWord(context, path, by, true))
      if (target.path !== undefined) notePacked(context, target.path, secret.path);
  const last = chain.at(-1);
  const isShown =
    last !== undefined &&
    !last.isCaptured &&
    last.id !== invocation.id &&
    showsInput(last) &&
    !effects.some(({ kind }) => kind === "write" || kind === "send" || kind === "delete");
  if (isShown) context.report("sec.read", effect.by, secret.path);
}

/** An archive that is copied or renamed is the same archive. */
export function inspectRenamed(effect: EffectOf<"write">, context: RuleContext): void {
  const { from, by } = effect;
  const secret =
    from === undefined
      ? undefined
      : targetsForWord(context, from, by, true)
          .map(({ path }) => packedSecret(context, path))
          .find(one => one !== undefined);
  if (secret === undefined) return;
  for (const { path } of targetsForWord(context, effect.path, by, true))
    if (path !== undefined) notePacked(context, path, secret);
}

export function notePacked({ workspace }: RuleContext, archive: string, secret: string): void {
  workspace.given.onPacked?.(`${archive}\n${secret}`);
}

/** The secret that this session packed into a file. */
export function packedSecret({ workspace }: RuleContext, path: string | undefined): string | undefined {
  const packed = path === undefined ? [] : (workspace.given.facts?.packed ?? []);
  return packed.find(entry => entry.startsWith(`${path}\n`))?.slice((path?.length ?? 0) + 1);
}

/** Secrets below a directory whose lines a search would show. */
export function secretsSearched(
  { search, below }: EffectOf<"read">,
  top: string,
  context: RuleContext,
): readonly TakenSecret[] {
  const { disk } = context.workspace;
  if (search === undefined || disk.kind(top) !== "directory") return [];
  const { only = [], without = [], leavesHidden = false, leavesIgnored = false } = below ?? {};
  const repository = leavesIgnored || below?.leavesUntracked === true ? findRepository(disk, top) : undefined;
  const base = leavesIgnored ? repository?.top : undefined;
  const tracked =
    below?.leavesUntracked === true && repository !== undefined ? trackedFiles(disk, repository) : undefined;
  const isTracked = (path: string) =>
    tracked === undefined || tracked.has((partsBelow(repository?.top ?? top, path) ?? []).join("/"));
  const globs = only.map(pattern => compileGlob(baseName(pattern), "fnmatch"));
  const left = parseIgnoreFile(top, without.join("\n"));
  const scope: Scope = {
    top,
    leaves: (parts, path) =>
      parts[0] === ".git" ||
      isRegenerableName(parts.at(-1) ?? "") ||
      (leavesHidden && parts.at(-1)?.startsWith(".") === true) ||
      matchesAnyPattern(left, parts) ||
      (base !== undefined && isIgnoredNow(context.workspace, base, partsBelow(base, path) ?? [])),
    takes: (name, path) =>
      (below?.leavesBelow === true && name.includes("/")) || !isTracked(path)
        ? "no"
        : globs.length === 0 || globs.some(glob => matchesGlob(glob, baseName(name)))
          ? "name"
          : "no",
  };
  const pattern = knownText(search) ?? "";
  return walk([top], scope, context).filter(({ path }) => mayMatch(pattern, disk.text(path, MAX_FILE_BYTES)));
}

/** Secrets of the project among the names that a list hands to a program which shows files. */
export function secretsListed(effect: EffectOf<"read">, context: RuleContext): readonly TakenSecret[] {
  const { path: word, by, search = text("") } = effect;
  const listings = findListings(word.origins.length > 0 ? word : by.cwd, context);
  if (listings.length === 0 || by.place.kind === "remote") return [];
  const { disk, project, directory } = context.workspace;
  if (project === undefined) return [];
  const places = listings.flatMap(listing =>
    listing.starts.flatMap(start =>
      targetsForWord(context, start, { ...by, cwd: text(directory) }, true).map(target => ({
        listing,
        target,
      })),
    ),
  );
  return places.flatMap(({ listing, target: { path, base, rest, isRemote } }) => {
    const start = path ?? base;
    if (start === undefined || isRemote) return [];
    if (path !== undefined && disk.kind(path) === "file") return [];
    const top = isInside(start, project) ? project : start;
    if (!isInside(project, top)) return [];
    const { names, leaves = [], matching = [], holding } = listing;
    const last = path === undefined ? rest.at(-1) : undefined;
    const only = last === undefined ? names : [describe({ pieces: last, origins: [] })];
    const below = {
      only,
      without: [],
      leavesHidden: leaves.includes("hidden") && !only.some(name => name.startsWith(".")),
      leavesIgnored: leaves.includes("ignored"),
      leavesUntracked: leaves.includes("untracked"),
      leavesBelow: leaves.includes("below") || (path === undefined && rest.length === 1),
    };
    return secretsSearched({ ...effect, search, below }, top, context).filter(
      found =>
        matching.every(pattern => mayMatch(pattern, found.path)) &&
        (holding === undefined || mayMatch(holding, disk.text(found.path, MAX_FILE_BYTES))),
    );
  });
}

/** A tree that was copied brings the secrets of the project along, under their names. */
export function isCopyOfSecret(copy: string, context: RuleContext): boolean {
  const { disk, project } = context.workspace;
  const text = disk.text(copy, MAX_FILE_BYTES);
  if (project === undefined) return text === undefined;
  const scope: Scope = {
    top: project,
    leaves: (parts, path) => parts[0] === ".git" || path === copy || isRegenerableName(parts.at(-1) ?? ""),
    takes: name => (baseName(name) === baseName(copy) ? "name" : "no"),
  };
  return walk([project], scope, context).some(({ path }) => disk.text(path, MAX_FILE_BYTES) === text);
}

/**
 * Whether a text may hold what a regular expression asks for: all letters and digits that must stand in a match do stand
 * in the text. The expression is the agent's and is never run.
 */
function mayMatch(pattern: string, text: string | undefined): boolean {
  const plain = pattern.replace(/\\[a-zA-Z0-9]/g, ".").replace(/\\/g, "");
  if (text === undefined || pattern.length > MAX_PATTERN || /\)[?*{]|\(\?/.test(plain)) return true;
  const lower = text.toLowerCase();
  return plain.split("|").some(branch => {
    const needed = branch.replace(/\[[^\]]*\]/g, ".").replace(/.(?:[?*]|\{[^}]*\})/g, ".");
    return (needed.match(/\w+/g) ?? []).every(word => lower.includes(word.toLowerCase()));
  });
}

/** Something goes to others. */
function leaves(effect: CommandEffect): boolean {
  return (
    effect.kind === "send" ||
    (effect.kind === "operation" && (effect.rule === "publish" || isOfFamily(effect.rule, "deploy", "net")))
  );
}

function walk(starts: readonly string[], scope: Scope, { workspace }: RuleContext): readonly TakenSecret[] {
  const { disk } = workspace;
  const found: TakenSecret[] = [];
  // What lies near the top is looked at first: secrets do, and a large tree is not walked to its end.
  const waiting = [...starts];
  let bytes = 0;
  for (let at = 0; at < Math.min(waiting.length, MAX_ENTRIES); at += 1) {
    const path = waiting[at] ?? "";
    const parts = partsBelow(scope.top, path) ?? [];
    if (parts.length > MAX_DEPTH || found.length >= MAX_FOUND) continue;
    if (parts.length > 0 && scope.leaves(parts, path)) continue;
    const kind = disk.kind(path);
    if (kind === "directory") {
      for (const one of disk.names(path, MAX_ENTRIES) ?? []) waiting.push(join(path, one));
      continue;
    }
    const how = kind === "file" ? scope.takes(parts.join("/"), path) : "no";
    if (how === "no") continue;
    const secret = how === "content" ? undefined : secretAt(workspace, path);
    if (secret !== undefined && holdsSomething(disk.text(path, MAX_FILE_BYTES))) {
      found.push({ path, kind: secret === "key" ? "a private key" : "a file of secrets" });
      continue;
    }
    if (how === "name" || bytes > MAX_TEXT_BYTES) continue;
    const text = disk.text(path, MAX_FILE_BYTES) ?? "";
    bytes += text.length;
    const token = liveTokenIn(text);
    if (token !== undefined) found.push({ path, kind: token });
  }
  return found;
}

/** An empty file, or one with names alone, gives nothing away. */
function holdsSomething(text: string | undefined): boolean {
  return (
    text === undefined || text.split("\n").some(line => /^\s*[^#\s]/.test(line) && !/^[^=]*=\s*$/.test(line))
  );
}
