import { readFileSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { homedir } from "node:os";
import type { Client, ClientBase, ClientConfig, Pool, PoolConfig } from "pg";
import { errorText } from "../protocol/index.ts";
import { join } from "../system/index.ts";
import { PostgresError } from "./postgres-error.ts";
import { type DatabaseAddress, describeAddress, isLocal } from "./url.ts";

/** Whom the driver connects as, and to what, with everything that neither the URL nor the environment left out. */
interface ConnectionNames {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const OPEN_TO_OTHERS = 0o077;
const FIELD = /((?:[^:\\]|\\.)*)(?::|$)/gsy;

/** For a server that asks for a password: `PGPASSWORD`, else the line of the password file, as libpq has it. */
export function findPassword(names: ConnectionNames, place: string): string {
  const { PGPASSWORD: given, PGPASSFILE: file = join(homedir(), ".pgpass") } = process.env;
  if (given !== undefined && given !== "") return given;
  const text = readPrivate(file, place);
  const found = text === undefined ? undefined : passwordIn(text, names);
  if (found !== undefined) return found;
  const { host, port, database, user } = names;
  throw new PostgresError("refused", `the database ${place} asks for the password of ${user}`, {
    fix: `set PGPASSWORD, or write ${host}:${port}:${database}:${user}:PASSWORD into ~/.pgpass (mode 0600)`,
  });
}

export function passwordIn(
  text: string,
  { host, port, database, user }: ConnectionNames,
): string | undefined {
  // libpq calls the server of a socket `localhost`.
  const wanted = [[host, ...(host.startsWith("/") ? ["localhost"] : [])], [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = [...line.matchAll(FIELD)].map(([, field = ""]) => field.replace(/\\(.)/gs, "$1"));
    const fits = wanted.every((names, i) => fields[i] === "*" || names.includes(fields[i] ?? ""));
    if (fits && fields[4] !== undefined && fields[4] !== "") return fields[4];
  }
  return undefined;
}

function readPrivate(file: string, place: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  if (process.platform !== "win32" && (stats.mode & OPEN_TO_OTHERS) !== 0)
    throw new PostgresError(
      "refused",
      `the database ${place} asks for a password, and ${file} is not read because others may read it too`,
      { fix: `chmod 600 ${file}` },
    );
  return readFileSync(file, "utf8");
}

const CLOSING_MS = 1_000;
/**
 * A network that is cut tells neither side. The server ends a session whose client has not answered for 25 s, and its
 * transaction and locks with it; by itself it would wait for two hours, and everybody who needs those locks too.
 */
const NOTICE_LOSS = [
  "SET tcp_keepalives_idle = 10",
  "SET tcp_keepalives_interval = 5",
  "SET tcp_keepalives_count = 3",
  "SET tcp_user_timeout = 25000",
].join(";");

/** The connections of each pool, which keeps those that are in use to itself. */
const sockets = new WeakMap<Pool, ReadonlySet<Socket>>();

type Callback = ((error: Error) => void) | ((error: null, client: Client) => void);

/** Connects with the first statement, not before. */
export async function createPool(
  address: DatabaseAddress,
  settings: PoolConfig,
  prepare?: (client: ClientBase) => Promise<unknown>,
): Promise<Pool> {
  const { default: pg } = await import("pg");
  /** The driver leaves the socket of a failed attempt open; the program would not end before the server closes it. */
  class ClosingClient extends pg.Client {
    override connect(): Promise<Client>;
    override connect(callback: Callback): void;
    override connect(callback?: Callback): unknown {
      if (callback === undefined) return super.connect();
      return super.connect((error: Error) => {
        if (error) this.end().catch(() => {});
        (callback as (error: Error) => void)(error);
      });
    }
  }
  const open = new Set<Socket>();
  const pool = new pg.Pool({
    ...clientConfig(address),
    ...settings,
    Client: ClosingClient,
    stream: () => {
      const socket = new Socket();
      open.add(socket);
      return socket.once("close", () => open.delete(socket));
    },
    onConnect: async client => {
      await noticeLoss(client);
      await prepare?.(client);
    },
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it is replaced; without a listener it would end the program.
  pool.on("error", () => {});
  // One that breaks while somebody uses it fails the statement at hand, and says so a second time to nobody.
  pool.on("connect", client => client.on("error", () => {}));
  sockets.set(pool, open);
  return pool;
}

/** Lets the server notice when this client is gone. To be called first on every connection; pools do so themselves. */
export async function noticeLoss(client: ClientBase): Promise<void> {
  await client.query(NOTICE_LOSS);
}

/** Does not wait for a server that is gone: statements that still wait for its answer fail then. */
export async function closePool(pool: Pool): Promise<void> {
  await notLong(pool.end());
  for (const socket of sockets.get(pool) ?? []) socket.destroy();
}

/** The same for a driver that is used by itself. */
export async function closeClient(client: Client): Promise<void> {
  await notLong(client.end());
}

async function notLong(closing: Promise<void>): Promise<void> {
  await Promise.race([closing, new Promise(resume => setTimeout(resume, CLOSING_MS).unref())]);
}

/** For a driver that is used by itself. */
export function clientConfig(address: DatabaseAddress): ClientConfig {
  checkEnvironment(address, process.env["PGHOST"]);
  const { host, port, database, user, tls } = address;
  const given = { host, port, database, user };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    password: address.password ?? passwordFinder(address),
    ssl: tls === "disable" ? false : tlsOptions(address),
    keepAlive: true,
    application_name: "amplihack",
  };
}

/** The driver goes by PGHOST where the URL names no host, and that was taken for this machine: reached without TLS. */
function checkEnvironment({ host }: DatabaseAddress, announced: string | undefined): void {
  if (host !== undefined || announced === undefined || announced === "" || isLocal(announced)) return;
  throw new PostgresError(
    "refused",
    `the URL names no host, and PGHOST names another machine, ${announced}`,
    {
      fix: "name the host in the URL: postgres://USER@HOST/DATABASE",
    },
  );
}

/** The driver calls it when the server asks, with names that its types leave out. */
function passwordFinder(address: DatabaseAddress): () => string {
  const find = (names: ConnectionNames): string => findPassword(names, describeAddress(address));
  return find as unknown as () => string;
}

function tlsOptions({ tls, rootCertificate, certificate, key }: DatabaseAddress) {
  return {
    // As libpq has it: `require` encrypts and trusts anybody, unless an authority is named.
    rejectUnauthorized: tls !== "require" || rootCertificate !== undefined,
    ...(tls === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(rootCertificate === undefined ? {} : { ca: readPem(rootCertificate) }),
    ...(certificate === undefined ? {} : { cert: readPem(certificate) }),
    ...(key === undefined ? {} : { key: readPem(key) }),
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new PostgresError(
      "refused",
      `a file that the URL of the database names cannot be read: ${errorText(error)}`,
    );
  }
}
