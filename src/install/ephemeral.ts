import { tmpdir } from "node:os";
import { isInside } from "../system/index.ts";

/** Folders in which package runners keep what they fetched for one call. */
const RUNNER_CACHES = /\/(?:_npx|dlx-[^/]*|bunx-[^/]*|xfs-[^/]*)\//;

/** Whether a path lies where files do not last. */
export function isEphemeral(path: string): boolean {
  return RUNNER_CACHES.test(path) || isInside(tmpdir(), path);
}
