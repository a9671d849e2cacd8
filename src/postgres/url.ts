import type { Config } from "../config/index.ts";
import { Problem } from "../state/index.ts";
import { isLoopback, type System } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";

/** Names the database where neither an option nor the configuration does. */
export const DATABASE_URL_VARIABLE = "AMPLIHACK_DATABASE_URL";
/** Where a password may stand in the environment. */
export const PASSWORD_VARIABLES: readonly string[] = [DATABASE_URL_VARIABLE, "PGPASSWORD"];

/** Who can read a URL that was given there: process lists and files are for others, the environment is not. */
export type UrlOrigin = "option" | "configuration" | "environment";

/** A server and a database on it. Who connects and with which password is the driver's to find when it is not said. */
export interface DatabaseAddress {
  /** a name, an address, or the folder of a socket */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly tls: TlsMode;
  /** files, for servers whose certificate no public authority signed, and for clients that have one */
  readonly rootCertificate: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

const SCHEMES: readonly string[] = ["postgres:", "postgresql:"];
const PARAMETERS: readonly string[] = ["host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey"];
const DEFAULT_PORT = 5432;

function isDatabaseUrl(text: string): boolean {
  return SCHEMES.some(scheme => text.startsWith(`${scheme}//`));
}

export interface DatabaseChoice {
  /** the option as it is typed, `--url URL` */
  readonly option: string;
  /** its value; empty where it was typed without one */
  readonly given: string | undefined;
  /** whose configuration counts as well: `memory.url` */
  readonly memory?: Pick<Config["memory"], "url">;
}

/** The address of a team's server, which is no database. */
export function isServerUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

/** By the option, else the configuration, else the environment. Throws `usage` where none of them names a database. */
export function findDatabaseUrl(
  { env }: Pick<System, "env">,
  { option, given = "", memory }: DatabaseChoice,
): DatabaseAddress {
  if (given !== "") return readDatabaseUrl(given, "option");
  if (memory?.url !== undefined && !isServerUrl(memory.url))
    return readDatabaseUrl(memory.url, "configuration");
  const announced = env.get(DATABASE_URL_VARIABLE) ?? "";
  if (announced !== "") return readDatabaseUrl(announced, "environment");
  const settings = memory === undefined ? "" : "memory.url or ";
  throw new Problem("no database is named", {
    kind: "usage",
    fix: `give ${option}, as postgres://USER@HOST/DATABASE, or set ${settings}${DATABASE_URL_VARIABLE}`,
    exitCode: 2,
  });
}

/** Throws `usage` with what is wrong; never quotes what was given, which may hold a password. */
export function readDatabaseUrl(text: string, origin: UrlOrigin): DatabaseAddress {
  if (!isDatabaseUrl(text)) throw unusable("it must begin with postgres://");
  // A URL has no form for a socket without a host, which is the commonest of all here.
  const url = parse(text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?#]|$)/, "$1socket.invalid"));
  if (url.password !== "" && origin !== "environment") {
    throw unusable(
      "it holds a password, which others could read",
      `put the password into ~/.pgpass or PGPASSWORD, or the whole URL into ${DATABASE_URL_VARIABLE}`,
    );
  }
  // A password that was not encoded ends the host early, and its rest is taken for a path, a parameter or a fragment.
  if (/[@#]/.test(url.pathname + url.search + url.hash))
    throw unusable("it has an @ or a # after its host", "write them as %40 and %23, also in a password");
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw unusable(
        `it has ${/^[a-z_]+$/.test(name) ? `the parameter ${name}` : "another parameter"}; known are ${PARAMETERS.join(", ")}`,
      );
  const host = readHost(url);
  return {
    host,
    port: readPort(url),
    database: decode(url.pathname.slice(1)),
    user: decode(url.username),
    password: decode(url.password),
    tls: readTlsMode(url.searchParams.get("sslmode"), host),
    rootCertificate: url.searchParams.get("sslrootcert") ?? undefined,
    certificate: url.searchParams.get("sslcert") ?? undefined,
    key: url.searchParams.get("sslkey") ?? undefined,
  };
}

/** What texts and logs call it. */
export function describeAddress({ host, port, database }: DatabaseAddress): string {
  const isUsual = port === undefined || port === DEFAULT_PORT;
  const place = `${host ?? "the local server"}${isUsual ? "" : `:${port}`}`;
  return escapeControls(database === undefined ? place : `${database} on ${place}`);
}

/** Reached without a network that others share. */
export function isLocal(host: string | undefined): boolean {
  return host === undefined || host.startsWith("/") || isLoopback(host);
}

/** For a person to know of; undefined when others on the way read nothing. */
export function unencryptedNotice({ host, tls }: DatabaseAddress): string | undefined {
  if (tls !== "disable" || isLocal(host)) return undefined;
  return `${host} is reached without encryption: others on the network can read and change what is sent`;
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw unusable("it is not a URL");
  }
}

function readHost(url: URL): string | undefined {
  const given = url.searchParams.get("host");
  if (given !== null && given !== "") return given;
  const host = decode(url.hostname.replace(/^\[|\]$/g, ""));
  return host === "socket.invalid" ? undefined : host;
}

function readPort(url: URL): number | undefined {
  const text = url.port === "" ? url.searchParams.get("port") : url.port;
  if (text === null || text === "") return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw unusable("its port is not a number up to 65535");
  return port;
}

/** A server elsewhere must prove who it is unless the URL says otherwise. */
function readTlsMode(given: string | null, host: string | undefined): TlsMode {
  if (given === null) return isLocal(host) ? "disable" : "verify-full";
  const mode = TLS_MODES.find(each => each === given);
  if (mode === undefined) throw unusable(`its sslmode must be one of ${TLS_MODES.join(", ")}`);
  return mode;
}

function decode(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable("it has a % without two hexadecimal digits");
  }
}

function unusable(problem: string, fix = "postgres://USER@HOST/DATABASE"): Problem {
  return new Problem(`the address of the database cannot be used: ${problem}`, {
    kind: "usage",
    fix,
    exitCode: 2,
  });
}
