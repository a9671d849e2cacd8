import {
  aborted,
  answered,
  type CommandAction,
  captureText,
  commandLine,
  diagnose,
  type EnvironmentRecord,
  engineVariables,
  failed,
  type HandlerEnd,
  type HandlerSpec,
  NO_OUTPUT,
  type RawResult,
} from "../../handlers/index.ts";
import {
  booleanAt,
  type Diagnostic,
  defined,
  type EventDescriptor,
  type Json,
  type JsonObject,
  numberAt,
  ownValue,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import type { ProcessResult, RunningProcess, TextCodec } from "../../system/index.ts";
import { describeError } from "../reply.ts";
import { spellAtomcodeEvent } from "../source/atomcode.ts";
import { type HandlerInvocation, timedOut } from "./invocation.ts";

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
  invocation: HandlerInvocation,
  mayDetach: boolean,
): Promise<CommandResult> {
  const { commands, platform } = invocation.core;
  const waitingSince = platform.timers.nowMs();
  const hasSlot = await commands.slots.acquire(invocation.cancel);
  const queueMs = platform.timers.nowMs() - waitingSince;
  if (!hasSlot) return { result: aborted(), queueMs };
  let started: Started;
  try {
    started = startCommand(spec, action, invocation, mayDetach);
  } catch (error) {
    commands.slots.release();
    return { result: failed("spawn-failed", describeError(error)), queueMs };
  }
  commands.onProcesses(1);
  const finished = started.finished.finally(() => {
    commands.slots.release();
    commands.onProcesses(-1);
  });
  const first = await Promise.race([finished, started.detached]);
  if (first !== "detached") return { result: first, queueMs };
  return { result: answered(NO_OUTPUT), queueMs, later: finished };
}

interface Started {
  readonly finished: Promise<RawResult>;
  readonly detached: Promise<"detached">;
}

function startCommand(
  spec: HandlerSpec,
  action: CommandAction,
  invocation: HandlerInvocation,
  mayDetach: boolean,
): Started {
  const { core, cancel } = invocation;
  const { commands } = core;
  const { system, timers } = core.platform;
  const diagnostics: Diagnostic[] = [];
  const variables = engineVariables(core.projectDir, commands.snapshot, spec.source);
  const { stdin, env } = hookInput(spec, invocation, diagnostics);
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
    argv: commandLine(action, spec.dialect, commands.shells, variables),
    cwd: chooseDirectory(invocation, diagnostics),
    env: { ...commands.env, ...variables, ...env, ...action.env },
    input: system.text.encode(stdin),
    timeoutMs: invocation.timeoutMs,
    // A hook says its reason first; what floods the stream comes later.
    limits: { ...core.limits, keepsFirstErrors: true },
    killAfterMs: commands.killMs,
    pipeGraceMs: commands.pipeMs,
    ...(watcher === undefined
      ? {}
      : {
          onOutput: (stream, chunk) => {
            const announced = stream === "stdout" ? watcher.push(chunk) : undefined;
            if (announced === undefined) return;
            unsubscribe();
            unsubscribe = commands.closing.subscribe(() => running.stop());
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
  unsubscribe = cancel.subscribe(() => running.stop());
  if (cancel.isRaised) running.stop();
  const finished = running.done.then(result => {
    cancelDeadline();
    unsubscribe();
    return toRaw(result, stoppedBy, spec, invocation, diagnostics);
  });
  return { finished, detached };
}

/** The event's directory, or the project's when that one is gone. */
function chooseDirectory({ core, payload }: HandlerInvocation, diagnostics: Diagnostic[]): string {
  const cwd = stringAt(payload, "cwd") ?? "";
  if (cwd === "") return core.projectDir;
  const isThere = cwd.startsWith("/") && core.platform.system.files.follow(cwd)?.kind === "directory";
  if (isThere) return cwd;
  diagnostics.push(
    diagnose("cwd-missing", "the event's directory does not exist; the hook runs in the project's"),
  );
  return core.projectDir;
}

/** What the hook reads on stdin and finds in its environment. */
function hookInput(
  spec: HandlerSpec,
  { core, event, payload, payloadText }: HandlerInvocation,
  diagnostics: Diagnostic[],
): { readonly stdin: string; readonly env: EnvironmentRecord } {
  if (spec.dialect !== "atomcode" && spec.dialect !== "atomcode-json")
    return { stdin: payloadText(), env: {} };
  const { pluginRoot } = spec.source;
  const tool = stringAt(payload, "tool_name");
  const facts = atomcodeContext(event, payload, core.projectDir);
  const context = JSON.stringify(facts);
  const isPrompt = spec.event === "UserPromptSubmit";
  const fits = core.platform.system.text.encode(context).length <= core.limits.envValueBytes;
  if (!fits)
    diagnostics.push(
      diagnose("env-context-omitted", "the context is too long for a variable; it is on stdin"),
    );
  return {
    stdin: JSON.stringify(
      isPrompt ? atomcodePrompt(payload, core.projectDir) : atomcodeStdin(facts, payload, event),
    ),
    env: {
      ATOMCODE_HOOK_EVENT: spellAtomcodeEvent(spec.event),
      ATOMCODE_PROJECT_DIR: core.projectDir,
      ...defined({
        ATOMCODE_TOOL_NAME: event.requiresTool ? tool : undefined,
        ATOMCODE_PLUGIN_ROOT: pluginRoot,
      }),
      ...(fits ? { ATOMCODE_HOOK_CONTEXT: context } : {}),
    },
  };
}

function toRaw(
  result: ProcessResult,
  stoppedBy: "deadline" | undefined,
  spec: HandlerSpec,
  invocation: HandlerInvocation,
  diagnostics: Diagnostic[],
): RawResult {
  const codec = invocation.core.platform.system.text;
  if (result.killed) diagnostics.push(diagnose("killed", "it ignored SIGTERM and was ended by SIGKILL"));
  if (result.pipeHeld)
    diagnostics.push(diagnose("pipe-held", "it ended while another process still held its output open"));
  if (result.stderrTruncated)
    diagnostics.push(diagnose("stderr-truncated", "stderr is longer than its limit"));
  return {
    end: toEnd(result.end, stoppedBy, spec, invocation),
    stdout: captureText(codec, result.stdout, result.stdoutTruncated, result.stdoutTail),
    stderr: codec.decode(result.stderr).text,
    diagnostics,
  };
}

function toEnd(
  end: ProcessResult["end"],
  stoppedBy: "deadline" | undefined,
  spec: HandlerSpec,
  { core, timeoutMs }: HandlerInvocation,
): HandlerEnd {
  switch (end.kind) {
    case "exit":
    case "signal":
      return end;
    case "timeout":
      return timedOut(timeoutMs).end;
    case "stopped":
      return stoppedBy === "deadline" ? timedOut(timeoutMs).end : { kind: "aborted" };
    case "overflow":
      return failed("output-overflow", `over ${core.limits.drainBytes} bytes of output`).end;
    case "not-started": {
      const command = spec.action.kind === "command" ? spec.action.command : spec.id;
      return failed("spawn-failed", `could not start "${command.slice(0, 200)}": ${end.code}`).end;
    }
  }
}

const MAX_LINE_BYTES = 4096;
const NEWLINE = 0x0a;

interface Announcement {
  /** how long the hook wants to go on, in milliseconds */
  readonly timeoutMs: number | undefined;
}

/** Watches the first line of stdout for `{"async": true}`: the hook goes on in the background. */
class AnnouncementWatcher {
  private readonly codec: TextCodec;
  private readonly line: number[] = [];
  private isOver = false;

  constructor(codec: TextCodec) {
    this.codec = codec;
  }

  /** The announcement, at the chunk that completes its line. */
  push(chunk: Uint8Array): Announcement | undefined {
    if (this.isOver) return undefined;
    const newline = chunk.indexOf(NEWLINE);
    const piece = newline < 0 ? chunk : chunk.subarray(0, newline);
    if (this.line.length + piece.length > MAX_LINE_BYTES) {
      this.isOver = true;
      return undefined;
    }
    this.line.push(...piece);
    if (newline < 0) return undefined;
    this.isOver = true;
    return readAnnouncement(this.codec.decode(Uint8Array.from(this.line)).text);
  }
}

function readAnnouncement(line: string): Announcement | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const read = readJson(line, { recover: false, maxDepth: 4 });
  if (!read.ok || booleanAt(read.value, "async") !== true) return undefined;
  const timeoutMs = numberAt(read.value, "asyncTimeout") ?? 0;
  return { timeoutMs: Number.isFinite(timeoutMs) && timeoutMs > 0 ? timeoutMs : undefined };
}

/** What a hook of the dialect is told; members that do not apply are null, never left out. */
export function atomcodeContext(event: EventDescriptor, payload: JsonObject, projectDir: string): JsonObject {
  const result = ownValue(payload, "tool_response") ?? null;
  const isAfter = event.name === "PostToolUse" || event.name === "PostToolUseFailure";
  return {
    event: spellAtomcodeEvent(event.name),
    tool_name: ownValue(payload, "tool_name") ?? null,
    tool_args: ownValue(payload, "tool_input") ?? null,
    tool_result: isAfter ? asText(result) : null,
    tool_success: isAfter ? event.name === "PostToolUse" && ownValue(payload, "is_error") !== true : null,
    session_id: ownValue(payload, "session_id") ?? "",
    working_dir: ownValue(payload, "cwd") ?? projectDir,
  };
}

function asText(result: Json): Json {
  return result === null || typeof result === "string" ? result : JSON.stringify(result);
}

/**
 * What both forms of the dialect read on stdin: the payload as AtomCode sends it now, and beside it the members of the
 * older context, so that a script finds what it was written for whichever form its file was taken for.
 */
function atomcodeStdin(context: JsonObject, payload: JsonObject, event: EventDescriptor): JsonObject {
  const { tool_use_id: id = null, tool_response: result } = payload;
  return {
    ...payload,
    hook_event_name: event.name,
    cwd: context["working_dir"] ?? "",
    ...(event.requiresTool ? { call_id: id } : {}),
    ...(result === undefined ? {} : { tool_response: asText(result) }),
    ...context,
  };
}

/** At the prompt the payload is Claude's, with exactly these members. */
export function atomcodePrompt(payload: JsonObject, projectDir: string): JsonObject {
  return {
    session_id: ownValue(payload, "session_id") ?? "",
    hook_event_name: "UserPromptSubmit",
    prompt: ownValue(payload, "prompt") ?? "",
    cwd: ownValue(payload, "cwd") ?? projectDir,
  };
}
