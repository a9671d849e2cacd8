import type { OptionGrammar } from "../../shell/options.ts";

/** How a client takes the text it sends to the database. */
export interface SqlClient {
  readonly options: OptionGrammar;
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
    values: "-dhpUvoFRTPL c|command f|file dbname host port username set variable output log-file",
    flags: "-AabeEnqSstwWxXz01l list single-transaction help version no-psqlrc tuples-only",
  },
};
const MYSQL: SqlClient = {
  text: "e",
  files: "",
  databases: 1,
  options: {
    values: "-hPuDS e|execute host port user database socket defaults-file",
    optional: "-p password",
    flags: "-BNstvAf force batch silent",

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
    values: "cmd init separator nullvalue newline",
    flags: "batch csv json header column list html line readonly",
    abbreviates: false,
  },
};

const CLICKHOUSE: SqlClient = {
  ...PSQL,
  text: "q query",
  files: "queries-file",
  options: {
    values: "-qhud query queries-file host port user password database",
    abbreviates: false,
  },
};

const EXECUTED: OptionGrammar = {
  values: "-kupnd e|execute f|file keyspace username password database",

  abbreviates: false,
};
const QUERIED: OptionGrammar = {
  values: "-audswhr q|query f|filename|query_file accountname username dbname schemaname",

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
    options: { values: "-QqiSdUPo", abbreviates: false },
  },
  "clickhouse-client": CLICKHOUSE,
  cockroach: {
    ...PSQL,
    text: "e execute",
    files: "f file",
    options: { values: "-efd execute file url host port user database", abbreviates: false },
  },
  clickhouse: CLICKHOUSE,
  sqlplus: { ...PSQL, text: "", files: "", options: { values: "-MRL", abbreviates: false } },
  "manage.py": { ...PSQL, text: "", files: "", options: { values: "database", abbreviates: false } },
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
    options: { values: "file url schema", flags: "stdin", abbreviates: false },
  },
  wrangler: {
    ...PSQL,
    text: "command",
    files: "file",
    options: { values: "-ce command file config env", abbreviates: false },
  },
  bq: {
    ...PSQL,
    text: "",
    files: "",
    databases: 1,
    takesText: true,
    options: { values: "project_id dataset_id location format", abbreviates: false },
  },
};
