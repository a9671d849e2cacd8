import { CommandError, type OptionValues, option, usageError } from "../../cli/index.ts";
import { type DatabaseAddress, loadUrl } from "../../postgres/index.ts";
import { type Connection, loadConnection, loadRunQueries } from "../../recipes/index.ts";
import { Problem } from "../../state/index.ts";
import { quoteWord, type System } from "../../system/index.ts";
import { NOT_FOUND_EXIT_CODE } from "./options.ts";

export const DATABASE_OPTIONS = {
  url: option.string("URL", "database; else AMPLIHACK_DATABASE_URL", { bare: "" }),
  insecure: option.boolean("reach another machine without TLS", { isHidden: true }),
} as const;

export const QUEUE = option.string("NAME", "queue (default by default)");
const DEFAULT_QUEUE = "default";

const QUEUE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export const TEAM = option.string("NAME", "a queue of this team, for its members alone");
const TEAM_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Queues of a team are prefixed with its name; the database checks that the submitter is a member. */
export function resolveQueue(name: string | undefined, team?: string): string {
  if (team !== undefined && !TEAM_NAME.test(team))
    throw usageError(`'${team}' is not a name for a team`, "use lower case letters, digits, dots and dashes");
  const prefix = team === undefined ? "" : `${team}:`;
  if (name === undefined) return prefix + DEFAULT_QUEUE;
  if (QUEUE_NAME.test(name)) return prefix + name;
  throw usageError(
    `'${name}' is not a name for a queue`,
    "use letters, digits, dots, dashes and underscores",
  );
}

/** For a command that is to be typed next; a URL that was typed holds no password. */
export function urlWords(given: string | undefined): string {
  return given === undefined || given === "" ? "--url" : `--url ${quoteWord(given)}`;
}

/** By `--url`, else by the environment. What runs commands must not come over a line that others can write to. */
export async function resolveDatabaseAddress(
  system: System,
  options: OptionValues<typeof DATABASE_OPTIONS>,
): Promise<DatabaseAddress> {
  const { findDatabaseUrl, isLocal } = await loadUrl();
  const address = readUsage(() => findDatabaseUrl(system, { option: "--url URL", given: options.url }));
  if (address.tls === "disable" && !isLocal(address.host) && !options.insecure)
    throw usageError(
      `${address.host} would be reached without encryption: others could read and change what is run`,
      "leave sslmode=disable out of the URL; --insecure where the network itself is trusted",
    );
  return address;
}

/** Wrong usage has an exit code of its own in recipe commands. */
function readUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem && error.kind === "usage") throw usageError(error.message, error.fix);
    throw error;
  }
}

/** Opens the database for one command and closes it afterwards. */
export async function withRuns<T>(
  system: System,
  options: OptionValues<typeof DATABASE_OPTIONS>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const address = await resolveDatabaseAddress(system, options);
  const { openConnection } = await loadConnection();
  const connection = await openConnection(address);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** The run that is meant by an id, its beginning, or `last`. */
export async function findRunId(
  { database }: Connection,
  wanted: string,
  url: string | undefined,
): Promise<string> {
  const listing = `amplihack recipe runs ${urlWords(url)}`;
  const { findRunIds, hasTables } = await loadRunQueries();
  const ids = (await hasTables(database)) ? await findRunIds(database, wanted) : [];
  const [id] = ids;
  if (ids.length > 1)
    throw usageError(
      `several runs begin with '${wanted}': ${ids.slice(0, 5).join(", ")}`,
      `give more of the id: ${listing}`,
    );
  if (id !== undefined) return id;
  throw new CommandError(
    wanted === "last" ? "no run was submitted yet" : `there is no run '${wanted}' in the database`,
    { kind: "not-found", exitCode: NOT_FOUND_EXIT_CODE, fix: listing },
  );
}
