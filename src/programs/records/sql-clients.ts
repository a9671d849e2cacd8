import type { OptionGrammar } from "../../shell/index.ts";
import { GRAMMAR_CELLS, grammarOf, readTable } from "../model/text-table.ts";

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
    wrangler | flags -yf yes force help|h confirm dry-run | values -aetsPrc command file app env environment token scope project
        org config | exact | text command | files file | databases 2
    bq | flags -rf | values project_id dataset_id location format | exact | databases 1 | operands
`;

const CELLS = [...GRAMMAR_CELLS, "text", "files", "databases", "operands", "local"] as const;

export function sqlClients(): readonly SqlClient[] {
  return readTable(TABLE, 1, CELLS).map(({ columns: [names = ""], cells }) => ({
    names,
    options: grammarOf(cells),
    text: cells.text ?? "",
    files: cells.files ?? "",
    databases: Number(cells.databases),
    takesText: cells.operands !== undefined,
    isLocal: cells.local !== undefined,
  }));
}
