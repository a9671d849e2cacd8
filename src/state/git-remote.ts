import { dirname, join, resolve } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { readText } from "./read-text.ts";

type GitSystem = Pick<System, "files" | "text">;

const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * The remote `origin` of the repository whose working tree begins here, as everybody who has a copy of it would write
 * it: `github.com/acme/pay`. Undefined where there is none, or where it is a path.
 */
export function originOf(system: GitSystem, projectRoot: string): string | undefined {
  const config = readSmall(system, join(gitDirectory(system, projectRoot), "config"));
  return config === undefined ? undefined : normaliseRemote(originIn(config) ?? "");
}

/** `https`, `ssh` and `host:path` of one repository give the same; names of users and passwords are not in it. */
export function normaliseRemote(url: string): string | undefined {
  const withScheme = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)(?::\d*)?\/(.+)$/i.exec(
    url,
  );
  // One letter before the colon is a drive.
  const [, host, path] = withScheme ?? /^(?:[^/@:]+@)?([^/@:]{2,}):(?!\/\/)(.+)$/.exec(url) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const name = path
    .replace(/[?#].*$/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  return name === "" ? undefined : `${host.toLowerCase()}/${name}`;
}

/** A linked work tree has a file that leads to its part of the repository, which names what all share. */
function gitDirectory(system: GitSystem, projectRoot: string): string {
  const own = join(projectRoot, ".git");
  const link = /^gitdir: (.+)/.exec(readSmall(system, own) ?? "")?.[1];
  if (link === undefined) return own;
  const linked = resolve(dirname(own), link.trim());
  const common = readSmall(system, join(linked, "commondir"));
  return common === undefined ? linked : resolve(linked, common.trim());
}

function originIn(config: string): string | undefined {
  let isOrigin = false;
  for (const line of config.split("\n")) {
    if (/^\s*\[/.test(line)) isOrigin = /^\s*\[remote\s+"origin"\]/i.test(line);
    const [, value] = (isOrigin && /^\s*url\s*=\s*"?([^"#;\s]+)/i.exec(line)) || [];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** No repository that can be read has no name either. */
function readSmall(system: GitSystem, path: string): string | undefined {
  try {
    return readText(system, path, MAX_CONFIG_BYTES);
  } catch {
    return undefined;
  }
}
