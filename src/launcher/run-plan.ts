import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { errorText } from "../protocol/index.ts";
import {
  AtomicJsonFile,
  makeRuntimeDirectory,
  Problem,
  programToStart,
  runtimePath,
} from "../state/index.ts";
import type { System } from "../system/index.ts";
import { onEnd, startGroupWatcher } from "../system/node.ts";
import { version } from "../version.ts";
import { withoutPrompts, writeShims } from "./child-environment.ts";
import type { LaunchPlan } from "./plan.ts";
import { logEnd, logStart, releaseClaim, removeClaim, takeClaim } from "./sessions.ts";

/** Tells hooks and recipes of this project which agent was started last. `argv` are the words typed, without prompts. */
function writeLauncherContext(system: System, plan: LaunchPlan, argv: readonly string[]): void {
  const { projectRoot, directory } = plan.places;
  makeRuntimeDirectory(system, projectRoot);
  const path = runtimePath(system, projectRoot, "launcher_context.json");
  new AtomicJsonFile(path, { system }).write({
    launcher: plan.agent,
    command: ["amplihack", ...argv].join(" "),
    timestamp: new Date(system.clock.nowMs()).toISOString(),
    session_id: plan.sessionId,
    cwd: directory,
    amplihack_version: version,
    environment: {},
  });
}

const POLL_MS = 50;

/** False when there is no such process any more. */
function signalProcess(target: number, signal: NodeJS.Signals | 0): boolean {
  if (Math.abs(target) <= 1 || !Number.isSafeInteger(target)) return false;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

/** Ends what a leader left in its group: SIGTERM, then SIGKILL to what is still there after `graceMs`. */
async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!hasLiveMembers(group) || !signalProcess(-group, "SIGTERM")) return;
  for (const end = Date.now() + graceMs; Date.now() < end; await wait(POLL_MS)) {
    if (!hasLiveMembers(group)) return;
  }
  signalProcess(-group, "SIGKILL");
}

/** Processes that ended and were not collected still answer signals, so on Linux their state is looked up. */
function hasLiveMembers(group: number): boolean {
  if (!signalProcess(-group, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some(name => /^\d+$/.test(name) && isLiveMember(name, group));
}

function isLiveMember(pid: string, group: number): boolean {
  const [state, , processGroup] = procFields(pid);
  return processGroup === String(group) && state !== "Z" && state !== "X";
}

/** The process was stopped by a signal and waits to be continued. */
function isStopped(pid: number): boolean {
  if (process.platform === "linux") return procFields(String(pid))[0] === "T";
  const { stdout } = spawnSync("/bin/ps", ["-o", "stat=", "-p", String(pid)], {
    encoding: "utf8",
    timeout: 1_000,
  });
  return (stdout ?? "").trim().startsWith("T");
}

/** State, parent and group of a process, as Linux tells them; empty when it is gone. */
function procFields(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Plain text, visible cursor, no mouse reports, no marks around pasted text. */
const RESET = "\u001b[0m\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l";

/** Puts the terminal back as it was at this moment: an agent that was killed cannot do it itself. */
function rememberTerminal(program: string): () => void {
  const stty = (words: readonly string[]) => runStty(program, words);
  const saved = stty(["-g"]).trim();
  return () => {
    if (saved === "") return;
    stty([saved]);
    try {
      if (process.stdout.isTTY) writeSync(1, RESET);
    } catch {
      // The terminal is gone, and with it what was to be put right.
    }
  };
}

function runStty(program: string, words: readonly string[]): string {
  const { status, stdout } = spawnSync(program, words, {
    stdio: ["inherit", "pipe", "ignore"],
    encoding: "utf8",
    timeout: 10_000,
  });
  return status === 0 ? stdout : "";
}

interface ChildRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** in the terminal's foreground group; otherwise the child leads a group of its own */
  readonly isInteractive: boolean;
  /** what keeps the terminal as it was */
  readonly stty: string;
  readonly warn: (text: string) => void;
}

interface ChildEnd {
  /** the child's own, or 128+n for the signal that ended it or us */
  readonly exitCode: number;
  readonly hasCrashed: boolean;
}

const GRACE_MS = 3_000;
/** A child that passes over SIGINT or SIGHUP is asked once more, in plainer words. */
const REPEAT_MS = 1_000;
const BUSY_RETRY_MS = 20;
const BUSY_LIMIT_MS = 10_000;
const FORWARDED = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
type Forwarded = (typeof FORWARDED)[number];

/** Starts the agent and stays with it to its end. No child, and no group of a child, outlives this. */
export async function runChild(request: ChildRequest): Promise<ChildEnd> {
  const restoreTerminal = request.isInteractive ? rememberTerminal(request.stty) : () => {};
  const watcher = request.isInteractive
    ? undefined
    : startGroupWatcher(reason => request.warn(`the agent's processes are not watched: ${reason}`));
  // Before the child exists: a signal must never find us without a plan.
  const supervision = new Supervision(request);
  try {
    const child = await startChild(request, group => watcher?.watch(group));
    const end = await supervision.follow(child);
    if (end.hasCrashed) restoreTerminal();
    return end;
  } finally {
    watcher?.dismiss();
    supervision.dispose();
  }
}

async function startChild(request: ChildRequest, onGroup: (group: number) => void): Promise<ChildProcess> {
  for (const giveUp = Date.now() + BUSY_LIMIT_MS; ; await wait(BUSY_RETRY_MS)) {
    const started = await tryStart(request, onGroup);
    if (!(started instanceof Error)) return started;
    const code = "code" in started ? String(started.code) : "";
    // A file that is still being written cannot be executed; installers take a moment.
    if (code === "ETXTBSY" && Date.now() < giveUp) continue;
    throw startProblem(request.program, code, started);
  }
}

function tryStart(
  { program, args, cwd, env, isInteractive }: ChildRequest,
  onGroup: (group: number) => void,
): Promise<ChildProcess | Error> {
  return new Promise(resolve => {
    try {
      const child = spawn(program, args, { cwd, env, stdio: "inherit", detached: !isInteractive });
      // At once: until the watcher knows the group, it would outlive us.
      if (child.pid !== undefined) onGroup(child.pid);
      child.once("error", resolve);
      child.once("spawn", () => resolve(child));
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(errorText(error)));
    }
  });
}

function startProblem(program: string, code: string, error: Error): Problem {
  const details: Readonly<Record<string, readonly [string, number]>> = {
    ENOENT: ["the file, or the interpreter its first line names, is not there", 127],
    EACCES: ["there is no permission to execute it", 126],
    E2BIG: ["its arguments and environment are too long for this system", 126],
  };
  const [cause, exitCode] = details[code] ?? [error.message, 126];
  return new Problem(`cannot start ${program}`, { kind: "not-started", causes: [cause], exitCode });
}

/** Signals to us and the end of the child, brought to one exit code. */
class Supervision {
  private readonly isInteractive: boolean;
  private child: ChildProcess | undefined;
  private isReaped = false;
  private received: Forwarded | undefined;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly atEnd: { dispose(): void };

  constructor({ isInteractive }: ChildRequest) {
    this.isInteractive = isInteractive;
    for (const name of FORWARDED) process.on(name, this.onSignal);
    process.on("SIGQUIT", this.onQuit);
    if (isInteractive) process.on("SIGCHLD", this.onChildChange);
    this.atEnd = onEnd(() => this.send("SIGKILL"));
  }

  async follow(child: ChildProcess): Promise<ChildEnd> {
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve => {
      child.once("exit", (code, signal) => {
        this.isReaped = true;
        resolve({ code, signal });
      });
    });
    this.child = child;
    if (this.received !== undefined) this.shutDown(this.received);
    const { code, signal } = await ended;
    for (const timer of this.timers) clearTimeout(timer);
    if (!this.isInteractive && child.pid !== undefined) {
      await endGroup(child.pid, this.received === undefined ? GRACE_MS : 0);
    }
    const own = this.received ?? signal;
    return { exitCode: own === null ? (code ?? 1) : 128 + constants.signals[own], hasCrashed: own !== null };
  }

  /**
   * In the foreground Ctrl-C and Ctrl-\ are the agent's to the end of this process: any thread may be given the signal,
   * so ours can arrive after the end of the agent it was typed for, while its records are written.
   */
  dispose(): void {
    this.atEnd.dispose();
    for (const name of ["SIGTERM", "SIGHUP"] as const) process.off(name, this.onSignal);
    process.off("SIGCHLD", this.onChildChange);
    if (this.isInteractive) return;
    process.off("SIGINT", this.onSignal);
    process.off("SIGQUIT", this.onQuit);
  }

  /** In the foreground the terminal tells the child itself. */
  private readonly onQuit = (): void => {
    if (!this.isInteractive) this.send("SIGQUIT");
  };

  /**
   * Agents that read keys themselves stop only themselves at Ctrl-Z. The shell takes the terminal back when we, its
   * own child, stop as well; `fg` then wakes the whole group.
   */
  private readonly onChildChange = (): void => {
    const pid = this.child?.pid;
    if (pid !== undefined && !this.isReaped && isStopped(pid)) process.kill(process.pid, "SIGSTOP");
  };

  private readonly onSignal = (signal: Forwarded): void => {
    if (signal === "SIGINT" && this.isInteractive) return;
    // When a terminal closes, the system and its shell both hang up: that is no second request.
    if (signal === "SIGHUP" && this.received === "SIGHUP") return;
    const isSecond = this.received !== undefined;
    this.received ??= signal;
    if (isSecond) this.send("SIGKILL");
    else this.shutDown(signal);
  };

  private shutDown(signal: Forwarded): void {
    this.send(signal);
    if (signal !== "SIGTERM") this.timers.push(setTimeout(() => this.send("SIGTERM"), REPEAT_MS));
    this.timers.push(setTimeout(() => this.send("SIGKILL"), GRACE_MS));
  }

  /** To the child's group where it has one; never after it was collected, when its number may be another's. */
  private send(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid === undefined || this.isReaped) return;
    signalProcess(this.isInteractive ? pid : -pid, signal);
  }
}

/** Starts what was planned, keeps the records of it, and gives the exit code. */
export async function runPlan(
  system: System,
  plan: LaunchPlan,
  warn: (text: string) => void,
): Promise<number> {
  tellNesting(plan, warn);
  if (plan.shims !== undefined) writeShims(system, plan.shims);
  const records = openRecords(system, plan, warn);
  let end: ChildEnd | undefined;
  try {
    end = await runChild({
      program: plan.program,
      args: plan.args,
      cwd: plan.places.directory,
      env: plan.env,
      isInteractive: plan.isInteractive,
      stty: programToStart(system, "stty"),
      warn,
    });
    return end.exitCode;
  } finally {
    records.close(end === undefined || end.hasCrashed ? "crashed" : "completed");
  }
}

function tellNesting({ nesting, depth }: LaunchPlan, warn: (text: string) => void): void {
  if (nesting.kind !== "nested") return;
  const owner = nesting.isOwnerDead ? ", whose process is gone" : "";
  warn(`this session is nested inside of another${owner}; depth ${depth}`);
}

/** Records tell others about the session; a place that cannot be written does not stop it. */
function openRecords(
  system: System,
  plan: LaunchPlan,
  warn: (text: string) => void,
): { close(status: "completed" | "crashed"): void } {
  const { places, nesting, sessionId, agent } = plan;
  const argv = [agent, ...withoutPrompts(plan.args)];
  const parentSessionId = nesting.kind === "nested" ? nesting.sessionId : undefined;
  const session = { ...places, sessionId, parentSessionId };
  const attempt = (what: string, act: () => void): boolean => {
    try {
      act();
      return true;
    } catch (error) {
      warn(`${what} could not be written: ${errorText(error)}`);
      return false;
    }
  };
  if (nesting.kind !== "nested") {
    attempt("the record of this session", () => {
      if (nesting.kind === "stale") removeClaim(system, places.home, nesting.claim);
      if (!takeClaim(system, places.home, sessionId)) warn("another session started at the same moment");
    });
  }
  attempt("the record of this launch", () => writeLauncherContext(system, plan, argv));
  const isLogged = attempt("the log of sessions", () => logStart(system, session, argv));
  return {
    close(status) {
      if (isLogged) attempt("the log of sessions", () => logEnd(system, session, status));
      attempt("the record of this session", () => releaseClaim(system, places.home));
    },
  };
}
