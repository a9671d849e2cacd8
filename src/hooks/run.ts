import { failurePolicyOf } from "../config/index.ts";
import type { HostId } from "../hosts/descriptors.ts";
import { normalise } from "../hosts/normalise.ts";
import { recognise } from "../hosts/recognise.ts";
import { type HostResponse, render } from "../hosts/render.ts";
import { renderFailure } from "../hosts/render-failure.ts";
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
import { findProjectRoot, unseenPlaces, unusablePlaces } from "../state/index.ts";
import type { System } from "../system/system.ts";
import { configurationFor, type HookProgram, tell } from "./hook-program.ts";
import { isShuttingDown } from "./shutdown.ts";
import { logRun, type RunRecord, recordRun, telemetryLine } from "./telemetry.ts";

/** What the command line said besides the subcommand. */
export interface HookCall {
  readonly host: HostId | undefined;
  readonly nativeEvent: string | undefined;
}

export const INPUT_LIMIT_BYTES = 10 * 1024 * 1024;
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
  const startedMs = system.clock.monotonicMs();
  const { subcommand } = program;
  const problems: string[] = [];
  let caller: HostId | undefined;
  let nativeEvent = call.nativeEvent ?? subcommand.event;
  let event = subcommand.event;
  let payload: JsonObject = {};
  let input: HookInput | undefined;
  let exitCode: number | undefined;

  /** Before the payload was read the environment says who is calling. */
  function hostId(): HostId {
    caller ??= recognise(undefined, system.env, call.host);
    return caller;
  }

  function answer(given: HostResponse, result: RunRecord["result"], outcome: Outcome): number {
    if (exitCode !== undefined) return exitCode;
    exitCode = given.exitCode;
    const output = given.stdout === "" ? "written" : system.stdio.writeOutput(given.stdout);
    if (typeof output === "object") problems.push(`cannot write the answer: ${output.code}`);
    problems.push(...outcome.diagnostics.filter(isHookProblem).map(one => one.detail));
    const record: RunRecord = {
      hook: subcommand.hookName,
      durationMs: system.clock.monotonicMs() - startedMs,
      result: result === "ok" && problems.length > 0 ? "error" : result,
      error: problems.length === 0 ? undefined : problems.join("; "),
      host: hostId(),
      event,
      decision: outcome.decision.kind,
      rules: rulesOf(outcome),
      sessionId: input?.sessionId,
      project: findProjectRoot(system, input?.cwd),
    };
    if (program.hook !== undefined) logRun(record, Object.keys(payload), given, system);
    const notes = recordRun(record, system);
    system.stdio.writeError(stderrText([given.stderr, ...outcomeNotes(outcome), ...notes], record));
    return exitCode;
  }

  function fail(
    reason: string,
    result: "error" | "panic",
    {
      forced,
      wasJudging = false,
    }: { readonly forced?: FailurePolicy | undefined; readonly wasJudging?: boolean } = {},
  ): number {
    problems.push(reason);
    const chosen = forced ?? choosePolicy();
    const policy = wasJudging && chosen === "open" ? "ask" : chosen;
    const given = renderFailure(hostId(), { event, nativeEvent, policy, reason, payload });
    return answer(
      { ...given, stderr: joinLines([given.stderr, errorBlock(subcommand.hookName, result)]) },
      result,
      NO_OUTCOME,
    );
  }

  /** Only where a hook can stop something does it matter that it could not run. */
  function choosePolicy(): FailurePolicy {
    const power = powerOf(describeEvent(event), payload);
    if (power !== "veto" || program.hook === undefined) return "open";
    try {
      const loaded = configurationFor(system, input?.cwd);
      if (loaded === undefined) return "open";
      problems.push(...loaded.notices.map(notice => notice.message));
      return failurePolicyOf(loaded.config, subcommand.name);
    } catch (error) {
      problems.push(`cannot read the failure policy: ${nameOf(error)}`);
      return "open";
    }
  }

  function say(effect: Effect | undefined): number {
    const said = clip(effect ?? program.silence ?? {});
    const outcome = fold([{ hook: program.hook?.id ?? subcommand.name, effect: said }], {
      power: powerOf(describeEvent(event), payload),
    });
    return answer(render(hostId(), { event, nativeEvent, outcome, payload }), "ok", outcome);
  }

  async function receive(): Promise<number> {
    if (isShuttingDown(system) && program.isGuard !== true) return say(undefined);
    const received = system.stdio.readInput(INPUT_LIMIT_BYTES);
    // With nobody there to hear it no stop is held; every other hook takes a missing payload for an empty one.
    if (received.kind === "closed" && subcommand.event === "Stop") return say(undefined);
    if (received.kind === "failed") return fail(`standard input cannot be read: ${received.code}`, "error");
    if (received.kind === "too-large") {
      const limit = `the payload is larger than ${received.limitBytes} bytes`;
      return fail(limit, "error", { forced: program.isGuard === true ? "ask" : undefined });
    }
    const { text } = received.kind === "closed" ? { text: "" } : system.text.decode(received.bytes);
    const isBlank = text.replace("\uFEFF", "").trim() === "";
    const read = normalise(isBlank ? "{}" : text, {
      ...(call.host === undefined ? {} : { host: call.host }),
      event: nativeEvent,
      env: system.env,
    });
    if (!read.ok) {
      caller = read.host;
      event = read.event ?? event;
      nativeEvent = read.nativeEvent ?? nativeEvent;
      payload = read.raw ?? payload;
      // An event without a counterpart here, or of another hook, is no fault of anybody.
      const isOurs = read.code !== "unmapped-event" && (read.event === undefined || isServed(event));
      return isOurs ? fail(read.message, "error") : say(undefined);
    }
    return consider(read.value);
  }

  function isServed(name: string): boolean {
    return program.hook !== undefined && subcommand.events.includes(name);
  }

  async function consider(normalised: Normalised & { readonly host: HostId }): Promise<number> {
    caller = normalised.host;
    nativeEvent = normalised.nativeEvent;
    event = findEvent(normalised.event)?.name ?? normalised.event;
    payload = normalised.raw;
    const { hook } = program;
    if (hook === undefined || !isServed(event)) return say(undefined);
    const checked = checkInput(normalised);
    if (!checked.ok) return fail(checked.problem, "error");
    input = checked.input;
    problems.push(...checked.problems);
    const unseen = unseenPlaces(system, input.cwd);
    problems.push(...unseen);
    for (const text of [...unseen, ...unusablePlaces(system).map(why => `${why}; it counts as unset`)])
      tell(subcommand, text, system);
    return say(await hook.run(input, system));
  }

  return {
    async run() {
      try {
        return await receive();
      } catch (error) {
        showStack(error, system);
        return fail(`${subcommand.hookName} broke: ${nameOf(error)}`, "panic");
      }
    },
    abandon(reason, wasJudging = input !== undefined) {
      if (exitCode !== undefined) return undefined;
      return fail(reason, "error", { wasJudging: wasJudging && program.isGuard === true });
    },
    answered: () => exitCode,
  };
}

function stderrText(parts: readonly string[], record: RunRecord): string {
  return joinLines([...parts, telemetryLine(record)]);
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

/** Rule ids that a guard put beside its verdict, for the records. */
function rulesOf(outcome: Outcome): readonly string[] {
  const { rules } = outcome.extras;
  return Array.isArray(rules) ? rules.filter(rule => typeof rule === "string") : [];
}

/** An error's message may quote a payload, so only its kind is told; the stack is for those who ask for it. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function showStack(error: unknown, system: System): void {
  const isDebug = (system.env.get("AMPLIHACK_DEBUG") ?? "") !== "";
  // Not every engine puts the message at the head of the stack, or keeps one at all.
  if (isDebug && error instanceof Error) system.stdio.writeError(`${error}\n${error.stack ?? ""}\n`);
}

function clip(effect: Effect): Effect {
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
