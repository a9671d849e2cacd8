import type { Socket } from "node:net";
import { agentRunning } from "../hooks/process-tree.ts";
import type { System } from "../system/system.ts";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const MAX_TABLE_BYTES = 8 * 1024 * 1024;

/**
 * In words, why the program at the other end of a connection is an agent's; undefined when it is not seen to be. An
 * agent that got hold of the token must not consent in a person's place. Only Linux tells who holds a connection;
 * elsewhere the token and the rules about origins stand alone.
 */
export function agentAtPeer(system: System, stateHome: string, socket: Socket): string | undefined {
  const { remotePort, localPort } = socket;
  if (remotePort === undefined || localPort === undefined) return undefined;
  const pid = findPeer(system, { own: localPort, peer: remotePort });
  return pid === undefined ? undefined : agentRunning(system, stateHome, pid);
}

/** The process that holds the other end of a connection within this machine. */
export function findPeer(
  system: System,
  ports: { readonly own: number; readonly peer: number },
): number | undefined {
  const inode = TABLES.map(path => findInode(system, path, ports)).find(found => found !== undefined);
  if (inode === undefined) return undefined;
  const wanted = `socket:[${inode}]`;
  return listNames(system, "/proc")
    .filter(name => /^\d+$/.test(name) && name !== String(system.processes.self.pid))
    .concat(String(system.processes.self.pid))
    .map(Number)
    .find(pid => holds(system, pid, wanted));
}

/** Lines of the kernel: number, local and remote address with port, state …, the inode as the tenth. */
function findInode(
  { files, text }: System,
  path: string,
  { own, peer }: { readonly own: number; readonly peer: number },
): string | undefined {
  const portOf = (address = "") => Number.parseInt(address.split(":")[1] ?? "", 16);
  try {
    const table = text.decode(files.read(path, MAX_TABLE_BYTES)).text;
    return table
      .split("\n")
      .map(row => row.trim().split(/\s+/))
      .find(([, local, remote]) => portOf(local) === peer && portOf(remote) === own)?.[9];
  } catch {
    return undefined;
  }
}

function holds({ files }: System, pid: number, wanted: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return listNames({ files }, folder).some(name => {
    try {
      return files.readLink(`${folder}/${name}`) === wanted;
    } catch {
      // Closed since, or of another user.
      return false;
    }
  });
}

function listNames({ files }: Pick<System, "files">, folder: string): readonly string[] {
  try {
    return files.list(folder);
  } catch {
    return [];
  }
}
