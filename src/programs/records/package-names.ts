import { popularNames, type Registry } from "./popular-packages.ts";

/** What a word of an install names. */
export type PackageSpec =
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "address"; readonly address: string }
  /** a folder or an archive on this machine */
  | { readonly kind: "local"; readonly path: string }
  | { readonly kind: "other" };

const ADDRESS =
  /^(?:[a-z][a-z0-9]*\+)?(?:https?|git|ssh|svn|ftp):(?:\/\/)?|^git@|^(?:github|gitlab|bitbucket|gist):/i;
const LOCAL = /^(?:\.{1,2}(?:\/|$)|[/~]|file:|link:|portal:)|^[^:]*\.(?:tgz|whl|gem|zip|tar(?:\.\w+)?)$/i;

export function readPackage(registry: Registry, word: string): PackageSpec {
  if (word === "" || word.startsWith("-")) return { kind: "other" };
  if (ADDRESS.test(word)) return { kind: "address", address: word };
  if (LOCAL.test(word)) return { kind: "local", path: word.replace(/^(?:file|link|portal):/, "") };
  switch (registry) {
    case "npm":
      return readNpm(word);
    case "pypi":
      return readPypi(word);
    case "go":
      return readGo(word);
    default: {
      const name = /^[A-Za-z0-9][\w-]*/.exec(word)?.[0];
      return name === undefined ? { kind: "other" } : { kind: "package", name: normalName(name) };
    }
  }
}

/** `name`, `@scope/name@1`, `other@npm:name@1`, `name@https://…`, `owner/repository`. */
function readNpm(word: string): PackageSpec {
  const [, name, version = ""] = /^((?:@[^/@]+\/)?[^@/\s]+)(?:@(.*))?$/.exec(word) ?? [];
  if (name === undefined)
    return /^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/.test(word)
      ? { kind: "address", address: word }
      : { kind: "other" };
  if (version.startsWith("npm:")) return readNpm(version.slice("npm:".length));
  if (ADDRESS.test(version)) return { kind: "address", address: version };
  if (LOCAL.test(version)) return { kind: "local", path: version.replace(/^(?:file|link|portal):/, "") };
  return { kind: "package", name: name.toLowerCase() };
}

/** `name`, `name[extra]>=1`, `name @ https://…`; other spellings of a name are the same package. */
function readPypi(word: string): PackageSpec {
  const [, name, rest = ""] = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/.exec(word) ?? [];
  if (name === undefined || name.includes("/")) return { kind: "other" };
  const address = /^@\s*(.+)$/.exec(rest)?.[1];
  if (address !== undefined && ADDRESS.test(address)) return { kind: "address", address };
  return { kind: "package", name: normalName(name) };
}

function readGo(word: string): PackageSpec {
  const [, name] = /^(?:github|gitlab)\.com\/([\w.-]+\/[\w.-]+)/.exec(word) ?? [];
  return name === undefined ? { kind: "other" } : { kind: "package", name: name.toLowerCase() };
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/** Shorter names have too many honest neighbours. */
const MIN_LENGTH = 5;
const MIN_SCOPE_LENGTH = 4;

/** The popular package for which this name could be taken; undefined for one that is popular itself. */
export function findImitated(registry: Registry, name: string): string | undefined {
  const scope = registry === "npm" ? /^@([^/]+)\//.exec(name)?.[1] : undefined;
  if (scope === undefined) return neighbourIn(popularNames(registry), name, MIN_LENGTH);
  const imitated = neighbourIn(popularNames("npm-scopes"), scope, MIN_SCOPE_LENGTH);
  return imitated === undefined ? undefined : `@${imitated}`;
}

function neighbourIn(popular: ReadonlySet<string>, name: string, minLength: number): string | undefined {
  if (popular.has(name)) return undefined;
  for (const each of popular) if (each.length >= minLength && isOneLetterAway(name, each)) return each;
  return undefined;
}

/** One letter more, less or another, or two neighbours exchanged. */
export function isOneLetterAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [restOne, restOther] = [one.slice(start), other.slice(start)];
  if (one.length > other.length) return restOne.slice(1) === restOther;
  if (one.length < other.length) return restOther.slice(1) === restOne;
  if (restOne.slice(1) === restOther.slice(1)) return true;
  const isSwapped = restOne[0] === restOther[1] && restOne[1] === restOther[0];
  return isSwapped && restOne.slice(2) === restOther.slice(2);
}
