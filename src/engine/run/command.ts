import { type Diagnostic, ownValue } from "../../protocol/index.ts";
import type { ProcessResult, RunningProcess } from "../../system/system.ts";
import { diagnose } from "../diagnostics.ts";
import type { Interruption } from "../interruption.ts";
import { aborted, type End, failed, type RawResult } from "../output/result.ts";
import { ATOMCODE_EVENTS, findAtomcodeEvent } from "../source/atomcode.ts";
import type { CommandAction, HandlerSpec } from "../source/handler.ts";
import { AnnouncementWatcher } from "./announcement.ts";
import { atomcodeContext, atomcodePrompt } from "./atomcode-context.ts";
import { captureText } from "./capture.ts";
import { type EnvironmentRecord, engineVariables } from "./environment.ts";
import { commandLine, type Shells } from "./shells.ts";
import type { Slots } from "./slots.ts";
import { describeError, type Stage, timedOut } from "./stage.ts";

/** What all command hooks of an engine share. */
export interface CommandHouse {
  readonly projectDir: string;
  /** the environment as given, for names and places */
  readonly snapshot: EnvironmentRecord;
  /** the same without secrets: what hooks start from */
  readonly env: EnvironmentRecord;
  readonly shells: Shells;
  readonly slots: Slots;
  readonly killMs: number;
  readonly pipeMs: number;
  /** raised when the engine closes; a hook that went to the background listens to nothing else */
  readonly closing: Interruption;
  readonly onProcesses: (change: 1 | -1) => void;
}

export interface CommandResult {
  readonly result: RawResult;
  readonly queueMs: number;
  /** the hook announced that it goes on in the background: `result` is silence, this is what comes later */
  readonly later?: Promise<RawResult>;
}

/** Runs one command hook: waits for a slot, starts it, and settles within its time and the two graces. */
export async function runCommand(
  spec: HandlerSpec,
  action: CommandAction,
  stage: Stage,
  house: CommandHouse,
  mayDetach: boolean,
): Promise<CommandResult> {
  const waitingSince = stage.seams.timers.nowMs();
  const hasSlot = await house.slots.acquire(stage.interruption);
  const queueMs = stage.seams.timers.nowMs() - waitingSince;
  if (!hasSlot) return { result: aborted(), queueMs };
  let started: Started;
  try {
    started = startCommand(spec, action, stage, house, mayDetach);
  } catch (error) {
    house.slots.release();
    return { result: failed("spawn-failed", describeError(error)), queueMs };
  }
  house.onProcesses(1);
  const finished = started.finished.finally(() => {
    house.slots.release();
    house.onProcesses(-1);
  });
  const first = await Promise.race([finished, started.detached]);
  if (first !== "detached") return { result: first, queueMs };
  const silence: RawResult = { ...aborted(), end: { kind: "exit", code: 0 } };
  return { result: silence, queueMs, later: finished };
}

interface Started {
  readonly finished: Promise<RawResult>;
  readonly detached: Promise<"detached">;
}

function startCommand(
  spec: HandlerSpec,
  action: CommandAction,
  stage: Stage,
  house: CommandHouse,
  mayDetach: boolean,
): Started {
  const { system, timers } = stage.seams;
  const diagnostics: Diagnostic[] = [];
  const variables = engineVariables(house.projectDir, house.snapshot, spec.source);
  const feed = feedOf(spec, stage, house, diagnostics);
  const watcher = mayDetach ? new AnnouncementWatcher(system.text) : undefined;
  let detach: () => void = () => {};
  const detached = new Promise<"detached">(resolve => {
    detach = () => resolve("detached");
  });
  /** why it was stopped, when that was not the host giving up */
  let stoppedBy: "deadline" | undefined;
  let cancelDeadline: () => void = () => {};
  let unsubscribe: () => void = () => {};

  const running: RunningProcess = system.processes.start({
    argv: commandLine(action, spec.dialect, house.shells, variables),
    cwd: directoryOf(stage, house, diagnostics),
    env: { ...house.env, ...variables, ...feed.env, ...action.env },
    input: system.text.encode(feed.input),
    timeoutMs: stage.timeoutMs,
    limits: stage.limits,
    killAfterMs: house.killMs,
    pipeGraceMs: house.pipeMs,
    ...(watcher === undefined
      ? {}
      : {
          onOutput: (stream, chunk) => {
            const announced = stream === "stdout" ? watcher.push(chunk) : undefined;
            if (announced === undefined) return;
            unsubscribe();
            unsubscribe = house.closing.subscribe(() => running.stop());
            if (announced.timeoutMs !== undefined) {
              // Configuration sets the ceiling; the hook itself can only ask for less.
              cancelDeadline = timers.after(announced.timeoutMs, () => {
                stoppedBy = "deadline";
                running.stop();
              });
            }
            detach();
          },
        }),
  });
  unsubscribe = stage.interruption.subscribe(() => running.stop());
  if (stage.interruption.isRaised) running.stop();
  const finished = running.done.then(result => {
    cancelDeadline();
    unsubscribe();
    return toRaw(result, stoppedBy, spec, stage, diagnostics);
  });
  return { finished, detached };
}

/** The event's directory, or the project's when that one is gone. */
function directoryOf(stage: Stage, house: CommandHouse, diagnostics: Diagnostic[]): string {
  const cwd = ownValue(stage.payload, "cwd");
  if (typeof cwd !== "string" || cwd === "") return house.projectDir;
  const isThere = cwd.startsWith("/") && stage.seams.system.files.follow(cwd)?.kind === "directory";
  if (isThere) return cwd;
  diagnostics.push(
    diagnose("cwd-missing", "the event's directory does not exist; the hook runs in the project's"),
  );
  return house.projectDir;
}

/** What the hook reads on stdin and finds in its environment. */
function feedOf(
  spec: HandlerSpec,
  stage: Stage,
  house: CommandHouse,
  diagnostics: Diagnostic[],
): { readonly input: string; readonly env: EnvironmentRecord } {
  if (spec.dialect !== "atomcode") return { input: stage.payloadText(), env: {} };
  const { pluginRoot } = spec.source;
  const event = findAtomcodeEvent(spec.event);
  const tool = ownValue(stage.payload, "tool_name");
  const context = JSON.stringify(atomcodeContext(stage.event, stage.payload, house.projectDir));
  const isPrompt = spec.event === "UserPromptSubmit";
  const fits = stage.seams.system.text.encode(context).length <= stage.limits.envValueBytes;
  if (!fits)
    diagnostics.push(
      diagnose("env-context-omitted", "the context is too long for a variable; it is on stdin"),
    );
  return {
    input: isPrompt ? JSON.stringify(atomcodePrompt(stage.payload, house.projectDir)) : context,
    env: {
      ATOMCODE_HOOK_EVENT: event === undefined ? spec.event : ATOMCODE_EVENTS[event],
      ...(stage.event.requiresTool && typeof tool === "string" ? { ATOMCODE_TOOL_NAME: tool } : {}),
      ...(pluginRoot === undefined ? {} : { ATOMCODE_PLUGIN_ROOT: pluginRoot }),
      ...(fits ? { ATOMCODE_HOOK_CONTEXT: context } : {}),
    },
  };
}

function toRaw(
  result: ProcessResult,
  stoppedBy: "deadline" | undefined,
  spec: HandlerSpec,
  stage: Stage,
  diagnostics: Diagnostic[],
): RawResult {
  const codec = stage.seams.system.text;
  if (result.killed) diagnostics.push(diagnose("killed", "it ignored SIGTERM and was ended by SIGKILL"));
  if (result.pipeHeld)
    diagnostics.push(diagnose("pipe-held", "it ended while another process still held its output open"));
  if (result.stderrTruncated)
    diagnostics.push(diagnose("stderr-truncated", "stderr is longer than its limit"));
  return {
    end: toEnd(result.end, stoppedBy, spec, stage),
    stdout: captureText(codec, result.stdout, result.stdoutTruncated, result.stdoutTail),
    stderr: codec.decode(result.stderr).text,
    diagnostics,
  };
}

function toEnd(
  end: ProcessResult["end"],
  stoppedBy: "deadline" | undefined,
  spec: HandlerSpec,
  stage: Stage,
): End {
  switch (end.kind) {
    case "exit":
    case "signal":
      return end;
    case "timeout":
      return timedOut(stage.timeoutMs).end;
    case "stopped":
      return stoppedBy === "deadline" ? timedOut(stage.timeoutMs).end : { kind: "aborted" };
    case "overflow":
      return {
        kind: "failed",
        failure: { code: "output-overflow", detail: `over ${stage.limits.drainBytes} bytes of output` },
      };
    case "not-started": {
      const command = spec.action.kind === "command" ? spec.action.command : spec.id;
      return {
        kind: "failed",
        failure: { code: "spawn-failed", detail: `could not start "${command.slice(0, 200)}": ${end.code}` },
      };
    }
  }
}
