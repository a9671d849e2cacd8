import { resolve } from "node:path";
import type { KnownOfSession } from "../guard/index.ts";
import { type EnvironmentRecord, findShells, scrubEnvironment } from "../handlers/index.ts";
import { HOOK_TIMEOUT_MS, isUserHook, loadAsHook, loadWanted, type UserHook } from "../hooks/index.ts";
import { defined, type EventDescriptor, type Hook, type HookInput } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { createNodeSystem } from "../system/node.ts";
import { shownSecretIn } from "../text/index.ts";
import { ConfiguredEngine, ConfiguredHandlers } from "./configured.ts";
import type { HandlerContext } from "./context.ts";
import { checkApprovals, createContext, nonNegative } from "./create-context.ts";
import { HistoryPart } from "./history.ts";
import { DEFAULT_LIMITS, type EngineOptions, type Limits } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import { type Platform, webTimers } from "./platform.ts";
import { onEvent, type RegisteredHook, register } from "./registration.ts";
import { readEffect, refuse } from "./reply.ts";
import { BackgroundQueue, Semaphore } from "./run/concurrency.ts";
import { SandboxPart } from "./sandbox.ts";
import { compileJsonSchema } from "./schema/json-schema.ts";
import type { ToolMap } from "./schema/validate.ts";
import type { LoadOptions } from "./source/load.ts";
import { isGuard, registerHook, toHookInput } from "./system-hooks.ts";
import { toRecorder } from "./telemetry.ts";
import type { HookEngine, UsableHook, UseOptions } from "./types.ts";

const MAX_PROCESSES = 16;
const MAX_BACKGROUND_HANDLERS = 8;
const KILL_MS = 1000;
const PIPE_MS = 250;

/**
 * An engine for one session or one server. Throws `HookLoadError` when the sources must not be used, and
 * `TypeError` for options that make no sense.
 */
export function createHookEngine<
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(options: EngineOptions<T, E>): HookEngine<T, unknown, E>;
/** `createHookEngine<Context>()(options)`: every hook sees the run's context, with its type. */
export function createHookEngine<C>(): <
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(
  options: EngineOptions<T, E>,
) => HookEngine<T, C, E>;
export function createHookEngine(options?: EngineOptions<ToolMap>): unknown {
  const create = (given: EngineOptions<ToolMap>): unknown =>
    assembleEngine(given, { system: createNodeSystem(), timers: webTimers, http });
  return options === undefined ? create : create(options);
}

/** Loaded by the first request: most engines have no web hooks. */
const http: Platform["http"] = {
  post: async request => (await import("./run/http.ts")).nodeHttpClient.post(request),
};

/** The same on a given platform; what tests call. */
export function assembleEngine<const T extends ToolMap>(
  options: EngineOptions<T>,
  platform: Platform,
): HookEngine<T> {
  const context = createHandlerContext(options, platform);
  const approvals = checkApprovals(options.approvals);
  const configured = new ConfiguredHandlers(context, loadOptions(options, context), options.sources ?? []);
  const parts: EngineParts = {
    handlersOf: event => configured.forEvent(event),
    listHandlers: () => configured.list(),
    register: (hook, given, nextSequence) =>
      registerUsable(hook as UsableHook, { platform, context, engine: () => engine }, given, nextSequence),
    drain: () => context.background.drain(),
  };
  const engine = new ConfiguredEngine<T>(context, parts, approvals, configured, platform.system);
  return engine;
}

function loadOptions<T extends ToolMap>(options: EngineOptions<T>, context: HandlerContext): LoadOptions {
  const { projectDir, delegates, failurePolicy, events, platform } = context;
  return {
    projectDir,
    files: platform.system.files,
    findEvent: events.findEvent,
    describeEvent: events.describeEvent,
    failurePolicy,
    trust: options.trust,
    delegates,
    pinsScripts: options.pinScripts === true,
    isStrict: options.strict === true,
  };
}

function createHandlerContext<T extends ToolMap>(
  options: EngineOptions<T>,
  platform: Platform,
): HandlerContext {
  const context = createContext(
    options,
    platform.timers,
    compileJsonSchema,
    shownSecretIn,
    toRecorder(options.telemetry),
  );
  const snapshot: EnvironmentRecord = { ...(options.env ?? processEnvironment(platform)) };
  const env = scrubEnvironment(snapshot, options.passEnv ?? []);
  const { closing, recorder } = context;
  const maxProcesses = positiveInteger(options.maxProcesses, "maxProcesses") ?? MAX_PROCESSES;
  return {
    ...context,
    projectDir: resolve(context.projectDir),
    home: snapshot["HOME"],
    platform,
    limits: checkLimits(options.limits),
    delegates: options.delegates ?? {},
    commands: {
      snapshot,
      env,
      shells: findShells(platform.system.files, env),
      slots: new Semaphore(maxProcesses),
      killMs: nonNegative(options.grace?.killMs, "grace.killMs") ?? KILL_MS,
      pipeMs: nonNegative(options.grace?.pipeMs, "grace.pipeMs") ?? PIPE_MS,
      closing,
      onProcesses: change => recorder?.processes(change),
    },
    http: {
      allowedUrls: options.allowedHttpHookUrls,
      allowPrivateNetwork: options.allowPrivateNetwork === true,
      env: snapshot,
    },
    promptNonZero: options.dialects?.atomcode?.promptNonZero ?? "warn",
    // One slot is always left for the handlers that a dispatch waits for.
    background: new BackgroundQueue(Math.min(MAX_BACKGROUND_HANDLERS, Math.max(1, maxProcesses - 1))),
    onAsync: options.onAsync,
  };
}

function processEnvironment({ system }: Platform): EnvironmentRecord {
  return Object.fromEntries(system.env.names().map(name => [name, system.env.get(name) ?? ""]));
}

function checkLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new TypeError(`limits.${name} must be a whole number of at least zero, not ${value}`);
  }
  return limits;
}

function positiveInteger(value: number | undefined, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new TypeError(`${name} must be a whole number above zero, not ${value}`);
}

/** Where hooks that look at a system are attached. */
interface Surroundings {
  readonly platform: Platform;
  readonly context: HandlerContext;
  readonly engine: () => { readonly historyPart: HistoryPart | undefined };
}

/** Hooks that look at a system, once for each of their events. */
function registerUsable(
  hook: UsableHook,
  { platform: { system }, context, engine }: Surroundings,
  options: UseOptions,
  nextSequence: () => number,
): readonly RegisteredHook[] {
  const { describeEvent } = context.events;
  const attach = (one: Hook<System>, run?: Parameters<typeof registerHook>[5]) =>
    registerHook(one, describeEvent(one.event), system, options, nextSequence(), run);
  if (isUserHook(hook))
    return hook.events.map(event =>
      registerUserHook(hook, describeEvent(event), system, options, nextSequence()),
    );
  if (hook instanceof SandboxPart) return [{ ...attach(hook.hook), sandbox: hook }];
  if (hook instanceof HistoryPart) return hook.hooks.map(one => ({ ...attach(one), history: hook }));
  if (!isGuard(hook)) return [attach(hook)];
  const run = (input: HookInput, known: () => KnownOfSession) => {
    const history = engine().historyPart;
    return history === undefined || input.kind !== "tool"
      ? hook.run(input, system, known())
      : history.judge(hook, input, system, known());
  };
  return [attach(hook, run)];
}

/** A hook of `defineHook`, once for each of its events. Which host it is for does not count: the agent is none. */
function registerUserHook(
  hook: UserHook,
  event: EventDescriptor,
  system: System,
  given: UseOptions,
  sequence: number,
): RegisteredHook {
  const run: RegisteredHook["run"] = async ({ payload, names }, scope) => {
    const checked = toHookInput(event, payload, names, scope.cwd);
    if (!checked.ok) return refuse("field-type", checked.problem);
    const [{ isWanted }, { runHere, toWants }] = await Promise.all([loadWanted(), loadAsHook()]);
    if (!isWanted({ ...toWants(hook), hosts: [] }, checked.input)) return { effect: {} };
    const result = await runHere(hook, checked.input, system, () => scope.signal.aborted);
    return result.ok ? readEffect(result.effect) : refuse("hook-threw", result.problem);
  };
  const { order, timeoutMs = HOOK_TIMEOUT_MS, onFailure } = { ...hook.options, ...given };
  const options = { id: hook.name, timeoutMs, ...defined({ order, onFailure }) };
  return register({ ...onEvent(event, undefined), run }, options, sequence);
}
