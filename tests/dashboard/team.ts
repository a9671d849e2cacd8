import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { startTeamDashboard, type TeamDashboardOptions } from "../../src/dashboard/team-dashboard.ts";
import { Database } from "../../src/postgres/database.ts";
import { joinTeam } from "../../src/postgres/teams.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { postgresTarget } from "../../src/ship/open-target.ts";
import { makeRecordTables } from "../../src/ship/record-tables.ts";
import { shipAll } from "../../src/ship/ship.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { administer, freshDatabase, type PostgresServer } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { askServer, type Machine, newMachine, type Served } from "./machine.ts";

/** It is always noon, so that what happened some minutes ago was today. */
export const NOON_MS = new Date().setHours(12, 0, 0, 0);

const node = createNodeSystem();
const system: System = { ...node, clock: { ...node.clock, nowMs: () => NOON_MS } };

/** A login of the database, with a machine of its own. */
export interface Member {
  readonly machine: Machine;
  readonly database: Database;
  /** Ships what its logs hold and the team has not got yet. */
  ship(options?: { readonly hasContent?: boolean; readonly team?: string }): Promise<number>;
  /** The page as this login sees it. */
  serve(options?: Partial<TeamDashboardOptions>): Promise<Served>;
}

export interface Team {
  readonly server: PostgresServer;
  readonly keeper: Database;
  readonly url: string;
  join(who: string, options?: { readonly team?: string; readonly projects?: string }): Promise<Member>;
}

/** A folder that is a copy of a repository with this remote. */
export function projectWith(remote: string): string {
  const folder = temporaryDirectory();
  const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...words]);
  git("init", "-q");
  git("remote", "add", "origin", remote);
  return folder;
}

export async function newTeam(): Promise<Team> {
  const { server, name, url } = await freshDatabase();
  const open = async (who?: string): Promise<Database> => {
    const database = await Database.open(readDatabaseUrl(server.url(name, who), "option"));
    onTestFinished(() => database.close());
    return database;
  };
  const keeper = await open();
  await joinTeam(keeper, "acme");
  await makeRecordTables(keeper);
  return {
    server,
    keeper,
    url,
    async join(who, { team = "acme", projects } = {}) {
      await administer(server, `CREATE ROLE ${who} LOGIN`);
      onTestFinished(() => administer(server, `DROP ROLE ${who}`));
      await keeper.run("SELECT amplihack.make_team($1), amplihack.add_member($1, $2, $3::text[])", [
        team,
        who,
        projects ?? null,
      ]);
      const [machine, database] = [newMachine(), await open(who)];
      const self = { ...system.processes.self, host: `${who}-laptop` };
      const on = { ...system, processes: Object.create(system.processes, { self: { value: self } }) };
      return {
        machine,
        database,
        async ship({ hasContent = false, team: to = team } = {}) {
          const options = {
            maxRetries: 0,
            signal: new AbortController().signal,
            wait: async () => {},
            tell: () => {},
          };
          const target = postgresTarget(on, { ...options, database, team: to, hasContent });
          const { stateHome, audit, runs } = machine.places;
          return shipAll(on, { ...options, stateHome, logs: { audit, runs }, target });
        },
        serve: async (options = {}) => serveTeam(server.url(name, who), options),
      };
    },
  };
}

export async function serveTeam(url: string, options: Partial<TeamDashboardOptions> = {}): Promise<Served> {
  const warnings: string[] = [];
  const dashboard = await startTeamDashboard(system, readDatabaseUrl(url, "option"), {
    intervalMs: 20,
    warn: message => warnings.push(message),
    ...options,
  });
  onTestFinished(() => dashboard.close());
  return askServer(dashboard, warnings);
}
