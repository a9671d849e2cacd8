import { homeCaches } from "../programs/index.ts";
import { dirname, isInside, join, type System } from "../system/index.ts";
import { findRepository } from "./repository.ts";
import type { Workspace } from "./workspace.ts";

/** The sandbox has one of its own: what lies in the machine's is not there, and what a command writes there is gone. */
export const PRIVATE_MEMORY = "/dev/shm";

/** In words, why changes of this project cannot be caught; undefined where they can. `open` are folders that a person opened. */
export function whyNotCaught(
  system: Pick<System, "files" | "text">,
  workspace: Workspace,
  project: string,
  open: readonly string[],
): string | undefined {
  const { files, text } = system;
  const { home, stateHomes } = workspace;
  if (project === "/") return "the whole file system is not a project";
  if (isInside(project, home)) return "the project is your home directory, or a folder above it";
  const state = stateHomes.find(each => isInside(project, each));
  if (state !== undefined) return `amplihack's own state is in the project (${state})`;
  const mounts = text.decode(files.readRange("/proc/self/mountinfo", 0, MAX_MOUNTS)).text.split("\n");
  const inner = mounts
    .map(line => decodeMount(line.split(" ")[4] ?? ""))
    .find(at => at !== project && isInside(project, at));
  if (inner !== undefined) return `another file system is mounted in the project (${inner})`;
  return isCaughtInTheOpen(system, workspace, project, open)
    ? `they would be caught in ${dirname(project)}, which other commands in the sandbox may change`
    : undefined;
}

/** Beside a project on another file system than our state: what goes on in another sandbox could change what was caught. */
function isCaughtInTheOpen(
  { files }: Pick<System, "files">,
  { disk, home, stateHomes, temps }: Workspace,
  project: string,
  open: readonly string[],
): boolean {
  const findDevice = (path: string) => files.follow(path)?.identity.split(":")[0];
  const state = stateHomes.find(path => files.follow(path) !== undefined);
  if (state === undefined || findDevice(state) === findDevice(project)) return false;
  const beside = disk.resolve(dirname(project), true);
  const caches = homeCaches().map(cache => join(home, cache));
  const isOpen = [...temps, ...caches, ...open].some(root => isInside(disk.resolve(root, true), beside));
  return isOpen || findRepository(disk, beside) !== undefined;
}

const MAX_MOUNTS = 4 * 1024 * 1024;

function decodeMount(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
