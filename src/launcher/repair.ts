import { spawnSync } from "node:child_process";
import type { System } from "../system/index.ts";
import { version } from "../version.ts";
import type { LaunchConsole } from "./child-environment.ts";
import { LAUNCH_TOOLS } from "./find-binary.ts";
import type { LaunchPlan } from "./plan.ts";
import { findOwner, isNewer } from "./update/releases.ts";

/** Says in one line what is wrong with our hooks, and offers to put it right where a person can answer. */
export function offerInstall(
  system: Pick<System, "env">,
  plan: LaunchPlan,
  console: LaunchConsole,
  self: string,
): void {
  const problem = describeProblem(plan);
  if (problem === undefined) return;
  const { otherInstalled, places } = plan;
  if (otherInstalled !== undefined && isOnlyOlder(plan)) {
    // To install from this copy would go back.
    const owner = findOwner(self, places.stateHome);
    const advice = "command" in owner ? `; to have it here too, run: ${owner.command(otherInstalled)}` : "";
    console.warn(`${problem}${advice}`);
    return;
  }
  const command = `amplihack install --host ${plan.agent}`;
  const isUnwanted = (system.env.get("AMPLIHACK_SKIP_AUTO_INSTALL") ?? "") !== "";
  if (console.ask === undefined || isUnwanted) {
    console.warn(`${problem}; run: ${command}`);
  } else if (!console.ask(`amplihack: ${problem}. Fix it now?`)) {
    console.warn(`left as it is; run: ${command}`);
  } else {
    const { status } = spawnSync(process.execPath, [self, "install", "--host", plan.agent], {
      cwd: plan.places.directory,
      stdio: ["inherit", 2, 2],
    });
    if (status !== 0) console.warn(`that did not succeed; run: ${command}`);
  }
}

/** The hooks are in order and of a newer version, as after `amplihack update`. */
function isOnlyOlder({ isRegistered, drift, otherInstalled }: LaunchPlan): boolean {
  return isRegistered && drift.length === 0 && isNewer(otherInstalled ?? "", version);
}

function describeProblem({ agent, isRegistered, drift, otherInstalled }: LaunchPlan): string | undefined {
  const { title } = LAUNCH_TOOLS[agent];
  if (!isRegistered) return `${title} does not call amplihack's hooks yet`;
  const [first, ...others] = drift;
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return `hooks of ${title} need repair: ${first.message}${more}`;
  }
  if (otherInstalled === undefined) return undefined;
  return `hooks were installed by amplihack ${otherInstalled}, this is ${version}`;
}
