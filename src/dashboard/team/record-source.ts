import { type Row, type RunSql, SCHEMA, type SqlValue } from "../../postgres/index.ts";
import { isJsonObject, type Json } from "../../protocol/index.ts";
import { KEPT_JUDGEMENTS, KEPT_RUNS } from "../activity.ts";
import { type Origin, readJudgement, readRun } from "../entries.ts";
import type { EntryBatch, EntrySource } from "../entry-source.ts";
import type { Scope } from "../views/site.ts";

const PAGE_ROWS = 5_000;
/** Whoever is in the team can add lines of any length; a longer one is counted as unreadable. */
const MAX_FIELDS_BYTES = 64 * 1024;

/** Of records with a number up to these, none is read. */
interface Position {
  readonly runs: number;
  readonly judgements: number;
}

/**
 * The records of teams, as their machines shipped them. The newest are read first, as many as are kept, then what
 * was added since: numbers rise in the order in which records became visible.
 */
export class RecordSource implements EntrySource {
  private readonly run: RunSql;
  private readonly condition: string;
  private readonly values: readonly SqlValue[];
  private position: Position | undefined;
  private readonly origins = new Map<string, Origin>();
  /** there are older ones that were left out */
  isPartial = false;

  constructor(run: RunSql, teams: readonly string[], { team, ...scope }: Scope) {
    this.run = run;
    const [first = ""] = teams;
    const chosen = team ?? (teams.length === 1 ? first : undefined);
    const wanted: readonly (readonly [string, SqlValue])[] = [
      // With one team an index has the order that is asked for.
      chosen === undefined ? ["team = ANY", teams] : ["team =", chosen],
      ...Object.entries(scope).map(([name, value]) => [`${name} =`, value] as const),
    ];
    this.condition = wanted.map(([column], index) => `${column} ($${index + 1})`).join(" AND ");
    this.values = wanted.map(([, value]) => value);
  }

  async *read(): AsyncGenerator<EntryBatch> {
    for (;;) {
      const { runs, judgements }: Position = this.position ?? (await this.findStart());
      const rows = await this.readPage({ runs, judgements });
      const last = Number(rows.at(-1)?.["number"] ?? 0);
      this.position = { runs: Math.max(runs, last), judgements: Math.max(judgements, last) };
      if (rows.length === 0) return;
      yield this.toBatch(rows);
      if (rows.length < PAGE_ROWS) return;
    }
  }

  private async findStart(): Promise<Position> {
    const last = async (kind: string, kept: number): Promise<number> => {
      const [row] = await this.run(
        `SELECT number FROM ${SCHEMA}.records WHERE ${this.condition} AND kind = '${kind}'
         ORDER BY number DESC OFFSET ${kept} LIMIT 1`,
        this.values,
      );
      return Number(row?.["number"] ?? 0);
    };
    const [runs, judgements] = await Promise.all([last("runs", KEPT_RUNS), last("audit", KEPT_JUDGEMENTS)]);
    this.isPartial = runs > 0 || judgements > 0;
    return { runs, judgements };
  }

  private readPage({ runs, judgements }: Position): Promise<readonly Row[]> {
    const next = this.values.length + 1;
    return this.run(
      `SELECT number, kind, team, person, machine, project,
         CASE WHEN octet_length(fields::text) <= ${MAX_FIELDS_BYTES} THEN fields END AS fields
       FROM ${SCHEMA}.records
       WHERE ${this.condition} AND number > $${next}
         AND number > CASE kind WHEN 'runs' THEN $${next + 1}::bigint ELSE $${next + 2}::bigint END
       ORDER BY number LIMIT ${PAGE_ROWS}`,
      [...this.values, Math.min(runs, judgements), runs, judgements],
    );
  }

  private toBatch(rows: readonly Row[]): EntryBatch {
    const ofKind = <E>(kind: string, read: (row: Row) => E | undefined) =>
      rows.filter(row => row["kind"] === kind).flatMap(row => read(row) ?? []);
    const runs = ofKind("runs", row => this.withOrigin(row, readRun(fieldsOf(row))));
    const judgements = ofKind("audit", row => this.withOrigin(row, readJudgement(fieldsOf(row))));
    return { runs, judgements, unreadable: rows.length - runs.length - judgements.length };
  }

  private withOrigin<E>(row: Row, entry: E | undefined): (E & { readonly origin: Origin }) | undefined {
    if (entry === undefined) return undefined;
    const [team, person, machine] = [row["team"], row["person"], row["machine"]].map(String);
    const key = JSON.stringify([team, person, machine]);
    const origin = this.origins.get(key) ?? { team: `${team}`, person: `${person}`, machine: `${machine}` };
    this.origins.set(key, origin);
    return { ...entry, origin };
  }
}

/** A line as its log had it, but with the project by the name that all machines know. */
function fieldsOf({ fields, project }: Row) {
  return isJsonObject(fields as Json) ? { ...(fields as object), project: String(project) } : undefined;
}
