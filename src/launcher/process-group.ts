import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const POLL_MS = 50;

/** False when there is no such process any more. */
export function signalProcess(target: number, signal: NodeJS.Signals | 0): boolean {
  if (Math.abs(target) <= 1 || !Number.isSafeInteger(target)) return false;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

/** Ends what a leader left in its group: SIGTERM, then SIGKILL to what is still there after `graceMs`. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
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
export function isStopped(pid: number): boolean {
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
