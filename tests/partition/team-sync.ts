import { expect } from "vitest";
import { until } from "./partition-tests.ts";
import type { Member, TeamNetwork } from "./team-network.ts";

export const SYNC = ["memory", "sync"] as const;

/** A sync in the background that the cut has caught may take its time to notice; what is asked for is its end. */
export async function syncWhole(member: Member): Promise<void> {
  await until(
    () => member.type(...SYNC),
    ({ code, stdout }) => code === 0 && stdout.includes(" 0 waiting"),
  );
}

/** The server and both machines have the same, and each text once. */
export async function expectSame({ members, memories, database }: TeamNetwork): Promise<readonly string[]> {
  // Whoever was first has not seen what the second sent.
  for (const member of [...members, ...members]) await syncWhole(member);
  const there = (await memories()).map(row => [
    row["key"],
    row["value"],
    row["id"],
    Number(row["updated_ms"]),
  ]);
  for (const member of members) {
    const here = (await member.list()).map(({ key, value, id, updatedMs }) => [key, value, id, updatedMs]);
    expect(here).toEqual(there);
  }
  const earlier = (await database.run("SELECT value FROM amplihack.earlier_values ORDER BY value")).map(row =>
    String(row["value"]),
  );
  expect(new Set(earlier).size).toBe(earlier.length);
  return [...there.map(([key, value]) => `${key}: ${value}`), ...earlier];
}

/** What the server knows of a user's connections. */
export function sessionsOf({ database }: TeamNetwork, name: string): Promise<readonly string[]> {
  return database
    .run("SELECT state FROM pg_stat_activity WHERE usename = $1", [name])
    .then(rows => rows.map(({ state }) => String(state)));
}
