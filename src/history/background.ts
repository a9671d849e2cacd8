import { hasEnded, readText, removeIfThere, tryList } from "../state/index.ts";
import { isInside, type ProcessIdentity, type System } from "../system/index.ts";
import { finishAdoptions } from "./adopt.ts";
import { captureRepositories, completeChange } from "./complete.ts";
import type { HistoryContext } from "./context.ts";
import { type CallEnd, type OpenChange, type OpenFile, readOpen, replaceOpen } from "./open-changes.ts";
import type { Store } from "./store.ts";

/**
 * A call is over when its processes are. What a background call, or one that left processes behind, may still change
 * stays kept until they have ended; what it changed is read then.
 */

const MAX_STAT = 4_096;
const MAX_CHAIN = 64;
const MAX_ARGV = 1024 * 1024;
/** Shorter commands are found in the words of any program. */
const MIN_TEXT = 4;

/** Words of a command that start something which goes on after the command has ended. */
const DETACHING =
  /(?<![&|<>\d])&(?![&>\d])|\b(nohup|setsid|disown|daemonize|start-stop-daemon|coproc|Start-Process|Start-Job|pm2|forever)\b|\bstart\s+\/b\b/i;
/** The same, started by a service: its processes belong to nobody that could be looked at. */
const SERVICES = "systemd-run|at|batch|crontab|launchctl|schtasks|tmux|screen|zellij";
// Where a command begins: such words are also names and prose. A line break begins one, so none is skipped as a blank.
const BY_A_SERVICE = new RegExp(
  `(?:^|[;&|({\n\`]|\\b(?:sudo|env|exec|nohup|xargs)\\s)[^\\S\\n]*(?:${SERVICES})(?=\\s|$)`,
);
const CONTAINERS = /\b(?:docker|podman|nerdctl)\b/;
const DETACHED = /\s(?:-[a-zA-Z]{0,8}d[a-zA-Z]{0,8}|--detach|start|restart|unpause)(?![\w-])/;

/** What is longer is not searched: anything may be in it. */
const MAX_SEARCHED = 96 * 1024;

export function detaches(command: string): boolean {
  return command.length > MAX_SEARCHED || DETACHING.test(command);
}

export function isLeftToService(command: string): boolean {
  if (command.length > MAX_SEARCHED) return false;
  if (BY_A_SERVICE.test(command)) return true;
  return (
    CONTAINERS.test(command) &&
    command.split(/[;&|\n]/).some(part => {
      const at = part.search(CONTAINERS);
      return at >= 0 && DETACHED.test(part.slice(at));
    })
  );
}

/** The newest process of this machine, where `/proc` tells: what is started from now on has a later number. */
export function newestProcess(system: Pick<System, "files" | "text">): number | undefined {
  const last = (readProc(system, "/proc/loadavg") ?? "").trim().split(" ").at(-1);
  const pid = Number(last);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** Closes the change of a call that its host calls ended; while processes of the call run, that is only noted. */
export async function finishCall(context: HistoryContext, file: OpenFile, end: CallEnd = {}): Promise<void> {
  const { store } = context;
  const open = readOpen(store, file);
  if (open === undefined) return;
  const processes = open.change.kind === "call" ? processesLeft(context.system, open) : [];
  const isUnknown = open.background?.isLeftToService === true;
  if (processes.length === 0 && !isUnknown) {
    await completeChange(context, file, end);
    return;
  }
  const { isDetached = false } = open.background ?? {};
  const running = open.running ?? {
    end,
    sinceMs: context.system.clock.nowMs(),
    ...(isDetached ? {} : { git: captureRepositories(context, open) }),
  };
  replaceOpen(store, file, { ...open, running: { ...running, processes } });
  store.writeSealed(runningPath(store, file), file.path);
}

/** Reads what background calls changed whose processes have ended since. One look at the disk when there is none. */
export async function finishEnded(context: HistoryContext): Promise<void> {
  const { store } = context;
  await finishAdoptions(context);
  for (const name of store.names("running")) {
    const path = store.readSealed<string>(store.path("running", name));
    const file = { path: path ?? "", id: name };
    const open = path === undefined ? undefined : readOpen(store, file);
    if (open?.running === undefined) removeIfThere(store.system.files, store.path("running", name));
    else {
      const processes = stillRunning(context.system, open.running.processes);
      if (processes.length === 0 && open.background?.isLeftToService !== true) {
        await completeChange(context, file, open.running.end);
        removeIfThere(store.system.files, store.path("running", name));
      } else if (processes.length !== open.running.processes.length)
        replaceOpen(store, file, { ...open, running: { ...open.running, processes } });
    }
  }
}

function runningPath(store: Store, { id }: OpenFile): string {
  return store.path("running", id);
}

/** Those of the call that go on, and what they started since. */
function stillRunning(system: System, processes: readonly ProcessIdentity[]): readonly ProcessIdentity[] {
  const alive = processes.filter(process => !hasEnded(system.processes, process));
  if (alive.length === 0) return [];
  const look = lookup(system);
  const known = new Set(alive.map(({ pid }) => pid));
  const started = numbersIn(system).flatMap(pid => {
    if (known.has(pid)) return [];
    const found = listAncestry(look, pid);
    return found.slice(1).some(one => known.has(one.pid)) ? (found[0] ?? []) : [];
  });
  return [...alive, ...started].map(({ pid, start, host }) => ({ pid, start, host }));
}

function lookup(system: System): (pid: number) => Found | undefined {
  const known = new Map<number, Found | undefined>();
  return pid => {
    if (!known.has(pid)) known.set(pid, readProcess(system, pid));
    return known.get(pid);
  };
}

interface Found extends ProcessIdentity {
  readonly parent: number;
  readonly session: string;
  readonly hasTerminal: boolean;
}

/**
 * Processes that began after the call and are of the host, or were left without a parent. Those of a parallel call
 * cannot be told from a background call's: it counts as running while they run.
 */
function processesLeft(system: System, { background, change }: OpenChange): readonly ProcessIdentity[] {
  const since = background?.since;
  if (since === undefined) return background?.isDetached === true ? listedSince(system, change.timeMs) : [];
  const look = lookup(system);
  const isNew = startedSince(since, newestProcess(system) ?? since);
  const self = listAncestry(look, system.processes.self.pid);
  // The nearest that was there before the call: the host, or a program that has the hooks within it.
  const hostAt = self.findIndex(({ pid }) => !isNew(pid));
  const host = self[hostAt];
  if (host === undefined) return [];
  const above = new Set([1, ...self.slice(hostAt + 1).map(({ pid }) => pid)]);
  const own = new Set(self.map(({ pid }) => pid));
  return numbersIn(system).flatMap(pid => {
    const found = isNew(pid) && !own.has(pid) ? look(pid) : undefined;
    if (found === undefined) return [];
    const chain = listAncestry(look, pid);
    const isOfHost = chain.some(one => one.pid === host.pid);
    const isHook = chain.some(one => one.pid !== host.pid && own.has(one.pid) && !above.has(one.pid));
    // Whoever was there before has started what else is new.
    const first = chain.filter(one => isNew(one.pid)).at(-1);
    const isOrphan = first !== undefined && above.has(first.parent);
    const counts = isOfHost
      ? !isHook &&
        (background?.isDetached === true || chain.some(one => runs(system, one.pid, change.command)))
      : isOrphan &&
        ((background?.isDetached === true && isOfSession(found, host)) ||
          (!first.hasTerminal && isOfCall(system, found, change)));
    return counts ? [{ pid, start: found.start, host: found.host }] : [];
  });
}

/** Hosts give the command to a shell as a word of its own, or as a part of one. */
function runs(system: System, pid: number, command: string): boolean {
  const text = command.replace(/…$/, "");
  return text.length >= MIN_TEXT && (readProc(system, `/proc/${pid}/cmdline`, MAX_ARGV) ?? "").includes(text);
}

/** A process without a parent may be anybody's; of a call that detaches something, it stayed in the host's session. */
function isOfSession({ session }: Found, host: Found): boolean {
  return session === host.session && host.session !== "0";
}

/** Or it has no terminal, and works in the project or was started with words of the command. */
function isOfCall(
  system: System,
  { pid, hasTerminal }: Found,
  { project, command }: OpenChange["change"],
): boolean {
  if (hasTerminal) return false;
  const [name = "", ...given] = (readProc(system, `/proc/${pid}/cmdline`, MAX_ARGV) ?? "").split("\0");
  // Of a program with arguments the name alone (`python3`, `bash`) may be anybody's.
  const words = given.some(word => word !== "") ? given : [name];
  if (words.some(word => word.length >= MIN_TEXT && !word.startsWith("/") && command.includes(word)))
    return true;
  try {
    return isInside(project, system.files.readLink(`/proc/${pid}/cwd`));
  } catch {
    return false;
  }
}

/** Numbers go up and begin anew at the end. */
function startedSince(since: number, newest: number): (pid: number) => boolean {
  return newest >= since ? pid => pid > since && pid <= newest : pid => pid > since || pid <= newest;
}

function numbersIn({ files }: System): readonly number[] {
  return tryList(files, "/proc").flatMap(name => (/^\d+$/.test(name) ? Number(name) : []));
}

/** The process and those above it, nearest first. */
function listAncestry(look: (pid: number) => Found | undefined, first: number): readonly Found[] {
  const chain: Found[] = [];
  for (let found = look(first); found !== undefined && chain.length < MAX_CHAIN; found = look(found.parent))
    chain.push(found);
  return chain;
}

function readProcess(system: System, pid: number): Found | undefined {
  if (pid <= 0) return undefined;
  const stat = readProc(system, `/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name may itself hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent = "", , session = "", terminal = ""] = fields;
  if (state === "Z" || state === "X") return undefined;
  return {
    pid,
    start: fields[19],
    host: system.processes.self.host,
    parent: Number(parent),
    session,
    hasTerminal: terminal !== "0",
  };
}

/** Undefined without `/proc`, and for a process that has ended. */
function readProc(
  system: Pick<System, "files" | "text">,
  path: string,
  limitBytes = MAX_STAT,
): string | undefined {
  try {
    return readText(system, path, limitBytes);
  } catch {
    return undefined;
  }
}

/** Without `/proc`: what began since and has a process above it that is gone. */
function listedSince({ processes }: System, sinceMs: number): readonly ProcessIdentity[] {
  const all = processes.list?.() ?? new Map<number, never>();
  return [...all].flatMap(([pid, { parent, start }]) =>
    parent === 1 && start !== undefined && Date.parse(`${start} UTC`) >= sinceMs - 1_000
      ? [{ pid, start, host: processes.self.host }]
      : [],
  );
}
