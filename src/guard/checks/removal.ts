import { knownText } from "../../shell/index.ts";
import { components, dirname, isInside } from "../../system/index.ts";
import { isStartupFile, literalTarget, type Target, type Workspace, zoneOf } from "../../workspace/index.ts";
import { endsRegenerable, isAnyName, type Loss, lossOfTree } from "../deletion.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import { movedEarlier, movedTo } from "../moved-here.ts";
import { holdsNothing } from "../nothing-lost.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { reportConfigured } from "./configured.ts";

type Removal = EffectOf<"delete">;

/** What a delete or a move would lose. */
export function inspectDelete(effect: Removal, context: RuleContext): void {
  for (const target of deletedTargets(effect, context)) {
    reportConfigured(context, effect, target, "delete");
    const losses = lossOfTree(context.workspace, target);
    if (effect.isEmptyOnly === true) {
      const held = losses.find(loss => loss.rule === "fs.cwd");
      if (held !== undefined) reportLoss(context, effect, held, "remove");
    } else if (effect.isShredded === true) reportShred(context, effect, target, losses);
    else if (effect.isMirror === true) reportMirror(context, effect, target, losses);
    else if (effect.selection !== undefined) reportSelection(context, effect, target, losses);
    else if (effect.isRecursive) for (const loss of losses) reportLoss(context, effect, loss, "delete");
    else reportFiles(context, effect, target, losses);
  }
}

/** What is deleted: for what an earlier part of the command moved there, the place where it was. */
function deletedTargets({ path, by }: Removal, context: RuleContext): readonly Target[] {
  const { workspace } = context;
  return targetsOf(context, path, by, false).flatMap(target => {
    const place = target.path ?? (isAnyName(target.rest.at(-1) ?? []) ? target.base : undefined);
    if (place === undefined || target.isRemote) return [target];
    const sources = [...movedTo(context, place, by), ...movedEarlier(context, place)];
    const moved = sources.map(source => literalTarget(source));
    const isOnlyMoved =
      moved.length > 0 &&
      holdsNothing(workspace.disk, target.path) &&
      !lossOfTree(workspace, target).some(isGrave);
    return isOnlyMoved ? moved : [target, ...moved];
  });
}

/** The places whose loss is worse than that of anything else. */
function isGrave({ rule }: Loss): boolean {
  return rule === "fs.root" || rule === "fs.home" || rule === "fs.project" || rule === "fs.system-write";
}

export function reportLoss(context: RuleContext, effect: CommandEffect, loss: Loss, action: string): void {
  const { rule, target, held = context.workspace.cwd } = loss;
  if (rule === "fs.unresolved" && isInReadFile(context, effect)) return;
  const preview = target.includes("$") ? `ls -d ${target}` : "xargs -n1 ls -ld";
  // Where to go first so that the session does not stand in what is removed.
  const parent = dirname(isInside(target, held) ? target : held);
  context.report(rule, effect.by, target, { action, held, preview, parent });
}

/** In a program text from the disk most values come from elsewhere: what they are is not asked about each time it runs. */
function isInReadFile({ facts, workspace }: RuleContext, { by }: CommandEffect): boolean {
  if (workspace.settings.level === "strict") return false;
  return facts.codeRuns.some(
    ({ language, invocation, code }) =>
      language !== "shell" &&
      invocation === by.invocation?.id &&
      code.origins.some(({ kind }) => kind === "file"),
  );
}

/** Single files: only what belongs to the system, to git's memory, or stands for everything in a place. */
function reportFiles(context: RuleContext, effect: Removal, target: Target, losses: readonly Loss[]): void {
  const { workspace } = context;
  const { path, shown, base = "." } = target;
  if (effect.isBulk === true) context.report("fs.bulk", effect.by, shown, { preview: "xargs -n1 ls -l" });
  else if (target.isRemote) return;
  else if (path === undefined) {
    const isEverything = isAnyName(target.rest.at(-1) ?? []);
    const worst = losses.find(isGrave);
    if (worst !== undefined && (isEverything || worst.rule === "fs.system-write"))
      reportLoss(context, effect, worst, "delete");
    else if (isSystemFile(workspace, `${base}/x`)) context.report("fs.system-write", effect.by, shown);
    else if (isEverything && losses.some(loss => loss.rule === "fs.outside"))
      context.report("fs.bulk", effect.by, shown, { preview: `ls -la ${base}` });
    else if (effect.isLoop === true && (losses.length > 0 || namesSources(context, target)))
      context.report("fs.bulk", effect.by, shown, { preview: `find ${base} -type f -print` });
  } else {
    const zone = zoneOf(workspace, path);
    if (isSystemFile(workspace, path)) context.report("fs.system-write", effect.by, path);
    else if (zone === "history") reportLoss(context, effect, { rule: "fs.project", target: path }, "delete");
    else if (isStartupFile(workspace, path)) context.report("fs.rcfile", effect.by, path);
  }
}

function isSystemFile(workspace: Workspace, path: string): boolean {
  const zone = zoneOf(workspace, path);
  return zone === "system" || (zone === "root" && components(path).length > 1);
}

/** The gravest places keep their own rule; elsewhere a mirror is worth one question. */
function reportMirror(context: RuleContext, effect: Removal, target: Target, losses: readonly Loss[]): void {
  const grave = losses.find(isGrave);
  if (grave !== undefined) reportLoss(context, effect, grave, "delete");
  else if (target.isRemote || losses.some(loss => loss.rule !== "fs.cwd"))
    context.report("fs.mirror", effect.by, target.shown);
}

function reportShred(context: RuleContext, effect: Removal, target: Target, losses: readonly Loss[]): void {
  const zone = target.path === undefined ? undefined : zoneOf(context.workspace, target.path);
  if (zone === "temp" || zone === "regenerable") return;
  const verdict = losses.some(isGrave) ? "deny" : undefined;
  context.report("fs.shred", effect.by, target.shown, { verdict });
}

function reportSelection(
  context: RuleContext,
  effect: Removal,
  target: Target,
  losses: readonly Loss[],
): void {
  const { selection, isContentsOnly } = effect;
  const { path, shown } = target;
  const isReported = ({ rule }: Loss): boolean => {
    if (selection === "regenerable") return rule === "fs.root" && path === "/";
    if (selection === "all") return rule !== "fs.cwd" || isContentsOnly !== true;
    return rule === "fs.root" || rule === "fs.system-write";
  };
  const isInTemp = path !== undefined && zoneOf(context.workspace, path) === "temp-root";
  if (selection === "some" && isInTemp && isContentsOnly === true) return;
  for (const loss of losses.filter(isReported)) reportLoss(context, effect, loss, "delete");
  if (selection !== "some" || (losses.length === 0 && !namesSources(context, target))) return;
  const preview = effect.preview ?? `find ${shown} -type f -print`;
  context.report("fs.bulk", effect.by, shown, { preview });
}

/** A pattern over files of the project, each of which could go by itself. */
function namesSources({ workspace }: RuleContext, target: Target): boolean {
  if (target.path !== undefined || target.base === undefined || target.isRemote) return false;
  return /^(source|project)$/.test(zoneOf(workspace, target.base)) && !endsRegenerable(target);
}

export function inspectMove(effect: EffectOf<"move">, context: RuleContext): void {
  const isToNothing = effect.to !== undefined && knownText(effect.to) === "/dev/null";
  for (const target of targetsOf(context, effect.from, effect.by, false)) {
    reportConfigured(context, effect, target, "delete");
    if (target.isRemote) continue;
    for (const loss of lossOfTree(context.workspace, target)) {
      // What is in the project may lie elsewhere in it; the project itself, its history and the session may not move.
      if (loss.rule === "fs.project" && loss.isChildren === true && !isToNothing) continue;
      const isLost =
        loss.rule === "fs.home"
          ? effect.isToTrash !== true && isTreeOfHome(context, target)
          : loss.rule === "fs.cwd" || isGrave(loss) || (isToNothing && loss.rule === "fs.source");
      if (isLost) reportLoss(context, effect, loss, "move");
    }
  }
}

/** One file out of the home directory is an ordinary move; a directory or everything is not. */
function isTreeOfHome({ workspace }: RuleContext, { path }: Target): boolean {
  if (path === undefined || path === workspace.home) return true;
  const kind = workspace.disk.kind(path);
  if (kind !== undefined) return kind === "directory";
  return !/\.[A-Za-z0-9]{1,8}$/.test(path.slice(1)) || path.includes("/.");
}
