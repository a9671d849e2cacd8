import { keepGoodConfig, resolveFailurePolicy } from "../../config/index.ts";
import {
  DEFAULT_HOST,
  HOSTS,
  type HostId,
  type HostResponse,
  hookDeadlineMs,
  type NormaliseResult,
  normalise,
  recognise,
  render,
  renderFailure,
} from "../../hosts/index.ts";
import {
  type Contribution,
  checkInput,
  type Diagnostic,
  describeEvent,
  errorName,
  errorText,
  type FailurePolicy,
  FIELD_NAMES,
  findEvent,
  fold,
  type HookInput,
  isMemoryUsedUp,
  type JsonObject,
  NO_OUTCOME,
  type Outcome,
  type Power,
  powerOf,
  STOCK_HOOKS,
  type StockHook,
  stringAt,
  stringsAt,
  type VerdictKind,
} from "../../protocol/index.ts";
import {
  findHome,
  findProjectRoot,
  findStateHome,
  localTimestamp,
  runtimePath,
  unseenPlaces,
  unusablePlaces,
  VARIABLES,
} from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { clip, escapeControls } from "../../text/index.ts";
import type { RunHook } from "../user/run-code.ts";
import { UserHooks, withoutTrustedQuestions, withToolInput } from "../user/user-hooks.ts";
import { findWanted } from "../user/wanted.ts";
import { type Degraded, openDegraded } from "./degraded.ts";
import { forgetGiven, readGiven } from "./grants.ts";
import { configurationFor } from "./guard-context.ts";
import { type HookProgram, writeNotice } from "./hook-program.ts";
import { limitTexts } from "./limit-texts.ts";
import { callFacts, type HookRunRecord, logRun, recordRun, telemetryLine } from "./telemetry.ts";

/** What the command line said besides the subcommand. */
export interface HookCall {
  readonly host: HostId | undefined;
  readonly nativeEvent: string | undefined;
  /** how long the host waits, where that is more than usual */
  readonly limitSeconds?: number | undefined;
}

/** What the engine at hand can do besides the system. */
export interface EngineServices {
  /** evaluates a portable hook of the user's; without it they run in a child on Node */
  readonly runHook?: RunHook;
  /** takes the answer that is given should this process crash from here on; without it a crash is answered by nobody */
  readonly keepAnswer?: (answer: HostResponse) => void;
  /** how `amplihack` is started, where that is known */
  readonly program?: readonly string[];
}

/** What is said when the engine did not come back. */
export const CRASHED = "the engine crashed or gave no answer in time";

export const INPUT_LIMIT_BYTES = 10 * 1024 * 1024;
const REFUSAL_EXIT = 2;

/** A run that answers exactly once, by `run` or, when time is up or the process is told to end, by `abandon`. */
export interface HookRun {
  run(): Promise<number>;
  /**
   * Answers by the failure policy if nothing was answered yet; the exit code, or undefined when too late. A guard
   * that was judging asks at least: neither time nor a crash may be a way around it.
   */
  abandon(reason: string, wasJudging?: boolean): number | undefined;
  /** The exit code that goes with the answer; undefined before there is one. */
  answered(): number | undefined;
}

export function openRun(
  program: HookProgram,
  call: HookCall,
  system: System,
  services: EngineServices = {},
): HookRun {
  return new ProgramRun(program, call, system, services);
}

/** Depth, size and members of what an agent wrote for a tool: no fault of the host's. */
const CONTROLLED_BY_AGENTS: ReadonlySet<string> = new Set(["too-large", "too-deep", "hidden-member"]);
/** Kept from the time of all hooks for the judge and the answer. */
const RESERVE_MS = 500;
const SECOND_HOOKS: ReadonlySet<string> = new Set(
  STOCK_HOOKS.filter((hook: StockHook) => hook.isSecond === true).map(hook => hook.name),
);

class ProgramRun implements HookRun {
  private readonly program: HookProgram;
  private readonly call: HookCall;
  private readonly system: System;
  private readonly services: EngineServices;
  private readonly startedMs: number;
  private limitMs: number | undefined;
  private readonly problems: string[] = [];
  /** those of them that are no fault of the payload: the person hears of them */
  private readonly degradations: string[] = [];
  /** what modules further down said of themselves, before the answer and after it */
  private readonly complaints: string[] = [];
  private caller: HostId | undefined;
  private event: string;
  private nativeEvent: string;
  private payload: JsonObject = {};
  private input: HookInput | undefined;
  /** what the payload says of itself: the records name it whether or not a hook serves the event */
  private place: { readonly sessionId: string | undefined; readonly cwd: string | undefined } | undefined;
  /** there is something to be judged, whatever becomes of the reading of it */
  private hasPayload = false;
  private exitCode: number | undefined;
  /** what our own hook said, while the user's hooks run: it stands whatever they do */
  private stock: Contribution | undefined;
  private own: UserHooks | undefined;
  private degraded: Degraded | undefined;

  constructor(program: HookProgram, call: HookCall, system: System, services: EngineServices) {
    this.program = program;
    this.call = call;
    const { clock } = system;
    this.startedMs = clock.monotonicMs();
    this.system = {
      ...system,
      clock: { ...clock, answerInMs: () => this.answerByMs() - RESERVE_MS - clock.monotonicMs() },
      onComplaint: text => this.complaints.push(text),
      leavesProjectsAlone: () => (this.caller ?? DEFAULT_HOST) !== DEFAULT_HOST,
    };
    this.services = services;
    this.event = program.subcommand.event;
    this.nativeEvent = call.nativeEvent ?? this.event;
  }

  async run(): Promise<number> {
    try {
      const text = this.readText();
      if (typeof text === "number") return text;
      const input = this.understand(text);
      if (typeof input === "number") return input;
      const stock = await this.judge(input);
      const all = await this.consultUsersHooks(input, stock);
      return this.sayAll(all);
    } catch (error) {
      showStack(error, this.system);
      if (this.own !== undefined) return this.answerWithoutUserHooks(errorName(error));
      // A payload that is too much for the engine must not be a way around the guard.
      const isTooMuch = this.hasPayload && isMemoryUsedUp(error);
      return this.fail(
        `${this.program.subcommand.hookName} broke: ${errorName(error)}`,
        "panic",
        isTooMuch ? "at least" : "by policy",
      );
    }
  }

  abandon(reason: string, wasJudging = this.hasPayload): number | undefined {
    if (this.exitCode !== undefined) return undefined;
    return this.own === undefined
      ? this.fail(reason, "error", wasJudging ? "at least" : "by policy")
      : this.answerWithoutUserHooks(reason);
  }

  answered(): number | undefined {
    return this.exitCode;
  }

  /** The payload's text, or the exit code of an answer that was given without it. */
  private readText(): string | number {
    const { program, system } = this;
    if (VARIABLES.AMPLIHACK_SHUTDOWN_IN_PROGRESS.get(system) && program.isGuard !== true)
      return this.staySilent();
    const received = system.stdio.readInput(INPUT_LIMIT_BYTES);
    // Without input no stop is held; every other hook takes a missing payload for an empty one.
    if (received.kind === "closed" && program.subcommand.event === "Stop") return this.staySilent();
    if (received.kind === "failed")
      return this.fail(`standard input cannot be read: ${received.code}`, "error");
    if (received.kind === "too-large")
      return this.fail(`the payload is larger than ${received.limitBytes} bytes`, "error", "always");
    // Before it is decoded, which may already be too much for the memory.
    this.hasPayload = received.kind !== "closed" && received.bytes.length > 0;
    const text = received.kind === "closed" ? "" : system.text.decode(received.bytes).text;
    this.hasPayload = /\S/.test(text);
    return this.hasPayload ? text : "{}";
  }

  /** The payload in our words, or the exit code of an answer that says what is wrong with it. */
  private understand(text: string): HookInput | number {
    const { program, problems, system } = this;
    const read = normalise(text, {
      ...(this.call.host === undefined ? {} : { host: this.call.host }),
      ...(program.isGuard === true ? { expects: program.subcommand.event } : {}),
      event: this.nativeEvent,
      env: system.env,
    });
    if (!read.ok) return this.refuse(read);
    const { value } = read;
    this.caller = value.host;
    this.nativeEvent = value.nativeEvent;
    this.event = findEvent(value.event)?.name ?? value.event;
    this.payload = value.raw;
    this.place = { sessionId: value.sessionId ?? undefined, cwd: value.cwd ?? undefined };
    if (!program.subcommand.events.includes(this.event)) return this.staySilent();
    const checked = checkInput(value);
    if (!checked.ok) {
      if (program.hook === undefined) return this.staySilent();
      // What an agent writes for a tool is no fault of the host's: what cannot be read is asked about.
      const isAbsent = value.warnings.some(
        one => one.code === "missing-tool-input" && one.field === undefined,
      );
      return this.fail(checked.problem, "error", isAbsent ? "by policy" : "at least");
    }
    this.input = checked.input;
    problems.push(...checked.problems);
    return checked.input;
  }

  private refuse(read: Extract<NormaliseResult, { readonly ok: false }>): number {
    const { program } = this;
    this.caller = read.host;
    this.event = read.event ?? this.event;
    this.nativeEvent = read.nativeEvent ?? this.nativeEvent;
    this.payload = read.raw ?? this.payload;
    this.place = readSessionAndFolder(this.payload);
    if (CONTROLLED_BY_AGENTS.has(read.code))
      return this.fail(read.message, "error", read.code === "too-large" ? "always" : "at least");
    if (program.isGuard === true && read.code === "unmapped-event")
      return this.fail("no tool call was found in the payload", "error");
    // An event without a counterpart here, or of another hook, is no failure.
    const isServed = program.hook !== undefined && program.subcommand.events.includes(this.event);
    const isOurs = read.code !== "unmapped-event" && (read.event === undefined || isServed);
    return isOurs ? this.fail(read.message, "error") : this.staySilent();
  }

  /** What our own hook says. */
  private async judge(input: HookInput): Promise<Contribution> {
    const { program, problems, system } = this;
    const { hook, silence = {}, subcommand } = program;
    if (hook === undefined) return { hook: subcommand.name, effect: {} };
    const unseen = unseenPlaces(system, input.cwd);
    problems.push(...unseen);
    this.degradations.push(...unseen);
    const unusable = unusablePlaces(system).map(why => `${why}; it is treated as not set`);
    this.degradations.push(...unusable);
    for (const text of [...unseen, ...unusable]) writeNotice(subcommand, text, system);
    return { hook: hook.id, effect: (await hook.run(input, system)) ?? silence };
  }

  /** The users' hooks are asked after ours, where there is still something to decide. */
  private async consultUsersHooks(input: HookInput, stock: Contribution): Promise<readonly Contribution[]> {
    const { program, system } = this;
    const isStart = this.event === "SessionStart";
    const notes = isStart ? [...(await this.checkUsersHooks(input))] : [];
    if (isStart) {
      const { configurationProblems } = await import("./check-configuration.ts");
      this.degradations.push(...configurationProblems(system, input.cwd));
    }
    if (isStart) notes.unshift(...this.showGiven());
    const isRefused = this.power() !== "none" && stock.effect.decision?.kind === "deny";
    const wanted =
      isRefused || SECOND_HOOKS.has(program.subcommand.name) ? undefined : findWanted(system, input);
    if (wanted === undefined) return [stock, ...notes];
    if ("problem" in wanted) {
      this.problems.push(wanted.problem);
      this.degradations.push(wanted.problem);
      writeNotice(program.subcommand, wanted.problem, system);
      return [stock, ...notes];
    }
    this.stock = stock;
    this.own = new UserHooks(wanted, input, system, this.power());
    const own = await this.own.run(this.ownDeadlineMs(), this.runHook());
    const all = [stock, ...notes, ...own];
    const again = await this.judgeChanged(input, all);
    // A yes of ours is for the input that it was given for.
    const first = again === undefined ? all : [withoutYes(stock), ...notes, ...own];
    return withoutTrustedQuestions([...first, ...(again ?? [])], program, system, input);
  }

  /** What was permitted since the last session is the first thing that this one shows: nobody else did it unseen. */
  private showGiven(): readonly Contribution[] {
    const { system, program } = this;
    const stateHome = findStateHome(system);
    const given = stateHome === undefined ? [] : readGiven(system, stateHome);
    if (stateHome === undefined || given.length === 0) return [];
    program.tasks?.push(() => {
      forgetGiven(system, stateHome, given);
      return [];
    });
    const shown = given.map(
      ({ command, host, givenMs }) =>
        `\`${escapeControls(clip(command, 80))}\`${host === undefined ? "" : ` in ${host}`}, ${localTimestamp(givenMs).slice(0, 16).replace("T", " ")}`,
    );
    const text = `amplihack: permitted since the last session: ${shown.join("; ")}. If that was not you: amplihack guard log`;
    return [{ hook: "amplihack.grants", effect: { message: { text, level: "warn" } } }];
  }

  /** Once a session the user's hooks are looked at: what changed is built, what is not trusted is named. */
  private async checkUsersHooks(input: HookInput): Promise<readonly Contribution[]> {
    const { checkUserHooks } = await import("../user/session-check.ts");
    const { system, services, program } = this;
    const notes = await checkUserHooks(input, system, services.program, this.ownDeadlineMs());
    for (const text of notes) writeNotice(program.subcommand, text, system);
    return notes.map(text => ({
      hook: "amplihack.hooks",
      effect: { message: { text: `amplihack: ${text}`, level: "warn" } },
    }));
  }

  /** What will run is what is judged: a hook of the user's may have changed it. Undefined where none has. */
  private async judgeChanged(
    input: HookInput,
    all: readonly Contribution[],
  ): Promise<readonly Contribution[] | undefined> {
    const { hook } = this.program;
    if (hook?.isJudge !== true || all.every(({ effect }) => effect.input === undefined)) return undefined;
    const { input: changed } = fold(all, { power: this.power() });
    if (changed === undefined) return undefined;
    this.keepAnswer();
    const effect = await hook.run(withToolInput(input, changed), this.system);
    return effect === undefined ? [] : [{ hook: hook.id, effect }];
  }

  private ownDeadlineMs(): number {
    return this.answerByMs() - RESERVE_MS;
  }

  /** The host's own limit: the only clock, by the monotonic one. */
  private answerByMs(): number {
    this.limitMs ??= hookDeadlineMs(
      this.host(),
      this.program.subcommand.name,
      this.event,
      this.call.limitSeconds,
    );
    return this.startedMs + this.limitMs;
  }

  private power(): Power {
    return powerOf(describeEvent(this.event), this.payload);
  }

  /** Our answer is encoded before foreign code runs in this process: a crash of it takes nothing back. */
  private runHook(): RunHook | undefined {
    const { runHook } = this.services;
    if (runHook === undefined) return undefined;
    return (...request) => {
      this.keepAnswer();
      return runHook(...request);
    };
  }

  private keepAnswer(): void {
    const { keepAnswer } = this.services;
    if (keepAnswer !== undefined) keepAnswer(this.encode(this.withoutUserHooks(CRASHED)).given);
  }

  /** The users' hooks did not come back: ours stands, and so does what they had said. */
  private answerWithoutUserHooks(reason: string): number {
    return this.sayAll(this.withoutUserHooks(reason));
  }

  private withoutUserHooks(reason: string): readonly Contribution[] {
    const own = this.own?.abandon(reason) ?? [];
    return this.stock === undefined ? own : [this.stock, ...own];
  }

  private staySilent(): number {
    const { hook, silence = {}, subcommand } = this.program;
    return this.sayAll([{ hook: hook?.id ?? subcommand.name, effect: silence }]);
  }

  private sayAll(all: readonly Contribution[]): number {
    const { program, system } = this;
    const { outcome, given, degraded, told } = this.encode(all);
    for (const { code, detail, hook } of outcome.diagnostics)
      if (code === "hook-problem" && hook !== program.hook?.id)
        writeNotice(program.subcommand, detail, system);
    this.complaints.length = 0;
    this.degraded = degraded;
    return this.answer(given, "ok", told);
  }

  /** The answer in the host's words. Nothing is said or noted yet. */
  private encode(all: readonly Contribution[]) {
    const { event, nativeEvent, payload, system } = this;
    const outcome = fold(
      all.map(one => ({ ...one, effect: limitTexts(one.effect) })),
      { power: this.power() },
    );
    const degraded = openDegraded(system, (this.input ?? this.place)?.sessionId, [
      ...this.degradations,
      ...this.complaints,
      ...outcome.diagnostics.filter(isDegradation).map(one => one.detail),
    ]);
    const told = degraded.message === undefined ? outcome : withMessage(outcome, degraded.message);
    const isHeadless = HOSTS[this.host()].isHeadless?.(system.env) === true;
    const given = render(this.host(), { event, nativeEvent, outcome: told, payload, isHeadless });
    return { outcome, degraded, told, given };
  }

  /**
   * Of a guard: what an agent controls is asked about, whatever the policy says; where there was something to judge,
   * it is asked about at least.
   */
  private fail(
    reason: string,
    result: "error" | "panic",
    asks: "by policy" | "at least" | "always" = "by policy",
  ): number {
    const { event, nativeEvent, payload, program } = this;
    this.problems.push(reason);
    const chosen = this.choosePolicy();
    const isAsked = asks === "always" || (asks === "at least" && chosen === "open");
    const policy = isAsked && program.isGuard === true ? "ask" : chosen;
    const given = renderFailure(this.host(), { event, nativeEvent, policy, reason, payload });
    const { hookName } = program.subcommand;
    const project = findProjectRoot(this.system, (this.input ?? this.place)?.cwd);
    const log = runtimePath(this.system, project, "logs", `${hookName}.log`);
    // Where the failure is to be found; what it is stands before it, in the words the host gets.
    const told = `amplihack ${hookName}: ${result === "panic" ? "fatal" : "error"}; log: ${log}`;
    const stderr = joinLines([given.stderr, told]);
    return this.answer({ ...given, stderr }, result, NO_OUTCOME, policy === "open" ? undefined : reason);
  }

  /** Only where a hook can stop something does it matter that it could not run. */
  private choosePolicy(): FailurePolicy {
    const { program, problems, system } = this;
    if (this.power() !== "veto" || program.hook === undefined || program.leavesToPerson === true)
      return "open";
    try {
      const loaded = configurationFor(system, this.input?.cwd);
      if (loaded === undefined) return "open";
      problems.push(...loaded.notices.map(notice => notice.message));
      return resolveFailurePolicy(loaded.config, program.subcommand.name);
    } catch (error) {
      problems.push(`cannot read the failure policy: ${errorName(error)}`);
      return "open";
    }
  }

  /** Before the payload was read the environment says who is calling. */
  private host(): HostId {
    this.caller ??= recognise(undefined, this.system.env, this.call.host);
    return this.caller;
  }

  private answer(
    given: HostResponse,
    result: HookRunRecord["result"],
    outcome: Outcome,
    refusal = refusalReason(outcome),
  ): number {
    if (this.exitCode !== undefined) return this.exitCode;
    const { program, problems, system } = this;
    const { sessionId, cwd } = this.input ?? this.place ?? {};
    const output = given.stdout === "" ? "written" : system.stdio.writeOutput(given.stdout);
    // A refusal that nobody can read must not pass for consent: hosts take this exit code for a refusal, too.
    const isLost = output !== "written" && refusal !== undefined;
    const exitCode = isLost ? REFUSAL_EXIT : given.exitCode;
    this.exitCode = exitCode;
    if (typeof output === "object") problems.push(`cannot write the answer: ${output.code}`);
    const late = this.doAfterAnswer(outcome.decision.kind);
    this.keepGood();
    problems.push(...outcome.diagnostics.filter(isHookProblem).map(one => one.detail));
    const record: HookRunRecord = {
      hook: program.subcommand.hookName,
      durationMs: system.clock.monotonicMs() - this.startedMs,
      result: result === "ok" && problems.length > 0 ? "error" : result,
      error: problems.length === 0 ? undefined : problems.join("; "),
      host: this.host(),
      event: this.event,
      decision: outcome.decision.kind,
      // Rule ids that a guard put beside its verdict.
      rules: stringsAt(outcome.extras, "rules"),
      sessionId,
      project: findProjectRoot(system, cwd),
      answered: outcome.decision.kind === "allow" ? stringAt(outcome.extras, "answered") : undefined,
      ...callFacts(this.input, outcome),
      own: outcome.runs,
    };
    if (program.hook !== undefined) logRun(record, Object.keys(this.payload), given, system);
    const notes = recordRun(record, system);
    const unsaid = [...late.filter(isDegradation).map(one => one.detail), ...notes, ...this.complaints];
    this.degraded?.remember(unsaid);
    system.stdio.writeError(
      joinLines([
        given.stderr,
        isLost ? refusal : "",
        ...listNotes([...outcome.diagnostics, ...late]),
        ...notes.map(note => `amplihack: ${note}`),
        telemetryLine(record),
      ]),
    );
    return exitCode;
  }

  /** Where a turn begins, the configuration is kept as it is, for the time when it cannot be read. */
  private keepGood(): void {
    if (this.event !== "SessionStart" && this.event !== "UserPromptSubmit") return;
    const { system } = this;
    const [home, stateHome] = [findHome(system), findStateHome(system)];
    if (home === undefined || stateHome === undefined) return;
    try {
      keepGoodConfig(system, { home, stateHome, projectRoot: findProjectRoot(system, this.input?.cwd) });
    } catch (error) {
      this.problems.push(`the configuration was not kept: ${errorText(error)}`);
    }
  }

  /** Records of our own hook, which no answer waits for. What goes wrong with them is told, no more. */
  private doAfterAnswer(decision: VerdictKind): readonly Diagnostic[] {
    const tasks = this.program.tasks?.splice(0) ?? [];
    return tasks.flatMap(task => {
      try {
        return task(decision);
      } catch (error) {
        return [{ code: "record", severity: "warning", detail: errorText(error) }];
      }
    });
  }
}

function withoutYes({ hook, effect }: Contribution): Contribution {
  const { decision, extras, ...rest } = effect;
  return { hook, effect: decision?.kind === "allow" ? rest : effect };
}

/** Of a payload that was not understood. */
function readSessionAndFolder(payload: JsonObject) {
  const text = (names: readonly string[]) => stringAt(payload, ...names);
  return { sessionId: text(FIELD_NAMES.sessionId), cwd: text(FIELD_NAMES.cwd) };
}

/** Why something does not go on, or not without consent. */
function refusalReason({ decision }: Outcome): string | undefined {
  return decision.kind === "deny" || decision.kind === "ask" ? (decision.reason ?? "refused") : undefined;
}

function joinLines(parts: readonly string[]): string {
  return parts
    .map(part => part.trimEnd())
    .filter(part => part !== "")
    .map(part => `${part}\n`)
    .join("");
}

/** Our hooks tell their own problems on stderr as they meet them; these only go into the records. */
function isHookProblem(diagnostic: Diagnostic): boolean {
  return diagnostic.code === "hook-problem";
}

/** What a project or a policy may not do is no fault, and a key that nobody knows takes nothing away. */
function isDegradation({ code, severity }: Diagnostic): boolean {
  return severity !== "info" && code !== "config-loosening" && code !== "config-unknown-key";
}

function withMessage(outcome: Outcome, text: string): Outcome {
  return { ...outcome, messages: [...outcome.messages, { hook: "amplihack", text, level: "warn" }] };
}

function listNotes(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics
    .filter(one => one.severity !== "info" && !isHookProblem(one))
    .map(one => `${one.code}: ${one.detail}`);
}

/** The stack is for those who ask for it: it may quote a payload. */
function showStack(error: unknown, system: System): void {
  // Not every engine puts the message at the head of the stack, or keeps one at all.
  if (VARIABLES.AMPLIHACK_DEBUG.get(system) && error instanceof Error)
    system.stdio.writeError(`${error}\n${error.stack ?? ""}\n`);
}
