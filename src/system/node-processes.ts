import { readFileSync } from "node:fs";
import { onEnd } from "./node-end.ts";
import { errorCode } from "./node-errors.ts";
import { loadChildProcess, loadOperatingSystem } from "./node-load.ts";
import { startProcess } from "./node-start.ts";
import type { ListedProcess, Processes, ProcessIdentity } from "./system.ts";

export function createNodeProcesses(): Processes {
  let self: ProcessIdentity | undefined;
  return {
    get self() {
      self ??= { pid: process.pid, start: startTime(process.pid), host: loadOperatingSystem().hostname() };
      return self;
    },
    look(pid) {
      if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
      try {
        process.kill(pid, 0);
      } catch (error) {
        if (errorCode(error) !== "EPERM") return undefined;
      }
      return isDefunct(pid) ? undefined : { start: startTime(pid) };
    },
    ...(process.platform === "linux" ? {} : { list: listProcesses }),
    start: startProcess,
    onEnd,
  };
}

/** As `ps` prints them: pid, parent, start in five words, command line. Blanks within its words are lost. */
function listProcesses(): ReadonlyMap<number, ListedProcess> {
  const { stdout } = printProcesses(["-A", "-ww", "-o", "pid=,ppid=,lstart=,command="]);
  const rows = stdout.split("\n").map(line => line.trim().split(/\s+/));
  return new Map(
    rows.map(([pid, parent, ...rest]) => [
      Number(pid),
      { parent: Number(parent), start: rest.slice(0, 5).join(" "), argv: rest.slice(5), names: [] },
    ]),
  );
}

function printProcesses(words: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
} {
  return loadChildProcess().spawnSync("/bin/ps", words, {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: "UTC" },
    timeout: 2_000,
  });
}

/** The fields of `/proc/<pid>/stat` after the program name, which may itself hold blanks and brackets. */
function procFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** A process that ended and was not yet collected by its parent still answers signals. */
function isDefunct(pid: number): boolean {
  const state = process.platform === "linux" ? procFields(pid)?.[0] : undefined;
  return state === "Z" || state === "X";
}

/** Ticks since boot on Linux (field 22), the printed start time elsewhere. */
function startTime(pid: number): string | undefined {
  if (process.platform === "linux") return procFields(pid)?.[19];
  const { status, stdout } = printProcesses(["-o", "lstart=", "-p", String(pid)]);
  const printed = status === 0 ? stdout.trim().replace(/\s+/g, " ") : "";
  return printed === "" ? undefined : printed;
}
