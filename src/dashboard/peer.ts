import type { Socket } from "node:net";
import { agentRunning } from "../hooks/index.ts";
import { tryList } from "../state/index.ts";
import type { System } from "../system/index.ts";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
/** More than a row for every port there is: nobody hides behind many connections. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
/** No process holds the socket any more. */
const NOBODY = "0";

/**
 * In words, why the program at the other end of a connection is an agent's; undefined when it is not seen to be. An
 * agent that got hold of the token must not consent in a person's place. Only Linux tells who holds a connection;
 * elsewhere the token and the rules about origins stand alone.
 */
export function agentAtPeer(system: System, stateHome: string, socket: Socket): string | undefined {
  const { remotePort, localPort } = socket;
  if (remotePort === undefined || localPort === undefined) return undefined;
  const tables = readTables(system);
  if (tables.length === 0) return undefined;
  const inode = findInode(tables, { own: localPort, peer: remotePort });
  // A browser waits for the answer. Who does not could no longer be asked who it is.
  if (inode === undefined || inode === NOBODY) return "it has left its connection already";
  const pid = findHolder(system, inode);
  return pid === undefined ? undefined : agentRunning(system, stateHome, pid);
}

/** The process that holds the other end of a connection within this machine. */
export function findPeer(
  system: System,
  ports: { readonly own: number; readonly peer: number },
): number | undefined {
  const inode = findInode(readTables(system), ports);
  return inode === undefined ? undefined : findHolder(system, inode);
}

function findHolder(system: System, inode: string): number | undefined {
  const wanted = `socket:[${inode}]`;
  return tryList(system.files, "/proc")
    .filter(name => /^\d+$/.test(name) && name !== String(system.processes.self.pid))
    .concat(String(system.processes.self.pid))
    .map(Number)
    .find(pid => holds(system, pid, wanted));
}

function readTables({ files, text }: System): readonly string[] {
  return TABLES.flatMap(path => {
    try {
      return [text.decode(files.read(path, MAX_TABLE_BYTES)).text];
    } catch {
      return [];
    }
  });
}

/** Lines of the kernel: number, local and remote address with port, state …, the inode as the tenth. */
function findInode(
  tables: readonly string[],
  { own, peer }: { readonly own: number; readonly peer: number },
): string | undefined {
  const portOf = (address = "") => Number.parseInt(address.split(":")[1] ?? "", 16);
  return tables
    .flatMap(table => table.split("\n"))
    .map(row => row.trim().split(/\s+/))
    .find(([, local, remote]) => portOf(local) === peer && portOf(remote) === own)?.[9];
}

function holds({ files }: System, pid: number, wanted: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return tryList(files, folder).some(name => {
    try {
      return files.readLink(`${folder}/${name}`) === wanted;
    } catch {
      // Closed since, or of another user.
      return false;
    }
  });
}
