import { readFileSync } from "node:fs";
import { onEnd } from "./node-end.ts";
import { errorCode } from "./node-errors.ts";
import { loadChildProcess, loadOperatingSystem } from "./node-load.ts";
import { startProcess } from "./node-start.ts";
import type { Processes, ProcessIdentity } from "./system.ts";

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
    start: startProcess,
    onEnd,
  };
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
  const { status, stdout } = loadChildProcess().spawnSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: "UTC" },
    timeout: 2_000,
  });
  const printed = status === 0 ? stdout.trim() : "";
  return printed === "" ? undefined : printed;
}
