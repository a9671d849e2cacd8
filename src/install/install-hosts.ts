import { findLooseJson } from "../hosts/json-text.ts";
import type { System } from "../system/system.ts";
import { type ChosenHost, whyServed } from "./choose-hosts.ts";
import { describeDouble, findDoubles } from "./doubles.ts";
import type { FileChange } from "./file-edit.ts";
import type { InstalledHost } from "./install-report.ts";
import type { Ledger } from "./ledger.ts";
import { nextSteps, TRUST_STEP } from "./next-steps.ts";
import type { Places, Scope } from "./places.ts";
import { describeProblem } from "./problem.ts";
import { describeProtections } from "./protections.ts";
import { needsTrust, planRegistration, type RegisterOptions, registerTarget, wantedOf } from "./register.ts";
import { takeBackTarget } from "./take-back-target.ts";
import type { Target } from "./targets.ts";

export interface HostsOutcome {
  readonly hosts: readonly InstalledHost[];
  readonly changes: readonly FileChange[];
  readonly warnings: readonly string[];
}

/** Does, or only plans, one registration. */
type Act = (target: Target) => {
  readonly changes: readonly FileChange[];
  readonly backup: string | null;
  readonly notes: readonly string[];
};

/** Registers with every chosen host. One that fails does not stop the others. */
export function installHosts(
  system: System,
  places: Places,
  chosen: readonly ChosenHost[],
  options: RegisterOptions,
  ledger: Ledger,
): HostsOutcome {
  return forEachHost(system, places, chosen, options, target => {
    const { changes, record, notes } = registerTarget(system, places, target, options, ledger);
    return { changes, backup: record.backup_path, notes };
  });
}

/** The same without changing anything. */
export function previewHosts(
  system: System,
  places: Places,
  chosen: readonly ChosenHost[],
  options: RegisterOptions,
): HostsOutcome {
  return forEachHost(system, places, chosen, options, target => ({
    changes: planRegistration(system, places, target, options),
    backup: null,
    notes: [],
  }));
}

function forEachHost(
  system: System,
  places: Places,
  chosen: readonly ChosenHost[],
  options: RegisterOptions,
  act: Act,
): HostsOutcome {
  const hosts: InstalledHost[] = [];
  const changes = new Map<string, FileChange>();
  const warnings: string[] = [];
  const done: Target[] = [];
  for (const one of chosen) {
    const served = "target" in one ? whyServed(system, places, one.target, done) : one.skipped;
    if (!("target" in one) || (served !== undefined && !options.isForced)) {
      hosts.push({ ...nothing(one), status: "skipped", ...(served === undefined ? {} : { reason: served }) });
      continue;
    }
    const { target } = one;
    try {
      const result = act(target);
      const changed = result.changes.filter(change => change.isChanged);
      for (const change of changed) if (!changes.has(change.path)) changes.set(change.path, change);
      warnings.push(...result.notes, ...describeLooseJson(target, result.changes));
      done.push(target);
      hosts.push({
        ...nothing(one),
        status: changed.length > 0 ? "registered" : "unchanged",
        settings_path: target.path,
        backup_path: result.backup,
        events: eventsOf(places, target, options),
        protections: describeProtections(target.host),
        next_steps: stepsFor(system, places, target, options),
      });
    } catch (error) {
      hosts.push({
        ...nothing(one),
        status: "failed",
        settings_path: target.path,
        reason: describeProblem(error),
      });
    }
  }
  return { hosts, changes: [...changes.values()], warnings };
}

/** Such a file can be edited like any other, but a host that reads plain JSON alone would run none of its hooks. */
function describeLooseJson(
  { host, registration }: Target,
  changes: readonly FileChange[],
): readonly string[] {
  if (registration.layout.isPlainJson !== true) return [];
  return changes.flatMap(({ path, after = "" }) => {
    const place = findLooseJson(after);
    if (place === undefined) return [];
    const where = `${path}, line ${place.line}, column ${place.column}`;
    return [
      `${where}: ${host} passes over a file with comments or trailing commas, hooks included; take them out`,
    ];
  });
}

function nothing({ host, scope }: ChosenHost): Omit<InstalledHost, "status"> {
  return { host, scope, settings_path: null, backup_path: null, events: [], next_steps: [] };
}

function eventsOf(places: Places, target: Target, options: RegisterOptions): readonly string[] {
  return [...new Set(wantedOf(places, target, options).map(entry => entry.nativeEvent))];
}

function stepsFor(
  system: System,
  places: Places,
  target: Target,
  options: RegisterOptions,
): readonly string[] {
  const steps = nextSteps(target.host, target.scope);
  const isTrustMissing =
    target.owner === "codex" && !options.isTrustAgreed && needsTrust(system, places, target, options);
  return isTrustMissing ? [TRUST_STEP, ...steps] : steps;
}

/** Registrations that make a host run every hook twice: taken away on request, else told. */
export function settleDoubles(
  system: System,
  places: Places,
  { isDeduping, scope }: { readonly isDeduping: boolean; readonly scope: Scope },
  ledger: Ledger,
): readonly string[] {
  return findDoubles(system, places).map(double => {
    const { redundant, kept } = double;
    // The user's copy serves other projects, too: it goes only for somebody who works on this project.
    const isAllowed = redundant.target.scope === kept.target.scope || scope === "project";
    if (!isDeduping || !isAllowed)
      return `${describeDouble(double)}; add ${isAllowed ? "" : "--scope project "}--dedupe to keep one`;
    takeBackTarget(system, places, redundant.target, ledger, { isBackupWanted: false, isForced: false });
    return `${double.host} ran every hook twice; removed them from ${redundant.target.path}`;
  });
}
