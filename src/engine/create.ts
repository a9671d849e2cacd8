import { resolve } from "node:path";
import type { EventDescriptor, FailurePolicy } from "../protocol/index.ts";
import { createNodeSystem } from "../system/node.ts";
import { Background } from "./background.ts";
import type { Core } from "./core.ts";
import { Engine, eventFinder } from "./engine.ts";
import { Closing } from "./interruption.ts";
import { OnceLedger, StopLedger } from "./ledger.ts";
import { DEFAULT_LIMITS, type EngineOptions, type Limits } from "./options.ts";
import { type EnvironmentRecord, scrubEnvironment } from "./run/environment.ts";
import { nodeHttpClient } from "./run/http-client.ts";
import { findShells } from "./run/shells.ts";
import { Slots } from "./run/slots.ts";
import type { ToolMap } from "./schema/infer.ts";
import { nodeTimers, type Seams } from "./seams.ts";
import { Recorder } from "./telemetry.ts";
import { DeclaredTools } from "./tools.ts";
import type { HookEngine } from "./types.ts";

const MAX_PROCESSES = 16;
const BACKGROUND_HANDLERS = 8;
const STOP_BLOCK_CAP = 8;
const KILL_MS = 1000;
const PIPE_MS = 250;

/**
 * An engine for one session or one server. Throws `HookLoadError` when the sources must not be used, and
 * `TypeError` for options that make no sense.
 */
export function createHookEngine<const T extends ToolMap = Record<never, never>>(
  options: EngineOptions<T>,
): HookEngine<T> {
  return assembleEngine(options, { system: createNodeSystem(), timers: nodeTimers, http: nodeHttpClient });
}

/** The same with the outside given; what tests call. */
export function assembleEngine<const T extends ToolMap>(
  options: EngineOptions<T>,
  seams: Seams,
): HookEngine<T> {
  if (typeof options.projectDir !== "string" || options.projectDir === "")
    throw new TypeError(`projectDir must be the path of a folder, not ${JSON.stringify(options.projectDir)}`);
  const projectDir = resolve(options.projectDir);
  const snapshot: EnvironmentRecord = { ...(options.env ?? environmentOf(seams)) };
  const limits = limitsOf(options.limits);
  const closing = new Closing();
  const recorder = options.telemetry === undefined ? undefined : new Recorder(options.telemetry);
  const maxProcesses = countOf(options.maxProcesses, "maxProcesses") ?? MAX_PROCESSES;
  const env = scrubEnvironment(snapshot, options.passEnv ?? []);
  const delegates = options.delegates ?? {};
  const { findEvent, describeEvent } = eventFinder(options.events ?? []);
  const policies = policiesByEvent(options.failurePolicy ?? {}, describeEvent);
  const failurePolicy = (event: string): FailurePolicy | undefined => policies.get(event);
  const core: Core = {
    projectDir,
    home: snapshot["HOME"],
    seams,
    limits,
    tools: new DeclaredTools(options.tools ?? {}),
    delegates,
    house: {
      projectDir,
      snapshot,
      env,
      shells: findShells(seams.system.files, env),
      slots: new Slots(maxProcesses),
      killMs: amountOf(options.grace?.killMs, "grace.killMs") ?? KILL_MS,
      pipeMs: amountOf(options.grace?.pipeMs, "grace.pipeMs") ?? PIPE_MS,
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
    // One slot is always left for the handlers somebody waits for.
    background: new Background(Math.min(BACKGROUND_HANDLERS, Math.max(1, maxProcesses - 1))),
    once: new OnceLedger(),
    stops: new StopLedger(amountOf(options.stopBlockCap, "stopBlockCap") ?? STOP_BLOCK_CAP),
    recorder,
    onAsync: options.onAsync,
    failurePolicy,
    namesOf: namesWith(options.aliases),
  };
  const loading = {
    projectDir,
    files: seams.system.files,
    findEvent,
    describeEvent,
    failurePolicy,
    trust: options.trust,
    delegates,
    pinsScripts: options.pinScripts === true,
    isStrict: options.strict === true,
  };
  return new Engine<T>(core, loading, options.sources ?? []);
}

function environmentOf({ system }: Seams): EnvironmentRecord {
  return Object.fromEntries(system.env.names().map(name => [name, system.env.get(name) ?? ""]));
}

function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new TypeError(`limits.${name} must be a whole number of at least zero, not ${value}`);
  }
  return limits;
}

function countOf(value: number | undefined, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new TypeError(`${name} must be a whole number above zero, not ${value}`);
}

function amountOf(value: number | undefined, name: string): number | undefined {
  if (value === undefined || value >= 0) return value;
  throw new TypeError(`${name} must be a number of at least zero, not ${value}`);
}

function policiesByEvent(
  given: Readonly<Record<string, FailurePolicy>>,
  describe: (name: string) => EventDescriptor,
): ReadonlyMap<string, FailurePolicy> {
  return new Map(Object.entries(given).map(([name, policy]) => [describe(name).name, policy]));
}

/** A tool under all its names, the raw one first. Aliases that cannot be had are no reason to match less. */
function namesWith(aliases: ((tool: string) => readonly string[]) | undefined): Core["namesOf"] {
  return (event, subject) => {
    if (aliases === undefined || !event.requiresTool) return [subject];
    try {
      return [...new Set([subject, ...aliases(subject)])];
    } catch {
      return [subject];
    }
  };
}
