import { constants, fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import {
  type HookDefinition,
  loadRunCode,
  openProgram,
  openRun,
  type RunHook,
  readCommandLine,
} from "../hooks/index.ts";
import { DEFAULT_HOST, hookDeadlineMs } from "../hosts/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { afterPending, createNodeSystem, loadNodeRealm, onExit } from "../system/node.ts";

/**
 * One call of the hook program; `argv` begins with the subcommand, `installedIn` is the state home it was staged in. The
 * process ends with it.
 */
export type HookMain = (argv: readonly string[], installedIn?: string) => void;

/** Wires one hook to Node: signals, deadline, last words. The process ends as soon as the answer is written. */
export function defineEntry(definition: HookDefinition): HookMain {
  return (argv, installedIn) => {
    // A limit on the size of files must not end a run before its answer: writes fail and are told.
    process.on("SIGXFSZ", () => {});
    const line = readCommandLine(argv);
    if (line.notice !== "") writeSync(line.ok || !line.isHelp ? 2 : 1, line.notice);
    if (!line.ok) process.exit(line.isHelp ? 0 : 1);
    const { subcommand, call } = line;
    let isInputLeft = false;
    const onInputLeft = () => {
      isInputLeft = true;
    };
    const onTerminate = () => end(run.abandon("told to end by SIGTERM before the answer was ready"));
    const onFirstProcess = () => {
      const { host = DEFAULT_HOST, limitSeconds } = call;
      const deadlineMs = hookDeadlineMs(host, subcommand.name, subcommand.event, limitSeconds);
      const leftMs = Math.max(0, deadlineMs - (node.clock.monotonicMs() - startedMs));
      setTimeout(() => end(run.abandon(`no answer within ${deadlineMs} ms`)), leftMs).unref();
    };
    const node = createNodeSystem(installedIn);
    const startedMs = node.clock.monotonicMs();
    const system = watch(node, { onTerminate, onFirstProcess, onInputLeft });
    const amplihack = [process.execPath, join(dirname(__dirname), "amplihack.cjs")];
    const run = openRun(openProgram(definition, subcommand, amplihack, system), call, system, {
      runHook,
      program: amplihack,
    });
    const end = (code: number | undefined): void => {
      if (code === undefined) return;
      if (isInputLeft) drainInput(() => process.exit(code));
      else process.exit(code);
    };
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, () => lastWords(subcommand.hookName));
    }
    void run.run().then(end);
  };
}

/** Loaded when a user's hook runs, which is rarely: most calls are spared it. */
const runHook: RunHook = async (...request) => {
  const { runRealm } = await loadNodeRealm();
  const { runInRealm } = await loadRunCode();
  return runInRealm(runRealm)(...request);
};

interface Moments {
  readonly onTerminate: () => void;
  readonly onFirstProcess: () => void;
  readonly onInputLeft: () => void;
}

/** A caller that writes more than this, or nothing for this long, is not waited for. */
const MAX_DRAINED_BYTES = 1024 * 1024 * 1024;
const DRAIN_PATIENCE_MS = 1_000;

/** Takes the rest of an input that was too large: a caller whose write breaks off might not read the answer. */
function drainInput(done: () => void): void {
  let drained = 0;
  // Not before what has come meanwhile was read: it may be this process that was held up.
  const patience = setTimeout(() => {
    const before = drained;
    afterPending(() => drained === before && done());
  }, DRAIN_PATIENCE_MS);
  process.stdin.on("data", (chunk: Uint8Array) => {
    drained += chunk.length;
    if (drained > MAX_DRAINED_BYTES) done();
    patience.refresh();
  });
  for (const event of ["end", "error"]) process.stdin.on(event, done);
}

/**
 * The same system, which listens to SIGTERM only while a child works for it. At any other time the run reads its input or
 * computes, and Node would not hear the signal before the answer: without a listener it ends the process at once, and
 * the host sees a failure. Locks that it held are those of a dead process then, which the next one breaks. And only a
 * child process makes a run wait: without one no timer could fire before the answer, and most runs are spared the timer.
 */
function watch(system: System, { onTerminate, onFirstProcess, onInputLeft }: Moments): System {
  const { stdio, processes } = system;
  let hasStarted = false;
  let running = 0;
  return {
    ...system,
    stdio: {
      ...stdio,
      readInput(limitBytes) {
        if (isInputAbsent()) return { kind: "closed" };
        const read = stdio.readInput(limitBytes);
        if (read.kind === "too-large") onInputLeft();
        return read;
      },
    },
    processes: {
      get self() {
        return processes.self;
      },
      look: pid => processes.look(pid),
      onEnd: onExit,
      start(request) {
        if (!hasStarted) onFirstProcess();
        hasStarted = true;
        if (running++ === 0) process.on("SIGTERM", onTerminate);
        const child = processes.start(request);
        const done = child.done.then(async result => {
          // A signal that has come already is still heard.
          await new Promise<void>(afterPending);
          if (--running === 0) process.off("SIGTERM", onTerminate);
          return result;
        });
        return { ...child, done };
      },
    },
  };
}

/** Node puts the null device in the place of a closed descriptor, open for writing too. */
function isInputAbsent(): boolean {
  try {
    const input = fstatSync(0);
    if (!input.isCharacterDevice() || input.rdev !== statSync("/dev/null").rdev) return false;
  } catch {
    // Reading meets the same failure and names it.
    return false;
  }
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync("/proc/self/fdinfo/0", "latin1"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & constants.O_RDWR) !== 0;
  } catch {
    // Without /proc it is not known who opened it.
    return true;
  }
}

/** Nothing can be trusted any more, so this computes nothing: the answer that every caller takes for silence. */
function lastWords(hookName: string): never {
  try {
    writeSync(1, "{}\n");
    writeSync(2, `{"hook":"${hookName}","duration_us":0,"result":"panic","error":"last resort"}\n`);
  } finally {
    process.exit(0);
  }
}
