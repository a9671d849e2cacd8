import {
  ancestors,
  basename,
  dirname,
  expandHome,
  isAbsolute,
  isInside,
  join,
  resolve,
} from "../system/index.ts";
import {
  type Disk,
  findRepository,
  gitSettings,
  includedBy,
  isWholeRepository,
  openRepository,
  type Repository,
  settingsOfFile,
  type Workspace,
} from "../workspace/index.ts";
import type { Reserved } from "./policy.ts";

/** What git runs or obeys outside the sandbox, and where a command in it may therefore not write. */
export interface GitPlaces {
  /** folders of git that lie outside the project: those of a linked worktree */
  readonly write: readonly string[];
  readonly readOnly: readonly string[];
  readonly reserve: readonly Reserved[];
  readonly absent: readonly string[];
  /** folders of git, in which it writes through links */
  readonly folders: readonly string[];
  /** names that cannot be protected, in words for people */
  readonly open: readonly string[];
}

const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_MODULES = 500;
/** Folders of every repository, in which there is none of a submodule; `modules` is looked at by itself. */
const OF_GIT_ITSELF = new Set(
  "objects refs logs hooks info lfs modules worktrees branches rebase-merge".split(" "),
);
const MODULE_DEPTH = 6;
const MAX_NAMES = 1000;

/** Values of these keys are programs that git starts, or files that name some. */
const STARTS_SOMETHING =
  /^(hookspath|attributesfile|fsmonitor|clean|smudge|process|textconv|command|driver|external|sshcommand|difffilter|alternaterefscommand|packobjectshook|recentobjectshook|editor|pager|askpass|helper|program|cmd|proxy|gitproxy|sequenceeditor|uploadpack|receivepack)$/;

/** `nested` are the `.git` entries of repositories below the project. */
export function findGitPlaces(workspace: Workspace, nested: readonly string[]): GitPlaces {
  const { disk, project } = workspace;
  const repository = project === undefined ? undefined : repositoryAt(disk, project);
  const places = { write: [], readOnly: [], reserve: [], absent: [], folders: [], open: [] };
  if (project === undefined || repository === undefined) return places;
  const collected = new Collected(workspace, project);
  const common = disk.resolve(repository.commonDirectory, true);
  const own = disk.resolve(repository.gitDirectory, true);
  collected.entry(join(repository.top ?? project, ".git"));
  collected.commonFolder(common);
  if (own !== common) collected.linkedFolder(own);
  for (const entry of nested) {
    collected.entry(entry);
    const top = dirname(entry);
    const inner = repositoryAt(disk, top);
    const folder = inner === undefined ? undefined : disk.resolve(inner.commonDirectory, true);
    if (folder !== undefined && folder !== common) collected.commonFolder(folder, top);
  }
  // What one around it names may lie in this project: a command can have made a repository of its own in a folder of it.
  for (const above of [...ancestors(project)].slice(1)) {
    const outer = disk.kind(join(above, ".git")) === undefined ? undefined : repositoryAt(disk, above);
    if (outer !== undefined) collected.configured(disk.resolve(outer.commonDirectory, true), above);
  }
  return { ...collected.places(), write: gitFoldersOutside(disk, project) };
}

/** Also where a command took away by what git knows it: it can put that back later. */
function repositoryAt(disk: Disk, top: string): Repository | undefined {
  const entry = join(top, ".git");
  return disk.kind(disk.resolve(entry, true)) === "directory"
    ? openRepository(disk, entry, top)
    : findRepository(disk, top);
}

/**
 * Folders of git that lie outside the project, those of a linked worktree or a submodule, if they name the project
 * themselves: `.git` and `commondir` in the project can be written by a command, and may name any folder.
 */
export function gitFoldersOutside(disk: Disk, project: string): readonly string[] {
  const repository = findRepository(disk, project);
  if (repository === undefined) return [];
  const common = disk.resolve(repository.commonDirectory, true);
  const own = disk.resolve(repository.gitDirectory, true);
  // A folder that a command may change could otherwise name any folder above it as that of its repository.
  const isWorktree = dirname(own) === join(common, "worktrees") && isWholeRepository(disk, repository);
  if (isInside(project, own) || !(own === common || isWorktree)) return [];
  const linked = disk.text(join(own, "gitdir"), MAX_CONFIG_BYTES)?.trim();
  const lines = settingsOfFile(disk, join(own, "config")) ?? [];
  const named = linked ?? lines.findLast(({ name }) => name === "core.worktree")?.value;
  const top = repository.top ?? project;
  const wanted = linked === undefined ? top : join(top, ".git");
  return named !== undefined && disk.resolve(resolve(own, named), true) === wanted ? [common] : [];
}

class Collected {
  private readonly readOnly = new Set<string>();
  private readonly reserve = new Map<string, Reserved>();
  private readonly absent = new Set<string>();
  private readonly folders = new Set<string>();
  private readonly open = new Set<string>();
  private readonly workspace: Workspace;
  private readonly project: string;

  constructor(workspace: Workspace, project: string) {
    this.workspace = workspace;
    this.project = project;
  }

  places(): Omit<GitPlaces, "write"> {
    return {
      readOnly: [...this.readOnly],
      reserve: [...this.reserve.values()],
      absent: [...this.absent],
      folders: [...this.folders],
      open: [...this.open],
    };
  }

  /** `.git` of a work tree: a folder is kept from being moved by what is protected below it. */
  entry(path: string): void {
    const kind = this.workspace.disk.kind(path);
    if (kind === "file") this.readOnly.add(path);
    if (kind === "symlink") this.open.add(`${path} is a link, which a command can replace`);
  }

  /** A folder with hooks and configuration, and those of its submodules and worktrees; `top` is its work tree. */
  commonFolder(folder: string, top = this.project): void {
    this.folders.add(folder);
    this.keep(join(folder, "config"), "file");
    this.keep(join(folder, "hooks"), "folder");
    this.linkedFolder(folder);
    if (this.workspace.disk.kind(join(folder, "info")) === "directory")
      this.keep(join(folder, "info/attributes"), "file");
    else this.keep(join(folder, "info"), "folder");
    this.configured(folder, top);
    for (const name of this.foldersIn(join(folder, "worktrees"))) {
      this.linkedFolder(name);
      this.keepIfThere(join(name, "gitdir"));
    }
    for (const module of this.modules(join(folder, "modules"))) this.commonFolder(module);
  }

  /** What a folder of git itself can redirect to another one. */
  linkedFolder(folder: string): void {
    // Git takes it for the folder itself, as it does when there is none.
    this.keep(join(folder, "commondir"), "file", ".\n");
    this.keep(join(folder, "config.worktree"), "file");
  }

  private keep(path: string, kind: Reserved["kind"], text = ""): void {
    if (this.keepIfThere(path)) return;
    this.reserve.set(path, text === "" ? { path, kind } : { path, kind, text });
  }

  private keepIfThere(path: string): boolean {
    const { disk } = this.workspace;
    const kind = disk.kind(path);
    if (kind === undefined) return false;
    if (kind === "symlink") this.open.add(`${path} is a link, which a command can replace`);
    this.readOnly.add(disk.resolve(path, true));
    return true;
  }

  /** Where there are too many, nothing in the folder can be changed. */
  private foldersIn(folder: string): readonly string[] {
    const { disk } = this.workspace;
    const names = disk.kind(folder) === "directory" ? disk.names(folder, MAX_NAMES) : [];
    if (names === undefined) this.readOnly.add(disk.resolve(folder, true));
    return (names ?? []).map(name => join(folder, name)).filter(path => disk.kind(path) === "directory");
  }

  /** A submodule may have a name with slashes, so its folder may lie deeper. */
  private modules(folder: string): readonly string[] {
    const found: string[] = [];
    let level = this.foldersIn(folder);
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth === MODULE_DEPTH || found.length > MAX_MODULES) {
        this.readOnly.add(this.workspace.disk.resolve(folder, true));
        break;
      }
      const { disk } = this.workspace;
      const isGit = (path: string) =>
        ["HEAD", "config", "hooks"].some(name => disk.kind(join(path, name)) !== undefined);
      found.push(...level.filter(isGit));
      level = level.flatMap(path => this.foldersIn(path)).filter(path => !OF_GIT_ITSELF.has(basename(path)));
    }
    return found;
  }

  /** Files that the configuration lets git run or read as configuration, wherever they lie. */
  configured(folder: string, ownTop: string): void {
    const { disk, home } = this.workspace;
    const settings = gitSettings(disk, { commonDirectory: folder, gitDirectory: folder }, home);
    const worktree = settings?.findLast(({ name }) => name === "core.worktree")?.value;
    const top = worktree === undefined ? ownTop : resolve(folder, worktree);
    if (settings === undefined)
      this.open.add(`what the configuration in ${folder} starts: it is too large to be read`);
    for (const setting of settings ?? []) {
      const included = includedBy(setting, home);
      const key = setting.name.slice(setting.name.lastIndexOf(".") + 1);
      if (included !== undefined) this.named(top, included, true);
      else if (STARTS_SOMETHING.test(key) || /^pager\./.test(setting.name) || setting.value.startsWith("!"))
        for (const word of splitWords(setting.value))
          this.named(top, expandHome(word, home), key === "hookspath");
    }
  }

  private named(top: string, written: string, isObeyedWhenMade: boolean): void {
    const { disk } = this.workspace;
    const path = disk.resolve(isAbsolute(written) ? written : resolve(top, written), true);
    if (isInside(path, this.project)) return;
    if (disk.kind(path) !== undefined) this.readOnly.add(path);
    else if (isObeyedWhenMade) this.absent.add(path);
  }
}

function splitWords(value: string): readonly string[] {
  return value.split(/[\s"';|&()!]+/).filter(word => word !== "" && !word.startsWith("-"));
}
