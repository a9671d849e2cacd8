import { createHash } from "node:crypto";
import type { SandboxSettings } from "../config/index.ts";
import { isHomeCache, isRegenerableName } from "../programs/index.ts";
import { readText } from "../state/index.ts";
import {
  ancestors,
  components,
  isAbsolute,
  isInside,
  join,
  type NamedKind,
  type System,
} from "../system/index.ts";
import {
  findRepository,
  isSettingsFile,
  secretAt,
  secretPlaces,
  startersBelow,
  trackedId,
  type Workspace,
  withoutNested,
} from "../workspace/index.ts";
import { caughtBeside } from "./try-store.ts";

/** Enough for the folders in which people keep keys; looking at a whole home would take longer than the command. */
const HOME_LIMITS = { entries: 5000, depth: 3 };
/** Each program keeps in a folder of its own there what lies at the top of the home otherwise. */
const DATA = ".local/share";
const DATA_LIMITS = { entries: 2000, depth: 2 };
/** A command can fill the project, so what lies behind this bound would be open: see `isTooLarge`. */
const PROJECT_LIMITS = { entries: 500_000, depth: 100 };
const TEMP_LIMITS = { entries: 50_000, depth: 2 };

/**
 * Sockets and state of services; what is shown below them tells programs how to resolve names and where they are. Files
 * alone: beside them lie sockets that resolve names for whoever asks.
 */
const SERVICES = ["/run", "/var/run"];
const SHOWN = [
  ...["systemd/resolve/stub-resolv.conf", "systemd/resolve/resolv.conf", "resolvconf/resolv.conf"],
  ...["NetworkManager/resolv.conf", "current-system", "booted-system", "opengl-driver"],
].map(name => `/run/${name}`);
const SOCKET_VARIABLES = ["SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "XAUTHORITY", "KUBECONFIG"];
const HOMES = "/home";
/** Where the drives of Windows are, in WSL. */
const DRIVES = "/mnt";
/** The command has one of its own. */
const DEVICES = "/dev";

export interface HiddenPlaces {
  readonly paths: readonly string[];
  readonly shown: readonly string[];
  /** hidden in the work tree, where git must not take the empty file for a change */
  readonly inProject: readonly string[];
  /** `.git` entries of repositories below the project */
  readonly nestedRepositories: readonly string[];
  /** what starts something later below the project: what is there, and names that would */
  readonly starters: ReturnType<typeof startersBelow>;
  /** the project and folders around it, as from which its names may be read */
  readonly above: readonly string[];
  /** more lies in the project than was looked at: keys, repositories and settings in it would be open */
  readonly isTooLarge: boolean;
  readonly open: readonly string[];
}

/** What a command may not read, of all that is there now. */
export function findHidden(
  system: Pick<System, "files" | "env" | "text">,
  workspace: Workspace,
  settings: SandboxSettings,
): HiddenPlaces {
  const project = walkProject(system, workspace, settings);
  const home = walkHome(system, workspace);
  const named = SOCKET_VARIABLES.map(name => system.env.get(name) ?? "").filter(isAbsolute);
  const places = [
    ...workspace.stateHomes,
    ...workspace.auditLogs,
    ...secretPlaces(workspace.home),
    ...otherHomes(system, workspace),
    ...SERVICES,
    ...named,
    ...home.secrets,
    ...boundSockets(system, workspace),
    ...workspace.stateHomes.flatMap(stateHome => caughtBeside(system, stateHome)),
    ...workspace.temps.flatMap(temp => specialFiles(system, temp, workspace)),
  ];
  const shown = [...SHOWN, ...settings.read].map(path => workspace.disk.resolve(path, true));
  const isShown = (path: string) => settings.read.includes(path) || shown.includes(path);
  const resolved = [...places, ...project.secrets].map(path => workspace.disk.resolve(path, true));
  const paths = [...resolved, ...findOtherNames(system, resolved)].filter(
    path => workspace.disk.kind(path) !== undefined && !isShown(path) && !isInside(DEVICES, path),
  );
  return {
    paths: withoutNested(paths),
    shown: shown.filter(
      path => workspace.disk.kind(path) !== undefined && paths.some(one => isInside(one, path)),
    ),
    inProject: project.secrets.filter(path => isInside(workspace.project ?? "/", path)),
    nestedRepositories: project.repositories,
    starters: project.starters,
    above: project.above,
    isTooLarge: !project.isWhole,
    open: home.isWhole ? [] : ["secrets deep in the home folder, outside the usual places"],
  };
}

function otherHomes({ files }: Pick<System, "files">, { home }: Workspace): readonly string[] {
  const drives = listOrNothing(files, DRIVES).filter(({ name }) => /^[a-z]$/.test(name));
  const folders = [HOMES, ...drives.map(({ name }) => join(DRIVES, name, "Users"))];
  const homes = folders.flatMap(folder => listOrNothing(files, folder).map(({ name }) => join(folder, name)));
  return [...homes, "/root"].filter(other => !isInside(other, home));
}

interface Walked extends Pick<HiddenPlaces, "starters" | "above"> {
  readonly secrets: readonly string[];
  readonly repositories: readonly string[];
  readonly isWhole: boolean;
}

/**
 * The project, or the outermost repository around it: a command that may write in a folder of a project can make a repository
 * there, and the next one that is started in it has that as its project.
 */
function outermostAround({ disk, home, project }: Workspace): string | undefined {
  if (project === undefined) return undefined;
  const around = [...ancestors(project)].filter(path => path !== "/" && !isInside(path, home));
  return around.findLast(path => disk.kind(join(path, ".git")) !== undefined) ?? project;
}

/** From where the names of what starts something later are read: from a folder above `.github`, say, where that is the project. */
function viewpoints(root: string, project: string): readonly string[] {
  const above = [...ancestors(project)].slice(1, 1 + MAX_STARTER_DEPTH);
  return [...new Set([root, project, ...above.filter(path => isInDotFolder(path, project))])];
}

function isInDotFolder(above: string, path: string): boolean {
  return above !== "/" && path.slice(above.length + 1).startsWith(".");
}

/** Of names of what starts something later: `.config/mise/config.toml`. */
const MAX_STARTER_DEPTH = 3;

function walkProject(system: Pick<System, "files">, workspace: Workspace, settings: SandboxSettings): Walked {
  const { project, disk } = workspace;
  const root = outermostAround(workspace);
  if (project === undefined || root === undefined)
    return {
      secrets: [],
      repositories: [],
      starters: { existing: [], missing: [] },
      above: [],
      isWhole: true,
    };
  const enters = (_: string, name: string) => name !== ".git" && !isRegenerableName(name);
  const { entries, isWhole } = walkBelow(system, root, PROJECT_LIMITS, enters);
  const repository = findRepository(disk, root);
  // What git tracks can be read from its objects as well. A command can add any name, but not with content that it cannot read.
  const isTracked = (path: string) => {
    if (repository === undefined) return false;
    const id = trackedId(disk, repository, path.slice(root.length + 1));
    return id !== undefined && id === gitIdOf(system, path);
  };
  const isSecret = ({ path, facts }: WalkedEntry) => {
    if (facts.kind !== "file") return false;
    const kind = secretAt(workspace, path);
    if (kind === undefined || (settings.network !== "on" && isSettingsFile(path))) return false;
    return !isTracked(path);
  };
  const repositories = entries.filter(
    ({ path, facts }) => facts.name === ".git" && path !== join(project, ".git"),
  );
  const above = viewpoints(root, project);
  const mayBeStarter = above.some(path => isInDotFolder(path, project));
  return {
    secrets: entries.filter(isSecret).map(({ path }) => path),
    repositories: repositories.map(({ path }) => path),
    starters: startersBelow(workspace, above, [
      ...(mayBeStarter ? [{ path: project, isFolder: true }] : []),
      ...entries
        .filter(({ path }) => !isInside(path, project))
        .map(({ path, facts }) => ({ path, isFolder: facts.kind === "directory" })),
    ]),
    above,
    isWhole,
  };
}

/** As git names a file's content. */
function gitIdOf({ files }: Pick<System, "files">, path: string): string | undefined {
  try {
    const bytes = files.read(path, MAX_SECRET_BYTES);
    return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  } catch {
    return undefined;
  }
}

const MAX_SECRET_BYTES = 4 * 1024 * 1024;

function walkHome(system: Pick<System, "files">, workspace: Workspace): Pick<Walked, "secrets" | "isWhole"> {
  const { home, project } = workspace;
  // Hidden file by file: it also holds what programs need to know.
  const keys = join(home, ".ssh");
  const enters = (path: string, name: string) =>
    path !== project &&
    name !== ".git" &&
    !isRegenerableName(name) &&
    !isHomeCache(components(path.slice(home.length))) &&
    (path === keys || secretAt(workspace, path) === undefined);
  const { entries, isWhole } = walkBelow(system, home, HOME_LIMITS, enters);
  const data = walkBelow(system, join(home, DATA), DATA_LIMITS, enters);
  const isHidden = ({ path, facts }: WalkedEntry) =>
    path !== keys &&
    (project === undefined || !isInside(project, path)) &&
    (facts.kind === "other" || secretAt(workspace, path) !== undefined);
  return { secrets: [...entries, ...data.entries].filter(isHidden).map(({ path }) => path), isWhole };
}

/** Tickets of Kerberos lie in temporary folders. */
const TICKET = /^krb5cc_/;

/** Sockets in temporary folders lead to somebody else's programs: agents, multiplexers, displays. */
function specialFiles(
  system: Pick<System, "files">,
  temp: string,
  { project }: Workspace,
): readonly string[] {
  const { entries } = walkBelow(system, temp, TEMP_LIMITS, path => path !== project);
  const isForeign = ({ path, facts }: WalkedEntry) =>
    (facts.kind === "other" || TICKET.test(facts.name)) &&
    (project === undefined || !isInside(project, path));
  return entries.filter(isForeign).map(({ path }) => path);
}

const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** Every socket with a path that somebody on this machine listens at, however deep it lies; not the project's own. */
function boundSockets(system: Pick<System, "files" | "text">, { project }: Workspace): readonly string[] {
  const lines = (readText(system, "/proc/net/unix", MAX_LIST_BYTES) ?? "").split("\n").slice(1);
  const bound = lines.flatMap(line => {
    const [, inode, path] = /^(?:\S+\s+){6}(\d+) ([^@].*)$/.exec(line) ?? [];
    return inode === undefined || path === undefined ? [] : [{ inode, path }];
  });
  const relative = bound.filter(({ path }) => !isAbsolute(path));
  const paths = [...bound.map(({ path }) => path), ...boundFrom(system, relative)];
  return paths.filter(path => isAbsolute(path) && (project === undefined || !isInside(project, path)));
}

/** The kernel names these as they were written: from the folder in which their owner worked, and most still do. */
function boundFrom(
  { files }: Pick<System, "files">,
  sockets: readonly { readonly inode: string; readonly path: string }[],
): readonly string[] {
  if (sockets.length === 0) return [];
  const targetOf = (link: string) => {
    try {
      return files.readLink(link);
    } catch {
      return "";
    }
  };
  return listOrNothing(files, "/proc").flatMap(({ name }) => {
    const held = listOrNothing(files, `/proc/${name}/fd`).map(file =>
      targetOf(`/proc/${name}/fd/${file.name}`),
    );
    const own = sockets.filter(({ inode }) => held.includes(`socket:[${inode}]`));
    return own.map(({ path }) => join(targetOf(`/proc/${name}/cwd`), path));
  });
}

/** Where the same files can be seen once more: a folder of the machine may be mounted in several places. */
function findOtherNames(system: Pick<System, "files" | "text">, paths: readonly string[]): readonly string[] {
  const lines = (readText(system, "/proc/self/mountinfo", MAX_LIST_BYTES) ?? "").split("\n");
  const mounts = lines.flatMap(line => {
    const [, , device = "", root = "", at = ""] = line.split(" ").map(unescapeOctal);
    return isAbsolute(root) && isAbsolute(at) ? [{ device, root, at }] : [];
  });
  const moved = (path: string, from: string, to: string) =>
    join(to, path.slice(from === "/" ? 1 : from.length + 1));
  return paths.flatMap(path => {
    const [mount] = mounts
      .filter(({ at }) => isInside(at, path))
      .sort((one, other) => other.at.length - one.at.length);
    if (mount === undefined) return [];
    const inner = moved(path, mount.at, mount.root);
    return mounts.flatMap(({ device, root, at }) => {
      if (device !== mount.device || (root === mount.root && at === mount.at)) return [];
      return isInside(root, inner) ? [moved(inner, root, at)] : [];
    });
  });
}

/** As the kernel writes blanks in paths. */
function unescapeOctal(field: string): string {
  return field.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

interface WalkLimits {
  /** names that are looked at, and those beside the last of them; the rest is not */
  readonly entries: number;
  readonly depth: number;
}

interface WalkedEntry {
  readonly path: string;
  readonly facts: NamedKind;
}

/**
 * Everything below a folder, the nearest first, so that a bound cuts off what lies deep. `entersFolder` decides which
 * folders are listed; links are never followed.
 */
function walkBelow(
  { files }: Pick<System, "files">,
  root: string,
  limits: WalkLimits,
  entersFolder: (path: string, name: string) => boolean,
): { readonly entries: readonly WalkedEntry[]; readonly isWhole: boolean } {
  const entries: WalkedEntry[] = [];
  let level: readonly string[] = [root];
  for (let depth = 0; depth < limits.depth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      // A folder is listed as a whole: no name in it is passed over because of those before it.
      if (entries.length >= limits.entries) return { entries, isWhole: false };
      for (const facts of listOrNothing(files, folder)) {
        const path = join(folder, facts.name);
        entries.push({ path, facts });
        if (facts.kind === "directory" && entersFolder(path, facts.name)) next.push(path);
      }
    }
    level = next;
  }
  return { entries, isWhole: level.length === 0 };
}

/** What this user cannot list, the command cannot list either. */
function listOrNothing(files: System["files"], folder: string): readonly NamedKind[] {
  try {
    return files.listKinds?.(folder) ?? files.listFacts(folder);
  } catch {
    return [];
  }
}
