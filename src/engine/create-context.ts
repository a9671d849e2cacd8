import { defined } from "../protocol/index.ts";
import { CloseSignal } from "./cancel-signal.ts";
import type { EngineContext } from "./context.ts";
import { eventFinder } from "./events.ts";
import type { ApprovalOptions, CoreOptions } from "./options.ts";
import type { Timers } from "./platform.ts";
import type { CompileJsonSchema, ToolMap } from "./schema/validate.ts";
import { type SecretFinder, Sessions } from "./session.ts";
import { OnceRegistry, StopCounter } from "./session-state.ts";
import type { TelemetryRecorder } from "./telemetry.ts";
import { DeclaredTools } from "./tools.ts";

const STOP_BLOCK_CAP = 8;
const MIN_KEY_CHARS = 32;

/** What engines of every kind share. Throws `TypeError` for options that make no sense. */
export function createContext(
  options: CoreOptions<ToolMap>,
  timers: Timers,
  compileJsonSchema: CompileJsonSchema,
  secretIn: SecretFinder,
  recorder?: TelemetryRecorder,
): EngineContext {
  const { projectDir, stopBlockCap } = options;
  if (typeof projectDir !== "string" || projectDir === "")
    throw new TypeError(`projectDir must be the path of a folder, not ${JSON.stringify(projectDir)}`);
  const events = eventFinder(options.events ?? []);
  const policies = new Map(
    Object.entries(options.failurePolicy ?? {}).map(([name, policy]) => [
      events.describeEvent(name).name,
      policy,
    ]),
  );
  return {
    projectDir,
    home: undefined,
    timers,
    tools: new DeclaredTools(options.tools ?? {}, compileJsonSchema),
    closing: new CloseSignal(),
    once: new OnceRegistry(),
    sessions: new Sessions(secretIn),
    stops: new StopCounter(nonNegative(stopBlockCap, "stopBlockCap") ?? STOP_BLOCK_CAP),
    recorder,
    events,
    failurePolicy: event => policies.get(event),
    namesOf: withAliases(options.aliases),
  };
}

export function checkApprovals({ key, ttlMs, store }: ApprovalOptions = {}): ApprovalOptions {
  if (key !== undefined && (typeof key !== "string" || key.length < MIN_KEY_CHARS))
    throw new TypeError(
      `approvals.key must be a secret of at least ${MIN_KEY_CHARS} characters, for instance crypto.randomUUID()`,
    );
  return defined({ key, ttlMs: nonNegative(ttlMs, "approvals.ttlMs"), store });
}

export function nonNegative(value: number | undefined, name: string): number | undefined {
  if (value === undefined || value >= 0) return value;
  throw new TypeError(`${name} must be a number of at least zero, not ${value}`);
}

/** A tool under all its names, the raw one first. Aliases that cannot be had are no reason to match less. */
function withAliases(aliases: ((tool: string) => readonly string[]) | undefined): EngineContext["namesOf"] {
  return (event, subject) => {
    if (aliases === undefined || !event.requiresTool) return [subject];
    try {
      return [...new Set([subject, ...aliases(subject)])];
    } catch {
      return [subject];
    }
  };
}
