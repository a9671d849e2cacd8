import { type OptionValues, option, type Terminal, usageError } from "../../cli/index.ts";
import { loadConfig } from "../../config/index.ts";
import { type Database, loadDatabase, loadUrl } from "../../postgres/index.ts";
import { type LogChoice, loadShippedChain } from "../../ship/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

export const DATABASE_OPTIONS = {
  url: option.string("URL", "compare with what was shipped to this database (memory.url by default)", {
    bare: "",
  }),
  team: option.string("NAME", "with --url: whose database it is (memory.team by default)"),
  all: option.boolean("with --url: check what was shipped, of all machines, instead of a log here"),
  person: option.string("NAME", "with --url: who shipped (you by default)"),
  machine: option.string("NAME", "with --url: from where (this machine by default)"),
} as const;

type Options = OptionValues<typeof DATABASE_OPTIONS>;

export function checkOptions({ url, team, all, person, machine }: Options): void {
  const given = { team, all: all || undefined, person, machine };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (url === undefined && name !== undefined)
    throw usageError(`--${name} is for --url URL`, "amplihack audit verify --help");
}

/** A log of some gigabytes is read while the database waits, in a transaction that keeps nobody from writing. */
const MAX_READING_MS = 3_600_000;

/** Opens the database for one command and closes it afterwards. */
export async function withRecords<T>(
  system: System,
  terminal: Terminal,
  { url, team, person, machine }: Options,
  work: (database: Database, choice: LogChoice) => Promise<T>,
): Promise<T> {
  const { Database } = await loadDatabase();
  const { findDatabaseUrl, unencryptedNotice } = await loadUrl();
  const { readableTeams } = await loadShippedChain();
  const { memory } = loadConfig(system, requireDirectories(system)).config;
  const address = findDatabaseUrl(system, { option: "--url URL", given: url, memory });
  const notice = unencryptedNotice(address);
  if (notice !== undefined) terminal.warn(`Warning: ${notice}\n`);
  const database = await Database.open(address, {
    maxConnections: 1,
    maxIdleInTransactionMs: MAX_READING_MS,
  });
  try {
    const [name = ""] = await readableTeams(database, team ?? memory.team);
    return await work(database, { team: name, person, machine });
  } finally {
    await database.close();
  }
}
