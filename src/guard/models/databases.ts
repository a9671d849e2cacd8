import { wordSet } from "../words.ts";
import type { Model } from "./call.ts";

export const sqlPrograms = wordSet(
  "psql mysql mariadb sqlite3 sqlcmd bq duckdb clickhouse-client clickhouse cockroach mongosh mongo",
);

export const effectsOfSql: Model = () => [];
