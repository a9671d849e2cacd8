import { concatenate, knownPrefix, type Piece, text, type Value } from "./value.ts";

/** True when the value certainly starts at the root. */
export function isAbsolute(value: Value): boolean {
  return knownPrefix(value).startsWith("/");
}

/** True when the first character is not known and could be a slash (or the whole be empty). */
export function mayBeAbsolute(value: Value): boolean {
  const [first] = value.pieces;
  return first?.kind === "unknown" && first.shape !== "token";
}

/**
 * `value` seen from `directory`, with `.`, `..` and doubled slashes taken out as far as they are known.
 * A value that may be absolute stays as it is; the empty value is the directory itself.
 */
export function joinPath(directory: Value, value: Value): Value {
  if (value.pieces.length === 0) return directory;
  if (isAbsolute(value) || mayBeAbsolute(value)) return normalisePath(value);
  return normalisePath(concatenate([directory, text("/"), value]));
}

export function normalisePath(value: Value): Value {
  const kept: Piece[][] = [];
  for (const component of components(value)) {
    const name = plainName(component);
    if (name === "" || name === ".") continue;
    if (name !== "..") {
      kept.push(component);
      continue;
    }
    const last = kept.at(-1);
    if (last === undefined ? !isAbsolute(value) : !canGoUp(last)) kept.push(component);
    else kept.pop();
  }
  const root = isAbsolute(value) ? "/" : "";
  const pieces: Piece[] = root === "" ? [] : [{ kind: "text", text: root }];
  kept.forEach((component, index) => {
    if (index > 0) pieces.push({ kind: "text", text: "/" });
    pieces.push(...component);
  });
  return concatenate([
    { pieces: [], origins: value.origins },
    { pieces, origins: [] },
  ]);
}

/** The pieces between slashes. An unknown that may hold slashes stays inside one component. */
export function components(value: Value): Piece[][] {
  const result: Piece[][] = [[]];
  for (const piece of value.pieces) {
    if (piece.kind !== "text") {
      result.at(-1)?.push(piece);
      continue;
    }
    piece.text.split("/").forEach((part, index) => {
      if (index > 0) result.push([]);
      if (part !== "") result.at(-1)?.push({ kind: "text", text: part });
    });
  }
  return result;
}

function plainName(component: readonly Piece[]): string | undefined {
  if (component.length === 0) return "";
  const [only] = component;
  return component.length === 1 && only?.kind === "text" ? only.text : undefined;
}

/** `x/..` can be dropped only if x is exactly one level. */
function canGoUp(component: readonly Piece[]): boolean {
  if (plainName(component) === "..") return false;
  return component.every(piece => piece.kind !== "unknown" || piece.shape === "token");
}

/** `/proc/self/cwd/x` is `x` seen from the directory, `/proc/self/root/x` is `/x`, of whichever process. */
export function leaveProcess(directory: Value, value: Value): Value {
  if (!knownPrefix(value).startsWith("/proc/")) return value;
  const parts = components(value);
  const link = plainName(parts[3] ?? []);
  if (link !== "cwd" && link !== "root") return value;
  const rest = parts.slice(4).flatMap(part => [text("/"), { pieces: part, origins: [] }]);
  const start = link === "cwd" ? directory : text("");
  return concatenate([start, ...(rest.length === 0 && link === "root" ? [text("/")] : rest)]);
}

/** The last component of a known path, as `basename` gives it. */
export function baseName(path: string): string {
  const trimmed = withoutTrailingSlashes(path);
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** The path without its last component, as `dirname` gives it. */
export function directoryName(path: string): string {
  const trimmed = withoutTrailingSlashes(path);
  if (trimmed === "") return path.startsWith("/") ? "/" : ".";
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0) return ".";
  return withoutTrailingSlashes(trimmed.slice(0, slash)) || "/";
}

/** A loop, because the obvious expression is quadratic on a long run of slashes. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
