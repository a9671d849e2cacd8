import {
  type CommandAction,
  captureText,
  commandLine,
  DEFAULT_LIMITS,
  engineVariables,
  failed,
  failureText,
  findShells,
  type HandlerEnd,
  type HandlerVerdict,
  interpretAtomcodeJson,
  interpretClaude,
  scrubEnvironment,
} from "../../handlers/index.ts";
import {
  describeEvent,
  type Effect,
  errorText,
  type HookInput,
  type JsonObject,
} from "../../protocol/index.ts";
import { AtomicFlag, findProjectRoot, findSessionDirectory } from "../../state/index.ts";
import { childEnvironment, join, type ProcessResult, type System, sha256Hex } from "../../system/index.ts";
import type { HookResult } from "./answer.ts";
import { stateFolder } from "./call.ts";
import { claudePayload, directoryVariable, fromClaude, payloadFor } from "./claude-payload.ts";
import { deeperEnvironment } from "./depth.ts";
import { type BuiltHandler, digestFiles } from "./manifest.ts";
import { findUnagreedScripts } from "./what-runs.ts";

export interface HandlerPlace {
  readonly stateHome: string;
  readonly deadlineMs: number;
  /** asks handlers that are no programs, on Node */
  readonly askElsewhere: (
    handlers: readonly BuiltHandler[],
    payload: JsonObject,
  ) => Promise<readonly HookResult[]>;
}

/** What a handler said: a refusal that it stated before it failed stands beside the failure. */
export interface HandlerResult {
  readonly handler: BuiltHandler;
  readonly effect: Effect;
  readonly problem: string | undefined;
  readonly durationMs: number;
}

/** Runs the handlers of `hooks.jsonc` at the same time, on Claude's payload whatever the host. Never rejects. */
export async function runHandlers(
  handlers: readonly BuiltHandler[],
  input: HookInput,
  system: System,
  place: HandlerPlace,
): Promise<readonly HandlerResult[]> {
  const cwd = findSessionDirectory(system, input.cwd) ?? findProjectRoot(system, input.cwd);
  const payload = claudePayload(input, cwd);
  const changed = handlers.filter(
    ({ runs }) => runs !== undefined && digestFiles(system, runs.paths) !== runs.sha256,
  );
  const where = { cwd, projectRoot: findProjectRoot(system, cwd) };
  const unagreed = new Map(
    handlers.flatMap(handler => {
      const [script] = changed.includes(handler)
        ? []
        : findUnagreedScripts(system, place.stateHome, handler, {
            ...where,
            cwd: handler.writtenFor === undefined ? cwd : where.projectRoot,
          });
      return script === undefined ? [] : [[handler, script] as const];
    }),
  );
  const due = handlers
    .filter(handler => !changed.includes(handler) && !unagreed.has(handler))
    .filter(handler => !handler.isOnce || isFirst(handler, input, system, place.stateHome));
  const elsewhere = due.filter(({ action }) => action.kind !== "command");
  const beganMs = system.clock.monotonicMs();
  const timed = async (handler: BuiltHandler) => {
    const verdict = await runOne(handler, input, payload, cwd, system, place.deadlineMs);
    return { verdict, durationMs: system.clock.monotonicMs() - beganMs };
  };
  const [commands, answers] = await Promise.all([
    Promise.all(due.map(timed)),
    elsewhere.length === 0 ? [] : place.askElsewhere(elsewhere, payload),
  ]);
  const asked = [
    ...changed.map(handler =>
      askAbout(
        handler,
        "a file of this project that changed since you trusted it; run: amplihack hooks trust",
      ),
    ),
    ...[...unagreed].map(([handler, { path, isChanged }]) =>
      askAbout(
        handler,
        `${path}, a file of this project that ${isChanged ? "changed since you trusted it" : "you have not trusted"}; look at it, then run: amplihack hooks trust`,
      ),
    ),
  ];
  const answered = due.map((handler, index): HandlerResult => {
    const answer = answers[elsewhere.indexOf(handler)];
    const command = commands[index];
    const verdict = command?.verdict ?? fromAnswer(answer, handler);
    const isCommand = command?.verdict !== undefined;
    const durationMs = isCommand ? command.durationMs : system.clock.monotonicMs() - beganMs;
    const effect = fromClaude(verdict.effect, input);
    const problem = verdict.failure === undefined ? undefined : failureText(verdict.failure);
    if (effect === undefined)
      return {
        handler,
        effect: {},
        problem: "its new input cannot be expressed in the form that this host uses",
        durationMs,
      };
    return { handler, effect, problem, durationMs };
  });
  return [...asked, ...answered];
}

/** Also told, because not every event can be a question. */
function askAbout(handler: BuiltHandler, what: string): HandlerResult {
  const reason = `hook ${handler.id} runs ${what}`;
  const diagnostics = [{ code: "hook-problem", severity: "error", detail: reason }] as const;
  return {
    handler,
    effect: { decision: { kind: "ask", reason }, diagnostics },
    problem: undefined,
    durationMs: 0,
  };
}

function fromAnswer(answer: HookResult | undefined, { action }: BuiltHandler): HandlerVerdict {
  if (answer?.ok === true) return { effect: answer.effect };
  const detail = answer?.problem ?? "it gave no answer";
  const code = action.kind === "http" ? "http-transport" : "hook-threw";
  return { effect: {}, failure: { code, detail } };
}

async function runOne(
  handler: BuiltHandler,
  input: HookInput,
  payload: JsonObject,
  cwd: string,
  system: System,
  deadlineMs: number,
): Promise<HandlerVerdict | undefined> {
  const { action } = handler;
  if (action.kind !== "command") return undefined;
  const options = { event: describeEvent(input.event), limits: DEFAULT_LIMITS };
  const { writtenFor } = handler;
  const interpret = writtenFor === undefined ? interpretClaude : interpretAtomcodeJson;
  const given = writtenFor === undefined ? payload : payloadFor(payload, writtenFor.host);
  const timeoutMs = Math.min(handler.timeoutMs, deadlineMs - system.clock.monotonicMs());
  if (timeoutMs <= 0) return interpret(failed("timeout", "no time was left"), options);
  try {
    const result = await start(handler, action, given, cwd, system, timeoutMs);
    const { text } = system;
    return interpret(
      {
        end: describeProcessEnd(result.end, action, timeoutMs),
        stdout: captureText(text, result.stdout, result.stdoutTruncated, result.stdoutTail),
        stderr: text.decode(result.stderr).text,
        diagnostics: [],
      },
      options,
    );
  } catch (error) {
    return interpret(failed("spawn-failed", errorText(error)), options);
  }
}

function start(
  { source, writtenFor }: BuiltHandler,
  action: CommandAction,
  payload: JsonObject,
  cwd: string,
  system: System,
  timeoutMs: number,
): Promise<ProcessResult> {
  const snapshot = childEnvironment(system, deeperEnvironment(system));
  const env = scrubEnvironment(snapshot, []);
  const projectRoot = findProjectRoot(system, cwd);
  const variables = engineVariables(projectRoot, snapshot, source);
  // Its commands name scripts below the project, by the host's own variable or from there.
  const variable = writtenFor === undefined ? undefined : directoryVariable(writtenFor.host);
  return system.processes.start({
    argv: commandLine(action, writtenFor?.dialect ?? "claude", findShells(system.files, env), variables),
    cwd: writtenFor === undefined ? cwd : projectRoot,
    env: {
      ...env,
      ...variables,
      ...(variable === undefined ? {} : { [variable]: projectRoot }),
      ...action.env,
    },
    input: system.text.encode(JSON.stringify(payload)),
    timeoutMs,
    limits: { ...DEFAULT_LIMITS, keepsFirstErrors: true },
  }).done;
}

function describeProcessEnd(
  end: ProcessResult["end"],
  { command }: CommandAction,
  timeoutMs: number,
): HandlerEnd {
  switch (end.kind) {
    case "exit":
    case "signal":
      return end;
    case "not-started":
      return failed("spawn-failed", `could not start "${command.slice(0, 200)}": ${end.code}`).end;
    case "overflow":
      return failed("output-overflow", "it printed too much").end;
    default:
      return failed("timeout", `no answer within ${Math.round(timeoutMs)} ms`).end;
  }
}

/** Once in a session. */
function isFirst({ id }: BuiltHandler, { sessionId }: HookInput, system: System, stateHome: string): boolean {
  const key = sha256Hex(system.text.encode(`${sessionId ?? ""}\0${id}`)).slice(0, 32);
  try {
    return new AtomicFlag(join(stateFolder(stateHome, ".once"), key), { system }).set();
  } catch {
    return true;
  }
}
