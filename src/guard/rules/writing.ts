import { isOwnAccount, isStartedByName } from "../../programs/index.ts";
import { describe } from "../../shell/index.ts";
import { components, isInside } from "../../system/index.ts";
import {
  classifyPath,
  isLinkedStartup,
  isStartupFile,
  isStartupName,
  plainName,
  secretAt,
  type Target,
} from "../../workspace/index.ts";
import { endsRegenerable, type Loss, lossOfTree } from "../losses.ts";
import type { RuleTable } from "../rule.ts";
import { type EffectOf, type RuleContext, type RuleFamily, targetsForWord } from "../rule-context.ts";
import { deletedTargets, isGrave, reportConfigured, reportLoss } from "./deletion.ts";
import { UNKEPT } from "./unkept.ts";

const RULES = {
  "fs.system-write": {
    title: "changes the system",
    verdict: "deny",
    isOperation: true,
    when: "Writes to, deletes or links files of the system (/etc, /boot, /usr, /bin, /lib, /sys, /proc); below /usr/local it asks.",
    examples: {
      denies: { "tee /etc/hosts": "/etc/hosts" },
      passes: ["cat /etc/hosts", "tee out.txt", "tee /dev/null"],
    },
    lost: "It would change {target}, a file of the system that every program relies on.",
    person: "amplihack keeps no copy of files of the system.",
    model: "Use a setting of the project or of the user instead.",
    safer: "ls -l {target}",
  },
  "fs.rcfile": {
    title: "changes a start-up file",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "Writes shell start-up files, launch agents, user units or login hooks; authorized_keys is denied.",
    examples: { asks: { "tee -a ~/.bashrc": "{home}/.bashrc" }, passes: ["cat ~/.bashrc", "tee bashrc"] },
    lost: "It would change {target}, which takes effect in every new session from now on.",
    person: "Allow it only if you want this change to stay.",
    model: "Set it for this one command or this project, or let your user make the change.",
    safer: "ls -l {target}",
  },
  "fs.shred": {
    title: "shreds files",
    verdict: "ask",
    when: "Overwrites files outside temporary directories so that nothing can bring them back; on system or home files it denies.",
    examples: {
      asks: { "shred src/index.ts": "{project}/src/index.ts" },
      passes: ["shred -u /tmp/x", "shred --help"],
    },
    lost: "It would overwrite {target} beyond any recovery.",
    person: "It cannot be undone.",
    model: "Delete the file instead, if it has to go.",
    safer: "ls -l {target}",
  },
  ...UNKEPT,
  "fs.path": {
    title: "touches a protected path",
    verdict: "deny",
    when: "Writes to or deletes a path listed in paths.deny or paths.noDelete of the configuration.",
    lost: "It would change {target}, which the configuration protects.",
    person: "guard.paths of your configuration or of the project says so.",
    model: "Leave this path as it is and work elsewhere.",
    safer: "ls -l {target}",
  },
} satisfies RuleTable;

const HARMLESS_DEVICES =
  /^\/dev\/(null|zero|full|random|urandom|tty|std(in|out|err)|fd\/.*|pts\/.*|ptmx|tcp\/.*|udp\/.*)$/;
/** Below `shm` lie files, a home or a project even. */
const OTHER_DEVICES = /^\/dev\/(?!shm\/)/;

/** What a write or a change of rights would do to the system, to history and to what starts by itself. */
function inspectWrite(effect: EffectOf<"write">, context: RuleContext): void {
  for (const target of targetsForWord(context, effect.path, effect.by, effect.how !== "link")) {
    reportConfigured(context, effect, target, "write");
    const place = target.path ?? (target.base === undefined ? undefined : target.base);
    if (target.isRemote) continue;
    if (place === undefined) {
      const name = target.rest.length > 1 ? plainName(target.rest.at(-1) ?? []) : undefined;
      if (name !== undefined && isStartupName(name)) context.report("fs.rcfile", effect.by, target.shown);
      continue;
    }
    if (target.path !== undefined && HARMLESS_DEVICES.test(target.path)) continue;
    if (context.workspace.disk.kind(place) === undefined && OTHER_DEVICES.test(place)) continue;
    reportWrite(context, effect, target, place);
  }
}

function reportWrite(context: RuleContext, effect: EffectOf<"write">, target: Target, place: string): void {
  const { workspace } = context;
  const zone = classifyPath(workspace, place);
  const isSystem =
    zone === "system" ||
    (zone === "root" && place !== "/home" && place !== "/opt" && !place.startsWith("/dev"));
  if (isSystem && !(target.path === undefined && endsRegenerable(target))) {
    context.report("fs.system-write", effect.by, target.shown);
  } else if (zone === "local-software") {
    context.report("fs.system-write", effect.by, target.shown, { verdict: "ask" });
  } else if (zone === "history" && target.path !== undefined && isVitalHistory(target.path)) {
    context.report("fs.project", effect.by, target.path);
  } else if (target.path !== undefined && secretAt(workspace, target.path) === "entry") {
    context.report("fs.rcfile", effect.by, target.path, { verdict: "deny" });
  } else if (
    isStartupFile(workspace, target.path ?? place) ||
    (target.path !== undefined && isLinkedStartup(workspace, target.path)) ||
    takesName(context, effect, target.path)
  ) {
    context.report("fs.rcfile", effect.by, target.shown);
  }
}

/** In a folder of the person's own programs, what has the name of another program is started in its place. */
function takesName(
  { workspace }: RuleContext,
  { how }: EffectOf<"write">,
  path: string | undefined,
): boolean {
  const { home } = workspace;
  const folder = [`${home}/.local/bin/`, `${home}/bin/`].find(one => path?.startsWith(one) === true);
  const name = folder === undefined ? "" : (path?.slice(folder.length) ?? "");
  const isTaken = isStartedByName(name);
  // What the call links is seen as if it were there.
  return isTaken && (how === "link" || workspace.disk.kind(path ?? "") === undefined);
}

/** Files of `.git` that are its memory; configuration and hooks have rules of their own. */
function isVitalHistory(path: string): boolean {
  return /\/\.git(\/(HEAD|index|packed-refs|refs\/|objects\/|logs\/)|$)/.test(path);
}

/** Nothing is deleted, and what relied on the old rights stops working. */
const CHANGED_RIGHTS = "It would change who may use {target} and everything in it.";

function inspectAttributes(effect: EffectOf<"attributes">, context: RuleContext): void {
  if (effect.what === "mode" && setsOwnersRights(effect.setting))
    context.report("sys.setuid", effect.by, describe(effect.path), { what: "set the setuid bit" });
  for (const target of targetsForWord(context, effect.path, effect.by, true)) {
    if (target.isRemote && !effect.isRecursive) continue;
    const { workspace } = context;
    if (opensSecret(effect, target.path, context)) {
      context.report("sec.write", effect.by, target.shown);
      continue;
    }
    if (!effect.isRecursive) {
      const zone = target.path === undefined ? undefined : classifyPath(workspace, target.path);
      if (zone !== "system" && zone !== "root") continue;
      const isFlag = effect.setting === "attributes" || components(target.shown).length <= 1;
      const rule = isFlag || !target.shown.startsWith("/etc/") ? "fs.system-write" : "sys.account";
      context.report(rule, effect.by, target.shown, { what: `change who may use ${target.shown}` });
      continue;
    }
    for (const loss of lossOfTree(workspace, target)) {
      if (loss.rule === "fs.root") reportLoss(context, effect, loss, "change", CHANGED_RIGHTS);
      else if (loss.rule === "fs.system-write") reportLoss(context, effect, loss, "change");
      else if (loss.rule === "fs.home") reportHomeAttributes(context, effect, target, loss);
    }
  }
}

/** A key or credential of the person becomes readable for others, or somebody else's. */
function opensSecret(
  { what, setting }: EffectOf<"attributes">,
  path: string | undefined,
  { workspace }: RuleContext,
): boolean {
  const { project, given } = workspace;
  if (path === undefined || secretAt(workspace, path) === undefined) return false;
  if (project !== undefined && isInside(project, path)) return false;
  if (what === "owner") return !isOwnName(setting, given.user);
  return (
    setting === "attributes" ||
    /[1-7][0-7]$|0[1-7]$|(?:^|,)(?:(?=u*[goa])[ugoa]+)?[+=][rwxX]*[rw]/.test(setting)
  );
}

/** `4755`, `u+s`, `a=rxs`; the bit of the group alone is for directories that people share. */
function setsOwnersRights(setting: string): boolean {
  const digits = /^(?:0o?)?([0-7])[0-7]{3}$/.exec(setting)?.[1];
  if (digits !== undefined) return Number(digits) >= 4;
  return setting.split(",").some(clause => /^(?:(?=[go]*[ua])[ugoa]+)?[+=][rwxXt]*s/.test(clause));
}

/** `chown -R me ~/.npm` repairs; opening or locking the whole home does not. */
function reportHomeAttributes(
  context: RuleContext,
  effect: EffectOf<"attributes">,
  target: Target,
  loss: Loss,
): void {
  const { home, given } = context.workspace;
  const isWhole = target.path === undefined || isInside(target.path, home);
  if (isWhole) reportLoss(context, effect, loss, "change", CHANGED_RIGHTS);
  else if (effect.what === "owner" && isOwnName(effect.setting, given.user)) return;
  else context.report("fs.home", effect.by, loss.target, { verdict: "ask", lost: CHANGED_RIGHTS });
}

function isOwnName(setting: string, user: string | undefined): boolean {
  const [owner = ""] = setting.split(":");
  return owner === user || isOwnAccount(owner);
}

function inspectShred(effect: EffectOf<"delete">, context: RuleContext): void {
  for (const target of deletedTargets(effect, context)) {
    const zone = target.path === undefined ? undefined : classifyPath(context.workspace, target.path);
    if (zone === "temp" || zone === "regenerable") continue;
    const verdict = lossOfTree(context.workspace, target).some(isGrave) ? "deny" : undefined;
    context.report("fs.shred", effect.by, target.shown, { verdict });
  }
}

export const WRITING = {
  name: "filesystem",
  rules: RULES,
  checks: [
    {
      inspect(effect, context) {
        if (effect.kind === "write") inspectWrite(effect, context);
        else if (effect.kind === "attributes") inspectAttributes(effect, context);
        else if (effect.kind === "delete" && effect.isShredded === true && effect.isEmptyOnly !== true)
          inspectShred(effect, context);
      },
    },
  ],
} satisfies RuleFamily;
