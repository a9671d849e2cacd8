import { type Database, type RunSql, SCHEMA } from "../postgres/index.ts";
import { type JsonObject, numberAt, objectAt, stringAt, stringsAt } from "../protocol/index.ts";
import { anchorHashes, newestAnchor } from "./anchors.ts";
import { hashSecret, newSecret, plain } from "./http.ts";
import type { Machine } from "./machine.ts";
import { wantedPolicies } from "./policies.ts";
import { readPublicKey } from "./signing.ts";
import { ROLE } from "./tables.ts";

const MAX_NAME = 300;
const MAX_HOSTS = 50;

/** A machine, and what it says of itself. */
export interface Seen {
  readonly machine: Machine;
  readonly body: JsonObject;
}

/** One machine that has nothing to send. */
export function takeSeen(database: Database, machine: Machine, body: JsonObject): Promise<object> {
  return database
    .ofTeam(ROLE, machine.team)
    .transaction(async run => (await noteSeen(run, [{ machine, body }]))[0] ?? {});
}

/**
 * Notes that machines of a team are there; answers each with the newest link of the chain, and the link that it asked
 * for. The statements are as many for two hundred machines as for one.
 */
export async function noteSeen(run: RunSql, seen: readonly Seen[]): Promise<readonly object[]> {
  // Of a machine that is there twice the newest word counts.
  const latest = new Map(seen.map(({ machine, body }) => [machine.id, describe(machine, body)]));
  await run(
    `UPDATE ${SCHEMA}.server_machines m SET seen = now(), program = s.program, policy = s.policy, autonomy = s.autonomy,
       hosts = s.hosts, server_policy = s.server_policy
     FROM json_to_recordset($1) AS s (id text, program text, policy text, autonomy text, hosts text[], server_policy text)
     WHERE m.id = s.id`,
    [JSON.stringify([...latest.values()])],
  );
  const known = seen.map(({ body }) => numberAt(objectAt(body, "anchor"), "number"));
  const kept = await anchorHashes(
    run,
    known.flatMap(number => (number !== undefined && Number.isSafeInteger(number) ? [number] : [])),
  );
  const wanted = await wantedPolicies(
    run,
    seen.map(({ machine }) => machine.id),
  );
  const [anchor, serverKey] = [await newestAnchor(run), await readPublicKey(run)];
  const answers: object[] = [];
  for (const [index, { machine }] of seen.entries())
    answers.push({
      anchor,
      anchorHash: kept.get(known[index] ?? 0),
      serverKey,
      serverPolicy: wanted[index],
      ...(await newKey(run, machine)),
    });
  return answers;
}

function describe({ id }: Machine, body: JsonObject) {
  const name = (member: string) => plain(stringAt(body, member) ?? "", MAX_NAME);
  const hosts = stringsAt(body, "hosts")
    .slice(0, MAX_HOSTS)
    .map(host => plain(host, 50));
  return {
    id,
    program: name("program"),
    policy: name("policy"),
    autonomy: name("autonomy"),
    hosts,
    server_policy: name("serverPolicy"),
  };
}

/** One that is old is replaced: the new one counts from its first use on, the old one until then. */
async function newKey(run: RunSql, { id, isOld }: Machine): Promise<{ readonly key?: string }> {
  if (!isOld) return {};
  const key = newSecret();
  await run(`UPDATE ${SCHEMA}.server_machines SET next_hash = $2 WHERE id = $1`, [id, hashSecret(key)]);
  return { key };
}
