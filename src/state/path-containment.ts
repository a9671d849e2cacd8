import { type Files, isAbsolute, isInside, SystemError } from "../system/index.ts";
import { StateError } from "./state-error.ts";

const LINK_LIMIT = 40;

/**
 * Where an absolute path leads once all symlinks and `..` are followed, whether or not its last parts exist yet:
 * a link that dangles is followed too, because a write through it would land there.
 */
export function resolvePath(files: Pick<Files, "inspect" | "readLink">, path: string): string {
  if (!isAbsolute(path)) throw new SystemError("EINVAL", "resolve", path);
  const pending = partsOf(path);
  // The root is the empty text here.
  let resolved = "";
  let links = 0;
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === "..") {
      resolved = resolved.slice(0, Math.max(0, resolved.lastIndexOf("/")));
      continue;
    }
    const next = `${resolved}/${part}`;
    if (files.inspect(next)?.kind !== "symlink") {
      resolved = next;
      continue;
    }
    if (++links > LINK_LIMIT) throw new SystemError("ELOOP", "resolve", path);
    const target = files.readLink(next);
    if (isAbsolute(target)) resolved = "";
    pending.unshift(...partsOf(target));
  }
  return resolved === "" ? "/" : resolved;
}

function partsOf(path: string): string[] {
  return path.split("/").filter(part => part !== "" && part !== ".");
}

/** The resolved path when it is `root` or lies below it, both with their links followed; else `outside-root`. */
export function containPath(files: Pick<Files, "inspect" | "readLink">, root: string, path: string): string {
  const resolved = resolvePath(files, path);
  if (isInside(resolvePath(files, root), resolved)) return resolved;
  throw new StateError("outside-root", path, `${path} leads outside of ${root}; use a path inside it`);
}

/** A name that stays in its directory: no separator, no `..`, not empty, no NUL. */
export function checkFileName(name: string): string {
  if (name !== "" && name !== "." && !name.includes("..") && !/[/\\\0]/.test(name)) return name;
  throw new StateError(
    "unsafe-name",
    name,
    `"${name}" is not a plain file name; leave out "..", "/" and "\\"`,
  );
}
