import {
  defined,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  memberAt,
  ownValue,
} from "../protocol/index.ts";
import { POLICIES, RULE_SETTINGS } from "./levels.ts";
import { lowerAutonomy, override, type Refuse, stricterLevel, unite } from "./merge.ts";
import type { ConfigFile, GuardSection } from "./sections.ts";
import {
  type Config,
  type GuardSettings,
  type ManagedGuard,
  type MissingPolicy,
  resolveFailurePolicy,
} from "./settings.ts";

/** The machine's files, in rising precedence, and the settings they make. No other layer may loosen these. */
export interface ManagedLayers {
  readonly files: readonly ConfigFile[];
  readonly missing: readonly MissingPolicy[];
  readonly config: Config;
}

type Section = keyof ConfigFile;

/** The settings of a machine whose file is managed: they know what is the least. */
export function asManaged(
  config: Config,
  files: readonly ConfigFile[],
  missing: readonly MissingPolicy[],
): Config {
  const managed = { ...strictestRequired(config.guard, files), missing, isClosed: false };
  return { ...config, managed: true, guard: { ...config.guard, managed } };
}

/** The failure policy of all layers says what becomes of calls while a policy of the machine is missing. */
export function withFailurePolicy(config: Config): Config {
  const { managed } = config.guard;
  if (managed === undefined || managed.missing.length === 0) return config;
  const isClosed = resolveFailurePolicy(config, "pre-tool-use") === "closed";
  return { ...config, guard: { ...config.guard, managed: { ...managed, isClosed } } };
}

function strictestRequired(
  guard: GuardSettings,
  files: readonly ConfigFile[],
): Pick<ManagedGuard, "level" | "rules"> {
  const isLevelSet = files.some(file => file.guard?.level !== undefined);
  const custom = Object.fromEntries(guard.custom.map(({ id, verdict }) => [id, verdict]));
  return { level: isLevelSet ? guard.level : undefined, rules: { ...custom, ...guard.rules } };
}

/**
 * Lays a file of the user's over a managed machine's: where the machine says something, it may only tighten. The rest
 * counts as ever.
 */
export function overrideManaged(
  base: Config,
  machine: ManagedLayers,
  file: ConfigFile,
  refuse: Refuse,
): Config {
  const { guard, parts, failure, hooks, programs, autonomy, ...others } = file;
  const isSet = (section: Section) => machine.files.some(each => each[section] !== undefined);
  // What is missing may have set anything of the guard.
  const isGuarded = isSet("guard") || isSet("programs") || machine.missing.length > 0;
  if (isGuarded && programs !== undefined) refuse("programs");
  const allowed: ConfigFile = {
    ...withoutFixed(others, machine.files, refuse),
    ...(guard === undefined ? {} : { guard: isGuarded ? keptGuard(guard, machine, refuse) : guard }),
    ...(programs === undefined || isGuarded ? {} : { programs }),
    ...(hooks === undefined ? {} : { hooks }),
  };
  const laid = override(base, allowed);
  for (const [name, policy] of Object.entries(failure ?? {}))
    if (POLICIES.indexOf(policy) < POLICIES.indexOf(resolveFailurePolicy(machine.config, name)))
      refuse(`failure.${name}`);
  return {
    ...laid,
    // What is missing may have lowered it.
    autonomy:
      isSet("autonomy") || machine.missing.length > 0
        ? lowerAutonomy(base.autonomy, autonomy, refuse)
        : (autonomy ?? base.autonomy),
    parts: keptParts(parts ?? base.parts, machine, isSet, isGuarded, refuse),
    // The strictest of all tables counts.
    failure: failure === undefined ? base.failure : [...base.failure, failure],
    hooks: isSet("hooks") ? { packages: unite(base.hooks.packages, hooks?.packages) } : laid.hooks,
  };
}

function keptParts(
  wanted: Config["parts"],
  { config }: ManagedLayers,
  isSet: (section: Section) => boolean,
  isGuarded: boolean,
  refuse: Refuse,
): Config["parts"] {
  const required = config.parts.filter(
    part => isSet("parts") || (part === "guard" && isGuarded) || (part === "history" && isSet("history")),
  );
  if (required.some(part => !wanted.includes(part))) refuse("parts");
  return [...new Set([...wanted, ...required])];
}

/** Members of sections that the machine's files set are left out, one by one; lists of precious files add up. */
function withoutFixed(file: ConfigFile, machine: readonly ConfigFile[], refuse: Refuse): ConfigFile {
  const entries = Object.entries(file as Readonly<Record<string, Json>>).map(([section, value]) => {
    const set = machine.map(each => (each as Readonly<Record<string, Json>>)[section]);
    return [section, isJsonObject(value) ? withoutSet(value, set, section, refuse) : value] as const;
  });
  return Object.fromEntries(entries) as ConfigFile;
}

function withoutSet(
  value: JsonObject,
  set: readonly (Json | undefined)[],
  section: string,
  refuse: Refuse,
): JsonObject {
  const members = Object.entries(value).filter(([member, wanted]) => {
    const given = set.map(each => memberAt(each, member)).filter(each => each !== undefined);
    if (given.length === 0 || member === "precious") return true;
    if (!isSameJson(given.at(-1) ?? null, wanted)) refuse(`${section}.${member}`);
    return false;
  });
  return Object.fromEntries(members);
}

function keptGuard(section: GuardSection, { files, config }: ManagedLayers, refuse: Refuse): GuardSection {
  const { allow, trustHooks, trustedProjects, audit, paths, level, unattended, ...rest } = section;
  const loosening = { allow, trustHooks, trustedProjects };
  for (const [member, value] of Object.entries(loosening)) if (value?.length) refuse(`guard.${member}`);
  const isSet = (member: keyof GuardSection) => files.some(({ guard }) => guard?.[member] !== undefined);
  const keptLevel = isSet("level") ? stricterLevel(config.guard.level, level) : level;
  if (level !== undefined && keptLevel !== level) refuse("guard.level");
  const isLax = isSet("unattended") && config.guard.unattended === "deny" && unattended === "ask";
  if (isLax) refuse("guard.unattended");
  tellLowered(section, config.guard.managed, refuse);
  const audits = files.map(({ guard }) => guard?.audit);
  const { protectedBranches, prodNames } = config.guard;
  return defined({
    ...rest,
    level: keptLevel,
    unattended: isLax ? undefined : unattended,
    paths: paths === undefined ? undefined : keptPaths(paths, refuse),
    protectedBranches: isSet("protectedBranches")
      ? unite(protectedBranches, rest.protectedBranches)
      : rest.protectedBranches,
    prodNames: isSet("prodNames") ? unite(prodNames, rest.prodNames) : rest.prodNames,
    audit: withoutSet(audit ?? {}, audits, "guard.audit", refuse),
  }) as GuardSection;
}

function keptPaths(
  { regenerable, temp, secrets, ...paths }: NonNullable<GuardSection["paths"]>,
  refuse: Refuse,
): GuardSection["paths"] {
  if (regenerable?.length) refuse("guard.paths.regenerable");
  if (temp?.length) refuse("guard.paths.temp");
  const kept = secrets?.filter(pattern => !pattern.startsWith("!"));
  if (kept?.length !== secrets?.length) refuse("guard.paths.secrets");
  return kept === undefined ? paths : { ...paths, secrets: kept };
}

/** The guard itself keeps to the least; this tells of what does not count. */
function tellLowered({ rules = {} }: GuardSection, least: ManagedGuard | undefined, refuse: Refuse): void {
  for (const [id, setting] of Object.entries(rules)) {
    const floor = ownValue(least?.rules ?? {}, id);
    if (floor !== undefined && RULE_SETTINGS.indexOf(setting) < RULE_SETTINGS.indexOf(floor))
      refuse(`guard.rules.${id}`);
  }
}
