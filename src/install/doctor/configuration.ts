import { type ConfigNotice, failurePolicyOf, type GuardSettings, loadConfig } from "../../config/index.ts";
import { ruleSettingProblems } from "../../guard/index.ts";
import { HOOK_REGISTRY } from "../../hosts/index.ts";
import { describeEvent } from "../../protocol/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

/** Configuration files: what in them does not count, and what a failure policy cannot do. */
export function checkConfiguration(system: System, places: UserDirectories): readonly DoctorCheck[] {
  const { config, notices, used } = loadConfig(system, places);
  const checks = notices.map(asCheck);
  for (const { message } of ruleSettingProblems(config.guard))
    checks.push(warn("configuration", `guard.rules: ${message}`, "amplihack config list"));
  const policies = HOOK_REGISTRY.map(row => ({ ...row, policy: failurePolicyOf(config, row.subcommand) }));
  const strict = policies.find(({ policy }) => policy !== "open");
  const isBound = policies.some(
    ({ event, policy }) => policy !== "open" && describeEvent(event).power !== "veto",
  );
  if (strict !== undefined && isBound)
    checks.push(
      pass(
        "failure-policy",
        `hooks that cannot run: ${strict.policy}; on stop and after tools that counts as open, and hosts pass over timeouts`,
      ),
    );
  if (config.managed) checks.push(managedCheck(config.guard));
  if (checks.every(({ status }) => status === "pass")) {
    const files = used.map(({ path }) => path);
    checks.unshift(pass("configuration", files.length === 0 ? "no configuration file" : files.join(", ")));
  }
  return checks;
}

function managedCheck({ managed }: GuardSettings): DoctorCheck {
  const managedHere = "the configuration of this machine is managed";
  if (managed === undefined || managed.missing.length === 0)
    return pass("managed", `${managedHere}: what it sets cannot be loosened here`);
  const calls = `calls that do more than read are ${managed.isClosed ? "denied" : "asked about"}`;
  const entries = managed.missing.map(({ entry }) => entry).join(", ");
  return fail(
    "managed",
    `${managedHere} and not complete (${entries}): ${calls}`,
    "sudo amplihack config pull --system",
  );
}

function asCheck({ code, source, message }: ConfigNotice): DoctorCheck {
  return code === "broken"
    ? fail("configuration", message, `repair ${source}`)
    : warn("configuration", message, `look at ${source}`);
}
