import { findLooseJson } from "../config/index.ts";
import type { InstallScope } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { ChosenHost } from "./choose-hosts.ts";
import type { DoctorCheck } from "./doctor/check.ts";
import { findSwitchedOff } from "./doctor/switches.ts";
import { describeDuplicate, findDuplicates, findServing } from "./duplicate-registrations.ts";
import type { FileChange } from "./file-edit.ts";
import type { InstalledHost } from "./install-report.ts";
import type { ManifestWriter } from "./manifest-writer.ts";
import { describeProblem } from "./problem.ts";
import { describeProtections } from "./protections.ts";
import { needsTrust, type RegisterOptions, wantedOf } from "./register.ts";
import { type RegistrationTarget, setupOf } from "./targets.ts";
import { unregisterTarget } from "./unregister.ts";

export interface HostsOutcome {
  readonly hosts: readonly InstalledHost[];
  readonly changes: readonly FileChange[];
  readonly warnings: readonly string[];
}

/** What one registration changed, or would change. */
export interface RegistrationResult {
  readonly changes: readonly FileChange[];
  readonly backup: string | null;
  readonly notes: readonly string[];
}

/** Registers with every chosen host, or only plans it, as `act` does. One that fails does not stop the others. */
export function forEachHost(
  system: System,
  places: UserDirectories,
  chosen: readonly ChosenHost[],
  options: RegisterOptions,
  act: (target: RegistrationTarget) => RegistrationResult,
): HostsOutcome {
  const hosts: InstalledHost[] = [];
  const changes = new Map<string, FileChange>();
  const warnings: string[] = [];
  const done: RegistrationTarget[] = [];
  for (const one of chosen) {
    const { host, scope } = one;
    const base = { host, scope, settings_path: null, backup_path: null, events: [], next_steps: [] };
    const serving = "target" in one ? findServing(system, places, one.target, done) : undefined;
    if (!("target" in one)) {
      hosts.push({ ...base, status: "skipped", reason: one.skipped });
      continue;
    }
    if (serving !== undefined && !options.isForced) {
      const reason = `it reads ${serving.path}, which registers the hooks already`;
      hosts.push({ ...base, status: "skipped", reason });
      continue;
    }
    const { target } = one;
    try {
      const result = act(target);
      const changed = result.changes.filter(change => change.isChanged);
      for (const change of changed) if (!changes.has(change.path)) changes.set(change.path, change);
      const loose = describeLooseJson(target, result.changes);
      warnings.push(...result.notes, ...loose);
      done.push(target);
      const events = wantedOf(places, target, options).map(entry => entry.nativeEvent);
      hosts.push({
        ...base,
        ...statusOf(host, {
          isChanged: changed.length > 0,
          isLoose: loose.length > 0,
          off: findSwitchedOff(system, places, target),
        }),
        settings_path: target.path,
        backup_path: result.backup,
        events: [...new Set(events)],
        protections: describeProtections(host),
        next_steps: nextSteps(system, places, target, options),
      });
    } catch (error) {
      hosts.push({ ...base, status: "failed", settings_path: target.path, reason: describeProblem(error) });
    }
  }
  return { hosts, changes: [...changes.values()], warnings };
}

function statusOf(
  host: string,
  found: { readonly isChanged: boolean; readonly isLoose: boolean; readonly off: DoctorCheck | undefined },
): Pick<InstalledHost, "status" | "reason"> {
  const { isChanged, isLoose, off } = found;
  if (isLoose)
    return { status: "failed", reason: `${host} runs no hook of this file before it is plain JSON` };
  if (off !== undefined) return { status: "failed", reason: `${off.message}; ${off.fix}` };
  return { status: isChanged ? "registered" : "unchanged" };
}

/** Such a file can be edited like any other, but a host that reads plain JSON alone would run none of its hooks. */
function describeLooseJson(
  { host, path: settings, registration }: RegistrationTarget,
  changes: readonly FileChange[],
): readonly string[] {
  if (registration.layout.isPlainJson !== true) return [];
  return changes.flatMap(({ path, after = "" }) => {
    // Codex keeps fingerprints in a TOML file beside it.
    const place = path === settings ? findLooseJson(after) : undefined;
    if (place === undefined) return [];
    const where = `${path}, line ${place.line}, column ${place.column}`;
    return [
      `${where}: ${host} passes over a file with comments or trailing commas, hooks included; take them out`,
    ];
  });
}

/** What the host still asks of its user before registered hooks run. */
function nextSteps(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: RegisterOptions,
): readonly string[] {
  const step = setupOf(target.host).nextStep?.[target.scope];
  const trustStep = options.isTrustAgreed ? undefined : target.registration.fingerprints?.nextStep;
  const isUntrusted = trustStep !== undefined && needsTrust(system, places, target, options);
  return [isUntrusted ? trustStep : undefined, step].filter(each => each !== undefined);
}

/** Registrations that make a host run every hook twice: removed on request, else told. */
export function resolveDuplicates(
  system: System,
  places: UserDirectories,
  { isDeduping, scope }: { readonly isDeduping: boolean; readonly scope: InstallScope },
  manifest: ManifestWriter,
): readonly string[] {
  return findDuplicates(system, places).map(duplicate => {
    const { redundant, kept } = duplicate;
    // The user's copy serves other projects, too: it goes only for a user who works on this project.
    const isAllowed = redundant.target.scope === kept.target.scope || scope === "project";
    if (!isDeduping || !isAllowed)
      return `${describeDuplicate(duplicate)}; add ${isAllowed ? "" : "--scope project "}--dedupe to keep one`;
    unregisterTarget(system, places, redundant.target, manifest, { isBackupWanted: false, isForced: false });
    return `${duplicate.host} ran every hook twice; removed them from ${redundant.target.path}`;
  });
}
