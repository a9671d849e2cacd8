import {
  CONSIDERATIONS_FILE,
  DISABLED_FILE,
  LOCKS_FOLDER,
  POWER_STEERING_CONFIG,
  POWER_STEERING_FOLDER,
} from "../state/index.ts";
import { basename, isInside, join } from "../system/index.ts";
import type { Workspace } from "./workspace.ts";

const LOCK_NAME = /^\.(lock_.+|continuation_prompt)$/;
const ACTIVE_LOCK = `.claude/runtime/${LOCKS_FOLDER}/.lock_active`;

/** Whether writing there switches a check of the workflow off, or continuous work on. */
export function isSwitchFile({ heldDirectories, project }: Workspace, path: string): boolean {
  const name = basename(path);
  if (name === DISABLED_FILE && [...heldDirectories, project].some(root => path === join(root ?? "", name)))
    return true;
  if (path.includes(`/.claude/runtime/${POWER_STEERING_FOLDER}/`)) return true;
  if (path.includes(`/.claude/runtime/${LOCKS_FOLDER}/`)) return LOCK_NAME.test(name);
  return (
    path.includes("/.claude/tools/amplihack/") &&
    (name === POWER_STEERING_CONFIG || name === CONSIDERATIONS_FILE)
  );
}

/** Whether continuous work is on, and ends when this is taken away. */
export function holdsActiveLock({ heldDirectories, project, disk }: Workspace, path: string): boolean {
  return [...heldDirectories, project].some(root => {
    const lock = join(root ?? "/", ACTIVE_LOCK);
    return isInside(path, lock) && disk.kind(lock) !== undefined;
  });
}
