import type { RuleId } from "../config/index.ts";
import {
  BUILT_IN,
  type ConfigNotice,
  type GuardSettings,
  LEVELS,
  loadConfig,
  RULE_SETTINGS,
  type RuleSetting,
} from "../config/index.ts";
import {
  type Diagnostic,
  defined,
  type Effect,
  type Hook,
  type HookInput,
  type InputOf,
  type JsonObject,
} from "../protocol/index.ts";
import { findHome, findStateHome } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { readSurroundings } from "../workspace/index.ts";
import { isEmptyFootprint } from "./footprint.ts";
import { ALLOWED, type GuardContext, isUnderstood, type Judgement } from "./judgement.ts";
import { footprintOfHarmlessCall } from "./prefilter.ts";
import { unknownRule } from "./rule.ts";

/** A call as the embedded guard judged it. */
export interface GuardedCall {
  readonly judgement: Judgement;
  readonly context: GuardContext;
  /** of the configuration that was read */
  readonly notices: readonly ConfigNotice[];
  /** absent for a plainly harmless command, which was not examined further; else what its author must know */
  readonly examined?: readonly Diagnostic[];
}

/** What an engine knows of the session that a call belongs to. */
export interface KnownOfSession extends Pick<Partial<GuardContext>, "stateHome" | "written" | "facts"> {
  /** somebody reads what is known of every call */
  readonly examineAll?: boolean;
}

/** The embedded guard. An engine that keeps a history asks in two steps, and keeps between them. */
export interface GuardHook extends Hook<System> {
  readonly id: "guard";
  run(input: HookInput, system: System, known?: KnownOfSession): Promise<Effect | undefined>;
  /** @param readWrites loads what the session wrote, for a call that may run it */
  judge(
    input: InputOf<"tool">,
    system: System,
    known?: KnownOfSession,
    readWrites?: () => Promise<KnownOfSession>,
  ): Promise<GuardedCall>;
  answer(input: InputOf<"tool">, judged: GuardedCall): Effect;
}

/**
 * The guard as a hook to embed elsewhere: by the settings that are given, above those of the machine and its user. It reads
 * their configuration at each call, as the hook program does, and writes nothing. The analysis is large, and loaded for the
 * first command that needs it.
 */
export function guard(options: GuardOptions = {}): GuardHook {
  const given = toContext(options);
  const told = new Set<string>();
  const judge: GuardHook["judge"] = async (input, system, known = {}, readWrites) => {
    const machine = options.policy === "given" ? undefined : readPolicy(options, system);
    const settings =
      machine === undefined ? given.settings : toSettings({ ...options, settings: machine.settings });
    const notices = machine?.notices ?? [];
    const { examineAll = options.examineAll === true, ...session } = known;
    const nearby = contextOf(input, system, { ...session, ...given, settings });
    const footprint = examineAll ? undefined : footprintOfHarmlessCall(input, nearby);
    if (footprint !== undefined && (isEmptyFootprint(footprint) || readWrites === undefined))
      return { judgement: { ...ALLOWED, footprint: () => footprint }, context: nearby, notices };
    const { judgeTool, sayUnread } = await import("./guard.ts");
    const context = readWrites === undefined ? nearby : { ...(await readWrites()), ...nearby };
    return { judgement: judgeTool(input, context), context, notices, examined: sayUnread(input.tool) };
  };
  const answer: GuardHook["answer"] = (_, { judgement, notices, examined }) => {
    const { verdict, reason, texts } = judgement;
    const isAllowed = verdict === "allow" || reason === undefined;
    const diagnostics = [
      ...((isAllowed ? examined : undefined) ?? []),
      ...notices.flatMap(notice => tellOnce(notice, told)),
    ];
    return {
      ...(examined === undefined ? {} : { extras: describeKnowledge(judgement) }),
      ...(isAllowed
        ? {}
        : { decision: { kind: verdict, reason, ...(texts === undefined ? {} : { texts }) } }),
      ...(diagnostics.length === 0 ? {} : { diagnostics }),
    };
  };
  return {
    id: "guard",
    event: "PreToolUse",
    isJudge: true,
    judge,
    answer,
    run: async (input, system, known) =>
      input.kind === "tool" ? answer(input, await judge(input, system, known)) : undefined,
  };
}

/** What is known of a call; worked out when somebody reads it, because most agents never do. */
function describeKnowledge(judged: Judgement): JsonObject {
  const rules = [...new Set(judged.findings.map(finding => finding.rule))];
  return {
    ...(rules.length === 0 ? {} : { rules }),
    get understood() {
      return isUnderstood(judged);
    },
    get gaps() {
      return judged.gaps().map(gap => ({ ...gap }));
    },
  };
}

/** What the machine and its user say. An agent's author may say more, and on a managed machine never less. */
function readPolicy(
  { home: givenHome, settings }: GuardOptions,
  system: System,
): { readonly settings: GuardSettings; readonly notices: readonly ConfigNotice[] } | undefined {
  const home = givenHome ?? findHome(system);
  const stateHome = givenHome === undefined ? findStateHome(system) : join(givenHome, ".amplihack");
  if (settings !== undefined || home === undefined || stateHome === undefined) return undefined;
  const { config, notices } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  return { settings: config.guard, notices };
}

function tellOnce({ code, message }: ConfigNotice, told: Set<string>): readonly Diagnostic[] {
  if (told.has(message)) return [];
  told.add(message);
  return [{ code: `config-${code}`, severity: "warning", detail: message }];
}

/** What the environment and the payload say about the places around a tool call. */
export function contextOf(
  input: Pick<InputOf<"tool">, "cwd">,
  system: System,
  options: Partial<Omit<GuardContext, "system">> = {},
): GuardContext {
  return { ...readSurroundings(system, input.cwd), ...options, system };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What an embedding agent may say about its guard. Everything that is absent is as in `DEFAULT_GUARD_SETTINGS`. */
export interface GuardOptions
  extends Partial<
      Pick<GuardSettings, "level" | "protectedBranches" | "prodNames" | "allow" | "custom" | "unattended">
    >,
    Partial<Omit<GuardContext, "system">> {
  /**
   * `machine` (default): what the machine's and the user's configuration say counts, and the other options stand above it;
   * what a managed machine says is never weakened. `given`: no configuration is read.
   */
  readonly policy?: "machine" | "given";
  /**
   * Examines plainly harmless commands too, so that `understood` and `gaps` are known of every call. Default: only where
   * telemetry reads them; without either, both are left out for such a command and the analysis need not be loaded.
   */
  readonly examineAll?: boolean;
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
function toSettings(options: GuardOptions): GuardSettings {
  const { level, rules = {}, paths, protectedBranches, prodNames, allow, custom, unattended } = options;
  if (level !== undefined && !LEVELS.includes(level))
    throw new TypeError(`guard: level must be ${LEVELS.join(", ")}, not ${JSON.stringify(level)}`);
  const base = options.settings ?? DEFAULT_GUARD_SETTINGS;
  const isManaged = base.managed !== undefined;
  const add = <T>(own: readonly T[] | undefined, machine: readonly T[]): readonly T[] =>
    isManaged && own !== undefined ? [...machine, ...own] : (own ?? machine);
  const customIds = (custom ?? base.custom).map(rule => rule.id);
  for (const [id, setting] of Object.entries(rules)) checkRule(id, setting, customIds);
  return {
    ...base,
    level: level ?? base.level,
    unattended: isManaged && base.unattended === "deny" ? "deny" : (unattended ?? base.unattended),
    rules: { ...base.rules, ...defined(rules) },
    protectedBranches: add(protectedBranches, base.protectedBranches),
    prodNames: add(prodNames, base.prodNames),
    paths: { ...base.paths, ...(isManaged ? protectMore(base.paths, paths) : paths) },
    allow: isManaged ? base.allow : (allow ?? base.allow),
    custom: add(custom, base.custom),
  };
}

/** Of further paths, those that protect. */
function protectMore(
  machine: GuardSettings["paths"],
  own: GuardOptions["paths"] = {},
): Partial<GuardSettings["paths"]> {
  const protecting = ["deny", "noRead", "noDelete", "secrets"] as const;
  return Object.fromEntries(protecting.map(name => [name, [...machine[name], ...(own[name] ?? [])]]));
}

function checkRule(id: string, setting: RuleSetting | undefined, customIds: readonly string[]): void {
  if (setting !== undefined && !RULE_SETTINGS.includes(setting))
    throw new TypeError(
      `guard: rules[${JSON.stringify(id)}] must be ${RULE_SETTINGS.join(", ")}, not ${JSON.stringify(setting)}`,
    );
  const problem = unknownRule(id, customIds);
  if (problem !== undefined) throw new TypeError(`guard: ${problem}`);
}

/** What the options say about the places around a call; what they leave out is for the caller to find. */
function toContext(options: GuardOptions): Partial<Omit<GuardContext, "system">> {
  const {
    level,
    rules,
    paths,
    protectedBranches,
    prodNames,
    allow,
    custom,
    unattended,
    env,
    policy,
    examineAll,
    ...context
  } = options;
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
