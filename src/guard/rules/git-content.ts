import { printsChanges, printsOldContent } from "../../programs/index.ts";
import { describe, knownText, type Value } from "../../shell/index.ts";
import { basename } from "../../system/index.ts";
import { classifyPath, hasBranch } from "../../workspace/index.ts";
import { holdsNothing } from "../losses.ts";
import { findBehind, findInFile, findInProgram, type Sought } from "../provenance.ts";
import { type Actor, type Check, type EffectOf, type RuleContext, targetsForWord } from "../rule-context.ts";

/** What a checkout does, done with other commands: older content over files, a change taken back, a branch moved. */
export const GIT_CONTENT: Check = {
  inspect(effect, context) {
    if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "git" && effect.run.subcommand === "apply") inspectApply(effect, context);
    else if (effect.kind === "git" && /^(fetch|pull)$/.test(effect.run.subcommand))
      inspectFetch(effect, context);
  },
};

const oldContentOf = (path: string): Sought<true> => ({
  inEffect: effect =>
    effect.kind === "git" && printsOldContent(effect.run, basename(path)) ? true : undefined,
});
const CHANGES: Sought<true> = {
  inEffect: effect => (effect.kind === "git" && printsChanges(effect.run) ? true : undefined),
};

/** `git show HEAD:f > f`, `git archive HEAD | tar x`, `git diff | patch -R`. */
function inspectWrite(effect: EffectOf<"write">, context: RuleContext): void {
  const { by, how, isReverse } = effect;
  const from = effect.archive ?? effect.from;
  if (how !== "replace" && how !== "extract" && isReverse !== true) return;
  if (!hasGit(context)) return;
  const { workspace } = context;
  for (const { path } of targetsForWord(context, effect.path, by, true)) {
    if (path === undefined || holdsNothing(workspace.disk, path)) continue;
    const zone = classifyPath(workspace, path);
    if (zone !== "source" && zone !== "project") continue;
    const sought = isReverse === true ? CHANGES : oldContentOf(path);
    const isOld =
      (from !== undefined && findInFile(context, from, by, sought) === true) ||
      isFed(context, by, sought) ||
      (how === "replace" && findInFile(context, effect.path, by, sought) === true);
    if (isOld) context.report("git.checkout", by, path);
  }
}

const withGit = new WeakMap<RuleContext, boolean>();

/** Looked at once: most commands have no git in them. */
function hasGit(context: RuleContext): boolean {
  const known = withGit.get(context) ?? context.effects.some(effect => effect.kind === "git");
  withGit.set(context, known);
  return known;
}

/** What comes in on the input of the program, from a pipe or a file. */
function isFed(context: RuleContext, { invocation }: Actor, sought: Sought<true>): boolean {
  return invocation !== undefined && findInProgram(context, invocation.id, sought) === true;
}

/** A diff of this very tree, applied backwards, takes the changes out of it. */
function inspectApply(effect: EffectOf<"git">, context: RuleContext): void {
  const { run, by } = effect;
  const { options } = run;
  if (!options.has("reverse") || options.has("check", "stat", "numstat", "summary", "cached")) return;
  const files = options.operandValues.filter(value => knownText(value) !== "-");
  const isTakenBack =
    files.some(
      file =>
        findBehind(context, file, CHANGES) === true ||
        findInFile(context, file, { ...by, cwd: run.directory }, CHANGES) === true,
    ) ||
    (files.length === 0 && isFed(context, by, CHANGES));
  if (isTakenBack) context.report("git.checkout", by, run.repository?.top ?? describe(run.directory));
}

/** `git fetch origin +main:main`: a local branch becomes what is there, whatever commits it had. */
function inspectFetch({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const { options, repository } = run;
  if (options.isOn("dry-run", "n") || options.has("help")) return;
  const isForced = options.has("f", "force");
  for (const spec of options.operandValues.slice(1)) {
    const branch = overwritten(spec, isForced);
    if (branch === undefined || repository === undefined) continue;
    if (branch.includes("*") || hasBranch(context.workspace.disk, repository, branch))
      context.report("git.branch", by, branch === "*" ? "every branch" : branch);
  }
}

/** The local branch that a refspec forces, `*` for all of them. */
function overwritten(spec: Value, isForced: boolean): string | undefined {
  const [, plus, destination] = /^(\+?)[^:]+:(.+)$/.exec(describe(spec)) ?? [];
  if (destination === undefined || (plus === "" && !isForced)) return undefined;
  if (destination === "refs/*") return "*";
  const name = destination.replace(/^refs\/heads\//, "");
  return name.startsWith("refs/") ? undefined : name;
}
