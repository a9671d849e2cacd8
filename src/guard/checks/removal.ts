import { knownText } from "../../shell/value.ts";
import { components, isInside } from "../../system/paths.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import { isMadeHere } from "../made-here.ts";
import { endsRegenerable, type Loss, lossOfTree } from "../paths/deletion.ts";
import { componentCouldBe } from "../paths/match.ts";
import { isStartupFile } from "../paths/startup.ts";
import type { Target } from "../paths/target.ts";
import { zoneOf } from "../paths/zones.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { reportConfigured } from "./configured.ts";

/** What a delete or a move would lose. */
export function inspectDelete(effect: EffectOf<"delete">, context: RuleContext): void {
  for (const target of targetsOf(context, effect.path, effect.by, false)) {
    reportConfigured(context, effect, target, "delete");
    if (effect.isEmptyOnly === true) reportHeld(context, effect, target, "remove");
    else if (effect.isShredded === true) reportShred(context, effect, target);
    else if (effect.isMirror === true) reportMirror(context, effect, target);
    else if (effect.selection !== undefined) reportSelection(context, effect, target, effect.selection);
    else if (effect.isRecursive) reportTree(context, effect, target, "delete");
    else reportFiles(context, effect, target);
  }
}

function reportTree(context: RuleContext, effect: CommandEffect, target: Target, action: string): void {
  for (const loss of lossOfTree(context.workspace, target)) {
    const isMinor = loss.rule === "fs.source" || loss.rule === "fs.outside";
    if (!isMinor || !isMadeHere(context, target, effect.by)) reportLoss(context, effect, loss, action);
  }
}

export function reportLoss(context: RuleContext, effect: CommandEffect, loss: Loss, action: string): void {
  const held = loss.held ?? context.workspace.cwd;
  const preview = loss.target.includes("$") ? `ls -d ${loss.target}` : "xargs -n1 ls -ld";
  context.report(
    loss.rule,
    { target: loss.target, action, held, preview, parent: parentOf(loss.target, held) },
    effect.by,
  );
}

/** Where to go first so that the session does not stand in what is removed. */
function parentOf(target: string, held: string): string {
  const base = isInside(target, held) ? target : held;
  return base.slice(0, base.lastIndexOf("/")) || "/";
}

function reportHeld(context: RuleContext, effect: CommandEffect, target: Target, action: string): void {
  const loss = lossOfTree(context.workspace, target).find(candidate => candidate.rule === "fs.cwd");
  if (loss !== undefined) reportLoss(context, effect, loss, action);
}

/** Single files: only what belongs to the system, to git's memory, or stands for everything in a place. */
function reportFiles(context: RuleContext, effect: EffectOf<"delete">, target: Target): void {
  const { workspace } = context;
  if (effect.isBulk === true) {
    context.report("fs.bulk", { target: target.shown, preview: "xargs -n1 ls -l" }, effect.by);
    return;
  }
  if (target.isRemote) return;
  const losses = lossOfTree(workspace, target);
  if (target.path === undefined) {
    const isEverything = componentCouldBe(target.rest.at(-1) ?? [], "qzx7qzx");
    const worst = losses.find(loss =>
      ["fs.root", "fs.home", "fs.project", "fs.system-write"].includes(loss.rule),
    );
    if (worst !== undefined && (isEverything || worst.rule === "fs.system-write"))
      reportLoss(context, effect, worst, "delete");
    else if (isEverything && losses.some(loss => loss.rule === "fs.outside")) {
      context.report("fs.bulk", { target: target.shown, preview: `ls -la ${target.base ?? "."}` }, effect.by);
    }
    return;
  }
  const zone = zoneOf(workspace, target.path);
  const isRoot = zone === "root" && components(target.path).length > 1;
  if (zone === "system" || isRoot) context.report("fs.system-write", { target: target.path }, effect.by);
  else if (zone === "history")
    reportLoss(context, effect, { rule: "fs.project", target: target.path }, "delete");
  else if (isStartupFile(workspace, target.path))
    context.report("fs.rcfile", { target: target.path }, effect.by);
}

/** The gravest places keep their own rule; elsewhere a mirror is worth one question. */
function reportMirror(context: RuleContext, effect: EffectOf<"delete">, target: Target): void {
  const losses = lossOfTree(context.workspace, target).filter(loss => loss.rule !== "fs.cwd");
  const grave = losses.find(loss =>
    ["fs.root", "fs.home", "fs.project", "fs.system-write"].includes(loss.rule),
  );
  if (grave !== undefined) reportLoss(context, effect, grave, "delete");
  else if (losses.length > 0 || target.isRemote)
    context.report("fs.mirror", { target: target.shown }, effect.by);
}

function reportShred(context: RuleContext, effect: EffectOf<"delete">, target: Target): void {
  const losses = lossOfTree(context.workspace, target);
  const isGrave = losses.some(loss =>
    ["fs.root", "fs.home", "fs.system-write", "fs.project"].includes(loss.rule),
  );
  const zone = target.path === undefined ? undefined : zoneOf(context.workspace, target.path);
  if (zone === "temp" || zone === "regenerable") return;
  context.report("fs.shred", { target: target.shown, verdict: isGrave ? "deny" : undefined }, effect.by);
}

function reportSelection(
  context: RuleContext,
  effect: EffectOf<"delete">,
  target: Target,
  selection: NonNullable<EffectOf<"delete">["selection"]>,
): void {
  const losses = lossOfTree(context.workspace, target);
  if (selection === "regenerable") {
    const grave = losses.find(loss => loss.rule === "fs.root" && target.path === "/");
    if (grave !== undefined) reportLoss(context, effect, grave, "delete");
    return;
  }
  const grave = losses.filter(loss =>
    ["fs.root", "fs.home", "fs.project", "fs.system-write"].includes(loss.rule),
  );
  if (selection === "all") {
    const kept = effect.isContentsOnly === true ? losses.filter(loss => loss.rule !== "fs.cwd") : losses;
    for (const loss of kept) reportLoss(context, effect, loss, "delete");
    return;
  }
  const isInTemp = target.path !== undefined && zoneOf(context.workspace, target.path) === "temp-root";
  if (isInTemp && effect.isContentsOnly === true) return;
  for (const loss of grave.filter(found => found.rule !== "fs.project" && found.rule !== "fs.home")) {
    reportLoss(context, effect, loss, "delete");
  }
  if (losses.length > 0 || namesSources(context, target)) {
    context.report(
      "fs.bulk",
      { target: target.shown, preview: effect.preview ?? `find ${target.shown} -type f -print` },
      effect.by,
    );
  }
}

/** A pattern over files of the project, each of which could go by itself. */
function namesSources({ workspace }: RuleContext, target: Target): boolean {
  if (target.path !== undefined || target.base === undefined || target.isRemote) return false;
  return ["source", "project"].includes(zoneOf(workspace, target.base)) && !endsRegenerable(target);
}

export function inspectMove(effect: EffectOf<"move">, context: RuleContext): void {
  const destination = effect.to === undefined ? undefined : knownText(effect.to);
  for (const target of targetsOf(context, effect.from, effect.by, false)) {
    reportConfigured(context, effect, target, "delete");
    if (target.isRemote) continue;
    const losses = lossOfTree(context.workspace, target);
    const isToNothing = destination === "/dev/null";
    for (const loss of losses) {
      if (loss.rule === "fs.cwd") reportLoss(context, effect, loss, "move");
      else if (loss.rule === "fs.root" || loss.rule === "fs.system-write")
        reportLoss(context, effect, loss, "move");
      else if (loss.rule === "fs.home" && isTreeOfHome(context, target))
        reportLoss(context, effect, loss, "move");
      else if (loss.rule === "fs.project") reportLoss(context, effect, loss, "move");
      else if (isToNothing && loss.rule === "fs.source") reportLoss(context, effect, loss, "move");
    }
  }
}

/** One file out of the home directory is an ordinary move; a directory or everything is not. */
function isTreeOfHome({ workspace }: RuleContext, target: Target): boolean {
  if (target.path === undefined || target.path === workspace.home) return true;
  const kind = workspace.disk.kind(target.path);
  if (kind !== undefined) return kind === "directory";
  return !/\.[A-Za-z0-9]{1,8}$/.test(target.path.slice(1)) || target.path.includes("/.");
}
