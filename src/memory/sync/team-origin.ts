import type { Config } from "../../config/index.ts";
import { describeAddress, readDatabaseUrl } from "../../postgres/index.ts";
import { Problem } from "../../state/index.ts";

/** A team and its database in words, by which a copy knows whose it is. Undefined without a usable URL: syncing tells why. */
export function teamOrigin({ memory }: Pick<Config, "memory">): string | undefined {
  if (memory.url === undefined) return undefined;
  try {
    return `team ${memory.team} of ${describeAddress(readDatabaseUrl(memory.url, "configuration"))}`;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
