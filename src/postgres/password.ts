import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { PostgresError } from "./postgres-error.ts";

/** Whom the driver connects as, and to what, with everything that neither the URL nor the environment left out. */
export interface ConnectionNames {
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
