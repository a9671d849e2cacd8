import { isAgentVariable } from "../../hosts/index.ts";
import { agentOfProcess } from "../../programs/index.ts";
import { findStateHome, removeIfThere, tryList } from "../../state/index.ts";
import { basename, hasErrorCode, join, type ProcessIdentity, type System } from "../../system/index.ts";

/** A process above this one, as far as the system shows it. */
interface Ancestor {
  readonly pid: number;
  readonly start: string | undefined;
  readonly argv: readonly string[];
  /** the file that runs, and the name that the process goes by */
  readonly names: readonly string[];
}

const MAX_ANCESTORS = 65;
const MAX_HOSTS = 64;
const MAX_BYTES = 1024 * 1024;

/** In words, why an agent started this process; undefined when none is seen to have. */
export function agentAbove(system: System, stateHome = findStateHome(system)): string | undefined {
  const { env } = system;
  const marker = env.names().find(name => isAgentVariable(name) && (env.get(name) ?? "") !== "");
  if (marker !== undefined) return `${marker} is set`;
  return findAgent(system, stateHome, listAncestors(system));
}

/** The same for another process of this machine, which is looked at itself, too. */
export function agentRunning(system: System, stateHome: string, pid: number): string | undefined {
  return findAgent(system, stateHome, chainFrom(system, pid));
}

function findAgent(
  system: System,
  stateHome: string | undefined,
  chain: readonly Ancestor[],
): string | undefined {
  const hosts = new Set(stateHome === undefined ? [] : tryList(system.files, hostsFolder(stateHome)));
  for (const ancestor of chain) {
    const { pid, argv, names } = ancestor;
    const agent = agentOfProcess(argv, names);
    if (agent !== undefined) return `${agent} runs it, process ${pid}`;
    if (hosts.has(hostName(ancestor))) return `process ${pid} above it runs hooks of amplihack`;
    const variable = readAgentVariable(system, pid);
    if (variable !== undefined) return `${variable} is set in process ${pid} above it`;
  }
  return undefined;
}

/**
 * Remembers the process that runs our hooks, so that nothing below it passes for a person, whatever it is called. Once
 * for each process; those that have ended are forgotten.
 */
export function rememberHost(system: System, stateHome: string): void {
  const host = findHostProcess(listAncestors(system));
  if (host === undefined) return;
  const folder = hostsFolder(stateHome);
  const name = hostName(host);
  const path = join(folder, name);
  if (system.files.inspect(path) !== undefined) return;
  system.files.makeDirectory(folder, 0o700);
  const others = tryList(system.files, folder).filter(
    other => isAlive(system, other) || forget(system, folder, other),
  );
  if (others.length >= MAX_HOSTS) return;
  try {
    system.files.createExclusive(path, new Uint8Array(), 0o600);
  } catch (error) {
    // Another hook of the same host was faster.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

/**
 * Whether what started this process is an agent host that a person started: one that runs our hooks or goes by the name
 * of an agent, with no agent above it. Only its questions reach a person.
 */
export function isStartedByHost(system: System, stateHome: string): boolean {
  const ancestors = listAncestors(system);
  const host = findHostProcess(ancestors);
  if (host === undefined) return false;
  const isHost =
    agentOfProcess(host.argv, host.names) !== undefined ||
    tryList(system.files, hostsFolder(stateHome)).includes(hostName(host));
  return isHost && findAgent(system, stateHome, ancestors.slice(ancestors.indexOf(host) + 1)) === undefined;
}

/** Whether a process above this one was started with such a word. */
export function isStartedWith(system: System, word: RegExp): boolean {
  return listAncestors(system).some(({ argv }) => argv.some(each => word.test(each)));
}

/** The process of the host that runs our hooks: a known agent, else what started them; undefined where none is seen. */
export function hostProcess(system: System): ProcessIdentity | undefined {
  const ancestors = listAncestors(system);
  const host =
    ancestors.find(({ argv, names }) => agentOfProcess(argv, names) !== undefined) ??
    findHostProcess(ancestors);
  return host === undefined
    ? undefined
    : { pid: host.pid, start: host.start, host: system.processes.self.host };
}

function hostsFolder(stateHome: string): string {
  return join(stateHome, "guard", "hosts");
}

function hostName({ pid, start }: Pick<Ancestor, "pid" | "start">): string {
  return `${pid}-${(start ?? "").replace(/\W+/g, "_")}`;
}

function isAlive(system: System, name: string): boolean {
  const pid = Number(name.slice(0, name.indexOf("-")));
  const found = system.processes.look(pid);
  return found !== undefined && hostName({ pid, start: found.start }) === name;
}

function forget(system: System, folder: string, name: string): false {
  removeIfThere(system.files, join(folder, name));
  return false;
}

/** Hosts start hooks by a shell with `-c`. A shell that waits for commands is a person who tries a hook. */
function findHostProcess(ancestors: readonly Ancestor[]): Ancestor | undefined {
  const host = ancestors.find(({ argv }) => !(isShell(argv) && argv.some(word => /^-[a-z]*c$/.test(word))));
  const isPrompt =
    host !== undefined && isShell(host.argv) && host.argv.slice(1).every(word => word.startsWith("-"));
  return host === undefined || host.pid <= 1 || isPrompt ? undefined : host;
}

function isShell([program = ""]: readonly string[]): boolean {
  return /^-?(ba|z|da|k|fi)?sh$/.test(basename(program));
}

/** Nearest first. */
function listAncestors(system: System): readonly Ancestor[] {
  return chainFrom(system, system.processes.self.pid).slice(1);
}

/** The process and those above it. Where the system has no `/proc`, it lists its processes instead. */
function chainFrom(system: System, first: number): readonly Ancestor[] {
  const { self, list } = system.processes;
  const listed = readProc(system, self.pid) === undefined ? list?.() : undefined;
  const found: Ancestor[] = [];
  let pid = first;
  while (pid > 0 && found.length < MAX_ANCESTORS) {
    const facts = listed === undefined ? readProc(system, pid) : listed.get(pid);
    if (facts === undefined) break;
    found.push({ pid, ...facts });
    pid = facts.parent;
  }
  return found;
}

function readProc(
  system: System,
  pid: number,
): (Omit<Ancestor, "pid"> & { readonly parent: number }) | undefined {
  const stat = procText(system, pid, "stat");
  if (stat === undefined) return undefined;
  // The name may itself hold blanks and brackets.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const argv = (procText(system, pid, "cmdline") ?? "").split("\0").filter(word => word !== "");
  const name = stat.slice(stat.indexOf("(") + 1, end);
  return { parent: Number(fields[1]), start: fields[19], argv, names: [name, runningFile(system, pid)] };
}

function runningFile({ files }: System, pid: number): string {
  try {
    return basename(files.readLink(`/proc/${pid}/exe`));
  } catch {
    return "";
  }
}

function readAgentVariable(system: System, pid: number): string | undefined {
  const variables = (procText(system, pid, "environ") ?? "").split("\0").map(entry => entry.split("="));
  return variables.find(([name = "", value = ""]) => isAgentVariable(name) && value !== "")?.[0];
}

/** Undefined for a process of another user, one that has ended, and where there is no `/proc`. */
function procText({ files, text }: System, pid: number, name: string): string | undefined {
  try {
    return text.decode(files.read(`/proc/${pid}/${name}`, MAX_BYTES)).text;
  } catch {
    return undefined;
  }
}
