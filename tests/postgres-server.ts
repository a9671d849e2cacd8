import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FOLDERS = "/usr/lib/postgresql";

/** Where `initdb` and `postgres` are; Debian keeps them out of the path. `AMPLIHACK_TEST_POSTGRES` names another folder. */
function findPrograms(): string | undefined {
  const named = process.env["AMPLIHACK_TEST_POSTGRES"];
  if (named !== undefined) return named;
  const versions = existsSync(FOLDERS)
    ? readdirSync(FOLDERS)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  const folders = [...versions.map(version => join(FOLDERS, String(version), "bin")), ...pathFolders()];
  return folders.find(folder => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

function pathFolders(): readonly string[] {
  return (process.env["PATH"] ?? "").split(":").filter(folder => folder !== "");
}

/** Tests that need a server are skipped, visibly, on a machine that has none (`apt-get install postgresql`). */
export const hasPostgres = findPrograms() !== undefined;

/** PostgreSQL refuses to run as root, and whoever runs it must reach its folder. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const PLACES = isRoot ? ["/dev/shm", "/tmp"] : [tmpdir()];

function handOver(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
}

export interface PostgresServer {
  /** the folder of its socket */
  readonly folder: string;
  /** a loopback port, when it was asked for */
  readonly port: number | undefined;
  /** a URL for its administrator, or another user, without a password */
  url(database?: string, name?: string): string;
  /** as a power cut would: nothing is written any more */
  kill(): Promise<void>;
  /** after `kill` */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** also listens on a loopback port, with these files for TLS */
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly settings?: Readonly<Record<string, string>>;
  /** also listens there, in the network that `enter` leads to, and lets everybody in who connects from `from` */
  readonly network?: {
    readonly enter: readonly [string, ...string[]];
    readonly address: string;
    readonly from: string;
  };
}

export const ADMINISTRATOR = "keeper";

/** A server of its own in a temporary folder, on a socket. It ends with the process that started it, however that ends. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  // A socket's path may have 107 characters.
  const place = PLACES.find(each => existsSync(each)) ?? tmpdir();
  const folder = mkdtempSync(join(place, "amplihack-tests-pg-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  for (const each of [folder, data]) handOver(each);
  chmodSync(folder, 0o755);
  const initdb = [
    "-D",
    data,
    "-U",
    ADMINISTRATOR,
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
    "--no-sync",
  ];
  execFileSync(join(programs, "initdb"), initdb, { ...user, stdio: "pipe" });
  if (options.network !== undefined)
    appendFileSync(join(data, "pg_hba.conf"), `host all all ${options.network.from} trust\n`);
  for (const [name, source] of tlsFiles(options)) {
    copyFileSync(source, join(data, name));
    chmodSync(join(data, name), 0o600);
    handOver(join(data, name));
  }

  const first = await launchFirst(programs, folder, options);
  const { port } = first;
  let { server } = first;
  return {
    folder,
    port,
    url: (database = "postgres", name = ADMINISTRATOR) =>
      `postgres://${name}@/${database}?host=${encodeURIComponent(folder)}`,
    async kill() {
      await endOf(server, "KILL");
      // Its other processes end by themselves, each when it finds the time; until then they answer.
      while (hasProcessIn(data)) await new Promise(resolve => setTimeout(resolve, 10));
    },
    async start() {
      server = await launch(programs, folder, options);
    },
    async stop() {
      await endOf(server);
    },
  };
}

function tlsFiles({ tls }: ServerOptions): readonly (readonly [string, string])[] {
  if (tls === undefined) return [];
  return [
    ["server.crt", tls.certificate],
    ["server.key", tls.key],
  ];
}

function settingsText(
  folder: string,
  port: number | undefined,
  { tls, network, settings }: ServerOptions,
): string {
  const all: Record<string, string> = {
    unix_socket_directories: folder,
    listen_addresses: port === undefined ? "" : "127.0.0.1",
    port: String(port ?? 5432),
    fsync: "off",
    max_connections: "100",
    shared_buffers: "32MB",
    ...(tls === undefined ? {} : { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" }),
    ...(network === undefined ? {} : { listen_addresses: network.address }),
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("");
}

interface RunningServer {
  readonly watcher: ChildProcess;
}

/** The shell in between ends the server and removes its folder when its own input ends, which it does with this process. */
const WATCH = `
  "$0" -D "$1/data" 3<&- & server=$!
  if read -r signal <&3; then kill -"$signal" "$server"; wait "$server"; exit; fi
  kill -QUIT "$server"; wait "$server"; rm -rf "$1"`;

/** Another program may take a free port before the server does. */
async function launchFirst(programs: string, folder: string, options: ServerOptions) {
  for (;;) {
    const port = options.tls === undefined ? undefined : await freePort();
    const settings = join(folder, "data", "postgresql.auto.conf");
    writeFileSync(settings, settingsText(folder, port, options));
    handOver(settings);
    try {
      return { server: await launch(programs, folder, options), port };
    } catch (error) {
      if (!String(error).includes("could not create any TCP/IP sockets")) throw error;
    }
  }
}

/** A client that comes too early is refused, and the server goes on. */
const FAILURE = /FATAL:(?! +the database system is)/;

async function launch(programs: string, folder: string, { network }: ServerOptions): Promise<RunningServer> {
  // Another network is for root to enter, who becomes somebody else on the way.
  const [enter = "", ...words] = network?.enter ?? [];
  const become = [`--setgid=${NOBODY}`, `--setuid=${NOBODY}`, "sh"];
  const watch = ["-c", WATCH, join(programs, "postgres"), folder];
  const watcher = spawn(enter || "sh", network === undefined ? watch : [...words, ...become, ...watch], {
    ...(network === undefined ? user : {}),
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let log = "";
  watcher.stderr?.on("data", chunk => {
    log = (log + chunk).slice(-4_000);
  });
  for (;;) {
    if (log.includes("ready to accept connections")) return { watcher };
    if (watcher.exitCode !== null || FAILURE.test(log)) break;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  await endOf({ watcher }, "KILL");
  throw new Error(`PostgreSQL did not start in ${folder}:\n${log}`);
}

async function endOf({ watcher }: RunningServer, signal?: "KILL"): Promise<void> {
  if (watcher.exitCode !== null) return;
  const ended = new Promise(resolve => watcher.once("exit", resolve));
  const control = watcher.stdio[3] as NodeJS.WritableStream;
  control.end(signal === undefined ? "" : `${signal}\n`);
  await ended;
}

function hasProcessIn(folder: string): boolean {
  const numbers = existsSync("/proc") ? readdirSync("/proc").filter(name => /^\d+$/.test(name)) : [];
  return numbers.some(number => {
    try {
      return readlinkSync(`/proc/${number}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no port")),
      );
    });
  });
}

let shared: Promise<PostgresServer> | undefined;
let databases = 0;

/** The server that all tests of this process share. */
export function sharedServer(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** A fresh database on a server that all tests of this process share. Gives its URL; it is dropped after the test. */
export async function freshDatabase(): Promise<{
  readonly server: PostgresServer;
  readonly name: string;
  readonly url: string;
}> {
  const server = await sharedServer();
  // Benches use the server too, outside of any test.
  const { onTestFinished } = await import("vitest");
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  await administer(server, `CREATE DATABASE ${name}`);
  onTestFinished(() => administer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  return { server, name, url: server.url(name) };
}

/** Runs statements as the administrator, outside of what is tested. */
export async function administer(server: PostgresServer, sql: string, database = "postgres"): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ host: server.folder, user: ADMINISTRATOR, database });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
