import { type FileKind, isInside, normalise, type System } from "../system/index.ts";

const MAX_LINKS = 40;
/** What is longer names no file. */
export const MAX_PATH = 4096;
const MAX_NAMES = 200;

function isOfTheProcess(path: string): boolean {
  return path.startsWith("/dev/") && /^\/dev\/(?:fd\/\d+|stdin|stdout|stderr)$/.test(path);
}

/**
 * The few look-ups the guard makes, each at most once per judgement. Nothing throws: what cannot be read is not
 * there, and the rules then judge by name alone.
 */
export interface Disk {
  /** kind of the name itself, links not followed */
  kind(path: string): FileKind | undefined;
  /** device and inode of the name itself, equal for two names of one file */
  identity(path: string): string | undefined;
  /** its size and when it last changed */
  state(path: string): { readonly size: number; readonly modifiedMs: number } | undefined;
  /** how many names the file has */
  links(path: string): number;
  /** its permission bits */
  mode(path: string): number | undefined;
  /** nothing is there, and that was seen: a name that cannot be looked at may be there */
  isAbsent(path: string): boolean;
  /** names in the directory; undefined when it cannot be listed or holds more than the limit, by default 200 */
  names(path: string, limit?: number): readonly string[] | undefined;
  text(path: string, limitBytes: number): string | undefined;
  bytes(path: string, limitBytes: number): Uint8Array | undefined;
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
  /**
   * The path with links and `..` resolved as the kernel does. The last component is resolved only when
   * `followsLast`: a link that is deleted or moved is itself the target. At most as long as a name of a file can be.
   */
  resolve(path: string, followsLast: boolean): string;
}

const NO_LINKS: ReadonlyMap<string, string> = new Map();

/** `links` are names that the command itself makes for other paths: they count as if they were there. */
export function createDisk(
  system: Pick<System, "files" | "text">,
  links: ReadonlyMap<string, string> = NO_LINKS,
): Disk {
  const { files } = system;
  const found = onceEach(path => files.inspect(path) ?? "absent");
  const factsAt = (path: string) => {
    const seen = found(path);
    return seen === "absent" ? undefined : seen;
  };
  const kind = (path: string) => (links.size > 0 && links.has(path) ? "symlink" : factsAt(path)?.kind);
  const folders = new Set<string>();
  const countLinks = onceEach(path => files.exactFacts(path)?.links);
  const readLink = onceEach(path => links.get(path) ?? files.readLink(path));
  const linkAt = (path: string) => (kind(path) === "symlink" ? readLink(path) : undefined);
  // Asking for names where nothing is would throw, which is slow.
  const list = onceEach(path => (found(path) === "absent" ? undefined : files.list(path)));
  const bytes = onceEach((path, limitBytes) =>
    files.follow(path)?.kind === "file" ? files.read(path, limitBytes) : undefined,
  );
  const text = onceEach((path, limitBytes) => {
    const read = bytes(path, limitBytes);
    return read === undefined ? undefined : system.text.decode(read).text;
  });
  return {
    kind,
    identity: path => factsAt(path)?.identity,
    state: factsAt,
    links: path => countLinks(path) ?? 1,
    mode: path => factsAt(path)?.mode,
    isAbsent: path => !links.has(path) && found(path) === "absent",
    names: (path, limit = MAX_NAMES) => {
      const names = list(path);
      return names === undefined || names.length > limit ? undefined : names;
    },
    text,
    bytes,
    encode: system.text.encode,
    decode: raw => system.text.decode(raw).text,
    resolve: (path, followsLast) =>
      leadsStraight(path, followsLast, kind, links.size > 0 ? undefined : folders)
        ? path
        : resolveLinks(path, followsLast, linkAt).slice(0, MAX_PATH),
  };
}

/** Asks once for each path; what cannot be read is not there. */
function onceEach<Answer>(
  ask: (path: string, limit: number) => Answer | undefined,
): (path: string, limit?: number) => Answer | undefined {
  let answers: Map<string, Answer | undefined> | undefined;
  return (path, limit = 0) => {
    const known = answers?.get(path);
    if (known !== undefined || answers?.has(path) === true) return known;
    let answer: Answer | undefined;
    try {
      answer = ask(path, limit);
    } catch {
      answer = undefined;
    }
    answers ??= new Map();
    answers.set(path, answer);
    return answer;
  };
}

/**
 * Most paths are normalised and have no link in them, which is seen without taking them apart. `folders`: those to which
 * no link leads; undefined where the command makes links of its own.
 */
function leadsStraight(
  path: string,
  followsLast: boolean,
  kindAt: (path: string) => FileKind | undefined,
  folders: Set<string> | undefined,
): boolean {
  if (path === "/") return true;
  // These lead into the process that looks: ours, not that of the command.
  if (isOfTheProcess(path)) return true;
  if (path.length > MAX_PATH) return false;
  if (!path.startsWith("/") || path.endsWith("/") || path.includes("//")) return false;
  if (path.includes("/.") && normalise(path) !== path) return false;
  const folder = path.slice(0, path.lastIndexOf("/"));
  if (folders?.has(folder) !== true) {
    for (let slash = path.indexOf("/", 1); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      const kind = kindAt(path.slice(0, slash));
      // Nothing can be below a name that is not there.
      if (kind === undefined && folders !== undefined) return true;
      if (kind === "symlink") return false;
    }
    folders?.add(folder);
  }
  return !followsLast || kindAt(path) !== "symlink";
}

function resolveLinks(
  path: string,
  followsLast: boolean,
  linkAt: (path: string) => string | undefined,
): string {
  // The kernel refuses longer ones, so there is nothing to follow.
  if (path.length > MAX_PATH) return normalise(path);
  const waiting = path.split("/").reverse();
  let reached = "/";
  let followed = 0;
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      reached = normalise(`${reached}/..`);
      continue;
    }
    const next = reached === "/" ? `/${part}` : `${reached}/${part}`;
    const isFollowed = (followsLast || waiting.length > 0) && followed < MAX_LINKS;
    const target = isFollowed ? linkAt(next) : undefined;
    // No link is longer.
    if (target === undefined || target.length >= MAX_PATH) {
      reached = next;
      continue;
    }
    followed += 1;
    if (target.startsWith("/")) reached = "/";
    waiting.push(...target.split("/").reverse());
  }
  return reached;
}

const MAX_DIRECTORIES = 2_000;

/** The directories that links in a tree lead to, and links in those: what a program reaches that follows links. */
export function linkedDirectories(disk: Disk, top: string): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = [top];
  for (let at = waiting.pop(); at !== undefined && seen.size < MAX_DIRECTORIES; at = waiting.pop()) {
    const directory = disk.resolve(at, true);
    if (seen.has(directory) || disk.kind(directory) !== "directory") continue;
    seen.add(directory);
    if (disk.kind(at) === "symlink") found.add(directory);
    for (const name of disk.names(directory, Number.POSITIVE_INFINITY) ?? []) {
      const path = `${directory}/${name}`;
      const kind = disk.kind(path);
      if (kind === "symlink" || kind === "directory") waiting.push(path);
    }
  }
  return [...found];
}

/** The parts of a path below a directory; undefined when it does not lie there. */
export function partsBelow(directory: string | undefined, path: string): readonly string[] | undefined {
  if (directory === undefined || !isInside(directory, path)) return undefined;
  const [outer, inner] = [normalise(directory), normalise(path)];
  return inner === outer ? [] : inner.slice(outer === "/" ? 1 : outer.length + 1).split("/");
}
