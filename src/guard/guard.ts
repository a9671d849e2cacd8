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
import { readShapes, unreadShell } from "../hosts/index.ts";
import {
  type Diagnostic,
  defined,
  type Effect,
  type Hook,
  type HookInput,
  type InputOf,
  type JsonObject,
  stringAt,
  type ToolUse,
} from "../protocol/index.ts";
import { findHome, findSessionDirectory, findStateHome } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import {
  findHostFolders,
  inDirectory,
  isAnswerDue,
  isSecretVariable,
  isShadowedIn,
  survey,
} from "../workspace/index.ts";
import { isEmptyFootprint } from "./footprint.ts";
import { judgeOrFail, judgeText, judgeWords } from "./judge.ts";
import { ALLOWED, type GuardContext, isUnderstood, type Judgement } from "./judgement.ts";
import { footprintOfHarmless } from "./prefilter.ts";
import { ruleSettingProblem } from "./rules.ts";
import { judgeShapes, plainFileCall } from "./tool-calls.ts";

/** The hook program loads it with the analysis, because both are wanted for the same calls. */
export { factsOfCall } from "../hosts/index.ts";

const MAX_SHOWN = 5;
const MAX_SHOWN_CHARS = 60;

/** A tool call as far as the guard looks at it. */
export interface JudgedTool {
  readonly tool: Pick<ToolUse, "name" | "canonicalName" | "input">;
  readonly facts: HookInput["facts"];
}

/** Judges a command of a shell. Never throws. */
export function judgeCommand(command: string, context: GuardContext): Judgement {
  const surveyOnce = once(() => survey(context));
  const footprint = footprintOfHarmless(command, context, surveyOnce);
  if (footprint === undefined) return judgeText(command, context, surveyOnce);
  // What is plainly harmless is read whole only for whoever asks what is not known of it.
  const whole = once(() => judgeText(command, context, surveyOnce));
  const known = {
    gaps: () => whole().gaps(),
    hasGaps: () => whole().hasGaps(),
    goesOn: () => whole().goesOn(),
  };
  return { ...ALLOWED, ...known, ...(isEmptyFootprint(footprint) ? {} : { footprint: () => footprint }) };
}

function once<Answer>(ask: () => Answer): () => Answer {
  let answer: { readonly found: Answer } | undefined;
  return () => {
    answer ??= { found: ask() };
    return answer.found;
  };
}

/** Judges a program with words that were already expanded: shims call this. */
export function judgeArgv(argv: readonly string[], context: GuardContext): Judgement {
  return argv.length === 0 ? ALLOWED : judgeWords(argv, context);
}

/** Judges any tool call by the shape of its arguments; what the tool is called only helps to read them. */
export function judgeTool({ tool, facts }: JudgedTool, given: GuardContext): Judgement {
  const context = inDirectory(given, facts.directory);
  const isPowerShell = /^(pwsh|powershell)$/i.test(tool.name);
  if (tool.canonicalName === "Bash" || isPowerShell) {
    // Hosts that have a PowerShell tool of their own name its text as they name that of the shell.
    const command = facts.command ?? stringAt(tool.input, "command") ?? "";
    if (command !== "") return judgeCommand(command, isPowerShell ? { ...context, isPowerShell } : context);
  }
  const shaped = plainFileCall(tool, facts.paths) ?? readShapes(tool.canonicalName, tool.input);
  const source = facts.command ?? facts.paths.join(" ");
  return judgeOrFail(source, inDirectory(context, facts.directory ?? shaped.directory), workspace =>
    judgeShapes(tool, shaped, facts.paths, workspace),
  );
}

/** A call as the embedded guard judged it. */
export interface GuardedCall {
  readonly judgement: Judgement;
  readonly context: GuardContext;
  readonly notices: readonly ConfigNotice[];
}

/** What an engine knows of the session that a call belongs to. */
export type KnownOfSession = Pick<Partial<GuardContext>, "stateHome" | "written" | "facts">;

/** The embedded guard. An engine that keeps a history asks in two steps, and keeps between them. */
export interface GuardHook extends Hook<System> {
  readonly id: "guard";
  run(input: HookInput, system: System, known?: KnownOfSession): Effect | undefined;
  judge(input: InputOf<"tool">, system: System, known?: KnownOfSession): GuardedCall;
  answer(input: InputOf<"tool">, judged: GuardedCall): Effect;
}

/**
 * The guard as a hook to embed elsewhere: by the settings that are given, above those of the machine and its user. It reads
 * their configuration at each call, as the hook program does, and writes nothing.
 */
export function guard(options: GuardOptions = {}): GuardHook {
  const given = toContext(options);
  const told = new Set<string>();
  const judge: GuardHook["judge"] = (input, system, known = {}) => {
    const machine = options.policy === "given" ? undefined : readPolicy(options, system);
    const settings =
      machine === undefined ? given.settings : toSettings({ ...options, settings: machine.settings });
    const context = contextOf(input, system, { ...known, ...given, settings });
    return { judgement: judgeTool(input, context), context, notices: machine?.notices ?? [] };
  };
  const answer: GuardHook["answer"] = ({ tool }, { judgement, notices }) => {
    const { verdict, reason, texts } = judgement;
    const diagnostics = notices.flatMap(notice => tellOnce(notice, told));
    const extras = knowledgeOf(judgement);
    const effect: Effect =
      verdict === "allow" || reason === undefined
        ? { extras, ...sayUnread(tool) }
        : { extras, decision: { kind: verdict, reason, ...(texts === undefined ? {} : { texts }) } };
    if (diagnostics.length === 0) return effect;
    return { ...effect, diagnostics: [...(effect.diagnostics ?? []), ...diagnostics] };
  };
  return {
    id: "guard",
    event: "PreToolUse",
    isJudge: true,
    judge,
    answer,
    run: (input, system, known) =>
      input.kind === "tool" ? answer(input, judge(input, system, known)) : undefined,
  };
}

/** What is known of a call; worked out when somebody reads it, because most agents never do. */
function knowledgeOf(judged: Judgement): JsonObject {
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

/** A tool that looks like a shell and whose arguments are no command was not judged: the agent's author must know. */
function sayUnread({ name, canonicalName, input }: JudgedTool["tool"]): Effect | undefined {
  const members = unreadShell(name, canonicalName, input);
  if (members.length === 0) return undefined;
  const shown = members.slice(0, MAX_SHOWN).map(member => clip(escapeControls(member), MAX_SHOWN_CHARS));
  const detail = `${clip(escapeControls(name), MAX_SHOWN_CHARS)} looks like a shell, and none of its arguments (${shown.join(", ")}) can be read as a command, so it was not judged; call the one that is run "command"`;
  return { diagnostics: [{ code: "tool-unread", severity: "warning", detail }] };
}

/** What the environment and the payload say about the places around a tool call. */
export function contextOf(
  input: Pick<InputOf<"tool">, "cwd">,
  system: System,
  options: Partial<Omit<GuardContext, "system">> = {},
): GuardContext {
  return {
    cwd: findSessionDirectory(system, input.cwd) ?? "/",
    home: findHome(system) ?? "/root",
    processDirectory: system.files.workingDirectory(),
    tmpdir: system.env.get("TMPDIR"),
    user: system.env.get("USER"),
    searchPath: system.env.get("PATH"),
    isShadowed: name => isShadowedIn(system.env, name),
    hasSecretVariables: () => system.env.names().some(name => isSecretVariable(system.env, name)),
    nowMs: system.clock.nowMs(),
    hostFolders: findHostFolders(system.env),
    isLate: isAnswerDue(system),
    ...options,
    system,
  };
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
  const problem = ruleSettingProblem(id, setting, customIds);
  if (problem?.code === "unknown-rule") throw new TypeError(`guard: ${problem.message}`);
}

/** What the options say about the places around a call; what they leave out is for the caller to find. */
export function toContext(options: GuardOptions): Partial<Omit<GuardContext, "system">> {
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
