import { findDialect, readSql, type SqlLoss } from "../../code/index.ts";
import type { OperationRule } from "../../config/index.ts";
import {
  describe,
  type OperationEffect,
  type OptionGrammar,
  type ProgramEffect,
  text,
  type Value,
} from "../../shell/index.ts";
import { isLoopback } from "../../system/index.ts";
import { isForTests } from "../model/operations.ts";
import { GRAMMAR_CELLS, readTable, toOptionGrammar } from "../model/text-table.ts";

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
  readonly takesText: boolean;
  /** the database is a file of this machine */
  readonly isLocal: boolean;
}

const TABLE = `
    psql | flags -AabeEnqSstwWxXz01l list single-transaction help version no-psqlrc tuples-only | values -dhpUvoFRTPL
        c|command f|file dbname host port username set variable output log-file | text c | files f | databases 2
    pgcli usql | flags -AabeEnqSstwWxXz01l list single-transaction help version no-psqlrc tuples-only | values
        -dhpUvoFRTPL c|command f|file dbname host port username set variable output log-file | text c | files f |
        databases 2
    mysql mariadb | flags -BNstvAf force batch silent | values -hPuDS e|execute host port user database socket
        defaults-file | optional -p password | exact | text e | databases 1
    mycli litecli | flags -BNstvAf force batch silent | values -hPuDS e|execute host port user database socket
        defaults-file | optional -p password | exact | text e | databases 1
    sqlite3 | flags batch csv json header column list html line readonly | values cmd init separator nullvalue newline
        | exact | single dash | text cmd | files init | databases 1 | operands | local
    sqlite | flags batch csv json header column list html line readonly | values cmd init separator nullvalue newline
        | exact | single dash | text cmd | files init | databases 1 | operands | local
    duckdb | flags batch csv json header column list html line readonly | values c s cmd init separator nullvalue newline
        | exact | single dash | text c cmd s | files init | databases 1 | operands | local
    sqlcmd | values -QqiSdUPo | exact | text Q q | files i | databases 2
    clickhouse clickhouse-client | values -qhud query queries-file host port user password database | exact | text q
        query | files queries-file | databases 2
    cockroach | values -efd execute file url host port user database | exact | text e execute | files f file |
        databases 2
    sqlplus | values -MRL | exact | databases 2
    cqlsh hive beeline spark-sql trino | values -kupnd e|execute f|file keyspace username password database | exact |
        text e | files f | databases 2
    snowsql impala-shell | values -audswhr q|query f|filename|query_file accountname username dbname schemaname |
        exact | text q | files f | databases 2
    prisma | flags stdin force-reset accept-data-loss | values file url schema | exact | files file | databases 2
    wrangler | flags -yf yes force help|h confirm dry-run local remote | values -aetsPrc command file app env environment token scope project
        org config | exact | text command | files file | databases 2
    bq | flags -rf replace | values project_id dataset_id location format | exact | databases 1 | operands
`;

const CELLS = [...GRAMMAR_CELLS, "text", "files", "databases", "operands", "local"] as const;

export function sqlClients(): readonly SqlClient[] {
  return readTable(TABLE, 1, CELLS).map(({ columns: [names = ""], cells }) => ({
    names,
    options: toOptionGrammar(cells),
    text: cells.text ?? "",
    files: cells.files ?? "",
    databases: Number(cells.databases),
    takesText: cells.operands !== undefined,
    isLocal: cells.local !== undefined,
  }));
}

const LOSSES: Readonly<Partial<Record<SqlLoss, { readonly rule: OperationRule; readonly what: string }>>> = {
  database: { rule: "db.drop", what: "drop a database" },
  schema: { rule: "db.drop", what: "drop a schema" },
  table: { rule: "db.drop", what: "drop a table" },
  index: { rule: "db.drop", what: "drop an index" },
  user: { rule: "db.drop", what: "drop a user" },
  partition: { rule: "db.drop", what: "drop a partition" },
  column: { rule: "db.alter", what: "drop a column" },
  truncate: { rule: "db.delete", what: "delete every row" },
  "delete-rows": { rule: "db.delete", what: "delete every row" },
  "update-rows": { rule: "db.delete", what: "change every row" },
  rights: { rule: "grant.access", what: "give rights in the database" },
  protection: { rule: "grant.protection", what: "switch a protection of the database off" },
};

const CREATED =
  /^create\s+(?:(?:temp|temporary|unlogged)\s+)?(?:table|view|index|schema|database)\s+["`[]?(\w[\w.]*)["`\]]?\s*(?:\(|as\b|on\b|;|$)/i;
const MAX_CREATED = 200;

/** What SQL text would lose, as operations. */
export function sqlLosses(
  code: Value,
  names: readonly string[],
  file: Value | undefined,
  program: string,
): readonly OperationEffect[] {
  const { statements } = readSql(code, findDialect(program));
  const made = new Set<string>();
  return statements.flatMap(statement => {
    if (statement.verb === "CREATE") {
      const name = CREATED.exec(describe(code).slice(statement.at, statement.at + MAX_CREATED))?.[1];
      if (name !== undefined) made.add(name.toLowerCase());
    }
    // What the same text has made would have failed, had it been there.
    if (made.has(statement.target?.toLowerCase() ?? "")) return [];
    const loss = statement.loss === undefined ? undefined : LOSSES[statement.loss];
    if (loss === undefined || statement.isExplained || statement.isRolledBack) return [];
    const { target } = statement;
    // The next test run makes it again.
    if (statement.loss === "database" && target !== undefined && isForTests(target)) return [];
    return [
      {
        kind: "operation",
        ...loss,
        target: target ?? statement.verb,
        names: [...names, target ?? ""],
        safer: lookFirst(program, target),
        ...(file === undefined ? {} : { file }),
      },
    ];
  });
}

/** A query that shows what would go. */
function lookFirst(program: string, target: string | undefined): string {
  const query = target === undefined ? "SELECT 1" : `SELECT count(*) FROM ${target}`;
  if (program.startsWith("sqlite") || program === "duckdb") return `${program} FILE '${query}'`;
  return /^(mysql|mariadb)$/.test(program) ? `${program} -e '${query}'` : `psql -c '${query}'`;
}

/**
 * Lines of sqlite3 that leave for a shell, and output that goes to one. Its commands may be shortened, as far as no other
 * begins so.
 */
export const SQLITE_SHELL =
  /^[ \t]*\.(?:she?l?l?|sys?t?e?m?|o(?:n?c?e?|u?t?p?u?t?)\s+(?:-\S+\s+)*\|)\s*(.*)$/gm;

const OUTPUT_LINE = /^[ \t]*\.(?:o(?:nc?e?|u?t?p?u?t?)|bac[kup]*|save?|clo?n?e?|log)\s+([^\n]*)$/gim;
const OPENING_LINE = /^[ \t]*\.open?\s+([^\n]*)$/gim;
const OUTPUT =
  /\b(?:vacuum(?:\s+\w+)?\s+into|writefile\s*\(|copy\b[^;]{0,300}?\bto|export\s+database)\s*(['"])([^'"]+)\1/gi;
const ATTACHED = /\battach\s+(?:database\s+)?(?:if\s+not\s+exists\s+)?(['"])([^'"]+)\1/gi;

/** The database itself where it is written as an address, and files that statements write or open. */
export function databaseFiles(
  file: Value | undefined,
  code: readonly Value[],
  isReadOnly: boolean,
): readonly ProgramEffect[] {
  const named = file === undefined ? "" : describe(file);
  const shown = code.map(describe).join("\n");
  const outputs = [
    ...[...shown.matchAll(OUTPUT_LINE)].map(([, rest = ""]) => lastWord(rest)),
    ...[...shown.matchAll(OUTPUT)].map(([, , name = ""]) => name),
  ];
  const opened = [
    ...(named.startsWith("file:") ? [named] : []),
    ...[...shown.matchAll(OPENING_LINE)].map(([, rest = ""]) => lastWord(rest)),
    ...[...shown.matchAll(ATTACHED)].map(([, , name = ""]) => name),
  ].filter(name => !isReadOnly && !isUnchanged(name));
  return [
    ...outputs
      .filter(isFile)
      .map((name): ProgramEffect => ({ kind: "write", path: databaseFile(name), how: "replace" })),
    ...opened.filter(isFile).map((name): ProgramEffect => ({ kind: "alter", path: databaseFile(name) })),
  ];
}

function isUnchanged(name: string): boolean {
  return /[?&](?:mode=ro|immutable=1)\b/.test(name);
}

/** `.backup main FILE` */
function lastWord(rest: string): string {
  const [, quoted, plain = ""] = /(?:(["'][^"']*["'])|(?<!\S)(\S+))\s*$/.exec(rest) ?? [];
  return quoted === undefined ? plain : quoted.slice(1, -1);
}

function isFile(name: string): boolean {
  return name !== "" && !/^(?:\||:memory:|-|stdout$|stderr$|off$|on$)/.test(name);
}

/** `file:///x?mode=rw`, as SQLite reads it. */
function databaseFile(name: string): Value {
  return text(
    name.startsWith("file:") ? name.replace(/^file:(?:\/\/[^/]*)?/, "").replace(/[?#][\s\S]*$/, "") : name,
  );
}

/** Whether an address is, or may be, one of another machine; none at all is the configured one. */
export function isElsewhere(address: string): boolean {
  if (address === "") return false;
  const [, authority, rest = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
  if (authority === undefined || !hasPlainQuery(rest)) return true;
  const hosts = authority
    .slice(authority.lastIndexOf("@") + 1)
    .toLowerCase()
    .split(",");
  return !hosts
    .map(host => host.replace(/:\d*$/, ""))
    .every(host => host === "" || host.startsWith("%2f") || isLoopback(host));
}

/** Names of parameters may be written in ways that only a reader of addresses undoes (`%68ost`): others than these count. */
function hasPlainQuery(rest: string): boolean {
  const [, query = ""] = /\?([^#]*)/.exec(rest) ?? [];
  return query.split("&").every(each => each === "" || /^(?:port|ssl[a-z]+)=/.test(each));
}
