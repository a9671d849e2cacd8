import { startedLater } from "../programs/index.ts";
import { ancestors, basename, isInside, join } from "../system/index.ts";
import { partsBelow } from "./disk.ts";
import type { Workspace } from "./workspace.ts";
import { secretAt } from "./zones.ts";

/** In any folder: they decide what git runs. The sandbox has rules of its own for them. */
const OF_GIT = /(?:^|\/)(?:\.gitattributes|\.gitmodules|\.git(?:\/|$))/i;
/** Workflows and actions are parts of it, and come with it as a whole. */
const HOLDS_STARTERS = /^\.github$/i;

interface Patterns {
  readonly atTop: RegExp;
  readonly anywhere: RegExp;
  readonly inHome: RegExp;
}

let patterns: Patterns | undefined;

/** Of names as the records write them; a path of a folder ends with a slash. */
function namePatterns(): Patterns {
  if (patterns === undefined) {
    const { atTop, anywhere, inHome } = startedLater();
    const pattern = (name: string) => {
      const letters = name.replace(/\*$/, "").replace(/[.+?^${}()|[\]\\]/g, "\\$&");
      return `${letters.replaceAll("*", "[^/]*")}${/[*/]$/.test(name) ? "" : "$"}`;
    };
    const oneBelow = (start: string, names: readonly string[]) =>
      new RegExp(`${start}(?:${names.map(pattern).join("|")})`, "i");
    patterns = {
      atTop: oneBelow("^", atTop),
      anywhere: oneBelow("(?:^|/)", anywhere),
      inHome: oneBelow("^", inHome),
    };
  }
  return patterns;
}

/** A file that starts something later: continuous integration, hooks, tasks of editors, scheduled work. */
export function startsLater(workspace: Workspace, path: string): boolean {
  const { project, home } = workspace;
  if (/^\/etc\/(?:cron|systemd|init|profile|rc)|^\/var\/spool\//.test(path)) return true;
  const below = partsBelow(project, path) ?? partsBelow(home, path);
  const { atTop, anywhere, inHome } = namePatterns();
  // The folder itself may be one that comes from elsewhere with all that is in it.
  const names = [below?.join("/") ?? path, `${below?.join("/") ?? path}/`];
  const [name = ""] = names;
  if (below !== undefined && (HOLDS_STARTERS.test(name) || names.some(each => atTop.test(each)))) return true;
  if (inHome.test(partsBelow(home, path)?.join("/") ?? "")) return true;
  return names.some(each => anywhere.test(each)) || OF_GIT.test(name);
}

/**
 * What starts something later below folders, seen from each of them: of the files and folders the outermost, and names that would
 * if they were there.
 */
export function startersBelow(
  { disk }: Workspace,
  folders: readonly string[],
  entries: readonly { readonly path: string; readonly isFolder: boolean }[],
): { readonly existing: readonly string[]; readonly missing: readonly string[] } {
  const { atTop, anywhere } = namePatterns();
  const isStarter = ({ path, isFolder }: (typeof entries)[number]) =>
    folders.some(folder => {
      const name = isInside(folder, path) ? `${path.slice(folder.length + 1)}${isFolder ? "/" : ""}` : "";
      return atTop.test(name) || anywhere.test(name);
    });
  const existing = withoutNested(entries.filter(isStarter).map(({ path }) => path));
  const known = startedLater();
  const plain = [...known.atTop, ...known.anywhere].filter(name => !name.includes("*"));
  const paths = folders.flatMap(folder => plain.map(name => join(folder, name.replace(/\/$/, ""))));
  return { existing, missing: paths.filter(path => disk.kind(path) === undefined) };
}

/** What shells and editors start from among the caches of the home, which a command may change. */
export function startersInCaches({ disk, home }: Workspace): ReturnType<typeof startersBelow> {
  const { inHome } = startedLater();
  const folders = [...new Set(inHome.map(name => name.slice(0, name.indexOf("/"))))];
  const there = folders.flatMap(folder => {
    const names = disk.kind(join(home, folder)) === "directory" ? disk.names(join(home, folder)) : [];
    return (names ?? []).map(name => `${folder}/${name}`);
  });
  const isStarter = (name: string) =>
    namePatterns().inHome.test(name) || namePatterns().inHome.test(`${name}/`);
  const user = basename(home);
  const usual = inHome.map(name => join(home, name.replace(/\/$/, "").replace("*", user)));
  return {
    existing: there.filter(isStarter).map(name => join(home, name)),
    missing: usual.filter(path => disk.kind(path) === undefined),
  };
}

/** Those that lie in no other of them. */
export function withoutNested(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return [...all].sort().filter(path => !ancestors(path).some(above => above !== path && all.has(above)));
}

const MAX_ENTRIES = 4_000;
const MAX_IN_FOLDER = 2_000;
/** What tools make again is not looked through: packages come with keys for their tests. */
const SKIPPED = /^(?:node_modules|\.git|target|dist|build|\.venv|venv|vendor|__pycache__)$/;

/**
 * The folder holds a file that is named like a secret, as far as it can be looked through with bounded work; with
 * `followsLinks` also what links in it lead to.
 */
export function hasSecretsIn(
  workspace: Workspace,
  path: string,
  isMeant: (name: string) => boolean = () => true,
  followsLinks = false,
): boolean {
  const { disk } = workspace;
  if (disk.kind(path) !== "directory") return false;
  const waiting = [path];
  const linked = new Set<string>();
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const names = disk.names(at, MAX_IN_FOLDER);
    if (names === undefined) return true;
    for (const name of names) {
      const inner = join(at, name);
      if (secretAt(workspace, inner) !== undefined && isMeant(name)) return true;
      seen += 1;
      if (seen > MAX_ENTRIES) return true;
      const kind = SKIPPED.test(name) ? undefined : disk.kind(inner);
      if (kind === "directory") waiting.push(inner);
      if (kind !== "symlink" || !followsLinks) continue;
      const target = disk.resolve(inner, true);
      if (secretAt(workspace, target) !== undefined) return true;
      if (disk.kind(target) === "directory" && !linked.has(target)) waiting.push(target);
      linked.add(target);
    }
  }
  return false;
}
