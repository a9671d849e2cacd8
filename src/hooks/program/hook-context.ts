import { BUILT_IN, type Part } from "../../config/index.ts";
import { hookDeadlineMs, hostOrDefault } from "../../hosts/index.ts";
import {
  type Diagnostic,
  type Effect,
  errorText,
  type Hook,
  type HookInput,
  type InputOf,
  type Json,
  type JsonObject,
  STOCK_HOOKS,
  type StockHookName,
  type VerdictKind,
} from "../../protocol/index.ts";
import {
  AtomicJsonFile,
  appendJsonLine,
  checkFileName,
  findProjectRoot,
  findSessionDirectory,
  findSessionId,
  generateSessionId,
  LogFile,
  type LogLevel,
  localTimestamp,
  runtimePath,
} from "../../state/index.ts";
import { basename, type System, writeAtomically } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { configurationFor } from "./guard-context.ts";
import { prepareRuntime } from "./telemetry.ts";

const LOCK_TIMEOUT_MS = 2_000;

/** Hears what became of the call after all hooks; undefined where that is not known. */
export type AfterAnswer = (outcome: VerdictKind | undefined) => readonly Diagnostic[];

/** What the program around the hooks knows and a hook cannot find out. */
export interface HookOptions {
  /** the configured program that answers bridge requests, in place of our own */
  readonly bridgeCommand?: readonly string[] | undefined;
  /** how to start `amplihack`: the sibling of the hook program */
  readonly program?: readonly string[] | undefined;
  /** milliseconds this hook may take; the hook's own default when left out */
  readonly budgetMs?: number | undefined;
  /** takes what is to be done once the host has its answer: records, which nothing waits for */
  readonly afterAnswer?: ((task: AfterAnswer) => void) | undefined;
}

/**
 * One run of one hook: where its project is, whose session it is, and where it writes. Nothing here throws for a
 * log or metric that cannot be written: no decision may depend on it. Such failures are told once on stderr.
 */
export interface HookContext {
  readonly hookName: string;
  readonly host: HookInput["host"];
  readonly system: System;
  readonly options: HookOptions;
  readonly projectRoot: string;
  /** the session's own directory */
  readonly directory: string;
  /** sanitised; undefined when it is not known, and then what stands in differs by use */
  readonly sessionId: string | undefined;
  /** what went wrong without ending the hook; becomes the `error` of telemetry */
  readonly problems: readonly string[];
  /** Is this part switched on? The configuration is read at the first question. */
  hasPart(part: Part): boolean;
  /** a path below the run-time state of the project; nothing is made */
  path(...parts: readonly string[]): string;
  /** Makes that state's folder. Logging does so, too; a hook that writes there without having logged calls it first. */
  prepare(): void;
  log(level: LogLevel, message: string): void;
  metric(name: string, value: Json, metadata?: JsonObject): void;
  /** A line for the person, on stderr. */
  notify(text: string): void;
  /** An error that does not end the hook: on stderr, in the log and in telemetry. */
  report(problem: string): void;
  /** the id under which this run keeps session files: the session's, else one in clock form */
  sessionFilesId(): string;
  /** Writes a file of the session at hand; objects and lists as JSON, everything else as text. */
  saveSessionData(filename: string, data: Json): void;
  remainingMs(): number;
  nowText(): string;
}

export function openHookContext(
  input: HookInput,
  system: System,
  hookName: string,
  options: HookOptions = {},
): HookContext {
  const { clock, stdio } = system;
  const projectRoot = findProjectRoot(system, input.cwd);
  const sessionId = findSessionId(system, input.sessionId);
  const deadline = clock.monotonicMs() + (options.budgetMs ?? timeBudgetMs(input, hookName));
  const logFile = new LogFile(runtimePath(system, projectRoot, "logs", `${hookName}.log`), { system });
  const problems: string[] = [];
  let generatedId: string | undefined;
  let isPrepared = false;
  let parts: readonly Part[] | undefined;

  const context: HookContext = {
    hookName,
    host: input.host,
    system,
    options,
    projectRoot,
    directory: findSessionDirectory(system, input.cwd) ?? projectRoot,
    sessionId,
    problems,
    hasPart(part) {
      parts ??= configurationFor(system, input.cwd)?.config.parts ?? BUILT_IN.parts;
      return parts.includes(part);
    },
    path: (...parts) => runtimePath(system, projectRoot, ...parts),
    prepare() {
      if (!isPrepared) prepareRuntime(system, projectRoot, logFile);
      isPrepared = true;
    },
    log(level, message) {
      context.prepare();
      logFile.write(level, message);
    },
    metric(name, value, metadata = {}) {
      context.prepare();
      const more = Object.keys(metadata).length === 0 ? {} : { metadata };
      const line = { timestamp: context.nowText(), metric: name, value, hook: hookName, ...more };
      const path = context.path("metrics", `${hookName}_metrics.jsonl`);
      attempt(context, `metric ${name} was not written`, () => appendJsonLine(system, path, line));
    },
    notify(text) {
      stdio.writeError(`amplihack ${hookName}: ${text.split("\n").map(escapeControls).join("\n  ")}\n`);
    },
    report(problem) {
      problems.push(problem);
      context.log("ERROR", problem);
      context.notify(problem);
    },
    sessionFilesId() {
      generatedId ??= sessionId ?? generateSessionId(system);
      return generatedId;
    },
    saveSessionData: (filename, data) => saveSessionData(context, filename, data),
    remainingMs: () => Math.max(0, deadline - clock.monotonicMs()),
    nowText: () => localTimestamp(clock.nowMs()),
  };
  return context;
}

function saveSessionData(context: HookContext, filename: string, data: Json): void {
  const { system } = context;
  try {
    checkFileName(filename);
  } catch (error) {
    context.log("WARNING", errorText(error));
    throw error;
  }
  context.prepare();
  const path = context.path("logs", context.sessionFilesId(), filename);
  const write = () => {
    if (typeof data === "object" && data !== null) replaceJson(context, path, data);
    else writeAtomically(system, path, system.text.encode(String(data)));
  };
  attempt(context, `${filename} was not written`, write, "ERROR");
}

/** A file that is there and cannot be read is set aside, never replaced. */
function replaceJson(context: HookContext, path: string, data: Json): void {
  const file = new AtomicJsonFile(path, { system: context.system, lockTimeoutMs: LOCK_TIMEOUT_MS });
  file.update(() => data, data, {
    onMalformed: "set-aside",
    onSetAside: keptAs =>
      context.report(`${basename(path)} was malformed; it is kept as ${basename(keptAs)}`),
  });
}

/** Runs a step that no decision depends on. A failure is logged; the result says whether there was none. */
export function attempt(
  context: Pick<HookContext, "log">,
  failure: string,
  step: () => void,
  level: LogLevel = "WARNING",
): boolean {
  try {
    step();
    return true;
  } catch (error) {
    context.log(level, `${failure}: ${errorText(error)}`);
    return false;
  }
}

/** A second less than the host waits. */
function timeBudgetMs(input: HookInput, hookName: string): number {
  return hookDeadlineMs(hostOrDefault(input.host).id, hookName.replaceAll("_", "-"), input.event);
}

/**
 * Makes the stock hook of that name of a function over its context. Problems that the function reported go out as
 * diagnostics.
 */
export function defineHook<K extends HookInput["kind"]>(
  name: StockHookName,
  kind: K,
  run: (input: InputOf<K>, context: HookContext) => Effect | undefined | Promise<Effect | undefined>,
): (options?: HookOptions) => Hook<System> {
  const events: readonly string[] = STOCK_HOOKS.find(hook => hook.name === name)?.events ?? [];
  return (options = {}) => ({
    id: `amplihack.${name}`,
    event: events[0] ?? "",
    async run(input, system) {
      if (!events.includes(input.event) || !isOfKind(input, kind)) return undefined;
      const context = openHookContext(input, system, name.replaceAll("-", "_"), options);
      const effect = await run(input, context);
      if (context.problems.length === 0) return effect;
      return {
        ...effect,
        diagnostics: [...(effect?.diagnostics ?? []), ...context.problems.map(toDiagnostic)],
      };
    },
  });
}

function isOfKind<K extends HookInput["kind"]>(input: HookInput, kind: K): input is InputOf<K> {
  return input.kind === kind;
}

function toDiagnostic(detail: string): Diagnostic {
  return { code: "hook-problem", severity: "error", detail };
}
