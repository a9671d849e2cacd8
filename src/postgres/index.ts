/**
 * A team's database: its address, password, TLS, migrations, and errors in words. It never prints a password and
 * decides nothing about what is stored.
 */
export { clientConfig, closeClient, closePool, createPool, noticeLoss } from "./connect.ts";
export { Database, type DatabaseOptions, type Row, type RunSql, type SqlValue } from "./database.ts";
export { hasRelation, type Migration, migrate } from "./migrate.ts";
export { MISSING_RIGHT, NAME_TAKEN, PostgresError, translate } from "./postgres-error.ts";
export { FIXED_PATH, SCHEMA, VIEWS } from "./schema.ts";
export {
  checkTeamName,
  IS_OF_OWN_PROJECT,
  IS_OF_WHOLE_TEAM,
  IS_VISIBLE,
  joinTeam,
  makeTeamView as makeViewOf,
  notMember,
  OWN_TEAMS,
  SERVER_ROLE,
} from "./teams.ts";
export {
  DATABASE_URL_VARIABLE,
  type DatabaseAddress,
  describeAddress,
  findDatabaseUrl,
  isServerUrl,
  PASSWORD_VARIABLES,
  readDatabaseUrl,
  unencryptedNotice,
} from "./url.ts";
export const loadDatabase = () => import("./database.ts");
export const loadTeams = () => import("./teams.ts");
export const loadUrl = () => import("./url.ts");
