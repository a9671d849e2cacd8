import { Database } from "../postgres/database.ts";
import type { DatabaseAddress } from "../postgres/url.ts";
import type { System } from "../system/system.ts";
import { MemoryError } from "./memory-error.ts";
import { toMemoryError } from "./postgres-problems.ts";
import { prepareMemoryTables } from "./postgres-schema.ts";
import { PostgresStore } from "./postgres-store.ts";

export interface TeamPlace {
  readonly address: DatabaseAddress;
  readonly team: string;
}

/** A command waits this long for a server, and for each of its answers. */
const PATIENCE = { connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, maxConnections: 2 };

/** The store of a team, whose tables are made when there are none and the user may make them. */
export async function openPostgresStore(
  system: Pick<System, "clock" | "random">,
  place: TeamPlace,
  patience: Partial<typeof PATIENCE> = {},
): Promise<PostgresStore> {
  try {
    return new PostgresStore(await openTeamDatabase(place, patience), place.team, system);
  } catch (error) {
    throw toMemoryError(error);
  }
}

/** The database of a team with its tables. Throws `PostgresError`. */
export async function openTeamDatabase(
  { address, team }: TeamPlace,
  patience: Partial<typeof PATIENCE> = {},
): Promise<Database> {
  const database = await Database.open(address, { ...PATIENCE, ...patience });
  try {
    await checkEncoding(database);
    await prepareMemoryTables(database, team);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
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
