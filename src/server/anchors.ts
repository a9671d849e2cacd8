import { createHash } from "node:crypto";
import { type Database, type RunSql, SCHEMA } from "../postgres/index.ts";

/** One link of the chain over everything that was shipped: whoever kept one knows whether anything before it changed. */
export interface Anchor {
  readonly number: number;
  readonly hash: string;
}

const PAGE_ROWS = 5_000;
const ANCHORS = `${SCHEMA}.server_anchors`;

/** Adds a link over the records since the last one; none where there are no new ones. */
export function makeAnchor(database: Database, team: string): Promise<Anchor | undefined> {
  return database.transaction(async run => {
    // Writers of records hold the same row: none is added between reading and writing.
    await run(`SELECT FROM ${SCHEMA}.teams WHERE team = $1 FOR NO KEY UPDATE`, [team]);
    const last = await lastLink(run);
    const link = await linkOver(run, last.hash, last.through, undefined);
    if (link.records === 0) return undefined;
    const number = last.number + 1;
    await run(`INSERT INTO ${ANCHORS} (team, number, through, records, hash) VALUES ($1, $2, $3, $4, $5)`, [
      team,
      number,
      link.through,
      link.records,
      link.hash,
    ]);
    return { number, hash: link.hash };
  });
}

export async function newestAnchor(run: RunSql): Promise<Anchor | undefined> {
  const { number, hash } = await lastLink(run);
  return number === 0 ? undefined : { number, hash };
}

/** The hashes that links have now, by their numbers, without those that are gone. */
export async function anchorHashes(
  run: RunSql,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (numbers.length === 0) return new Map();
  const rows = await run(`SELECT number, hash FROM ${ANCHORS} WHERE number = ANY ($1::bigint[])`, [
    [...new Set(numbers)],
  ]);
  return new Map(rows.map(({ number, hash }) => [Number(number), String(hash)]));
}

/** Computes the whole chain anew, and names the first link whose records are no longer what they were. */
export async function findBrokenAnchor(run: RunSql): Promise<number | undefined> {
  const rows = await run(`SELECT number, through, hash, pruned FROM ${ANCHORS} ORDER BY number`);
  let [hash, after, expected] = ["", "0", 1];
  for (const row of rows) {
    const number = Number(row["number"]);
    // Of a link whose records were removed by the team's own rules the hash alone is left.
    const isPruned = row["pruned"] === true;
    const link = isPruned ? undefined : await linkOver(run, hash, after, String(row["through"]));
    if (number !== expected || (link !== undefined && link.hash !== row["hash"])) return number;
    [hash, after, expected] = [String(row["hash"]), String(row["through"]), number + 1];
  }
  return undefined;
}

async function lastLink(run: RunSql): Promise<{ number: number; through: string; hash: string }> {
  const [row] = await run(`SELECT number, through, hash FROM ${ANCHORS} ORDER BY number DESC LIMIT 1`);
  return {
    number: Number(row?.["number"] ?? 0),
    through: String(row?.["through"] ?? "0"),
    hash: String(row?.["hash"] ?? ""),
  };
}

/** Over the hash of each line and what is stored of it, in the order of their numbers. */
async function linkOver(
  run: RunSql,
  previous: string,
  after: string,
  through: string | undefined,
): Promise<{ readonly hash: string; readonly through: string; readonly records: number }> {
  const digest = createHash("sha256").update(previous);
  let [position, records] = [after, 0];
  for (;;) {
    const rows = await run(
      `SELECT number, encode(sha256(convert_to(concat_ws(' ', number, id, kind, time AT TIME ZONE 'UTC', person, machine,
         project, host, session, hash, fields::text), 'UTF8')), 'hex') AS line
       FROM ${SCHEMA}.records WHERE number > $1 AND ($2::bigint IS NULL OR number <= $2) AND kind IN ('audit', 'runs')
       ORDER BY number LIMIT ${PAGE_ROWS}`,
      [position, through ?? null],
    );
    for (const row of rows) digest.update(`\n${String(row["line"])}`);
    records += rows.length;
    position = String(rows.at(-1)?.["number"] ?? position);
    if (rows.length < PAGE_ROWS) return { hash: digest.digest("hex"), through: through ?? position, records };
  }
}
