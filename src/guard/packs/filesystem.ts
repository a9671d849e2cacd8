import { knownText } from "../../shell/value.ts";
import { components, isInside } from "../../system/paths.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import { endsRegenerable, type Loss, lossOfTree } from "../paths/deletion.ts";
import { componentCouldBe } from "../paths/match.ts";
import { isStartupFile } from "../paths/startup.ts";
import type { Target } from "../paths/target.ts";
import { isConfigured, projectParts, secretAt, zoneOf } from "../paths/zones.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type Scene, targetsOf } from "../scene.ts";

const RULES: readonly Rule[] = [
  {
    id: "fs.root",
    title: "destroys the system",
    verdict: "deny",
    isAllowable: false,
    when: "A recursive delete, a move away, or a recursive change of mode or owner can reach /, a system directory or a drive.",
    lost: "It would destroy {target}, which the whole system needs.",
    safer: "ls -la {target}",
  },
  {
    id: "fs.home",
    title: "destroys personal data",
    verdict: "deny",
    isAllowable: false,
    when: "The same for the home directory, its direct children, the homes of others, or configuration trees in it.",
    lost: "It would destroy personal data in {target}.",
    safer: "ls -la {target}",
  },
  {
    id: "fs.project",
    title: "loses the project",
    verdict: "deny",
    when: "Deletes the project's top, everything in it, or its .git history.",
    lost: "It would lose work and history of the project: {target}.",
    safer: "git clean -nd",
  },
  {
    id: "fs.cwd",
    title: "removes the working directory",
    verdict: "deny",
    when: "Deletes, moves or renames the session's working directory or one above it.",
    lost: "It would {action} {target}, which holds the working directory {held}: every later command of this session would break. Change directory first, in a call of its own, then {action} it.",
    safer: "cd {parent}",
  },
  {
    id: "fs.outside",
    title: "deletes outside the project",
    verdict: "ask",
    when: "A recursive delete outside the project and outside temporary directories.",
    lost: "It would delete {target}, which is outside this project and may be somebody's data.",
    safer: "ls -la {target}",
  },
  {
    id: "fs.source",
    title: "deletes project files",
    verdict: "ask",
    when: "A recursive delete of a directory in the project that no tool can make again.",
    lost: "It would delete {target}, which may hold work that is not committed.",
    safer: "git rm -r -n {target}",
  },
  {
    id: "fs.unresolved",
    title: "deletes an unknown target",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "A recursive delete whose target may be empty, absolute or anything.",
    lost: "It would delete {target}, and nobody can tell what that is; when a part is empty it can become /.",
    safer: "{preview}",
  },
  {
    id: "fs.bulk",
    title: "deletes many files",
    verdict: "ask",
    when: "A search or a list decides what is deleted, and its filter is not limited to build output or junk.",
    lost: "It would delete every file that matches in {target}, whatever it is.",
    safer: "{preview}",
  },
  {
    id: "fs.mirror",
    title: "deletes by mirroring",
    verdict: "ask",
    when: "rsync --delete, rclone sync, robocopy /MIR and the like, judged as a recursive delete of the target; dry runs are free.",
    lost: "It would delete everything in {target} that is not in the source.",
    safer: "rsync -n --delete SOURCE {target}",
  },
  {
    id: "fs.system-write",
    title: "changes the system",
    verdict: "deny",
    when: "Writes to, deletes or links files of the system (/etc, /boot, /usr, /bin, /lib, /sys, /proc); below /usr/local it asks.",
    lost: "It would change {target}, a file of the system that every program relies on.",
    safer: "ls -l {target}",
  },
  {
    id: "fs.rcfile",
    title: "changes a start-up file",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "Writes shell start-up files, launch agents, user units or login hooks; authorized_keys is denied.",
    lost: "It would change {target}, which runs at every login from now on.",
    safer: "tail -n 20 {target}",
  },
  {
    id: "fs.shred",
    title: "shreds files",
    verdict: "ask",
    when: "Overwrites files outside temporary directories so that nothing can bring them back; on system or home files it denies.",
    lost: "It would overwrite {target} beyond any recovery.",
    safer: "ls -l {target}",
  },
  {
    id: "fs.path",
    title: "touches a path you protected",
    verdict: "deny",
    when: "Writes to or deletes a path listed in paths.deny or paths.noDelete of the configuration.",
    lost: "It would change {target}, which the configuration protects.",
    safer: "ls -l {target}",
  },
];

export const filesystem: Pack = {
  name: "filesystem",
  rules: RULES,
  inspect(effect, scene) {
    if (effect.kind === "delete") inspectDelete(effect, scene);
    else if (effect.kind === "move") inspectMove(effect, scene);
    else if (effect.kind === "write") inspectWrite(effect, scene);
    else if (effect.kind === "attributes") inspectAttributes(effect, scene);
  },
};

function inspectDelete(effect: EffectOf<"delete">, scene: Scene): void {
  for (const target of targetsOf(scene, effect.path, effect.by, false)) {
    reportConfigured(scene, effect, target, "delete");
    if (effect.isEmptyOnly === true) reportHeld(scene, effect, target, "remove");
    else if (effect.isShredded === true) reportShred(scene, effect, target);
    else if (effect.isMirror === true) reportMirror(scene, effect, target);
    else if (effect.selection !== undefined) reportSelection(scene, effect, target, effect.selection);
    else if (effect.isRecursive) reportTree(scene, effect, target, "delete");
    else reportFiles(scene, effect, target);
  }
}

function reportTree(scene: Scene, effect: CommandEffect, target: Target, action: string): void {
  for (const loss of lossOfTree(scene.around, target)) reportLoss(scene, effect, loss, action);
}

function reportLoss(scene: Scene, effect: CommandEffect, loss: Loss, action: string): void {
  const held = loss.held ?? scene.around.cwd;
  const preview = loss.target.includes("$") ? `ls -d ${loss.target}` : "xargs -n1 ls -ld";
  scene.report(
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

function reportHeld(scene: Scene, effect: CommandEffect, target: Target, action: string): void {
  const loss = lossOfTree(scene.around, target).find(candidate => candidate.rule === "fs.cwd");
  if (loss !== undefined) reportLoss(scene, effect, loss, action);
}

/** Single files: only what belongs to the system, to git's memory, or stands for everything in a place. */
function reportFiles(scene: Scene, effect: EffectOf<"delete">, target: Target): void {
  const { around } = scene;
  if (effect.isBulk === true) {
    scene.report("fs.bulk", { target: target.shown, preview: "xargs -n1 ls -l" }, effect.by);
    return;
  }
  if (target.isRemote) return;
  const losses = lossOfTree(around, target);
  if (target.path === undefined) {
    const isEverything = componentCouldBe(target.rest.at(-1) ?? [], "qzx7qzx");
    const worst = losses.find(loss =>
      ["fs.root", "fs.home", "fs.project", "fs.system-write"].includes(loss.rule),
    );
    if (worst !== undefined && (isEverything || worst.rule === "fs.system-write"))
      reportLoss(scene, effect, worst, "delete");
    else if (isEverything && losses.some(loss => loss.rule === "fs.outside")) {
      scene.report("fs.bulk", { target: target.shown, preview: `ls -la ${target.base ?? "."}` }, effect.by);
    }
    return;
  }
  const zone = zoneOf(around, target.path);
  const isRoot = zone === "root" && components(target.path).length > 1;
  if (zone === "system" || isRoot) scene.report("fs.system-write", { target: target.path }, effect.by);
  else if (zone === "history")
    reportLoss(scene, effect, { rule: "fs.project", target: target.path }, "delete");
  else if (isStartupFile(around, target.path)) scene.report("fs.rcfile", { target: target.path }, effect.by);
}

/** The gravest places keep their own rule; elsewhere a mirror is worth one question. */
function reportMirror(scene: Scene, effect: EffectOf<"delete">, target: Target): void {
  const losses = lossOfTree(scene.around, target).filter(loss => loss.rule !== "fs.cwd");
  const grave = losses.find(loss =>
    ["fs.root", "fs.home", "fs.project", "fs.system-write"].includes(loss.rule),
  );
  if (grave !== undefined) reportLoss(scene, effect, grave, "delete");
  else if (losses.length > 0) scene.report("fs.mirror", { target: target.shown }, effect.by);
}

function reportShred(scene: Scene, effect: EffectOf<"delete">, target: Target): void {
  const losses = lossOfTree(scene.around, target);
  const isGrave = losses.some(loss =>
    ["fs.root", "fs.home", "fs.system-write", "fs.project"].includes(loss.rule),
  );
  const zone = target.path === undefined ? undefined : zoneOf(scene.around, target.path);
  if (zone === "temp" || zone === "regenerable") return;
  scene.report("fs.shred", { target: target.shown, verdict: isGrave ? "deny" : undefined }, effect.by);
}

function reportSelection(
  scene: Scene,
  effect: EffectOf<"delete">,
  target: Target,
  selection: NonNullable<EffectOf<"delete">["selection"]>,
): void {
  const losses = lossOfTree(scene.around, target);
  if (selection === "regenerable") {
    const grave = losses.find(loss => loss.rule === "fs.root" && target.path === "/");
    if (grave !== undefined) reportLoss(scene, effect, grave, "delete");
    return;
  }
  const grave = losses.filter(loss =>
    ["fs.root", "fs.home", "fs.project", "fs.system-write"].includes(loss.rule),
  );
  if (selection === "all") {
    const kept = effect.isContentsOnly === true ? losses.filter(loss => loss.rule !== "fs.cwd") : losses;
    for (const loss of kept) reportLoss(scene, effect, loss, "delete");
    return;
  }
  for (const loss of grave.filter(found => found.rule !== "fs.project" && found.rule !== "fs.home")) {
    reportLoss(scene, effect, loss, "delete");
  }
  if (losses.length > 0) {
    scene.report(
      "fs.bulk",
      { target: target.shown, preview: effect.preview ?? `find ${target.shown} -type f -print` },
      effect.by,
    );
  }
}

function inspectMove(effect: EffectOf<"move">, scene: Scene): void {
  const destination = effect.to === undefined ? undefined : knownText(effect.to);
  for (const target of targetsOf(scene, effect.from, effect.by, false)) {
    reportConfigured(scene, effect, target, "delete");
    if (target.isRemote) continue;
    const losses = lossOfTree(scene.around, target);
    const isToNothing = destination === "/dev/null";
    for (const loss of losses) {
      if (loss.rule === "fs.cwd") reportLoss(scene, effect, loss, "move");
      else if (loss.rule === "fs.root" || loss.rule === "fs.system-write")
        reportLoss(scene, effect, loss, "move");
      else if (loss.rule === "fs.home" && isTreeOfHome(scene, target))
        reportLoss(scene, effect, loss, "move");
      else if (loss.rule === "fs.project") reportLoss(scene, effect, loss, "move");
      else if (isToNothing && loss.rule === "fs.source") reportLoss(scene, effect, loss, "move");
    }
  }
}

/** One file out of the home directory is an ordinary move; a directory or everything is not. */
function isTreeOfHome({ around }: Scene, target: Target): boolean {
  if (target.path === undefined || target.path === around.home) return true;
  const kind = around.disk.kind(target.path);
  if (kind !== undefined) return kind === "directory";
  return !/\.[A-Za-z0-9]{1,8}$/.test(target.path.slice(1)) || target.path.includes("/.");
}

const HARMLESS_DEVICES =
  /^\/dev\/(null|zero|full|random|urandom|tty|std(in|out|err)|fd\/.*|pts\/.*|ptmx|shm\/.*|tcp\/.*|udp\/.*)$/;

function inspectWrite(effect: EffectOf<"write">, scene: Scene): void {
  for (const target of targetsOf(scene, effect.path, effect.by, effect.how !== "link")) {
    reportConfigured(scene, effect, target, "write");
    const place = target.path ?? (target.base === undefined ? undefined : target.base);
    if (target.isRemote || place === undefined) continue;
    if (target.path !== undefined && HARMLESS_DEVICES.test(target.path)) continue;
    if (scene.around.disk.kind(place) === undefined && /^\/dev\//.test(place)) continue;
    reportWrite(scene, effect, target, place);
  }
}

function reportWrite(scene: Scene, effect: EffectOf<"write">, target: Target, place: string): void {
  const { around } = scene;
  const zone = zoneOf(around, place);
  const isSystem =
    zone === "system" ||
    (zone === "root" && place !== "/home" && place !== "/opt" && !place.startsWith("/dev"));
  if (isSystem && !(target.path === undefined && endsRegenerable(target))) {
    scene.report("fs.system-write", { target: target.shown }, effect.by);
  } else if (zone === "local-software") {
    scene.report("fs.system-write", { target: target.shown, verdict: "ask" }, effect.by);
  } else if (zone === "history" && target.path !== undefined && isVitalHistory(target.path)) {
    scene.report("fs.project", { target: target.path }, effect.by);
  } else if (target.path !== undefined && secretAt(around, target.path) === "entry") {
    scene.report("fs.rcfile", { target: target.path, verdict: "deny" }, effect.by);
  } else if (isStartupFile(around, target.path ?? place)) {
    scene.report("fs.rcfile", { target: target.shown }, effect.by);
  }
}

/** Files of `.git` that are its memory; configuration and hooks have rules of their own. */
function isVitalHistory(path: string): boolean {
  return /\/\.git\/(HEAD|index|packed-refs|refs\/|objects\/|logs\/)/.test(path);
}

function inspectAttributes(effect: EffectOf<"attributes">, scene: Scene): void {
  for (const target of targetsOf(scene, effect.path, effect.by, true)) {
    if (target.isRemote) continue;
    const { around } = scene;
    if (!effect.isRecursive) {
      const zone = target.path === undefined ? undefined : zoneOf(around, target.path);
      if (zone !== "system" && zone !== "root") continue;
      const isFlag = effect.setting === "attributes" || components(target.shown).length <= 1;
      const details = { target: target.shown, what: `change who may use ${target.shown}` };
      scene.report(
        isFlag || !target.shown.startsWith("/etc/") ? "fs.system-write" : "sys.account",
        details,
        effect.by,
      );
      continue;
    }
    for (const loss of lossOfTree(around, target)) {
      if (loss.rule === "fs.root" || loss.rule === "fs.system-write")
        reportLoss(scene, effect, loss, "change");
      else if (loss.rule === "fs.home") reportHomeAttributes(scene, effect, target, loss);
    }
  }
}

/** `chown -R me ~/.npm` repairs; opening or locking the whole home does not. */
function reportHomeAttributes(
  scene: Scene,
  effect: EffectOf<"attributes">,
  target: Target,
  loss: Loss,
): void {
  const { home, given } = scene.around;
  const isWhole = target.path === undefined || isInside(target.path, home);
  if (isWhole) reportLoss(scene, effect, loss, "change");
  else if (effect.what === "owner" && given.user !== undefined && effect.setting.split(":")[0] === given.user)
    return;
  else scene.report("fs.home", { target: loss.target, verdict: "ask" }, effect.by);
}

/** Paths the configuration names: never written, never deleted. */
function reportConfigured(
  scene: Scene,
  effect: CommandEffect,
  target: Target,
  action: "write" | "delete",
): void {
  const { paths } = scene.around.settings;
  if (paths.deny.length === 0 && paths.noDelete.length === 0) return;
  const place = target.path ?? target.base;
  if (place === undefined) return;
  const parts = projectParts(scene.around, place) ?? components(place);
  const patterns = action === "delete" ? [...paths.deny, ...paths.noDelete] : paths.deny;
  const isAbove =
    effect.kind === "delete" &&
    effect.isRecursive &&
    patterns.some(pattern => startsWithParts(pattern, parts));
  if (isAbove || isConfigured(patterns, parts)) scene.report("fs.path", { target: target.shown }, effect.by);
}

/** Deleting a directory deletes what a pattern protects below it. */
function startsWithParts(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern.split("/").filter(part => part !== "");
  return parts.length < wanted.length && parts.every((part, index) => part === wanted[index]);
}
