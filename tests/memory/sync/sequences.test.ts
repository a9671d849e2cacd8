import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../../src/memory/memory.ts";
import { prepareMemoryTables } from "../../../src/memory/postgres-schema.ts";
import type { PendingChange } from "../../../src/memory/sync/decide.ts";
import type { TeamSide } from "../../../src/memory/sync/team-database.ts";
import { runs } from "../../generated-inputs.ts";
import { hasPostgres } from "../../postgres-server.ts";
import { draft } from "../store-scene.ts";
import { type Machine, openTeam, PROJECT, type TeamScene } from "./team-scene.ts";

const MACHINES = 3;

/** Where the connection breaks: before the transaction, after its commit, or while pages are fetched. */
type Fault = "none" | "unsent" | "unacknowledged" | "half-fetched";
type Step =
  | { readonly kind: "put" | "remove" | "pin" | "unpin"; readonly machine: number; readonly key: string }
  | { readonly kind: "wait"; readonly machine: number; readonly ms: number }
  | { readonly kind: "sync"; readonly machine: number; readonly fault: Fault };

const machine = fc.nat(MACHINES - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("put" as const, "put" as const, "put" as const, "remove", "pin", "unpin"),
      machine,
      key: fc.constantFrom("a", "b", "c"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      machine,
      ms: fc.constantFrom(-60_000, 1, 1_000, 90_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("sync" as const),
      machine,
      fault: fc.constantFrom<Fault>("none", "none", "unsent", "unacknowledged", "half-fetched"),
    }),
  },
);

/** The same database behind a connection that breaks. */
function withFault(
  team: TeamSide,
  fault: Fault,
  onCommit: (changes: readonly PendingChange[]) => void,
): TeamSide {
  let pages = 0;
  return {
    look: () => team.look(),
    async send(changes: readonly PendingChange[]) {
      if (fault === "unsent") throw new Error("cut");
      const answer = await team.send(changes);
      onCommit(changes);
      if (fault === "unacknowledged") throw new Error("cut");
      return answer;
    },
    page(from) {
      pages += 1;
      if (fault === "half-fetched" && pages > 1) throw new Error("cut");
      return team.page(from);
    },
  };
}

class Run {
  /** texts that the team's database got */
  readonly committed = new Map<string, Set<string>>();
  readonly removedKeys = new Set<string>();
  private count = 0;
  private readonly machines: readonly Machine[];

  constructor(machines: readonly Machine[]) {
    this.machines = machines;
  }

  async take(given: Step): Promise<void> {
    const on = this.machines[given.machine] as Machine;
    switch (given.kind) {
      case "wait":
        on.time.nowMs += given.ms;
        return;
      case "sync":
        return this.sync(on, given.fault);
      case "put":
        this.count += 1;
        await on.store.put(draft({ project: PROJECT, key: given.key, value: `text ${this.count}` }));
        return;
      default: {
        const found = await on.store.list({ key: given.key }, "name");
        if (given.kind !== "remove") {
          await on.store.pin(found, given.kind === "pin");
          return;
        }
        if ((await on.store.remove(found)) > 0) this.removedKeys.add(given.key);
      }
    }
  }

  private async sync(on: Machine, fault: Fault): Promise<void> {
    const { team } = on;
    on.team = withFault(team, fault, changes => {
      for (const { key, memory } of changes)
        if (memory !== undefined)
          this.committed.set(key, (this.committed.get(key) ?? new Set()).add(memory.value));
    });
    try {
      await on.sync();
    } catch (error) {
      if (!String(error).includes("cut")) throw error;
    } finally {
      on.team = team;
    }
  }
}

async function check(scene: TeamScene, team: string, steps: readonly Step[], skews: readonly number[]) {
  await prepareMemoryTables(scene.database, team);
  const nowMs = Date.now();
  const machines = await Promise.all(skews.map(skew => scene.machine(nowMs + skew, team)));
  const run = new Run(machines);
  for (const each of steps) await run.take(each);
  // Twice: the second time brings what those who came later had to send.
  for (let round = 0; round < 2; round++)
    for (const index of machines.keys()) await run.take({ kind: "sync", machine: index, fault: "none" });

  const [first = [], ...others] = await Promise.all(machines.map(each => each.list()));
  for (const other of others) expect(other).toEqual(first);
  for (const each of machines) expect(each.copy.countWaiting()).toBe(0);
  const rows = await scene.database.run(
    "SELECT key, value, id, updated_ms, is_pinned FROM amplihack.memories WHERE team = $1 ORDER BY key",
    [team],
  );
  expect(rows).toEqual(first.map(asRow));
  const earlier = await scene.database.run(
    "SELECT key, value FROM amplihack.earlier_values WHERE team = $1",
    [team],
  );
  const kept = earlier.map(({ key, value }) => `${key}: ${value}`);
  expect(new Set(kept).size).toBe(kept.length);
  for (const [key, values] of run.committed) {
    if (run.removedKeys.has(key)) continue;
    const known = [...rows, ...earlier].flatMap(row => (row["key"] === key ? [row["value"]] : []));
    expect(known.sort()).toEqual([...values].sort());
  }
}

function asRow({ key, value, id, updatedMs, isPinned = false }: Memory) {
  return { key, value, id, updated_ms: String(updatedMs), is_pinned: isPinned };
}

describe.skipIf(!hasPostgres)("any order of changes, syncs and broken connections", () => {
  it("ends with equal copies and with no text lost or doubled", async () => {
    const scene = await openTeam();
    let team = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.array(fc.constantFrom(0, -3_600_000, 2_000, 86_400_000), {
          minLength: MACHINES,
          maxLength: MACHINES,
        }),
        (steps, skews) => check(scene, `crew${team++}`, steps, skews),
      ),
      { numRuns: runs(30, 1_000) },
    );
  });
});
