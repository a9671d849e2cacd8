import { usageError } from "../../cli/errors.ts";
import { type OptionValues, option } from "../../cli/option.ts";
import type { Terminal } from "../../cli/terminal.ts";
import type { Database } from "../../postgres/database.ts";
import type { LogChoice } from "../../ship/shipped-chain.ts";
import type { System } from "../../system/system.ts";

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
  const { loadConfig } = await import("../../config/index.ts");
  const { Database } = await import("../../postgres/database.ts");
  const { findDatabaseUrl, unencryptedNotice } = await import("../../postgres/url.ts");
  const { readableTeams } = await import("../../ship/shipped-chain.ts");
  const { requireDirectories } = await import("../../state/user-directories.ts");
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
