import { changedWords, changesOfGit, writtenByGit } from "../../programs/index.ts";
import { describe, type Invocation, type ShellFacts, type Value, wordSet } from "../../shell/index.ts";
import { components, globMatches, isInside } from "../../system/index.ts";
import {
  componentCouldBe,
  type Disk,
  filesBelow,
  findWiring,
  holdsHookProgram,
  holdsWiring,
  hookFiles,
  isLinkedWiring,
  isStartupFile,
  mayNameWiring,
  partsBelow,
  plainName,
  type Target,
} from "../../workspace/index.ts";
import { takesUntracked } from "../git/changes.ts";
import type { GitRun } from "../git/run.ts";
import {
  type Actor,
  type CommandEffect,
  type EffectOf,
  type RuleContext,
  targetsForWord,
  toActor,
} from "../rule-context.ts";

/** What an effect does to the files that decide which hooks run, and to the guard's own. */
export function inspectWiring(effect: CommandEffect, context: RuleContext): void {
  switch (effect.kind) {
    case "read":
      inspectRead(effect, context);
      break;
    case "write":
      // A link takes the place of a name; other writing goes to what a name leads to.
      reportWiring(context, effect.path, effect.by, effect.how === "link" ? "name" : "content");
      break;
    case "attributes":
      reportWiring(context, effect.path, effect.by, closesToOwner(effect) ? "name" : "content");
      break;
    case "delete":
      reportWiring(context, effect.path, effect.by, "name", effect.names);
      inspectStore(effect, context);
      break;
    case "move":
      reportWiring(context, effect.from, effect.by, "name");
      break;
    case "alter":
      inspectAlteration(effect, context);
      break;
    case "git":
      inspectGit(effect, context);
      break;
    default:
  }
}

/**
 * `name`: a name is taken away or replaced. `content`: what is behind it changes, by whatever name. `untracked`: what
 * git does not track there is taken away; the hook program is looked for by git's own rules.
 */
type Touch = "name" | "content" | "untracked";

/** `names`: patterns of which what goes has one. */
function reportWiring(
  context: RuleContext,
  word: Value,
  by: Actor,
  touch: Touch,
  names: readonly string[] = [],
): void {
  for (const target of targetsForWord(context, word, by, touch === "content"))
    if (isTouched(context, target, touch, names)) context.report("agent.bypass", by, target.shown);
}

function isTouched(
  { workspace }: RuleContext,
  target: Target,
  touch: Touch,
  names: readonly string[] = [],
): boolean {
  if (target.isRemote) return false;
  if (touch === "name" && holdsHookProgram(workspace, target, names)) return true;
  if (findWiring(workspace, target) !== undefined) return true;
  if (touch !== "content") return holdsWiring(workspace, target);
  return target.path !== undefined && isLinkedWiring(workspace, target.path);
}

/**
 * What is deleted around our own store is deleted with it, and then nothing is left to undo: no permission for the rest
 * stands for that.
 */
function inspectStore(effect: EffectOf<"delete">, context: RuleContext): void {
  const { disk, stateHomes } = context.workspace;
  const { names = [], isRecursive, selection, isEmptyOnly, isEmptyBelow } = effect;
  if (isEmptyOnly === true || isEmptyBelow === true) return;
  if (selection === "regenerable" && names.length === 0) return;
  if (!isRecursive && selection === undefined) return;
  for (const { path, base, rest, isRemote } of targetsForWord(context, effect.path, effect.by, false)) {
    const place = path ?? (rest.every(part => plainName(part) === undefined) ? base : undefined);
    const store = stateHomes.find(
      home =>
        place !== undefined && place !== home && isInside(place, home) && disk.kind(home) === "directory",
    );
    if (isRemote || place === undefined || store === undefined) continue;
    const [next = ""] = partsBelow(place, store) ?? [];
    const [first] = rest;
    if (path === undefined && first !== undefined && !componentCouldBe(first, next)) continue;
    if (names.length === 0 || holdsNamed(disk, store, names))
      context.report("agent.bypass", effect.by, store, { verdict: "deny" });
  }
}

/** The store, its folders or its files have such a name. */
function holdsNamed(disk: Disk, store: string, names: readonly string[]): boolean {
  const files = filesBelow(disk, store);
  const parts = files === undefined ? undefined : [...components(store), ...files.flatMap(components)];
  return (
    parts === undefined ||
    parts.some(part => names.some(pattern => globMatches(pattern.toLowerCase(), part.toLowerCase())))
  );
}

/** `chmod 000`, `a-r`, `u=w`: what lies there can no longer be read, as if it were gone; or `chown` to another. */
function closesToOwner({ what, setting }: EffectOf<"attributes">): boolean {
  if (what !== "mode") return false;
  if (/^[0-7]+$/.test(setting)) return (Number.parseInt(setting.slice(-3), 8) & 0o500) !== 0o500;
  return setting.split(",").some(clause => {
    const [, who = "", change = "", rights = ""] = /^([ugoa]*)([-+=])(.*)$/.exec(clause) ?? [];
    if (who !== "" && !/[ua]/.test(who)) return false;
    return change === "-"
      ? /[rx]/.test(rights)
      : change === "=" && !/^(?=[\s\S]*r)[\s\S]*x|[uX]/.test(rights);
  });
}

/**
 * The guard's grants and keys are not shown, nor what was kept of anybody's files. A program of which little is known may
 * change what it is given.
 */
function inspectRead({ path, by }: EffectOf<"read">, context: RuleContext): void {
  const { workspace } = context;
  const mayChange = by.invocation !== undefined && listChangedWords(by.invocation, context).includes(path);
  for (const target of targetsForWord(context, path, by, true)) {
    const place = target.path ?? target.base ?? "";
    const isSecret =
      workspace.stateHomes.includes(place) ||
      (/\/(guard|history)(\/|$)/.test(place) && findWiring(workspace, target) === "own");
    if (isSecret || (mayChange && isTouched(context, target, "content")))
      context.report("agent.bypass", by, target.shown);
  }
}

/** Making a directory, or something beside a file, is no change of it. */
function inspectAlteration({ path, by, beside }: EffectOf<"alter">, context: RuleContext): void {
  if (beside !== undefined) return;
  for (const target of targetsForWord(context, path, by, true)) {
    const isFile = target.path === undefined || context.workspace.disk.kind(target.path) === "file";
    if (isFile && isTouched(context, target, "content")) context.report("agent.bypass", by, target.shown);
  }
}

/** Runs of git whose operands are places that it fills or files that it writes. */
const FILLING = wordSet("clone worktree init submodule config bundle");

function inspectGit({ run, by: starter }: EffectOf<"git">, context: RuleContext): void {
  const { subcommand, options } = run;
  const by = { ...starter, cwd: run.directory };
  for (const path of writtenByGit(run)) reportWiring(context, path, by, "content");
  if (subcommand === "add") inspectUntracked(run, by, context);
  if (subcommand === "commit" || !(changesOfGit(run).files || FILLING.has(subcommand))) return;
  const files = subcommand === "config" ? options.valuesOf("f", "file") : options.operandValues;
  const isUntracked = subcommand === "clean" || subcommand === "stash";
  for (const path of files) reportWiring(context, path, by, isUntracked ? "untracked" : "name");
  if (isUntracked) inspectUntracked(run, by, context);
}

/** The hook program and the files that register it, which `git clean -fdx` and `git stash -a` take with the rest. */
function inspectUntracked(run: GitRun, by: Actor, context: RuleContext): void {
  const { workspace } = context;
  const hasStdin = by.invocation?.stdin !== undefined;
  const taken = hookFiles(workspace).find(path => takesUntracked(run, path, workspace, hasStdin));
  if (taken !== undefined) context.report("agent.bypass", by, taken);
}

function listChangedWords(invocation: Invocation, context: RuleContext): readonly Value[] {
  if (invocation.place.kind !== "local") return [];
  const { facts, changedWords: known } = context;
  const found = known.get(invocation);
  if (found !== undefined) return found;
  const words = changedWords(invocation, word => handedOn(facts).get(invocation.id)?.has(word) === true);
  known.set(invocation, words);
  return words;
}

const knownHandedOn = new WeakMap<ShellFacts, ReadonlyMap<number, ReadonlySet<string>>>();

/** By invocation, the words that it gives to a program it starts, and those that its code is seen to read. */
function handedOn(facts: ShellFacts): ReadonlyMap<number, ReadonlySet<string>> {
  const known = knownHandedOn.get(facts);
  if (known !== undefined) return known;
  const found = new Map<number, Set<string>>();
  const add = (id: number, words: readonly Value[]) => {
    const set = found.get(id) ?? new Set<string>();
    for (const word of words) set.add(describe(word));
    found.set(id, set);
  };
  for (const { parent, argv } of facts.invocations) if (parent !== undefined) add(parent.invocation, argv);
  for (const { call, invocation } of facts.codeEffects)
    if (call.kind === "read") add(invocation, [call.path]);
  knownHandedOn.set(facts, found);
  return found;
}

/** Words of programs of which not everything is known, as far as they are written like the name of a file. */
export function inspectWords(invocation: Invocation, context: RuleContext): void {
  const words = listChangedWords(invocation, context);
  if (words.length === 0) return;
  const isInWiring = mayNameWiring(describe(invocation.cwd));
  const by = toActor(invocation);
  for (const word of words) {
    if (!isInWiring && !/[./*?[]/.test(describe(word))) continue;
    reportWiring(context, word, by, "content");
    reportStartup(context, word, by);
  }
}

/** What starts by itself is as good as changed, when a program gets it of which nobody knows whether it writes. */
function reportStartup(context: RuleContext, word: Value, by: Actor): void {
  if (/^[^/.~$]*$/.test(describe(word))) return;
  const { home } = context.workspace;
  for (const { path, isRemote, shown } of targetsForWord(context, word, by, true)) {
    if (isRemote || path === undefined) continue;
    const isOfGit = path === `${home}/.gitconfig` || path === `${home}/.config/git/config`;
    if (isOfGit || isStartupFile(context.workspace, path)) context.report("fs.rcfile", by, shown);
  }
}

const DESCRIPTOR = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/[^/]+\/fd\/\d+)(?:\/|$)/;

/** What is opened for reading can be written by the name of its descriptor. */
export function inspectDescriptors(context: RuleContext): void {
  const isReopened = context.effects.some(
    effect => (effect.kind === "write" || effect.kind === "delete") && DESCRIPTOR.test(describe(effect.path)),
  );
  if (!isReopened) return;
  for (const { operation, target, cwd, place, span } of context.facts.redirections) {
    if (operation !== "read") continue;
    const by: Actor = { cwd, place, span, program: "redirection", invocation: undefined };
    reportWiring(context, target, by, "content");
  }
}
