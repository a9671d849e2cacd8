import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { chmodSync, constants, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { type Account, PYTHON } from "./run-attempt.ts";
import { DEEP_SOCKETS, MARK, PIPES, type Scene } from "./scene.ts";

/** What runs on the machine beside the sandbox, and how an attempt finds it. */
export interface OutsideWorld {
  readonly variables: Readonly<Record<string, string>>;
  isAlive(): boolean;
  /** a socket in the home of this scene */
  listenIn(scene: Scene): Promise<void>;
  end(): void;
}

function tellSecret(socket: Socket): void {
  socket.on("error", () => {});
  socket.on("data", () => socket.end(`${MARK}\n`));
}

const listen = (server: Server, ...where: readonly (string | number)[]): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(...(where as [string]), () => resolve());
  });

export async function startWorld(scene: Scene, account: Account): Promise<OutsideWorld> {
  const name = `amplihack-sandbox-test-${process.pid}`;
  const tcp = createServer(tellSecret);
  await listen(tcp, 0, "::");
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket("udp4");
  udp.on("message", (_, from) => udp.send(MARK, from.port, from.address));
  await new Promise<void>(resolve => udp.bind(port, "0.0.0.0", () => resolve()));
  const temporary = `/tmp/${name}.sock`;
  const inTemp = createServer(tellSecret);
  await listen(inTemp, temporary);
  chmodSync(temporary, 0o777);
  const abstract = listenAbstract(name);
  writeFileSync(`/dev/shm/${name}`, MARK, { mode: 0o644 });
  writeFileSync(`/tmp/krb5cc_${name}`, MARK, { mode: 0o644 });
  const other = startProcess(scene, account);
  const shared = shareMemory(account);
  const queue = fillQueue(account);
  const servers: Server[] = [tcp, inTemp];
  const children: ChildProcess[] = [];
  return {
    variables: {
      PORT: String(port),
      TEMP_SOCKET: temporary,
      ABSTRACT: name,
      SHARED_NAME: name,
      OUTSIDE_PID: String(other.pid),
      SHM_ID: shared,
      QUEUE_ID: queue,
    },
    isAlive: () => other.exitCode === null && other.signalCode === null,
    listenIn: async one => {
      const sockets = ["agent.sock", ...DEEP_SOCKETS].map(name => join(one.home, name));
      for (const path of sockets) {
        const server = createServer(tellSecret);
        servers.push(server);
        await listen(server, path);
      }
      const pipes = PIPES.map(name => join(one.root, name));
      spawnSync("mkfifo", pipes);
      // Held open at both ends, as by a writer and a reader.
      for (const path of pipes) writeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK), MARK);
      const others = [join(one.home, "a/b/c/d/relative.sock"), join(one.home, "a/b/c/d/renamed.sock")];
      if (PYTHON !== undefined) children.push(await listenUnderOtherNames(join(one.home, "a/b/c/d")));
      if (account !== undefined)
        spawnSync("chown", [`${account.uid}:${account.gid}`, ...sockets, ...pipes, ...others]);
    },
    end: () => {
      for (const server of servers) server.close();
      udp.close();
      if (other.pid !== undefined) process.kill(-other.pid, "SIGKILL");
      abstract?.kill("SIGKILL");
      for (const child of children) child.kill("SIGKILL");
      for (const file of [`/dev/shm/${name}`, `/tmp/krb5cc_${name}`]) rmSync(file, { force: true });
      if (shared !== "-1") spawnSync("ipcrm", ["-m", shared]);
      if (queue !== "-1") spawnSync("ipcrm", ["-q", queue]);
    },
  };
}

/** Holds the secret in its environment, its arguments and an open file. */
function startProcess(scene: Scene, account: Account): ChildProcess {
  const secret = openSync(join(scene.home, ".ssh/id_rsa"), "r");
  return spawn("/bin/sh", ["-c", "while :; do sleep 1000; done", MARK], {
    cwd: scene.project,
    env: { PATH: "/usr/bin:/bin", SECRET: MARK },
    stdio: [secret, "ignore", "ignore"],
    // With what it starts it is ended as a group.
    detached: true,
    ...account,
  });
}

/** Not by Node, which fills such a name up with zero bytes. */
function listenAbstract(name: string): ChildProcess | undefined {
  const script = `
import socket
server = socket.socket(socket.AF_UNIX); server.bind("\\0${name}"); server.listen(9)
while True:
    one, _ = server.accept(); one.recv(9); one.send(b"${MARK}"); one.close()`;
  return PYTHON === undefined ? undefined : spawn(PYTHON, ["-c", script], { stdio: "ignore" });
}

/** One was bound by a name without its folder, the other was renamed when it was there. */
async function listenUnderOtherNames(folder: string): Promise<ChildProcess> {
  const script = `
import os, select, socket
servers = [socket.socket(socket.AF_UNIX) for _ in range(2)]
for server, name in zip(servers, ["relative.sock", "first.sock"]): server.bind(name); server.listen(9)
os.rename("first.sock", "renamed.sock"); print("ready", flush=True)
while True:
    for server in select.select(servers, [], [])[0]:
        one, _ = server.accept(); one.recv(9); one.send(b"${MARK}"); one.close()`;
  const child = spawn(PYTHON ?? "", ["-c", script], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  await new Promise(resolve => child.stdout?.once("data", resolve));
  return child;
}

function fillQueue(account: Account): string {
  if (PYTHON === undefined) return "-1";
  const script = `
import ctypes
libc = ctypes.CDLL(None); at = libc.msgget(0, 0o1644)
libc.msgsnd(at, ctypes.create_string_buffer((1).to_bytes(8, "little") + b"${MARK}"), ${MARK.length}, 0); print(at)`;
  const { stdout } = spawnSync(PYTHON, ["-c", script], { encoding: "utf8", ...account });
  return stdout.trim() || "-1";
}

function shareMemory(account: Account): string {
  if (PYTHON === undefined) return "-1";
  const script = `
import ctypes
libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p
at = libc.shmget(0, 4096, 0o1644); ctypes.memmove(libc.shmat(at, None, 0), b"${MARK}", ${MARK.length}); print(at)`;
  const { stdout } = spawnSync(PYTHON, ["-c", script], { encoding: "utf8", ...account });
  return stdout.trim() || "-1";
}
