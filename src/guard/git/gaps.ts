import {
  changesOfGit,
  missingOfGit,
  onlyDisplays,
  opensEditor,
  reachesOut,
  runsHooks,
} from "../../programs/index.ts";
import { describe, joinPath, knownText, text, words } from "../../shell/index.ts";
import { ancestors, basename, isInside, join, resolve } from "../../system/index.ts";
import {
  findRepository,
  type GitSetting,
  gitSettings,
  type IndexedFile,
  isStartupFile,
  isWholeRepository,
  listGitHooks,
  listSubmodules,
  type Repository,
  resolveTargets,
  secretAt,
  startsLater,
  trackedFiles,
  usesAttribute,
  valuesOfSetting,
  wiringPart,
} from "../../workspace/index.ts";
import { type Gap, reach } from "../gap.ts";
import type { GuardWorkspace } from "../judgement.ts";
import { namesBelow } from "../named-files.ts";
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
  if (run.repository === undefined || !isWholeRepository(workspace.disk, run.repository))
    return run.subcommand === "init" ? [] : [{ kind: "value", what, why: "its repository is not known" }];
  return [
    ...gapsOfPlace(run, workspace),
    ...gapsOfBrought(run, workspace),
    ...gapsOfMoved(run, workspace),
    ...gapsOfSettings(run, by.invocation?.isCaptured === true, workspace),
    ...gapsOfSubmodules(run, workspace),
    ...gapsOfShown(run, workspace),
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

const BRINGS = /^(?:checkout|switch|restore|merge|rebase|cherry-pick|revert|stash)$/;

/** What commits bring into the work tree may start something later, and nobody has looked at it. */
function gapsOfBrought(run: GitRun, workspace: GuardWorkspace): readonly Gap[] {
  const { subcommand, options, repository } = run;
  if (!BRINGS.test(subcommand) || repository?.top === undefined || options.has("abort", "quit")) return [];
  const action = knownText(options.operandValues[0] ?? text("")) ?? "";
  if (subcommand === "stash" && !/^(?:pop|apply)$/.test(action))
    return /^(?:list|show)$/.test(action) ? [] : gapsOfWiring(putAway(run, workspace), workspace);
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
  return gapsOfWiring(brought, workspace);
}

/** What `git stash` takes out of the work tree: files that differ from what git noted, and new ones where it is told so. */
function putAway({ options, repository }: GitRun, { disk }: GuardWorkspace): readonly string[] {
  const top = repository?.top;
  if (repository === undefined || top === undefined) return [];
  const tracked = trackedFiles(disk, repository) ?? new Map<string, IndexedFile>();
  const noted = Math.floor((disk.state(`${repository.gitDirectory}/index`)?.modifiedMs ?? 0) / 1000);
  const changed = [...tracked].flatMap(([name, { size, modifiedSeconds }]) => {
    const path = join(top, name);
    const now = disk.state(path);
    // What changed in the second in which git looked may have changed behind it.
    const isSame =
      now !== undefined &&
      now.size === size &&
      Math.floor(now.modifiedMs / 1000) === modifiedSeconds &&
      modifiedSeconds < noted;
    return isSame ? [] : [path];
  });
  if (!options.has("u", "include-untracked", "a", "all")) return changed;
  const hidden = (disk.names(top, MAX_NAMES) ?? []).filter(name => name.startsWith(".") && name !== ".git");
  const below = hidden.flatMap(name => [
    join(top, name),
    ...(namesBelow(disk, join(top, name), "everything") ?? []),
  ]);
  return [
    ...changed,
    ...below.filter(path => disk.kind(path) === "file" && !tracked.has(path.slice(top.length + 1))),
  ];
}

const MAX_NAMES = 2_000;

function gapsOfWiring(paths: readonly string[], workspace: GuardWorkspace): readonly Gap[] {
  const wiring = paths.find(
    path =>
      wiringPart(workspace, path) !== undefined ||
      isStartupFile(workspace, path) ||
      startsLater(workspace, path),
  );
  return wiring === undefined ? [] : [{ kind: "wiring", what: wiring, why: "it starts something later" }];
}

/** `git mv` and `git rm`: names as a shell gives them, and what lies below. */
function gapsOfMoved(run: GitRun, workspace: GuardWorkspace): readonly Gap[] {
  const { subcommand, options, repository, directory } = run;
  if (!/^(?:mv|rm)$/.test(subcommand) || repository?.top === undefined || options.has("cached")) return [];
  const { disk } = workspace;
  const paths = options.operandValues.map(
    word => resolveTargets(disk, word, directory, { kind: "local" }, { followsLast: false })[0]?.path,
  );
  const tracked = trackedFiles(disk, repository);
  const isUnread = tracked === undefined && !disk.isAbsent(`${repository.gitDirectory}/index`);
  const known = paths.filter(path => path !== undefined);
  if (known.length < paths.length || isUnread)
    return [{ kind: "value", what: what(run), why: "which files it takes is not known" }];
  const files = [...(tracked?.keys() ?? [])].map(name => join(repository.top ?? "", name));
  const below = (top: string) => files.filter(file => isInside(top, file));
  const to = subcommand === "mv" ? known.pop() : undefined;
  const moved = known.flatMap(from => {
    if (to === undefined) return [];
    const at = disk.kind(to) === "directory" ? join(to, basename(from)) : to;
    return [at, ...below(from).map(file => join(at, file.slice(from.length + 1)))];
  });
  return gapsOfWiring([...known, ...known.flatMap(below), ...moved], workspace);
}

const MAX_SUBMODULES = 16;

/** Git looks into the repositories below this one, and there their own settings and hooks count. */
function gapsOfSubmodules(run: GitRun, workspace: GuardWorkspace): readonly Gap[] {
  const { disk } = workspace;
  const { repository } = run;
  if (repository?.top === undefined || !usesContents(run)) return [];
  const folders = listSubmodules(disk, repository);
  if (folders === undefined || folders.length > MAX_SUBMODULES)
    return [{ kind: "size", what: "git", why: "the repositories below this one could not all be looked at" }];
  return folders.flatMap((folder): readonly Gap[] => {
    const inner = findRepository(disk, folder);
    // Without a repository of its own there is nothing to look at; in itself it would have no end.
    if (inner?.top === undefined || inner.top !== disk.resolve(folder, true)) return [];
    const looked = { ...run, subcommand: "status", repository: inner };
    return [...gapsOfSettings(looked, true, workspace), ...gapsOfSubmodules(looked, workspace)];
  });
}

/** Contents are compared or written, for which filters run. */
function usesContents({ subcommand, options }: GitRun): boolean {
  return USES_CONTENTS.test(subcommand) || (subcommand === "ls-files" && options.has("m", "modified"));
}

const USES_CONTENTS =
  /^(?:status|diff|add|commit|checkout|switch|restore|reset|stash|merge|cherry-pick|revert|apply|rm|mv|blame|grep|describe|rebase)$/;
/** Contents are shown, for which `textconv` and other programs run. */
function showsDifferences({ subcommand, options }: GitRun): boolean {
  return (
    /^(?:diff|log|show|blame|grep|stash)$/.test(subcommand) ||
    (/^(?:status|commit)$/.test(subcommand) && options.has("v", "verbose"))
  );
}

const MERGES = /^(?:merge|cherry-pick|revert|rebase|stash|checkout|switch|apply|restore)$/;
/** They let git clean up where enough has come together. */
const CLEANS_UP = /^(?:commit|merge|cherry-pick|revert|rebase)$/;
const SOONER = /^gc\.(?:.*\.)?(?:pruneexpire|reflogexpire(?:unreachable)?)$/s;
const COMMITS = /^(?:commit|merge|cherry-pick|revert|rebase|tag|stash)$/;

/** Settings that name a program, and the runs that start it whatever files there are. */
const STARTED: readonly (readonly [setting: RegExp, isStarted: (run: GitRun) => boolean, name: string])[] = [
  [/^diff\.external$/, showsDifferences, "diff.external"],
  [
    /^commit\.verbose$/,
    ({ subcommand, options }) => subcommand === "commit" && options.has("dry-run"),
    "commit.verbose",
  ],
  [/^trailer\..*\.(?:command|cmd)$/s, ({ options }) => options.has("trailer"), "trailer.command"],
  [
    /^core\.alternaterefscommand$/,
    ({ options }) => options.has("alternate-refs"),
    "core.alternateRefsCommand",
  ],
  [
    /^gc\.recentobjectshook$/,
    ({ subcommand }) => /^(?:commit|merge|rebase)$/.test(subcommand),
    "gc.recentObjectsHook",
  ],
];

/** Subcommands that show settings: addresses stand there with the names and passwords in them. */
const SHOWS_SETTINGS = /^(?:config|remote)$/;
const SECRET_SETTING = /extraheader|token|passw|secret|cookie/;
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s@:]*:?[^/\s@]+@/;

function holdsSecret({ name, value }: GitSetting): boolean {
  return SECRET_SETTING.test(name) ? value !== "" : ADDRESS_WITH_PASSWORD.test(`${name} ${value}`);
}

/** `git config user.name` */
function namesPlainSetting({ subcommand, options }: GitRun): boolean {
  const shown = options.operandValues.map(word => knownText(word) ?? "");
  return subcommand === "config" && shown.some(name => /^(?:user|core|init|branch)\.[\w.-]+$/.test(name));
}

const PATCH_OPTIONS = words(`
  p patch u U unified L G S c cc m W function-context word-diff word-diff-regex color-words binary patch-with-raw patch-with-stat dd remerge-diff diff-merges
`);
const SUMMARIES = words(`
  stat numstat shortstat dirstat summary name-only name-status s no-patch l files-with-matches c count
`);

/** What git shows of files that it tracks: a secret among them was there before, or is now. */
function gapsOfShown(run: GitRun, workspace: GuardWorkspace): readonly Gap[] {
  const { subcommand, options, repository, directory } = run;
  const top = repository?.top;
  const [first = ""] = options.operandValues.map(describe);
  const isAskedFor = PATCH_OPTIONS.some(name => options.has(name));
  const isShown =
    isAskedFor ||
    /^(?:show|diff|grep|status|commit)$/.test(subcommand) ||
    (subcommand === "stash" && first === "show");
  // What is named by its path is read by that name.
  const isOfFiles =
    subcommand === "show" && options.operandValues.map(describe).every(one => one.includes(":"));
  if (!showsDifferences(run) || (isOfFiles && first !== "") || !isShown) return [];
  if (!isAskedFor && SUMMARIES.some(name => options.has(name))) return [];
  if (repository === undefined || top === undefined) return [];
  const at = run.argv.findIndex(word => knownText(word) === "--");
  const named = at < 0 ? [] : run.argv.slice(at + 1).map(word => knownText(joinPath(directory, word)));
  const isAsked = (file: string) =>
    named.length === 0 || named.some(place => place === undefined || isInside(place, file));
  const tracked = [...(trackedFiles(workspace.disk, repository)?.keys() ?? [])];
  const secret = tracked
    .map(name => join(top, name))
    .find(file => isAsked(file) && secretAt(workspace, file) !== undefined);
  return secret === undefined ? [] : [{ kind: "secret", what: secret, why: "git may show it" }];
}

/** Programs of others that this run would start, by the configuration. */
function gapsOfSettings(run: GitRun, isCaptured: boolean, workspace: GuardWorkspace): readonly Gap[] {
  const { disk, home } = workspace;
  const { repository, subcommand } = run;
  if (repository === undefined) return [];
  const settings = gitSettings(disk, repository, home);
  if (settings === undefined)
    return [{ kind: "size", what: "git", why: "its configuration could not be read" }];
  const code = (what: string, why: string): Gap => ({ kind: "code", what, why });
  const secret = SHOWS_SETTINGS.test(subcommand) ? settings.find(holdsSecret) : undefined;
  if (secret !== undefined && !namesPlainSetting(run))
    return [{ kind: "secret", what: secret.name, why: "this setting holds a secret" }];
  const isOn = (name: string) =>
    valuesOfSetting(settings, name).some(value => value !== undefined && !isFalse(value));
  const gaps: Gap[] = [];
  const changes = runsHooks(run) || changesOfGit(run).state || changesOfGit(run).files;
  if (changes || usesContents(run)) {
    const hooks = listGitHooks(disk, repository, settings, home);
    if (hooks === undefined)
      gaps.push({ kind: "size", what: "git hooks", why: "the folder could not be listed" });
    for (const hook of (hooks ?? []).filter(name => runsHook(name, subcommand)))
      if (changes || hook === INDEX_HOOK) gaps.push(code(hook, "this hook of git runs"));
    if (has(settings, /^hook\..*\.command$/s)) gaps.push(code("hook.command", "this hook of git runs"));
  }
  gaps.push(...gapsOfDrivers(run, repository, settings, workspace));
  if (subcommand === "init" && has(settings, /^init\.templatedir$/))
    gaps.push({ kind: "wiring", what: "init.templateDir", why: "it brings files into the repository" });
  const shown = settings.filter(({ name }) => name === "format.pretty" || name.startsWith("pretty."));
  if (isOn("log.showsignature") || shown.some(({ value }) => value.includes("%G")))
    gaps.push(code("log.showSignature", "another program checks signatures"));
  for (const [setting, isStarted, name] of STARTED)
    if (has(settings, setting) && isStarted(run))
      gaps.push(code(name, "this setting of git names a program"));
  if (isOn("core.fsmonitor")) gaps.push(code("core.fsmonitor", "this setting of git names a program"));
  if (COMMITS.test(subcommand) && ["commit.gpgsign", "tag.gpgsign", "tag.forcesignannotated"].some(isOn))
    gaps.push(code("commit.gpgsign", "another program signs"));
  if (CLEANS_UP.test(subcommand) && has(settings, SOONER))
    gaps.push({ kind: "place", what: "gc", why: "git may drop at once what no name leads to any more" });
  if (
    valuesOfSetting(settings, "core.worktree").some(
      set =>
        set !== undefined && disk.resolve(resolve(repository.gitDirectory, set), true) !== repository.top,
    )
  )
    gaps.push({ kind: "place", what: "core.worktree", why: "this setting of git points elsewhere" });
  if (has(settings, /^remote\..*\.promisor$/s) || has(settings, /^extensions\.partialclone$/))
    gaps.push({ kind: "reach", what: what(run), why: "git may fetch what is missing here" });
  const extension = settings.find(
    ({ name, value }) => name.startsWith("extensions.") && !KNOWN_EXTENSION.test(`${name}=${value}`),
  );
  if (extension !== undefined)
    gaps.push({
      kind: "size",
      what: extension.name,
      why: "this repository is kept in a form that is not known",
    });
  const pagers = ["core.pager", `pager.${subcommand}`].flatMap(name =>
    valuesOfSetting(settings, name).map(set => set ?? ""),
  );
  if (!isCaptured && pagers.some(pager => !/^(?:true|false)$/.test(pager) && !onlyDisplays(pager)))
    gaps.push(code("core.pager", "this setting of git names a program that shows its output"));
  return gaps;
}

/** Settings that name a program for files, by the attributes of these. */
const DRIVERS: readonly (readonly [
  attribute: string,
  runs: (run: GitRun) => boolean,
  setting: RegExp,
  what: string,
])[] = [
  ["filter", usesContents, /^filter\..*\.(?:clean|smudge|process)$/s, "filter"],
  ["diff", showsDifferences, /^diff\..*\.(?:textconv|command)$/s, "diff.textconv"],
  ["merge", ({ subcommand }) => MERGES.test(subcommand), /^merge\..*\.driver$/s, "merge.driver"],
];
/** Settings by which a driver is that of all files of which no attribute says anything. */
const OF_ALL_FILES = /^(?:diff\.default\.(?:textconv|command)|merge\.default)$/;

function gapsOfDrivers(
  run: GitRun,
  repository: Repository,
  settings: readonly GitSetting[],
  { disk, home }: GuardWorkspace,
): readonly Gap[] {
  const used = DRIVERS.filter(
    ([attribute, runs, setting]) =>
      runs(run) &&
      has(settings, setting) &&
      (settings.some(({ name }) => name.startsWith(`${attribute}.`) && OF_ALL_FILES.test(name)) ||
        usesAttribute(
          disk,
          repository,
          settings,
          home,
          attribute,
          trackedFiles(disk, repository),
          newFolders(run),
        )),
  );
  return used.map(([, , , what]) => ({
    kind: "code",
    what,
    why: "this setting of git names a program that runs for files",
  }));
}

/** Folders whose files a run may take that were not tracked before. */
function newFolders({ subcommand, options, repository, directory }: GitRun): readonly string[] {
  const top = repository?.top;
  if (top === undefined || !/^(?:add|stash|commit)$/.test(subcommand)) return [];
  const named = subcommand === "stash" ? [] : options.operandValues;
  const paths = named.map(word => knownText(joinPath(directory, word)));
  return paths.length > 0 && paths.every(path => path !== undefined) ? paths : [top];
}

function what({ subcommand }: GitRun): string {
  return `git ${subcommand}`;
}

function has(settings: readonly GitSetting[], name: RegExp): boolean {
  return settings.some(setting => name.test(setting.name) && setting.value !== "");
}

/** Git takes every other number for true. */
function isFalse(value: string): boolean {
  return /^(?:false|no|off|0|)$/i.test(value);
}

/** Said by git itself of repositories whose files are as they are read here. */
const KNOWN_EXTENSION =
  /^extensions\.(?:worktreeconfig|preciousobjects|relativeworktrees|partialclone|noop\w*)=|^extensions\.(?:objectformat=sha1|refstorage=files)$/;

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
  "fsmonitor-watchman": /^$/,
};

/** Git may write the index when it compares files. */
const INDEX_HOOK = "post-index-change";

function runsHook(name: string, subcommand: string): boolean {
  return !Object.hasOwn(HOOKS, name) || HOOKS[name]?.test(subcommand) === true;
}
