import {
  changesOfGit,
  missingOfGit,
  onlyDisplays,
  opensEditor,
  reachesOut,
  runsHooks,
} from "../../programs/index.ts";
import { knownText } from "../../shell/index.ts";
import { ancestors, isInside, join } from "../../system/index.ts";
import {
  type GitSetting,
  gitSettings,
  isStartupFile,
  listGitHooks,
  resolveTargets,
  startsLater,
  trackedFiles,
  usesAttribute,
  wiringPart,
} from "../../workspace/index.ts";
import { type Gap, reach } from "../gap.ts";
import type { GuardWorkspace } from "../judgement.ts";
import type { EffectOf } from "../rule-context.ts";
import type { GitRun } from "./run.ts";

/** What is not known of a run of git: its words, its repository, and the programs that its settings name. */
export function gapsOfGit({ run, by }: EffectOf<"git">, workspace: GuardWorkspace): readonly Gap[] {
  const what = `git ${run.subcommand}`;
  if (run.shellAlias !== undefined) return [];
  const missing = missingOfGit(run);
  if (missing !== undefined)
    return by.invocation !== undefined && reachesOut(by.invocation) ? [missing, reach(what)] : [missing];
  if (by.place.kind !== "local" || run.gitDirectory !== undefined || run.workTree !== undefined)
    return [{ kind: "environment", what, why: "it is told where its repository is" }];
  if (opensEditor(run)) return [{ kind: "code", what, why: "it opens an editor" }];
  if (run.repository === undefined)
    return run.subcommand === "init" ? [] : [{ kind: "value", what, why: "its repository is not known" }];
  return [
    ...gapsOfPlace(run, workspace),
    ...gapsOfBrought(run, workspace),
    ...gapsOfSettings(run, by.invocation?.isCaptured === true, workspace),
  ];
}

function gapsOfPlace({ subcommand, repository, ...run }: GitRun, workspace: GuardWorkspace): readonly Gap[] {
  const { files, state } = changesOfGit({ ...run, subcommand });
  const top = repository?.top;
  if (!files && !state) return [];
  const { project, temps } = workspace;
  const isOurs =
    top !== undefined &&
    [...(project === undefined ? [] : [project]), ...temps].some(place => isInside(place, top));
  return isOurs
    ? []
    : [{ kind: "place", what: top ?? "a bare repository", why: "it is outside the project" }];
}

const BRINGS = /^(?:checkout|switch|restore|merge|rebase|cherry-pick|revert)$/;

/** What commits bring into the work tree may start something later, and nobody has looked at it. */
function gapsOfBrought(run: GitRun, workspace: GuardWorkspace): readonly Gap[] {
  const { subcommand, options, repository } = run;
  if (!BRINGS.test(subcommand) || repository?.top === undefined || options.has("abort", "quit")) return [];
  const commits: Gap = { kind: "wiring", what: what(run), why: "what these commits bring was not looked at" };
  if (!/^(?:checkout|restore)$/.test(subcommand))
    return subcommand === "switch" && options.operandValues.length === 0 ? [] : [commits];
  if (subcommand === "restore" && options.has("staged", "S") && !options.has("worktree", "W")) return [];
  const at = run.argv.findIndex(word => knownText(word) === "--");
  const behind = at < 0 ? options.operandValues : run.argv.slice(at + 1);
  if (behind.length === 0 && at < 0) return [];
  const targets = behind.flatMap(word =>
    resolveTargets(workspace.disk, word, run.directory, { kind: "local" }, { followsLast: false }),
  );
  const kinds = targets.map(({ path }) => (path === undefined ? undefined : workspace.disk.kind(path)));
  // A name that is no file here is a branch or a commit.
  if (at < 0 && subcommand === "checkout" && kinds.includes(undefined)) return [commits];
  const isOfCommit = options.has("source", "s") || (at >= 0 && options.operandValues.length > behind.length);
  const tracked = trackedFiles(workspace.disk, repository);
  const isOfFiles = targets.every(({ path }, index) => path !== undefined && kinds[index] !== "directory");
  if (!isOfFiles && (isOfCommit || tracked === undefined || targets.some(({ path }) => path === undefined)))
    return [commits];
  const { top } = repository;
  const named = new Set(targets.map(({ path = top }) => path));
  const below = [...(tracked?.keys() ?? [])].map(name => join(top, name));
  const brought = [...named, ...below.filter(file => ancestors(file).some(at => named.has(at)))];
  const wiring = brought.find(
    path =>
      wiringPart(workspace, path) !== undefined ||
      isStartupFile(workspace, path) ||
      startsLater(workspace, path),
  );
  return wiring === undefined ? [] : [{ kind: "wiring", what: wiring, why: "it starts something later" }];
}

/** Subcommands that compare or write contents, for which filters run. */
const USES_CONTENTS =
  /^(?:status|diff|add|commit|checkout|switch|restore|reset|stash|merge|cherry-pick|revert|apply|rm|mv|blame|grep|describe|rebase)$/;
const SHOWS_DIFFERENCES = /^(?:diff|log|show|blame|grep|stash)$/;
const MERGES = /^(?:merge|cherry-pick|revert|rebase|stash|checkout|switch|apply|restore)$/;
const COMMITS = /^(?:commit|merge|cherry-pick|revert|rebase|tag|stash)$/;

/** Programs of others that this run would start, by the configuration. */
function gapsOfSettings(run: GitRun, isCaptured: boolean, workspace: GuardWorkspace): readonly Gap[] {
  const { disk, home } = workspace;
  const { repository, subcommand } = run;
  if (repository === undefined) return [];
  const settings = gitSettings(disk, repository, home);
  if (settings === undefined)
    return [{ kind: "size", what: "git", why: "its configuration could not be read" }];
  const code = (what: string, why: string): Gap => ({ kind: "code", what, why });
  const isOn = (name: string) => isTrue(lastSetting(settings, name));
  const gaps: Gap[] = [];
  if (runsHooks(run) || changesOfGit(run).state || changesOfGit(run).files) {
    const hooks = listGitHooks(disk, repository, settings, home);
    if (hooks === undefined)
      gaps.push({ kind: "size", what: "git hooks", why: "the folder could not be listed" });
    for (const hook of (hooks ?? []).filter(name => runsHook(name, subcommand)))
      gaps.push(code(hook, "this hook of git runs"));
    if (has(settings, /^hook\..*\.command$/s)) gaps.push(code("hook.command", "this hook of git runs"));
  }
  const uses = (attribute: string) =>
    usesAttribute(disk, repository, settings, home, attribute, trackedFiles(disk, repository));
  if (
    USES_CONTENTS.test(subcommand) &&
    has(settings, /^filter\..*\.(?:clean|smudge|process)$/s) &&
    uses("filter")
  )
    gaps.push(code("filter", "this setting of git names a program that runs for files"));
  if (SHOWS_DIFFERENCES.test(subcommand)) {
    if (has(settings, /^diff\.external$/))
      gaps.push(code("diff.external", "this setting of git names a program"));
    if (has(settings, /^diff\..*\.(?:textconv|command)$/s) && uses("diff"))
      gaps.push(code("diff.textconv", "this setting of git names a program"));
  }
  if (MERGES.test(subcommand) && has(settings, /^merge\..*\.driver$/s) && uses("merge"))
    gaps.push(code("merge.driver", "this setting of git names a program"));
  if (subcommand === "init" && has(settings, /^init\.templatedir$/))
    gaps.push({ kind: "wiring", what: "init.templateDir", why: "it brings files into the repository" });
  const shown = settings.filter(({ name }) => name === "format.pretty" || name.startsWith("pretty."));
  if (isOn("log.showsignature") || shown.some(({ value }) => value.includes("%G")))
    gaps.push(code("log.showSignature", "another program checks signatures"));
  const monitor = lastSetting(settings, "core.fsmonitor");
  if (monitor !== undefined && !/^(?:false|no|off|0|)$/i.test(monitor))
    gaps.push(code("core.fsmonitor", "this setting of git names a program"));
  if (COMMITS.test(subcommand) && (isOn("commit.gpgsign") || isOn("tag.gpgsign")))
    gaps.push(code("commit.gpgsign", "another program signs"));
  if (
    has(settings, /^core\.worktree$/) &&
    !isInsideProject(workspace, lastSetting(settings, "core.worktree"))
  )
    gaps.push({ kind: "place", what: "core.worktree", why: "this setting of git points elsewhere" });
  if (has(settings, /^remote\..*\.promisor$/s) || has(settings, /^extensions\.partialclone$/))
    gaps.push({ kind: "reach", what: what(run), why: "git may fetch what is missing here" });
  const pagers = ["core.pager", `pager.${subcommand}`].map(name => lastSetting(settings, name) ?? "");
  if (!isCaptured && pagers.some(pager => !/^(?:true|false)$/.test(pager) && !onlyDisplays(pager)))
    gaps.push(code("core.pager", "this setting of git names a program that shows its output"));
  return gaps;
}

function what({ subcommand }: GitRun): string {
  return `git ${subcommand}`;
}

function has(settings: readonly GitSetting[], name: RegExp): boolean {
  return settings.some(setting => name.test(setting.name) && setting.value !== "");
}

function lastSetting(settings: readonly GitSetting[], name: string): string | undefined {
  return settings.filter(setting => setting.name === name).at(-1)?.value;
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:true|yes|on|1)$/i.test(value);
}

function isInsideProject({ project }: GuardWorkspace, path: string | undefined): boolean {
  return project !== undefined && path?.startsWith("/") === true && isInside(project, path);
}

/** Hooks that only some runs start; every other name may be one that runs always. */
const HOOKS: Readonly<Record<string, RegExp>> = {
  "pre-push": /^push$/,
  "pre-receive": /^$/,
  update: /^$/,
  "post-receive": /^$/,
  "post-update": /^$/,
  "proc-receive": /^$/,
  "push-to-checkout": /^$/,
  "applypatch-msg": /^am$/,
  "pre-applypatch": /^am$/,
  "post-applypatch": /^am$/,
  "pre-rebase": /^rebase$/,
  "sendemail-validate": /^send-email$/,
  "pre-auto-gc": /^(?:commit|merge|gc|rebase|am|fetch)$/,
  "post-merge": /^(?:merge|pull)$/,
  "pre-merge-commit": /^(?:merge|pull)$/,
  "post-checkout": /^(?:checkout|switch|clone|worktree|rebase|restore|stash)$/,
  "pre-commit": /^(?:commit|merge|cherry-pick|revert)$/,
  "prepare-commit-msg": /^(?:commit|merge|cherry-pick|revert)$/,
  "commit-msg": /^(?:commit|merge|cherry-pick|revert)$/,
  "post-commit": /^(?:commit|merge|cherry-pick|revert)$/,
  "post-rewrite": /^(?:commit|rebase)$/,
};

function runsHook(name: string, subcommand: string): boolean {
  return !Object.hasOwn(HOOKS, name) || HOOKS[name]?.test(subcommand) === true;
}
