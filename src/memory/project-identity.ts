import { isAbsolute, type System } from "../system/index.ts";
import { createDisk, findRepository, remoteUrl } from "../workspace/index.ts";

/** What the work trees and clones of one project have in common on every machine: where they were cloned from. */
export function findProjectIdentity(
  system: Pick<System, "files" | "text">,
  directory: string,
): string | undefined {
  const disk = createDisk(system);
  const repository = findRepository(disk, directory);
  const url = repository === undefined ? undefined : remoteUrl(disk, repository, "origin");
  return url === undefined ? undefined : normaliseRemote(url);
}

const URL_FORM = /^(?:[a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)(?::\d*)?\/(.+)$/i;
/** `git@host:path`, as scp has it. */
const SCP_FORM = /^(?:[^/@:]+@)?(\[[^\]]+\]|[^/:\\]{2,}):(?!\/\/)(.+)$/;

/**
 * `github.com/acme/pay` for every way to write it, without user, password and port. Undefined for a folder on this
 * machine, which means nothing on another.
 */
export function normaliseRemote(url: string): string | undefined {
  if (/^file:/i.test(url)) return undefined;
  const [, host = "", path = ""] = URL_FORM.exec(url) ?? SCP_FORM.exec(url) ?? [];
  const name = path
    .replace(/[?#].*$/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  return host === "" || name === "" ? undefined : `${host.toLowerCase()}/${name}`;
}

/** A folder is known on one machine alone, and what counts for every project is its owner's. */
export function isSharedProject(project: string): boolean {
  return project !== "" && !isAbsolute(project);
}
