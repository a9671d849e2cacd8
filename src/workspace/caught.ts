import { isInside, type System } from "../system/index.ts";
import type { Workspace } from "./workspace.ts";

/** The sandbox has one of its own: what lies in the machine's is not there, and what a command writes there is gone. */
export const PRIVATE_MEMORY = "/dev/shm";

/** In words, why changes of this project cannot be caught; undefined where they can. */
export function whyNotCaught(
  { files, text }: Pick<System, "files" | "text">,
  { home, stateHomes }: Workspace,
  project: string,
): string | undefined {
  if (project === "/") return "the whole file system is not a project";
  if (isInside(project, home)) return "the project is your home directory, or a folder above it";
  const state = stateHomes.find(each => isInside(project, each));
  if (state !== undefined) return `amplihack's own state is in the project (${state})`;
  const mounts = text.decode(files.readRange("/proc/self/mountinfo", 0, MAX_MOUNTS)).text.split("\n");
  const inner = mounts
    .map(line => decodeMount(line.split(" ")[4] ?? ""))
    .find(at => at !== project && isInside(project, at));
  return inner === undefined ? undefined : `another file system is mounted in the project (${inner})`;
}

const MAX_MOUNTS = 4 * 1024 * 1024;

function decodeMount(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
