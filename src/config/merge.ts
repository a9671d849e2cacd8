import type { FailurePolicy } from "../protocol/index.ts";
import { AUTONOMY, type Autonomy, CONSENT, type Consent, LEVELS, type Level, NETWORKS } from "./levels.ts";
import type { ConfigFile, GuardSection, HistorySection, SandboxSection } from "./sections.ts";
import type { Config, GuardSettings, HistorySettings, SandboxSettings } from "./settings.ts";

/** Lays a file with full power over what was there: scalars and name lists replace, the rest adds. */
export function override(base: Config, file: ConfigFile): Config {
  return {
    extends: unite(base.extends, file.extends),
    managed: base.managed,
    guard: overrideGuard(base.guard, file.guard ?? {}, file.programs ?? []),
    autonomy: file.autonomy ?? base.autonomy,
    consent: raiseConsent(base.consent, file.consent),
    parts: file.parts ?? base.parts,
    failure:
      file.failure === undefined ? base.failure : [{ ...mergedFailure(base.failure), ...file.failure }],
    hooks: { packages: file.hooks?.packages ?? base.hooks.packages },
    history: overrideHistory(base.history, file.history ?? {}),
    sandbox: overrideSandbox(base.sandbox, file.sandbox ?? {}),
    budget: { ...base.budget, ...file.budget },
    prices: { ...base.prices, ...file.prices },
    bridge: { command: file.bridge?.command ?? base.bridge.command },
    reflect: { agent: file.reflect?.agent ?? base.reflect.agent },
    memory: { ...base.memory, ...file.memory },
    team: { ...base.team, ...file.team },
    update: { ...base.update, ...file.update },
  };
}

function mergedFailure(tables: Config["failure"]): Record<string, FailurePolicy> {
  return Object.assign({}, ...tables) as Record<string, FailurePolicy>;
}

function overrideHistory(base: HistorySettings, section: HistorySection): HistorySettings {
  return {
    ...base,
    ...section,
    precious: unite(base.precious, section.precious),
    exclude: unite(base.exclude, section.exclude),
  };
}

function overrideSandbox(base: SandboxSettings, section: SandboxSection): SandboxSettings {
  return {
    network: section.network ?? base.network,
    hosts: unite(base.hosts, section.hosts),
    ports: [...new Set([...base.ports, ...(section.ports ?? [])])],
    read: unite(base.read, section.read),
    write: unite(base.write, section.write),
    env: unite(base.env, section.env),
  };
}

/** A project takes away, and adds nothing. */
export function narrowSandbox(
  base: SandboxSettings,
  section: SandboxSection | undefined,
  refuse: Refuse,
): SandboxSettings {
  const { network, ...lists } = section ?? {};
  for (const [name, entries] of Object.entries(lists))
    if (entries !== undefined && entries.length > 0) refuse(`sandbox.${name}`);
  if (network === undefined) return base;
  if (NETWORKS.indexOf(network) <= NETWORKS.indexOf(base.network)) return { ...base, network };
  refuse("sandbox.network");
  return base;
}

function overrideGuard(
  base: GuardSettings,
  section: GuardSection,
  programs: GuardSettings["programs"],
): GuardSettings {
  return {
    level: section.level ?? base.level,
    unattended: section.unattended ?? base.unattended,
    rules: { ...base.rules, ...section.rules },
    floors: base.floors,
    managed: base.managed,
    protectedBranches: section.protectedBranches ?? base.protectedBranches,
    prodNames: section.prodNames ?? base.prodNames,
    paths: addPaths(base.paths, section.paths),
    allow: [...base.allow, ...(section.allow ?? [])],
    custom: [...base.custom, ...(section.custom ?? [])],
    programs: [...base.programs, ...programs],
    trustHooks: section.trustHooks ?? base.trustHooks,
    audit: { ...base.audit, ...section.audit },
  };
}

/** Told of every member that asks for less protection and does not get it. */
export type Refuse = (member: string) => void;

/** Lays a file over the rest that may only raise: verdicts, branches, protected paths, rules, failure policy. */
export function tighten(base: Config, file: ConfigFile, refuse: Refuse): Config {
  const { guard, failure, history, autonomy, sandbox } = file;
  return {
    ...base,
    autonomy: lowerAutonomy(base.autonomy, autonomy, refuse),
    sandbox: narrowSandbox(base.sandbox, sandbox, refuse),
    guard: guard === undefined ? base.guard : tightenGuard(base.guard, guard, refuse),
    failure: failure === undefined ? base.failure : [...base.failure, failure],
    history: overrideHistory(base.history, keptMore(history ?? {}, refuse)),
  };
}

/** Excluded files are overwritten without a copy, so only a trusted layer may exclude. */
function keptMore({ exclude, ...section }: HistorySection, refuse: Refuse): HistorySection {
  if (exclude !== undefined && exclude.length > 0) refuse("history.exclude");
  return section;
}

/** More entries in a list of a project's file do not count: every call is compared with each of them. */
export const MAX_PROJECT_ENTRIES = 500;

/** The lists of a project's file as far as they count; told of each that is longer. */
export function capProjectLists(section: GuardSection, tell: (member: string) => void): GuardSection {
  const cap = <T extends object>(lists: T, prefix: string): T =>
    Object.fromEntries(
      Object.entries(lists).map(([name, value]) => {
        if (!Array.isArray(value) || value.length <= MAX_PROJECT_ENTRIES) return [name, value];
        tell(prefix + name);
        return [name, value.slice(0, MAX_PROJECT_ENTRIES)];
      }),
    ) as T;
  const { paths } = section;
  return { ...cap(section, "guard."), ...(paths === undefined ? {} : { paths: cap(paths, "guard.paths.") }) };
}

function tightenGuard(base: GuardSettings, section: GuardSection, refuse: Refuse): GuardSettings {
  const { paths } = section;
  const loosening: readonly [string, unknown][] = [
    ["allow", section.allow?.length],
    ["audit", section.audit],
    ["trustedProjects", section.trustedProjects],
    ["trustHooks", section.trustHooks?.length],
    ["paths.regenerable", paths?.regenerable?.length],
    ["paths.temp", paths?.temp?.length],
  ];
  for (const [member, value] of loosening) {
    if (value !== undefined && value !== 0) refuse(`guard.${member}`);
  }
  const secrets = paths?.secrets?.filter(pattern => !pattern.startsWith("!"));
  if (secrets?.length !== paths?.secrets?.length) refuse("guard.paths.secrets");
  if (section.level !== undefined && isLower(section.level, base.level)) refuse("guard.level");
  if (section.unattended === "ask" && base.unattended === "deny") refuse("guard.unattended");
  for (const [id, setting] of Object.entries(section.rules ?? {})) {
    if (setting === "off" || setting === "allow") refuse(`guard.rules.${id}`);
  }
  return {
    ...base,
    level: stricterLevel(base.level, section.level),
    unattended: section.unattended === "deny" ? "deny" : base.unattended,
    floors: { ...base.floors, ...section.rules },
    protectedBranches: unite(base.protectedBranches, section.protectedBranches),
    prodNames: unite(base.prodNames, section.prodNames),
    paths: addPaths(base.paths, {
      deny: paths?.deny,
      noRead: paths?.noRead,
      noDelete: paths?.noDelete,
      secrets,
    }),
    custom: [...base.custom, ...(section.custom ?? [])],
  };
}

/** No other layer lowers the consent that the machine's configuration requires. */
function raiseConsent(base: Consent, wanted: Consent = base): Consent {
  return CONSENT.indexOf(wanted) > CONSENT.indexOf(base) ? wanted : base;
}

/** Only a person raises it. */
export function lowerAutonomy(base: Autonomy, wanted: Autonomy | undefined, refuse: Refuse): Autonomy {
  if (wanted === undefined) return base;
  if (AUTONOMY.indexOf(wanted) <= AUTONOMY.indexOf(base)) return wanted;
  refuse("autonomy");
  return base;
}

export function stricterLevel(one: Level, other: Level | undefined): Level {
  return other !== undefined && isLower(one, other) ? other : one;
}

function isLower(one: Level, other: Level): boolean {
  return LEVELS.indexOf(one) < LEVELS.indexOf(other);
}

export function unite(base: readonly string[], more: readonly string[] | undefined): readonly string[] {
  return more === undefined ? base : [...new Set([...base, ...more])];
}

function addPaths(
  base: GuardSettings["paths"],
  more: { readonly [K in keyof GuardSettings["paths"]]?: readonly string[] | undefined } = {},
): GuardSettings["paths"] {
  return {
    deny: unite(base.deny, more.deny),
    noRead: unite(base.noRead, more.noRead),
    noDelete: unite(base.noDelete, more.noDelete),
    regenerable: unite(base.regenerable, more.regenerable),
    temp: unite(base.temp, more.temp),
    secrets: unite(base.secrets, more.secrets),
  };
}
