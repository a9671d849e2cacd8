import { type RunSql, SCHEMA } from "../../postgres/index.ts";
import type { System } from "../../system/index.ts";
import { SCOPE_NAMES, type TeamSite } from "../views/site.ts";

type Choices = TeamSite["choices"];

const FRESH_MS = 60_000;
const MAX_VALUES = 200;
const NOTHING: Choices = { team: [], person: [], machine: [], project: [], host: [] };

/** What there is to choose from, of the last months. Records are counted for it, so that it is asked once a minute. */
export class TeamChoices {
  private readonly run: RunSql;
  private readonly clock: System["clock"];
  private readonly teams: readonly string[];
  private known: Choices | undefined;
  private readMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  constructor(run: RunSql, clock: System["clock"], teams: readonly string[]) {
    this.run = run;
    this.clock = clock;
    this.teams = teams;
  }

  /** Waits the first time only; later ones get what is known while it is read again. */
  async read(): Promise<Choices> {
    const isFresh = this.clock.monotonicMs() - this.readMs < FRESH_MS;
    if (this.known !== undefined && isFresh) return this.known;
    this.reading ??= this.readAgain()
      // That the database does not answer is told where records are read.
      .catch(() => {})
      .finally(() => {
        this.reading = undefined;
      });
    if (this.known === undefined) await this.reading;
    return this.known ?? NOTHING;
  }

  private async readAgain(): Promise<void> {
    this.readMs = this.clock.monotonicMs();
    const names = SCOPE_NAMES.join(", ");
    const rows = await this.run(
      `SELECT ${names} FROM ${SCHEMA}.records WHERE team = ANY ($1) AND time > now() - interval '90 days'
       GROUP BY GROUPING SETS (${SCOPE_NAMES.map(name => `(${name})`).join(", ")}) ORDER BY count(*) DESC`,
      [this.teams],
    );
    const valuesOf = (name: string) =>
      rows.flatMap(row => (typeof row[name] === "string" && row[name] !== "" ? [row[name]] : []));
    this.known = Object.fromEntries(
      SCOPE_NAMES.map(name => [name, valuesOf(name).slice(0, MAX_VALUES)]),
    ) as unknown as Choices;
  }
}
