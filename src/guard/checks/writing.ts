import { components, isInside } from "../../system/paths.ts";
import type { EffectOf } from "../effects.ts";
import { endsRegenerable, type Loss, lossOfTree } from "../paths/deletion.ts";
import { isStartupFile } from "../paths/startup.ts";
import type { Target } from "../paths/target.ts";
import { secretAt, zoneOf } from "../paths/zones.ts";
import { type Scene, targetsOf } from "../scene.ts";
import { reportConfigured } from "./configured.ts";
import { reportLoss } from "./removal.ts";

const HARMLESS_DEVICES =
  /^\/dev\/(null|zero|full|random|urandom|tty|std(in|out|err)|fd\/.*|pts\/.*|ptmx|tcp\/.*|udp\/.*)$/;
/** Below `shm` lie files, a home or a project even. */
const OTHER_DEVICES = /^\/dev\/(?!shm\/)/;

/** What a write or a change of rights would do to the system, to history and to what starts by itself. */
export function inspectWrite(effect: EffectOf<"write">, scene: Scene): void {
  for (const target of targetsOf(scene, effect.path, effect.by, effect.how !== "link")) {
    reportConfigured(scene, effect, target, "write");
    const place = target.path ?? (target.base === undefined ? undefined : target.base);
    if (target.isRemote || place === undefined) continue;
    if (target.path !== undefined && HARMLESS_DEVICES.test(target.path)) continue;
    if (scene.around.disk.kind(place) === undefined && OTHER_DEVICES.test(place)) continue;
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
  return /\/\.git(\/(HEAD|index|packed-refs|refs\/|objects\/|logs\/)|$)/.test(path);
}

export function inspectAttributes(effect: EffectOf<"attributes">, scene: Scene): void {
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
  else if (effect.what === "owner" && isOwnName(effect.setting, given.user)) return;
  else scene.report("fs.home", { target: loss.target, verdict: "ask" }, effect.by);
}

function isOwnName(setting: string, user: string | undefined): boolean {
  const [owner = ""] = setting.split(":");
  return owner === user || /^\$(USER|\{USER\}|UID|\(whoami\)|\(id -un?\)|LOGNAME)$/.test(owner);
}
