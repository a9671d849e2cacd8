import {
  Database,
  type DatabaseAddress,
  type DatabaseOptions,
  hasRelation,
  SCHEMA,
} from "../postgres/index.ts";
import type { System } from "../system/index.ts";
import { EMPTY_READER, MemoryError, type MemoryReader } from "./memory.ts";
import { hasPartsIndex, MAKE_PARTS_INDEX, prepareMemoryTables } from "./postgres-schema.ts";
import { toMemoryError } from "./postgres-search.ts";
import { PostgresStore } from "./postgres-store.ts";

export interface TeamPlace {
  readonly address: DatabaseAddress;
  readonly team: string;
}

export interface TeamOptions extends DatabaseOptions {
  /** told of what the server lacks */
  readonly warn?: ((message: string) => void) | undefined;
}

/** For a command, which does one thing after the other. */
const MAX_CONNECTIONS = 2;

/** The store of a team, whose tables are made when there are none and the user may make them. */
export async function openPostgresStore(
  system: Pick<System, "clock" | "random">,
  place: TeamPlace,
  { warn, ...options }: TeamOptions = {},
): Promise<PostgresStore> {
  try {
    const database = await openTeamDatabase(place, options);
    if (warn !== undefined && !(await hasPartsIndex(database)))
      warn(
        `the database ${database.place} has no index for parts of words, so that looking for them takes long in a large team; its administrator can make one: ${MAKE_PARTS_INDEX}`,
      );
    return new PostgresStore(database, place.team, system);
  } catch (error) {
    throw toMemoryError(error);
  }
}

/** The database of a team with its tables. Throws `PostgresError`. */
export async function openTeamDatabase(
  { address, team }: TeamPlace,
  options: DatabaseOptions = {},
): Promise<Database> {
  const database = await Database.open(address, { maxConnections: MAX_CONNECTIONS, ...options });
  try {
    await checkEncoding(database);
    await prepareMemoryTables(database, team);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The same for those who only read: where there are no tables, or no such team, none are made. */
export async function openPostgresReader(
  system: Pick<System, "clock" | "random">,
  place: TeamPlace,
  options: TeamOptions,
): Promise<MemoryReader> {
  const { warn: _, ...connecting } = options;
  const database = await Database.open(place.address, { maxConnections: MAX_CONNECTIONS, ...connecting });
  try {
    if (!(await hasTeam(database, place.team))) return EMPTY_READER;
  } catch (error) {
    throw toMemoryError(error);
  } finally {
    await database.close();
  }
  return openPostgresStore(system, place, options);
}

/** Somebody who cannot make teams hears from the store that it is not theirs. */
async function hasTeam(database: Database, team: string): Promise<boolean> {
  if (!(await hasRelation(database.run, `${SCHEMA}.memories`))) return false;
  const [row] = await database.run(
    `SELECT EXISTS (SELECT FROM teams WHERE team = $1) AS exists,
       has_table_privilege('${SCHEMA}.members', 'INSERT') AS is_administrator`,
    [team],
  );
  return row?.["exists"] === true || row?.["is_administrator"] !== true;
}

/** Another encoding has no place for most characters, and PostgreSQL would refuse them one by one. */
async function checkEncoding(database: Database): Promise<void> {
  const [row] = await database.run("SHOW server_encoding");
  if (row?.["server_encoding"] === "UTF8") return;
  throw new MemoryError(
    "foreign",
    `the database ${database.place} has the encoding ${String(row?.["server_encoding"])}, memories need UTF8`,
    "createdb --encoding UTF8 --template template0 NAME",
  );
}
