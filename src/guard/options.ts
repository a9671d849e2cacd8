import { BUILT_IN, type GuardSettings, LEVELS, RULE_SETTINGS, type RuleSetting } from "../config/index.ts";
import { defined } from "../protocol/index.ts";
import type { GuardContext } from "./context.ts";
import { ruleSettingProblem } from "./rule-settings.ts";
import type { RuleId } from "./rules.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What an embedding agent may say about its guard. Everything that is absent is as in `DEFAULT_GUARD_SETTINGS`. */
export interface GuardOptions
  extends Partial<
      Pick<GuardSettings, "level" | "protectedBranches" | "prodNames" | "allow" | "custom" | "unattended">
    >,
    Partial<Omit<GuardContext, "system">> {
  /** by rule or by pack (`git.*`): the last word, up or down */
  readonly rules?: Readonly<Partial<Record<RuleId | `${string}*`, RuleSetting>>>;
  readonly paths?: Partial<GuardSettings["paths"]>;
  /** the user's home directory; default: that of the process */
  readonly home?: string;
  /** the session's directory, where a call does not name its own; default: the engine's `projectDir` */
  readonly cwd?: string;
  /** the environment that the tools run with; default: that of the process */
  readonly env?: Environment;
}

/** The settings of a guard that nothing was said to. */
export const DEFAULT_GUARD_SETTINGS: GuardSettings = BUILT_IN.guard;

/** The options as the guard's own settings. Throws a `TypeError` for a level or a rule that does not exist. */
export function toSettings(options: GuardOptions): GuardSettings {
  const { level, rules = {}, paths, protectedBranches, prodNames, allow, custom, unattended } = options;
  if (level !== undefined && !LEVELS.includes(level))
    throw new TypeError(`guard: level must be ${LEVELS.join(", ")}, not ${JSON.stringify(level)}`);
  const base = options.settings ?? DEFAULT_GUARD_SETTINGS;
  const customIds = (custom ?? base.custom).map(rule => rule.id);
  for (const [id, setting] of Object.entries(rules)) checkRule(id, setting, customIds);
  return {
    ...base,
    level: level ?? base.level,
    unattended: unattended ?? base.unattended,
    rules: { ...base.rules, ...defined(rules) },
    protectedBranches: protectedBranches ?? base.protectedBranches,
    prodNames: prodNames ?? base.prodNames,
    paths: { ...base.paths, ...paths },
    allow: allow ?? base.allow,
    custom: custom ?? base.custom,
  };
}

function checkRule(id: string, setting: RuleSetting | undefined, customIds: readonly string[]): void {
  if (setting !== undefined && !RULE_SETTINGS.includes(setting))
    throw new TypeError(
      `guard: rules[${JSON.stringify(id)}] must be ${RULE_SETTINGS.join(", ")}, not ${JSON.stringify(setting)}`,
    );
  const problem = ruleSettingProblem(id, setting, customIds);
  if (problem?.code === "unknown-rule") throw new TypeError(`guard: ${problem.message}`);
}

/** What the options say about the places around a call; what they leave out is for the caller to find. */
export function toContext(options: GuardOptions): Partial<Omit<GuardContext, "system">> {
  const { level, rules, paths, protectedBranches, prodNames, allow, custom, unattended, env, ...context } =
    options;
  return { ...(env === undefined ? {} : placesIn(env)), ...context, settings: toSettings(options) };
}

function placesIn(env: Environment): Partial<Omit<GuardContext, "system">> {
  return {
    previousCwd: env["OLDPWD"],
    tmpdir: env["TMPDIR"],
    user: env["USER"],
    searchPath: env["PATH"],
    ...(env["HOME"] === undefined ? {} : { home: env["HOME"] }),
  };
}
