import { failurePolicyOf } from "../config/index.ts";
import type { HostId } from "../hosts/descriptors.ts";
import { normalise } from "../hosts/normalise.ts";
import { recognise } from "../hosts/recognise.ts";
import { type HostResponse, render } from "../hosts/render.ts";
import { renderFailure } from "../hosts/render-failure.ts";
import { errorName } from "../protocol/error-text.ts";
import {
  checkInput,
  type Diagnostic,
  describeEvent,
  type Effect,
  type FailurePolicy,
  findEvent,
  fold,
  type HookInput,
  type JsonObject,
  NO_OUTCOME,
  type Normalised,
  type Outcome,
  powerOf,
} from "../protocol/index.ts";
import { stringsAt } from "../protocol/members.ts";
import { findProjectRoot, unseenPlaces, unusablePlaces, VARIABLES } from "../state/index.ts";
import type { System } from "../system/system.ts";
import { configurationFor } from "./configuration.ts";
import { type HookProgram, writeNotice } from "./hook-program.ts";
import { type HookRunRecord, logRun, recordRun, telemetryLine } from "./telemetry.ts";

/** What the command line said besides the subcommand. */
export interface HookCall {
  readonly host: HostId | undefined;
  readonly nativeEvent: string | undefined;
}

export const INPUT_LIMIT_BYTES = 10 * 1024 * 1024;
const REFUSAL_EXIT = 2;
const REASON_LIMIT = 4_000;
const CONTEXT_LIMIT = 100_000;

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

export function openRun(program: HookProgram, call: HookCall, system: System): HookRun {
  return new ProgramRun(program, call, system);
}

class ProgramRun implements HookRun {
  private readonly program: HookProgram;
  private readonly call: HookCall;
  private readonly system: System;
  private readonly startedMs: number;
  private readonly problems: string[] = [];
  private caller: HostId | undefined;
  private event: string;
  private nativeEvent: string;
  private payload: JsonObject = {};
  private input: HookInput | undefined;
  private exitCode: number | undefined;

  constructor(program: HookProgram, call: HookCall, system: System) {
    this.program = program;
    this.call = call;
    this.system = system;
    this.startedMs = system.clock.monotonicMs();
    this.event = program.subcommand.event;
    this.nativeEvent = call.nativeEvent ?? this.event;
  }

  async run(): Promise<number> {
    try {
      return await this.receive();
    } catch (error) {
      showStack(error, this.system);
      return this.fail(`${this.program.subcommand.hookName} broke: ${errorName(error)}`, "panic");
    }
  }

  abandon(reason: string, wasJudging = this.input !== undefined): number | undefined {
    if (this.exitCode !== undefined) return undefined;
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
    // An event without a counterpart here, or of another hook, is no failure.
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
    if (program.hook === undefined || !this.isServed()) return this.say(undefined);
    const checked = checkInput(normalised);
    if (!checked.ok) return this.fail(checked.problem, "error");
    this.input = checked.input;
    const unseen = unseenPlaces(system, checked.input.cwd);
    problems.push(...checked.problems, ...unseen);
    for (const text of [...unseen, ...unusablePlaces(system).map(why => `${why}; it counts as unset`)])
      writeNotice(program.subcommand, text, system);
    return this.say(await program.hook.run(checked.input, system));
  }

  private say(effect: Effect | undefined): number {
    const { program, event, nativeEvent, payload } = this;
    const said = limitTexts(effect ?? program.silence ?? {});
    const hook = program.hook?.id ?? program.subcommand.name;
    const outcome = fold([{ hook, effect: said }], { power: powerOf(describeEvent(event), payload) });
    return this.answer(render(this.host(), { event, nativeEvent, outcome, payload }), "ok", outcome);
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
    const power = powerOf(describeEvent(this.event), this.payload);
    if (power !== "veto" || program.hook === undefined) return "open";
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
    const { program, problems, system, input } = this;
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
      sessionId: input?.sessionId,
      project: findProjectRoot(system, input?.cwd),
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

function limitTexts(effect: Effect): Effect {
  const { decision, context } = effect;
  return {
    ...effect,
    ...(decision?.reason === undefined
      ? {}
      : { decision: { ...decision, reason: cut(decision.reason, REASON_LIMIT) } }),
    ...(context === undefined ? {} : { context: cut(context, CONTEXT_LIMIT) }),
  };
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
