import { Database, type DatabaseAddress } from "../../postgres/index.ts";
import { findHome } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { type Dashboard, type DashboardOptions, startDashboard } from "../server.ts";
import { openTeamData } from "./team-data.ts";

export type TeamDashboardOptions = Pick<DashboardOptions, "address" | "port" | "intervalMs" | "warn"> & {
  /** all teams of the user when absent */
  readonly team?: string | undefined;
};

/** A database is asked less often than a log of this machine. */
const INTERVAL_MS = 3_000;

/** The same pages over what a team's machines shipped to its database. They only show. */
export async function startTeamDashboard(
  system: System,
  address: DatabaseAddress,
  { team, ...options }: TeamDashboardOptions,
): Promise<Dashboard> {
  const database = await Database.open(address);
  try {
    const data = await openTeamData(system, {
      database,
      team,
      home: findHome(system) ?? "",
    });
    return await startDashboard(system, data, {
      intervalMs: INTERVAL_MS,
      ...options,
      whyReadOnly: "This page only shows: what agents did is undone on their machines.",
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}
