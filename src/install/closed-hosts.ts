import type { System } from "../system/system.ts";
import { isAtLeast } from "./host-version.ts";
import type { InstallableHost, Target } from "./targets.ts";

/** Older builds may throw the whole settings file away because of a member they do not know. */
const CLAUDE_WITH_ON_FAILURE = "2.1.325";

/** Which hosts can be told in their own configuration that a failing hook refuses. */
export async function findClosedHosts(system: System): Promise<(target: Target) => boolean> {
  const known: InstallableHost[] = ["cursor"];
  if (await isAtLeast(system, "claude-code", CLAUDE_WITH_ON_FAILURE)) known.push("claude-code");
  return target => known.includes(target.owner);
}
