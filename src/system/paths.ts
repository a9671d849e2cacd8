/** POSIX paths as text: nothing here touches a disk. All results are normalised. */

/** Removes `.`, empty parts and, where something precedes them, `..`; no trailing slash; empty is `.`. */
export function normalise(path: string): string {
  if (known.has(path) || isNormal(path)) return path;
  const isAbsolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push("..");
  }
  const joined = parts.join("/");
  if (isAbsolute) return `/${joined}`;
  return joined === "" ? "." : joined;
}

/** Paths that were found to be normalised: the same few are asked about hundreds of times. */
const known = new Set<string>();
const MAX_KNOWN = 500;
const MAX_KNOWN_LENGTH = 200;

/** True for most absolute paths that are normalised, and for no other: hooks ask for dozens in a run. */
function isNormal(path: string): boolean {
  if (!path.startsWith("/") || path.endsWith("/") || path.includes("//")) return false;
  if (path.includes("/.") && hasDots(path)) return false;
  if (path.length < MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(path);
  }
  return true;
}

function hasDots(path: string): boolean {
  return path.includes("/./") || path.includes("/../") || path.endsWith("/.") || path.endsWith("/..");
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

/** All parts in a row; an absolute part does not start anew. */
export function join(...parts: readonly string[]): string {
  return normalise(parts.filter(part => part !== "").join("/"));
}

/** Where `path` leads when it is used from `directory`. */
export function resolve(directory: string, path: string): string {
  return isAbsolute(path) ? normalise(path) : join(directory, path);
}

export function dirname(path: string): string {
  const clean = normalise(path);
  const slash = clean.lastIndexOf("/");
  if (slash < 0) return ".";
  return slash === 0 ? "/" : clean.slice(0, slash);
}

/** The last part; empty for the root. */
export function basename(path: string): string {
  const clean = normalise(path);
  return clean.slice(clean.lastIndexOf("/") + 1);
}

/** The extension of the last part with its dot; empty for `name`, `.name` and `name.`. */
export function extension(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 || dot === name.length - 1 ? "" : name.slice(dot);
}

export function components(path: string): readonly string[] {
  const clean = normalise(path);
  if (clean === "/" || clean === ".") return [];
  return (isAbsolute(clean) ? clean.slice(1) : clean).split("/");
}

/** `path` is `directory` or lies below it, compared part by part. Both absolute, or both relative. */
export function isInside(directory: string, path: string): boolean {
  if (directory.startsWith("/") !== path.startsWith("/")) return false;
  const outer = known.has(directory) ? directory : normalise(directory);
  const inner = known.has(path) ? path : normalise(path);
  if (inner === outer || outer === "/") return true;
  if (outer !== "." && !(inner.startsWith(outer) && inner[outer.length] === "/")) return false;
  const rest = outer === "." ? inner : inner.slice(outer.length + 1);
  return rest !== ".." && !rest.startsWith("../");
}

/** The way from `directory` to `path`, both absolute; `.` when they are one. */
export function relative(directory: string, path: string): string {
  // The usual case, many thousand times in a large tree.
  if (isNormal(directory) && isNormal(path) && path.startsWith(`${directory}/`))
    return path.slice(directory.length + 1);
  const from = components(directory);
  const to = components(path);
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared++;
  return normalise([...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/"));
}

/** Every directory from `path` itself up to the root. */
export function ancestors(path: string): readonly string[] {
  const clean = `/${components(path).join("/")}`;
  const found: string[] = [];
  for (let end = clean.length; end > 1; end = clean.lastIndexOf("/", end - 1))
    found.push(clean.slice(0, end));
  return [...found, "/"];
}

/** `~` and `~/…` by the given home; everything else, and `~user`, unchanged. */
export function expandHome(path: string, home: string | undefined): string {
  if (home === undefined || home === "" || (path !== "~" && !path.startsWith("~/"))) return path;
  return join(home, path.slice(1));
}

/** The same for a word of a shell, in which the home may also be a variable. */
export function expandHomeWord(word: string, home: string | undefined): string {
  return expandHome(word.replace(/^(?:\$HOME|\$\{HOME\})(?=\/)/, "~"), home);
}
