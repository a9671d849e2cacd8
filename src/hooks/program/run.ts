import { failurePolicyOf } from "../../config/index.ts";
import {
  HOSTS,
  type HostId,
  type HostResponse,
  hookDeadlineMs,
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
  type Effect,
  errorName,
  type FailurePolicy,
  FIELD_NAMES,
  findEvent,
  fold,
  type HookInput,
  isMemoryUsedUp,
  type JsonObject,
  NO_OUTCOME,
  type Normalised,
  type Outcome,
  type Power,
  powerOf,
  STOCK_HOOKS,
  type StockHook,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";
import { findProjectRoot, unseenPlaces, unusablePlaces, VARIABLES } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { OwnHooks, withoutTrustedQuestions, withToolInput } from "../user/own-hooks.ts";
import type { RunHook } from "../user/run-code.ts";
import { findWanted } from "../user/wanted.ts";
import { configurationFor } from "./guard-context.ts";
import { type HookProgram, writeNotice } from "./hook-program.ts";
import { limitTexts } from "./limit-texts.ts";
import { callFacts, type HookRunRecord, logRun, recordRun, telemetryLine } from "./telemetry.ts";

/** What the command line said besides the subcommand. */
export interface HookCall {
  readonly host: HostId | undefined;
  readonly nativeEvent: string | undefined;
}

/** What the engine at hand can do besides the system. */
export interface EngineServices {
  /** evaluates a portable hook of the user's; without it they run in a child on Node */
  readonly runHook?: RunHook;
  /** how `amplihack` is started, where that is known */
  readonly program?: readonly string[];
}

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
  private readonly problems: string[] = [];
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
  private own: OwnHooks | undefined;

  constructor(program: HookProgram, call: HookCall, system: System, services: EngineServices) {
    this.program = program;
    this.call = call;
    this.system = system;
    this.services = services;
    this.startedMs = system.clock.monotonicMs();
    this.event = program.subcommand.event;
    this.nativeEvent = call.nativeEvent ?? this.event;
  }

  async run(): Promise<number> {
    try {
      return await this.receive();
    } catch (error) {
      showStack(error, this.system);
      if (this.own !== undefined) return this.sayWithout(errorName(error));
      const broke = `${this.program.subcommand.hookName} broke: ${errorName(error)}`;
      // A payload that is too much for the engine must not be a way around the guard.
      const wasJudging = this.hasPayload && this.program.isGuard === true && isMemoryUsedUp(error);
      return this.fail(broke, "panic", { wasJudging });
    }
  }

  abandon(reason: string, wasJudging = this.hasPayload): number | undefined {
    if (this.exitCode !== undefined) return undefined;
    if (this.own !== undefined) return this.sayWithout(reason);
    return this.fail(reason, "error", { wasJudging: wasJudging && this.program.isGuard === true });
  }

  answered(): number | undefined {
    return this.exitCode;
  }

  private async receive(): Promise<number> {
    const { program, system } = this;
    if (VARIABLES.AMPLIHACK_SHUTDOWN_IN_PROGRESS.get(system) && program.isGuard !== true)
      return this.say(undefined);
    const received = system.stdio.readInput(INPUT_LIMIT_BYTES);
    // Without input no stop is held; every other hook takes a missing payload for an empty one.
    if (received.kind === "closed" && program.subcommand.event === "Stop") return this.say(undefined);
    if (received.kind === "failed")
      return this.fail(`standard input cannot be read: ${received.code}`, "error");
    if (received.kind === "too-large") {
      const limit = `the payload is larger than ${received.limitBytes} bytes`;
      return this.fail(limit, "error", { forced: program.isGuard === true ? "ask" : undefined });
    }
    const text = received.kind === "closed" ? "" : system.text.decode(received.bytes).text;
    const isBlank = text.replace("\uFEFF", "").trim() === "";
    this.hasPayload = !isBlank;
    const read = normalise(isBlank ? "{}" : text, {
      ...(this.call.host === undefined ? {} : { host: this.call.host }),
      event: this.nativeEvent,
      env: system.env,
    });
    if (read.ok) return this.consider(read.value);
    this.caller = read.host;
    this.event = read.event ?? this.event;
    this.nativeEvent = read.nativeEvent ?? this.nativeEvent;
    this.payload = read.raw ?? this.payload;
    this.place = placeOf(this.payload);
    // An event without a counterpart here, or of another hook, is no failure.
    if (read.code === "too-large")
      return this.fail(read.message, "error", { forced: program.isGuard === true ? "ask" : undefined });
    const isOurs = read.code !== "unmapped-event" && (read.event === undefined || this.isServed());
    return isOurs ? this.fail(read.message, "error") : this.say(undefined);
  }

  private isServed(): boolean {
    return this.program.hook !== undefined && this.program.subcommand.events.includes(this.event);
  }

  private async consider(normalised: Normalised & { readonly host: HostId }): Promise<number> {
    const { program, problems, system } = this;
    this.caller = normalised.host;
    this.nativeEvent = normalised.nativeEvent;
    this.event = findEvent(normalised.event)?.name ?? normalised.event;
    this.payload = normalised.raw;
    this.place = { sessionId: normalised.sessionId ?? undefined, cwd: normalised.cwd ?? undefined };
    if (!program.subcommand.events.includes(this.event)) return this.say(undefined);
    const checked = checkInput(normalised);
    if (program.hook === undefined) return checked.ok ? this.askOwn(checked.input, {}) : this.say(undefined);
    if (!checked.ok) return this.fail(checked.problem, "error");
    this.input = checked.input;
    const unseen = unseenPlaces(system, checked.input.cwd);
    problems.push(...checked.problems, ...unseen);
    for (const text of [...unseen, ...unusablePlaces(system).map(why => `${why}; it counts as unset`)])
      writeNotice(program.subcommand, text, system);
    const effect = await program.hook.run(checked.input, system);
    return this.askOwn(checked.input, effect ?? program.silence ?? {});
  }

  /** The user's hooks are asked after ours, where there is still something to decide. */
  private async askOwn(input: HookInput, effect: Effect): Promise<number> {
    const { program, system } = this;
    const stock = { hook: program.hook?.id ?? program.subcommand.name, effect };
    const notes = this.event === "SessionStart" ? await this.checkOwn(input) : [];
    const isRefused = this.power() !== "none" && effect.decision?.kind === "deny";
    const wanted =
      isRefused || SECOND_HOOKS.has(program.subcommand.name) ? undefined : findWanted(system, input);
    if (wanted === undefined) return this.sayAll([stock, ...notes]);
    if ("problem" in wanted) {
      this.problems.push(wanted.problem);
      writeNotice(program.subcommand, wanted.problem, system);
      return this.sayAll([stock, ...notes]);
    }
    this.input = input;
    this.stock = stock;
    this.own = new OwnHooks(wanted, input, system, this.power());
    const own = await this.own.run(this.ownDeadlineMs(), this.services.runHook);
    const all = [stock, ...notes, ...own];
    return this.sayAll(
      withoutTrustedQuestions([...all, ...(await this.judge(input, all))], program, system, input),
    );
  }

  /** Once a session the user's hooks are looked at: what changed is built, what is not trusted is named. */
  private async checkOwn(input: HookInput): Promise<readonly Contribution[]> {
    const { checkOwnHooks } = await import("../user/session-check.ts");
    const { system, services, program } = this;
    const notes = await checkOwnHooks(input, system, services.program, this.ownDeadlineMs());
    for (const text of notes) writeNotice(program.subcommand, text, system);
    return notes.map(text => ({
      hook: "amplihack.hooks",
      effect: { message: { text: `amplihack: ${text}`, level: "warn" } },
    }));
  }

  /** What will run is what is judged: a hook of the user's may have changed it. */
  private async judge(input: HookInput, all: readonly Contribution[]): Promise<readonly Contribution[]> {
    const { hook } = this.program;
    if (hook?.isJudge !== true || all.every(({ effect }) => effect.input === undefined)) return [];
    const { input: changed } = fold(all, { power: this.power() });
    if (changed === undefined) return [];
    const effect = await hook.run(withToolInput(input, changed), this.system);
    return effect === undefined ? [] : [{ hook: hook.id, effect }];
  }

  private ownDeadlineMs(): number {
    const { name } = this.program.subcommand;
    return this.startedMs + hookDeadlineMs(this.host(), name, this.event) - RESERVE_MS;
  }

  private power(): Power {
    return powerOf(describeEvent(this.event), this.payload);
  }

  /** The users' hooks did not come back: ours stands, and so does what they had said. */
  private sayWithout(reason: string): number {
    const own = this.own?.abandon(reason) ?? [];
    return this.sayAll(this.stock === undefined ? own : [this.stock, ...own]);
  }

  private say(effect: Effect | undefined): number {
    const { program } = this;
    const hook = program.hook?.id ?? program.subcommand.name;
    return this.sayAll([{ hook, effect: effect ?? program.silence ?? {} }]);
  }

  private sayAll(all: readonly Contribution[]): number {
    const { program, event, nativeEvent, payload, system } = this;
    const outcome = fold(
      all.map(one => ({ ...one, effect: limitTexts(one.effect) })),
      { power: this.power() },
    );
    for (const { code, detail, hook } of outcome.diagnostics)
      if (code === "hook-problem" && hook !== program.hook?.id)
        writeNotice(program.subcommand, detail, system);
    const isHeadless = HOSTS[this.host()].isHeadless?.(this.system.env) === true;
    const given = render(this.host(), { event, nativeEvent, outcome, payload, isHeadless });
    return this.answer(given, "ok", outcome);
  }

  private fail(
    reason: string,
    result: "error" | "panic",
    options: { readonly forced?: FailurePolicy | undefined; readonly wasJudging?: boolean } = {},
  ): number {
    const { event, nativeEvent, payload } = this;
    this.problems.push(reason);
    const chosen = options.forced ?? this.choosePolicy();
    const policy = options.wasJudging === true && chosen === "open" ? "ask" : chosen;
    const given = renderFailure(this.host(), { event, nativeEvent, policy, reason, payload });
    const stderr = joinLines([given.stderr, errorBlock(this.program.subcommand.hookName, result)]);
    return this.answer({ ...given, stderr }, result, NO_OUTCOME, policy === "open" ? undefined : reason);
  }

  /** Only where a hook can stop something does it matter that it could not run. */
  private choosePolicy(): FailurePolicy {
    const { program, problems, system } = this;
    if (this.power() !== "veto" || program.hook === undefined) return "open";
    try {
      const loaded = configurationFor(system, this.input?.cwd);
      if (loaded === undefined) return "open";
      problems.push(...loaded.notices.map(notice => notice.message));
      return failurePolicyOf(loaded.config, program.subcommand.name);
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
    refusal = refusalOf(outcome),
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
      ...callFacts(this.input, outcome),
      own: outcome.runs,
    };
    if (program.hook !== undefined) logRun(record, Object.keys(this.payload), given, system);
    const notes = recordRun(record, system);
    system.stdio.writeError(
      joinLines([
        given.stderr,
        isLost ? refusal : "",
        ...outcomeNotes(outcome),
        ...notes,
        telemetryLine(record),
      ]),
    );
    return exitCode;
  }
}

/** Of a payload that was not understood. */
function placeOf(payload: JsonObject) {
  const text = (names: readonly string[]) => stringAt(payload, ...names);
  return { sessionId: text(FIELD_NAMES.sessionId), cwd: text(FIELD_NAMES.cwd) };
}

/** Why something does not go on, or not without consent. */
function refusalOf({ decision }: Outcome): string | undefined {
  return decision.kind === "deny" || decision.kind === "ask" ? (decision.reason ?? "refused") : undefined;
}

function joinLines(parts: readonly string[]): string {
  return parts
    .map(part => part.trimEnd())
    .filter(part => part !== "")
    .map(part => `${part}\n`)
    .join("");
}

/** Where the failure is to be found; what it is stands before it, in the words the host gets. */
function errorBlock(hookName: string, severity: "error" | "panic"): string {
  const level = severity === "panic" ? "fatal" : "error";
  return `amplihack ${hookName}: ${level}; log: .claude/runtime/logs/${hookName}.log`;
}

/** Our hooks tell their own problems on stderr as they meet them; these only go into the records. */
function isHookProblem(diagnostic: Diagnostic): boolean {
  return diagnostic.code === "hook-problem";
}

function outcomeNotes(outcome: Outcome): readonly string[] {
  return outcome.diagnostics
    .filter(one => one.severity !== "info" && !isHookProblem(one))
    .map(one => `${one.code}: ${one.detail}`);
}

/** The stack is for those who ask for it: it may quote a payload. */
function showStack(error: unknown, system: System): void {
  // Not every engine puts the message at the head of the stack, or keeps one at all.
  if (VARIABLES.AMPLIHACK_DEBUG.get(system) && error instanceof Error)
    system.stdio.writeError(`${error}\n${error.stack ?? ""}\n`);
}
