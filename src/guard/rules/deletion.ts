import { knownText } from "../../shell/index.ts";
import { components, dirname, isInside } from "../../system/index.ts";
import {
  classifyPath,
  isConfigured,
  isStartupFile,
  literalTarget,
  partsBelow,
  type Target,
  type Workspace,
} from "../../workspace/index.ts";
import {
  endsRegenerable,
  holdsNothing,
  isAnyName,
  type Loss,
  lossOfTree,
  movedEarlier,
  movedTo,
} from "../losses.ts";
import type { RuleTable } from "../rule.ts";
import {
  type CommandEffect,
  type EffectOf,
  type RuleContext,
  type RuleFamily,
  targetsForWord,
} from "../rule-context.ts";

/** Until the history says whether a copy was kept. */
const NO_COPY = "It can be undone only if a copy was kept.";

const RULES = {
  "fs.root": {
    title: "destroys the system",
    verdict: "deny",
    isAllowable: false,
    when: "A recursive delete, a move, or a recursive change of mode or owner can reach /, a system directory or a drive.",
    examples: { denies: { "rm -rf /usr": "/usr" }, passes: ["ls /usr", "rm --help"] },
    lost: "It would destroy {target}, which the whole system needs.",
    person: "It cannot be undone.",
    model: "Change only what this task made, by name.",
    safer: "ls -la {target}",
  },
  "fs.home": {
    title: "destroys personal data",
    verdict: "deny",
    isAllowable: false,
    when: "A recursive delete, a move, or a recursive change of mode or owner can reach a home folder, a folder right in it, or configuration in it.",
    examples: {
      denies: { "rm -rf ~/Documents": "{home}/Documents" },
      passes: ["ls ~/Documents", "rm -rf ~/.cache/pip"],
    },
    lost: "It would destroy personal data in {target}.",
    person: "It cannot be undone.",
    model: "Change only what this task made, by name.",
    safer: "ls -la {target}",
  },
  "fs.project": {
    title: "loses the project",
    verdict: "deny",
    when: "Deletes the project's top directory, everything in it, or its .git history.",
    examples: { denies: { "rm -rf .git": "{project}/.git" }, passes: ["rm -f .git/index.lock", "ls .git"] },
    lost: "It would lose work and history of the project: {target}.",
    person: "What was never pushed cannot be brought back.",
    model: "Delete only the files that are in the way, by name.",
    safer: "git clean -nd",
  },
  "fs.cwd": {
    title: "removes the working directory",
    verdict: "deny",
    when: "Deletes, moves or renames the session's working directory or one above it.",
    examples: { denies: { "rm -rf ../project": "{project}" }, passes: ["rm -rf dist"] },
    lost: "It would {action} {target}, which holds the working directory {held}: every later command of this session would break.",
    person: "The session could not go on.",
    model: "Change directory first, in a call of its own.",
    safer: "cd {parent}",
  },
  "fs.outside": {
    title: "deletes outside the project",
    verdict: "ask",
    isRecoverable: true,
    when: "A recursive delete outside the project and outside temporary directories.",
    examples: {
      asks: { "rm -rf /srv/www/site": "/srv/www/site" },
      passes: ["rm -rf /tmp/site", "rm -rf /srv/www/site/node_modules"],
    },
    lost: "It would delete {target}, which is outside this project and may hold data of others.",
    person: NO_COPY,
    model: "Look at what is there, and delete only what this task made.",
    safer: "ls -la {target}",
  },
  "fs.source": {
    title: "deletes project files",
    verdict: "ask",
    isRecoverable: true,
    when: "A recursive delete of a directory in the project that no tool can make again.",
    examples: {
      asks: { "rm -rf src": "{project}/src" },
      passes: ["rm src/index.ts", "rm -rf dist", "rm -rf local-data"],
    },
    lost: "It would delete {target}, which may hold work that is not committed.",
    person: NO_COPY,
    model: "Commit what is there first, or delete single files by name.",
    safer: "git rm -r -n {target}",
  },
  "fs.unresolved": {
    title: "deletes an unknown target",
    verdict: "ask",
    atLevel: { strict: "deny" },
    isRecoverable: true,
    when: "A recursive delete whose target depends on a value that the guard cannot know.",
    examples: { asks: { 'rm -rf "$DIR"/*': "$DIR" }, passes: ['rm -rf "$DIR"/node_modules', 'rm "$FILE"'] },
    lost: "It would delete {target}, which is unknown until it runs; if a part is empty, it can be /.",
    person: "It may not be possible to undo it.",
    model: "Print the value first, then write the path out in full.",
    safer: "{preview}",
  },
  "fs.bulk": {
    title: "deletes many files",
    verdict: "ask",
    isRecoverable: true,
    when: "A search or a list decides what is deleted, and its filter is not limited to build output or junk.",
    examples: {
      asks: { "find . -name '*.ts' -delete": "{project}" },
      passes: ["find . -name '*.ts' -print", "find . -name '*.pyc' -delete"],
    },
    lost: "It would delete every file that matches in {target}, whatever it is.",
    person: NO_COPY,
    model: "List the matches first, then delete those that have to go by name.",
    safer: "{preview}",
  },
  "fs.mirror": {
    title: "deletes by mirroring",
    verdict: "ask",
    isRecoverable: true,
    when: "rsync --delete, rclone sync, robocopy /MIR and the like, judged as a recursive delete of the target; dry runs pass.",
    examples: {
      asks: { "rsync -a --delete empty/ src/": "{project}/src" },
      passes: ["rsync -an --delete empty/ src/", "rsync -a --delete empty/ dist/"],
    },
    lost: "It would delete everything in {target} that is not in the source.",
    person: NO_COPY,
    model: "Do a dry run first, or copy without deleting.",
    safer: "rsync -n --delete SOURCE {target}",
  },
} satisfies RuleTable;

type Removal = EffectOf<"delete">;

/** What a delete or a move would lose. */
function inspectDelete(effect: Removal, context: RuleContext): void {
  for (const target of deletedTargets(effect, context)) {
    reportConfigured(context, effect, target, "delete");
    const losses = lossOfTree(context.workspace, target);
    if (effect.isEmptyOnly === true) {
      const held = losses.find(loss => loss.rule === "fs.cwd");
      if (held !== undefined) reportLoss(context, effect, held, "remove");
    } else if (effect.isShredded === true) continue;
    else if (effect.isMirror === true) reportMirror(context, effect, target, losses);
    else if (effect.selection !== undefined) reportSelection(context, effect, target, losses);
    else if (effect.isRecursive) for (const loss of losses) reportLoss(context, effect, loss, "delete");
    else reportFiles(context, effect, target, losses);
  }
}

/** What is deleted: for what an earlier part of the command moved there, the place where it was. */
export function deletedTargets({ path, by }: Removal, context: RuleContext): readonly Target[] {
  const { workspace } = context;
  return targetsForWord(context, path, by, false).flatMap(target => {
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
export function isGrave({ rule }: Loss): boolean {
  return rule === "fs.root" || rule === "fs.home" || rule === "fs.project" || rule === "fs.system-write";
}

export function reportLoss(
  context: RuleContext,
  effect: CommandEffect,
  loss: Loss,
  action: string,
  lost?: string,
): void {
  const { rule, target, held = context.workspace.cwd } = loss;
  if (rule === "fs.unresolved" && isInReadFile(context, effect)) return;
  const preview = target.includes("$") ? `ls -d ${target}` : "xargs -n1 ls -ld";
  // Where to go first so that the session does not stand in what is removed.
  const parent = dirname(isInside(target, held) ? target : held);
  context.report(rule, effect.by, target, { action, held, preview, parent, lost });
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
    const zone = classifyPath(workspace, path);
    if (isSystemFile(workspace, path)) context.report("fs.system-write", effect.by, path);
    else if (zone === "history") reportLoss(context, effect, { rule: "fs.project", target: path }, "delete");
    else if (isStartupFile(workspace, path)) context.report("fs.rcfile", effect.by, path);
  }
}

function isSystemFile(workspace: Workspace, path: string): boolean {
  const zone = classifyPath(workspace, path);
  return zone === "system" || (zone === "root" && components(path).length > 1);
}

/** The gravest places keep their own rule; elsewhere a mirror is worth one question. */
function reportMirror(context: RuleContext, effect: Removal, target: Target, losses: readonly Loss[]): void {
  const grave = losses.find(isGrave);
  if (grave !== undefined) reportLoss(context, effect, grave, "delete");
  else if (target.isRemote || losses.some(loss => loss.rule !== "fs.cwd"))
    context.report("fs.mirror", effect.by, target.shown);
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
    // Only names make a home smaller: what is left out or chosen by age or size may be anything.
    const isWhole = rule === "fs.home" && (effect.names ?? []).length === 0;
    return rule === "fs.root" || rule === "fs.system-write" || isWhole;
  };
  const isInTemp = path !== undefined && classifyPath(context.workspace, path) === "temp-root";
  if (selection === "some" && isInTemp && isContentsOnly === true) return;
  for (const loss of losses.filter(isReported)) reportLoss(context, effect, loss, "delete");
  if (selection !== "some" || (losses.length === 0 && !namesSources(context, target))) return;
  const preview = effect.preview ?? `find ${shown} -type f -print`;
  context.report("fs.bulk", effect.by, shown, { preview });
}

/** A pattern over files of the project, each of which could go by itself. */
function namesSources({ workspace }: RuleContext, target: Target): boolean {
  if (target.path !== undefined || target.base === undefined || target.isRemote) return false;
  return /^(source|project)$/.test(classifyPath(workspace, target.base)) && !endsRegenerable(target);
}

function inspectMove(effect: EffectOf<"move">, context: RuleContext): void {
  const isToNothing = effect.to !== undefined && knownText(effect.to) === "/dev/null";
  for (const target of targetsForWord(context, effect.from, effect.by, false)) {
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

/** Paths the configuration names: never written, never deleted. */
export function reportConfigured(
  context: RuleContext,
  effect: CommandEffect,
  target: Target,
  action: "write" | "delete",
): void {
  const { paths } = context.workspace.settings;
  if (paths.deny.length === 0 && paths.noDelete.length === 0) return;
  const place = target.path ?? target.base;
  if (place === undefined) return;
  const parts = partsBelow(context.workspace.project, place) ?? components(place);
  const patterns = action === "delete" ? [...paths.deny, ...paths.noDelete] : paths.deny;
  const isAbove =
    effect.kind === "delete" &&
    effect.isRecursive &&
    patterns.some(pattern => startsWithParts(pattern, parts));
  if (isAbove || isConfigured(patterns, parts)) context.report("fs.path", effect.by, target.shown);
}

/** Deleting a directory deletes what a pattern protects below it. */
function startsWithParts(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern.split("/").filter(part => part !== "");
  return parts.length < wanted.length && parts.every((part, index) => part === wanted[index]);
}

export const DELETION = {
  name: "filesystem",
  rules: RULES,
  checks: [
    {
      inspect(effect, context) {
        if (effect.kind === "delete") inspectDelete(effect, context);
        else if (effect.kind === "move") inspectMove(effect, context);
      },
    },
  ],
} satisfies RuleFamily;
