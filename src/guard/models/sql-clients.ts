import type { OptionSpec } from "../../shell/options.ts";
import { words } from "../words.ts";

/** How a client takes the text it sends to the database. */
export interface SqlClient {
  readonly options: OptionSpec;
  /** options that hold text, and options that name a file of it */
  readonly text: string;
  readonly files: string;
  /** operands in front that are no text: the database */
  readonly databases: number;
  /** operands behind those are text */
  readonly takesText?: boolean;
}

const PSQL: SqlClient = {
  text: "c",
  files: "f",
  databases: 2,
  options: {
    values: words(
      "c command f file d dbname h host p port U username v set variable o output F R T P L log-file",
    ),
    flags: words(
      "A a b e E n q S s t w W x X z 0 1 l list single-transaction help version no-psqlrc tuples-only",
    ),
    as: { command: "c", file: "f" },
  },
};
const MYSQL: SqlClient = {
  text: "e",
  files: "",
  databases: 1,
  options: {
    values: words("e execute h host P port u user D database S socket defaults-file"),
    optional: words("p password"),
    flags: words("B N s t v A f force batch silent"),
    as: { execute: "e" },
    abbreviates: false,
  },
};
export const SQLITE: SqlClient = {
  text: "cmd",
  files: "init",
  databases: 1,
  takesText: true,
  options: {
    isSingleDash: true,
    values: words("cmd init separator nullvalue newline"),
    flags: words("batch csv json header column list html line readonly"),
    abbreviates: false,
  },
};

const CLICKHOUSE: SqlClient = {
  ...PSQL,
  text: "q query",
  files: "queries-file",
  options: {
    values: words("q query queries-file h host port u user password d database"),
    abbreviates: false,
  },
};

const EXECUTED: OptionSpec = {
  values: words("e execute f file k keyspace u username p password n d database"),
  as: { execute: "e", file: "f" },
  abbreviates: false,
};
const QUERIED: OptionSpec = {
  values: words("q query f filename query_file a accountname u username d dbname s schemaname w h r"),
  as: { query: "q", filename: "f", query_file: "f" },
  abbreviates: false,
};

export const SQL_CLIENTS: Readonly<Record<string, SqlClient>> = {
  psql: PSQL,
  pgcli: PSQL,
  mysql: MYSQL,
  mariadb: MYSQL,
  sqlite3: SQLITE,
  sqlite: SQLITE,
  duckdb: { ...SQLITE, text: "c cmd s" },
  sqlcmd: {
    ...PSQL,
    text: "Q q",
    files: "i",
    options: { values: words("Q q i S d U P o"), abbreviates: false },
  },
  "clickhouse-client": CLICKHOUSE,
  cockroach: {
    ...PSQL,
    text: "e execute",
    files: "f file",
    options: { values: words("e execute f file url host port user d database"), abbreviates: false },
  },
  clickhouse: CLICKHOUSE,
  sqlplus: { ...PSQL, text: "", files: "", options: { values: words("M R L"), abbreviates: false } },
  "manage.py": { ...PSQL, text: "", files: "", options: { values: ["database"], abbreviates: false } },
  cqlsh: { ...PSQL, text: "e", files: "f", options: EXECUTED },
  hive: { ...PSQL, text: "e", files: "f", options: EXECUTED },
  beeline: { ...PSQL, text: "e", files: "f", options: EXECUTED },
  "spark-sql": { ...PSQL, text: "e", files: "f", options: EXECUTED },
  trino: { ...PSQL, text: "e", files: "f", options: EXECUTED },
  snowsql: { ...PSQL, text: "q", files: "f", options: QUERIED },
  "impala-shell": { ...PSQL, text: "q", files: "f", options: QUERIED },
  usql: { ...PSQL, text: "c", files: "f", options: PSQL.options },
  mycli: MYSQL,
  litecli: MYSQL,
  prisma: {
    ...PSQL,
    text: "",
    files: "file",
    options: { values: words("file url schema"), flags: ["stdin"], abbreviates: false },
  },
  wrangler: {
    ...PSQL,
    text: "command",
    files: "file",
    options: { values: words("command file config c env e"), abbreviates: false },
  },
  bq: {
    ...PSQL,
    text: "",
    files: "",
    databases: 1,
    takesText: true,
    options: { values: words("project_id dataset_id location format"), abbreviates: false },
  },
};
