import type { OptionGrammar } from "../shell/options.ts";

/** How a client takes the text it sends to the database. */
export interface SqlClient {
  readonly names: string;
  readonly options: OptionGrammar;
  /** options that hold text, and options that name a file of it */
  readonly text: string;
  readonly files: string;
  /** operands in front that are no text: the database */
  readonly databases: number;
  /** operands behind those are text */
  readonly takesText?: boolean;
  /** the database is a file of this machine */
  readonly isLocal?: boolean;
  /** lines that leave for a shell */
  readonly shellLines?: RegExp;
}

const PSQL = {
  text: "c",
  files: "f",
  databases: 2,
  options: {
    values: "-dhpUvoFRTPL c|command f|file dbname host port username set variable output log-file",
    flags: "-AabeEnqSstwWxXz01l list single-transaction help version no-psqlrc tuples-only",
  },
};
const MYSQL = {
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
const SQLITE = {
  text: "cmd",
  files: "init",
  databases: 1,
  takesText: true,
  isLocal: true,
  options: {
    isSingleDash: true,
    values: "cmd init separator nullvalue newline",
    flags: "batch csv json header column list html line readonly",
    abbreviates: false,
  },
};

const CLICKHOUSE = {
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

export const SQL_CLIENTS: readonly SqlClient[] = [
  { names: "psql", ...PSQL, shellLines: /\\!\s*(.*)$/gm },
  { names: "pgcli usql", ...PSQL },
  { names: "mysql mariadb", ...MYSQL, shellLines: /^\s*(?:\\!|system)\s+(.*)$/gm },
  { names: "mycli litecli", ...MYSQL },
  { names: "sqlite3", ...SQLITE, shellLines: /^\s*\.(?:shell|system|sh)\s+(.*)$/gm },
  { names: "sqlite", ...SQLITE },
  { names: "duckdb", ...SQLITE, text: "c cmd s" },
  {
    names: "sqlcmd",
    ...PSQL,
    text: "Q q",
    files: "i",
    options: { values: "-QqiSdUPo", abbreviates: false },
  },
  { names: "clickhouse clickhouse-client", ...CLICKHOUSE },
  {
    names: "cockroach",
    ...PSQL,
    text: "e execute",
    files: "f file",
    options: { values: "-efd execute file url host port user database", abbreviates: false },
  },
  { names: "sqlplus", ...PSQL, text: "", files: "", options: { values: "-MRL", abbreviates: false } },
  { names: "manage.py", ...PSQL, text: "", files: "", options: { values: "database", abbreviates: false } },
  { names: "cqlsh hive beeline spark-sql trino", ...PSQL, text: "e", files: "f", options: EXECUTED },
  { names: "snowsql impala-shell", ...PSQL, text: "q", files: "f", options: QUERIED },
  {
    names: "prisma",
    ...PSQL,
    text: "",
    files: "file",
    options: { values: "file url schema", flags: "stdin force-reset accept-data-loss", abbreviates: false },
  },
  {
    names: "wrangler",
    ...PSQL,
    text: "command",
    files: "file",
    options: {
      values: "-aetsPrc command file app env environment token scope project org config",
      flags: "-yf yes force help confirm",
      abbreviates: false,
    },
  },
  {
    names: "bq",
    ...PSQL,
    text: "",
    files: "",
    databases: 1,
    takesText: true,
    options: { values: "project_id dataset_id location format", flags: "-rf", abbreviates: false },
  },
];
