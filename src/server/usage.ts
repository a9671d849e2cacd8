import { type Database, SCHEMA } from "../postgres/index.ts";
import { type Json, type JsonObject, memberAt, numberAt, objectAt, stringAt } from "../protocol/index.ts";
import { MAX_USAGE_DAYS } from "../ship/index.ts";
import { HttpError, plain } from "./http.ts";
import type { Machine } from "./machine.ts";
import { readSettings } from "./settings.ts";
import { ROLE } from "./tables.ts";

const MAX_NAME = 300;
const MAX_SUM = 1e15;

/** Sums of days as a machine counts them. What is told again takes the place of what it told before, unless it is less. */
export async function takeUsage(database: Database, machine: Machine, body: JsonObject) {
  const days = memberAt(body, "usage");
  if (!Array.isArray(days) || days.length > MAX_USAGE_DAYS)
    throw new HttpError(400, `usage must be a list of at most ${MAX_USAGE_DAYS}`);
  const rows = days.map(readDay);
  // Twice in one statement a row cannot be changed.
  const keys = new Set(
    rows.map(({ day, project, host, model }) => JSON.stringify([day, project, host, model])),
  );
  if (keys.size < rows.length) throw new HttpError(400, "a day of a project, host and model is there twice");
  const column = (of: (row: ReturnType<typeof readDay>) => string | number) =>
    rows.map(row => String(of(row)));
  await database.ofTeam(ROLE, machine.team).run(
    `INSERT INTO ${SCHEMA}.server_usage AS u (team, machine_id, person, machine, day, project, host, model,
       answers, input, output, cache_read, cache_write, cost, unpriced)
     SELECT $1, $2, $3, $4, d.* FROM unnest($5::date[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[],
       $11::bigint[], $12::bigint[], $13::bigint[], $14::float8[], $15::bigint[]) AS d
     ON CONFLICT (team, machine_id, day, project, host, model) DO UPDATE SET
       (answers, input, output, cache_read, cache_write, cost, unpriced) = (excluded.answers, excluded.input,
         excluded.output, excluded.cache_read, excluded.cache_write, excluded.cost, excluded.unpriced)
       WHERE excluded.answers >= u.answers`,
    [
      machine.team,
      machine.id,
      machine.person,
      machine.machine,
      column(row => row.day),
      column(row => row.project),
      column(row => row.host),
      column(row => row.model),
      column(row => row.answers),
      column(row => row.input),
      column(row => row.output),
      column(row => row.cacheRead),
      column(row => row.cacheWrite),
      column(row => row.cost),
      column(row => row.unpriced),
    ],
  );
  return { taken: rows.length };
}

/** What the team does not keep any longer. */
export async function forgetUsage({ run }: Database): Promise<void> {
  const { keepMonths } = await readSettings(run);
  if (keepMonths === undefined) return;
  await run(
    `DELETE FROM ${SCHEMA}.server_usage
     WHERE day < date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1)`,
    [keepMonths],
  );
}

function readDay(value: Json, index: number) {
  const day = stringAt(value, "day") ?? "";
  const ms = /^20\d{2}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  const isDay = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day);
  const sum = (of: Json | undefined, member: string) => {
    const found = numberAt(of, member) ?? 0;
    if (!(found >= 0 && found <= MAX_SUM)) throw new HttpError(400, `${member} of day ${index} is not a sum`);
    return member === "cost" ? found : Math.round(found);
  };
  if (!isDay) throw new HttpError(400, `usage ${index} has no day`);
  const tokens = objectAt(value, "tokens");
  const name = (member: string) => plain(stringAt(value, member) ?? "", MAX_NAME);
  return {
    day,
    project: name("project"),
    host: name("host"),
    model: name("model"),
    answers: sum(value, "answers"),
    input: sum(tokens, "input"),
    output: sum(tokens, "output"),
    cacheRead: sum(tokens, "cacheRead"),
    cacheWrite: sum(tokens, "cacheWrite"),
    cost: sum(value, "cost"),
    unpriced: sum(value, "unpriced"),
  };
}
