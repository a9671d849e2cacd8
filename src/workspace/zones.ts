import {
  isDistinctiveName,
  isGenericName,
  isHomeCache,
  isRegenerableElsewhere,
  isRegenerableInProject,
} from "../programs/index.ts";
import { wordSet } from "../shell/index.ts";
import { components, isInside } from "../system/index.ts";
import { partsBelow } from "./disk.ts";
import { isIgnoredByGit, matchesAnyPattern, parseIgnoreFile } from "./ignore.ts";
import { findRepository, tracksAnything } from "./repository.ts";
import { type SecretKind, secretByName, secretInHome, secretInSystem } from "./secrets.ts";
import type { Target } from "./target.ts";
import { wiringPart } from "./wiring.ts";
import { SYSTEM_TOPS, SYSTEM_TREES, type Workspace } from "./workspace.ts";

/**
 * Where a path lies. `root`: the system's own directories; `system`: below them; `home`: the home directory, its
 * children, other people's homes; `project`: the top of the project or its history; `source`: below it and not
 * made by a tool; `regenerable`, `temp`: free to delete; `temp-root`; `outside`: everything else.
 */
export type Zone =
  | "root"
  | "system"
  | "home"
  | "project"
  | "history"
  | "source"
  | "regenerable"
  | "temp"
  | "temp-root"
  | "local-software"
  | "outside";

const HOMES = wordSet("home Users");
const HOME_DOT_TREES = wordSet(".config .local .ssh .gnupg .aws .kube .docker .azure Library");

const zones = new WeakMap<Workspace, Map<string, Zone>>();

export function classifyPath(workspace: Workspace, path: string): Zone {
  let known = zones.get(workspace);
  if (known === undefined) {
    known = new Map();
    zones.set(workspace, known);
  }
  const zone = known.get(path) ?? findZone(workspace, path);
  known.set(path, zone);
  return zone;
}

function findZone(workspace: Workspace, path: string): Zone {
  const { project, home, temps } = workspace;
  let nearest: string | undefined;
  for (const root of project === undefined ? [...temps, home] : [...temps, home, project])
    if (root.length > (nearest?.length ?? 0) && isInside(root, path)) nearest = root;
  if (nearest === undefined) return systemZone(path);
  const parts = partsBelow(nearest, path) ?? [];
  if (nearest === project) return projectZone(workspace, path, project, parts);
  if (nearest === home) return homeZone(parts);
  return temps.includes(path) ? "temp-root" : "temp";
}

function projectZone(workspace: Workspace, path: string, project: string, parts: readonly string[]): Zone {
  if (path === project) return "project";
  if (parts[0] === ".git") return historyZone(parts.slice(1));
  if (isConfigured(workspace.settings.paths.regenerable, parts)) return "regenerable";
  if (isRegenerableInProject(parts))
    return isTracked(workspace, project, parts) === true ? "source" : "regenerable";
  const isSaid = isMarkedAsOutput(workspace, path) || isIgnoredByGit(workspace, project, parts);
  // A mark and a rule are words that anybody can write: they count where git is known to track nothing.
  return isSaid && isTracked(workspace, project, parts) === false ? "regenerable" : "source";
}

const tracked = new WeakMap<Workspace, Map<string, boolean | undefined>>();

/** What git tracks is work, whatever it is called. Undefined when git's index cannot be read. */
function isTracked(workspace: Workspace, project: string, parts: readonly string[]): boolean | undefined {
  const known = tracked.get(workspace) ?? new Map<string, boolean | undefined>();
  tracked.set(workspace, known);
  const path = parts.join("/");
  if (!known.has(path)) known.set(path, tracksBelow(workspace, project, path));
  return known.get(path);
}

function tracksBelow({ disk }: Workspace, project: string, path: string): boolean | undefined {
  const repository = findRepository(disk, project);
  if (repository === undefined || disk.isAbsent(`${repository.gitDirectory}/index`)) return false;
  return tracksAnything(disk, repository, path);
}

/** A virtual environment under any name, or the output directory beside a .NET project; no mark of this session. */
function isMarkedAsOutput({ disk, given }: Workspace, path: string): boolean {
  const isMark = (mark: string) => given.written?.()?.hasWritten(mark) !== true;
  // Nothing lies below a file, or below what is not there.
  const mayHoldMark = disk.kind(path) !== "file" && !disk.isAbsent(path);
  if (mayHoldMark && disk.kind(`${path}/pyvenv.cfg`) === "file") return isMark(`${path}/pyvenv.cfg`);
  if (!path.endsWith("/bin")) return false;
  const beside = path.slice(0, -4);
  return (
    disk.names(beside)?.some(name => /\.(cs|fs|vb)proj$/.test(name) && isMark(`${beside}/${name}`)) === true
  );
}

/** Files of `.git` that only tell of an operation under way, or have rules of their own. */
const TRANSIENT =
  /^(hooks$|rebase-merge|rebase-apply|sequencer|MERGE_|CHERRY_PICK_|REVERT_|BISECT_|gc\.|COMMIT_EDITMSG|rr-cache)|\.lock$/;

function historyZone(parts: readonly string[]): Zone {
  const [first, second] = parts;
  if (first === undefined) return "history";
  if (TRANSIENT.test(first) || parts.at(-1)?.endsWith(".lock") === true) return "regenerable";
  return second !== undefined && /^(modules|worktrees|lfs)$/.test(first) ? "source" : "history";
}

function homeZone(parts: readonly string[]): Zone {
  const [first, second] = parts;
  if (first === undefined) return "home";
  if (isHomeCache(parts)) return "regenerable";
  if (isHomeCache([...parts, "x"])) return "outside";
  if (parts.length === 1)
    return isDistinctiveName(first) ? "regenerable" : isGenericName(first) ? "outside" : "home";
  if (secretInHome(parts) !== undefined) return "home";
  if (HOME_DOT_TREES.has(first) && parts.length === 2 && second !== undefined) return "home";
  return isRegenerableElsewhere(parts) ? "regenerable" : "outside";
}

function systemZone(path: string): Zone {
  const parts = components(path);
  const [top, second, third] = parts;
  if (top === undefined) return "root";
  if (HOMES.has(top) || top === "root") return homesZone(parts);
  if (top === "mnt" && second !== undefined && /^[a-z]$/.test(second)) return driveZone(parts.slice(2));
  if (/^[A-Za-z]:$/.test(top)) return driveZone(parts.slice(1));
  if (parts.length === 1) return SYSTEM_TOPS.has(top) ? "root" : "outside";
  if (top === "usr" && second === "local" && third !== undefined) return "local-software";
  if (/^\/var\/(cache|lib\/apt\/lists)\/./.test(path)) return "regenerable";
  if (SYSTEM_TREES.has(top) || /^\/var(\/(lib|spool)\/.|\/[^/]*$)/.test(path))
    return parts.length === 2 ? "root" : "system";
  return elsewhere(parts);
}

/** A drive of another system: its top, and the trees that such a system stands on. */
function driveZone(parts: readonly string[]): Zone {
  const [top] = parts;
  if (top === undefined) return "root";
  if (/^users$/i.test(top)) return homesZone(parts);
  if (!/^(windows$|programdata$|program files)/i.test(top)) return elsewhere(parts);
  return parts.length === 1 ? "root" : "system";
}

/** Where the homes of all accounts are, a home, or something in it. */
function homesZone(parts: readonly string[]): Zone {
  return parts.length === 1 ? "root" : parts.length === 2 ? "home" : elsewhere(parts);
}

function elsewhere(parts: readonly string[]): Zone {
  return isRegenerableElsewhere(parts) ? "regenerable" : "outside";
}

/** Does one of the configuration's patterns cover these parts below the project? */
export function isConfigured(patterns: readonly string[], parts: readonly string[]): boolean {
  return patterns.length > 0 && matchesAnyPattern(parseIgnoreFile("", patterns.join("\n")), parts);
}

const NONE_CONFIGURED = { added: [], removed: [] };

type OfSecrets = Pick<Workspace, "home" | "project" | "settings">;

const secrets = new WeakMap<OfSecrets, Map<string, SecretKind | undefined>>();

/** The kind of secret a path names, if it does. Many rules ask for the same paths. */
export function secretAt(workspace: OfSecrets, path: string): SecretKind | undefined {
  const known = secrets.get(workspace) ?? new Map<string, SecretKind | undefined>();
  if (known.size === 0) secrets.set(workspace, known);
  const found = known.get(path);
  if (found !== undefined || known.has(path)) return found;
  const kind = findSecret(workspace, path);
  known.set(path, kind);
  return kind;
}

function findSecret(workspace: OfSecrets, path: string): SecretKind | undefined {
  const parts = components(path);
  const name = parts.at(-1);
  if (name === undefined) return undefined;
  const known = secretInSystem(path);
  if (known !== undefined) return known;
  const [top = ""] = parts;
  for (const home of new Set([workspace.home, "/root", HOMES.has(top) ? `/${top}/${parts[1]}` : "/root"])) {
    const below = partsBelow(home, path);
    const kind = below === undefined ? undefined : secretInHome(below);
    if (kind !== undefined) return kind;
  }
  const { secrets } = workspace.settings.paths;
  if (secrets.length === 0) return secretByName(name, NONE_CONFIGURED);
  const added = secrets.filter(pattern => !pattern.startsWith("!"));
  const removed = secrets.flatMap(pattern => (pattern.startsWith("!") ? [pattern.slice(1)] : []));
  const inPlaces = added.filter(pattern => pattern.includes("/"));
  const inProject = inPlaces.length === 0 ? undefined : partsBelow(workspace.project, path);
  if (inProject !== undefined && isConfigured(inPlaces, inProject)) return "secret";
  return secretByName(name, { added, removed });
}

/**
 * Below the home directory; a trailing slash stands for the whole tree. What a login runs, and what a program runs or
 * obeys whenever it is started.
 */
export const STARTUP_FILES = wordSet(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .ssh/rc
  .config/fish/config.fish .config/fish/conf.d/ .config/autostart/ .config/systemd/user/ .config/environment.d/
  .local/share/systemd/user/ Library/LaunchAgents/ .config/plasma-workspace/ .config/nushell/config.nu
  .oh-my-zsh/custom/ .zshrc.d/ .bashrc.d/
  .ssh/config .curlrc .wgetrc .gdbinit .lldbinit .tmux.conf .screenrc .vimrc .config/nvim/init.lua .config/nvim/init.vim
  .emacs .emacs.d/init.el .Rprofile .irbrc .pryrc .pdbrc .psqlrc .sqliterc .mailcap .cargo/config.toml .cargo/config
  .config/pip/pip.conf .pip/pip.conf .condarc .gemrc .gradle/init.gradle .gradle/init.d/ .m2/settings.xml .yarnrc
  .yarnrc.yml .bunfig.toml .aws/config
`);

/** By its name: settings of a program right in the home, what Python loads whenever it starts, folders of such files. */
const STARTS_ITSELF =
  /^\.[\w-]+(?:rc|_profile|_login|_logout|\.conf)$|\/(?:(?:user|site)customize\.py|[\w-]+\.pth)$|^\.config\/[^/]+\/(?:init\.\w+|\w*rc)$|^\.[^/]+\/(?:profile_\w+\/)?startup\//;

/** Settings of programs that a person starts: below the folders that systems have for them, and code in a program's own folder. */
const SETTINGS =
  /^(?:\.config|Library\/(?:Application Support|Preferences))\/[^/]+(?:\/[^/]+)*$|^\.[^/]+\/(?:[^/]+\/)*[^/]+\.(?:vim|lua|el|fish|desktop|plist|service)$/;
/** What agents are told, and what they start, in every later session. */
const OF_AGENTS =
  /^\.(?!local\/|cache\/)[\w-]+\/(?:[\w-]+\/)?(?:(?:CLAUDE|AGENTS?|GEMINI|QWEN|CRUSH|copilot-instructions|instructions|memory|global_rules|system)\.md|(?:settings|config|mcp|mcp[-_]?(?:config|servers?|settings)|hooks|permissions)(?:\.local)?\.(?:jsonc?|toml|ya?ml)|(?:skills|commands|agents|rules|prompts|hooks|plugins|extensions|steering|instructions|workflows|output-styles|modes)\/.+)$/;
/** What programs keep there for themselves, and can make again. */
const NO_SETTINGS =
  /(?:^|\/)(?:[\w -]*cache[\w -]*|logs?|tmp|temp|crash(?:es|pad)?|sessions?|history)(?:\/|$)|\.(?:log|lock|pid|tmp)$|^\.(?:npm|cargo|rustup|m2|gradle|local\/share|nvm|pyenv|rbenv|asdf|sdkman|bun|deno)\//i;

function isSettings(below: string): boolean {
  return (SETTINGS.test(below) || OF_AGENTS.test(below)) && !NO_SETTINGS.test(below);
}

/** Files that run by themselves: what is written there outlives the session. */
export function isStartupFile(workspace: Workspace, path: string): boolean {
  if (/^\/(var\/spool\/cron|Library\/Launch(Agents|Daemons))(\/|$)/.test(path)) return true;
  // Agents start what these files name.
  const ofProject = partsBelow(workspace.project, path)?.join("/") ?? "";
  if (/^(?:\.[^/]+\/(?:[^/]+\/)?)?\.?mcp(?:[-_](?:config|servers|settings))?\.json$/.test(ofProject))
    return true;
  const home = isInside(workspace.home, path) ? workspace.home : otherHome(path);
  const below = home === undefined ? "" : (partsBelow(home, path)?.join("/") ?? "");
  const startsItself =
    STARTS_ITSELF.test(below) ||
    // Whoever works on such settings has them for a project. Those of hosts have a rule of their own.
    (ofProject === "" && isSettings(below) && wiringPart(workspace, path) === undefined) ||
    STARTUP_FILES.has(below) ||
    STARTUP_FILES.list.some(name => name.endsWith("/") && `${below}/`.startsWith(name));
  return (
    startsItself && !workspace.temps.some(temp => isInside(temp, path) && !isInside(temp, workspace.home))
  );
}

/** Another name of a file that runs by itself: a hard link to it. */
export function isLinkedStartup({ disk, home }: Workspace, path: string): boolean {
  if (disk.kind(path) !== "file" || disk.links(path) < 2) return false;
  const identity = disk.identity(path);
  return STARTUP_FILES.list.some(name => {
    const other = `${home}/${name}`;
    return other !== path && disk.kind(other) === "file" && disk.identity(other) === identity;
  });
}

/** Of a path whose folder is not known: a name that only files have which run by themselves, wherever they lie. */
export function isStartupName(name: string): boolean {
  return (
    /^(?:(?:user|site)customize\.py|[\w-]+\.pth)$/.test(name) ||
    (name.startsWith(".") && STARTUP_FILES.has(name))
  );
}

function otherHome(path: string): string | undefined {
  return /^\/(?:root|home\/[^/]+|Users\/[^/]+)(?=\/)/.exec(path)?.[0];
}

/**
 * Everything that somebody has in one place: a home, a directory right in it, the project, its history, or what lies
 * around them. `withProject` false: the project alone is not meant.
 */
export function isWholeTree(workspace: Workspace, target: Target, withProject: boolean): boolean {
  const { disk, project } = workspace;
  const path = target.path ?? (isEverythingIn(target) ? target.base : undefined);
  if (target.isRemote || path === undefined || disk.kind(path) === "file") return false;
  if (!withProject && project !== undefined && isInside(project, path)) return false;
  const zone = classifyPath(workspace, path);
  if (zone === "project") return true;
  if (zone === "history") return path.endsWith("/.git");
  if (zone !== "home" && zone !== "root") return false;
  return disk.kind(path) === "directory" || isInside(path, workspace.home);
}

/** `*` of a directory, or names in it that are not known. */
function isEverythingIn({ rest }: Target): boolean {
  return (
    rest.length === 1 &&
    rest[0]?.every(piece => piece.kind === "unknown" || (piece.kind === "glob" && piece.pattern === "*")) ===
      true
  );
}
