import { resolve } from "node:path";
import { type EnvironmentRecord, findShells, scrubEnvironment } from "../hooks/handlers/environment.ts";
import { defined } from "../protocol/defined.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { createNodeSystem } from "../system/node.ts";
import { CloseSignal } from "./cancel-signal.ts";
import type { Core } from "./core.ts";
import { Engine } from "./engine.ts";
import { eventFinder } from "./events.ts";
import { type ApprovalOptions, DEFAULT_LIMITS, type EngineOptions, type Limits } from "./options.ts";
import { nodeTimers, type Platform } from "./platform.ts";
import { BackgroundQueue, Semaphore } from "./run/concurrency.ts";
import { nodeHttpClient } from "./run/http-client.ts";
import type { ToolMap } from "./schema/infer.ts";
import { OnceRegistry, StopCounter } from "./session-state.ts";
import { TelemetryRecorder } from "./telemetry.ts";
import { DeclaredTools } from "./tools.ts";
import type { HookEngine } from "./types.ts";

const MAX_PROCESSES = 16;
const MAX_BACKGROUND_HANDLERS = 8;
const STOP_BLOCK_CAP = 8;
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
    assembleEngine(given, { system: createNodeSystem(), timers: nodeTimers, http: nodeHttpClient });
  return options === undefined ? create : create(options);
}

/** The same on a given platform; what tests call. */
export function assembleEngine<const T extends ToolMap>(
  options: EngineOptions<T>,
  platform: Platform,
): HookEngine<T> {
  if (typeof options.projectDir !== "string" || options.projectDir === "")
    throw new TypeError(`projectDir must be the path of a folder, not ${JSON.stringify(options.projectDir)}`);
  const { names: eventNames, findEvent, describeEvent } = eventFinder(options.events ?? []);
  const policies = new Map(
    Object.entries(options.failurePolicy ?? {}).map(([name, policy]) => [describeEvent(name).name, policy]),
  );
  const core = createCore(options, platform, eventNames, event => policies.get(event));
  const { projectDir, delegates, failurePolicy } = core;
  const loading = {
    projectDir,
    files: platform.system.files,
    findEvent,
    describeEvent,
    failurePolicy,
    trust: options.trust,
    delegates,
    pinsScripts: options.pinScripts === true,
    isStrict: options.strict === true,
  };
  return new Engine<T>(core, loading, options.sources ?? [], checkApprovals(options.approvals));
}

function createCore<T extends ToolMap>(
  options: EngineOptions<T>,
  platform: Platform,
  eventNames: readonly string[],
  failurePolicy: (event: string) => FailurePolicy | undefined,
): Core {
  const snapshot: EnvironmentRecord = { ...(options.env ?? processEnvironment(platform)) };
  const env = scrubEnvironment(snapshot, options.passEnv ?? []);
  const closing = new CloseSignal();
  const recorder = options.telemetry === undefined ? undefined : new TelemetryRecorder(options.telemetry);
  const maxProcesses = positiveInteger(options.maxProcesses, "maxProcesses") ?? MAX_PROCESSES;
  return {
    projectDir: resolve(options.projectDir),
    home: snapshot["HOME"],
    platform,
    limits: checkLimits(options.limits),
    tools: new DeclaredTools(options.tools ?? {}),
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
    closing,
    // One slot is always left for the handlers that a dispatch waits for.
    background: new BackgroundQueue(Math.min(MAX_BACKGROUND_HANDLERS, Math.max(1, maxProcesses - 1))),
    once: new OnceRegistry(),
    stops: new StopCounter(nonNegative(options.stopBlockCap, "stopBlockCap") ?? STOP_BLOCK_CAP),
    recorder,
    onAsync: options.onAsync,
    eventNames,
    failurePolicy,
    namesOf: withAliases(options.aliases),
  };
}

const MIN_KEY_CHARS = 32;

function checkApprovals({ key, ttlMs }: ApprovalOptions = {}): ApprovalOptions {
  if (key !== undefined && (typeof key !== "string" || key.length < MIN_KEY_CHARS))
    throw new TypeError(
      `approvals.key must be a secret of at least ${MIN_KEY_CHARS} characters, for instance crypto.randomUUID()`,
    );
  return defined({ key, ttlMs: nonNegative(ttlMs, "approvals.ttlMs") });
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

function nonNegative(value: number | undefined, name: string): number | undefined {
  if (value === undefined || value >= 0) return value;
  throw new TypeError(`${name} must be a number of at least zero, not ${value}`);
}

/** A tool under all its names, the raw one first. Aliases that cannot be had are no reason to match less. */
function withAliases(aliases: ((tool: string) => readonly string[]) | undefined): Core["namesOf"] {
  return (event, subject) => {
    if (aliases === undefined || !event.requiresTool) return [subject];
    try {
      return [...new Set([subject, ...aliases(subject)])];
    } catch {
      return [subject];
    }
  };
}
