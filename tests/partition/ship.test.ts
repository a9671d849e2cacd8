import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findHead } from "../../src/state/chained-log.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { logsIn, writeLines } from "../ship/logs.ts";
import { TRIES_PARTITION, until } from "./partition-tests.ts";
import { openTeamNetwork, TEAM } from "./team-network.ts";

/** Of each log; a batch has 500. */
const LINES = 600;

describe.skipIf(!TRIES_PARTITION)("shipping over a network that is cut", () => {
  it("sends every line, and none twice, at whatever moment what is sent in one direction is dropped", async () => {
    // Before anything is sent, inside a batch, and between two or at the end of one.
    const moments = {
      ann: ["to the server", 500],
      bob: ["to the server", 60_000],
      cem: ["to the server", 250_000],
      dan: ["from the server", 1_000],
      eve: ["from the server", 2_500],
      fay: ["from the server", 4_000],
    } as const;
    const names = Object.keys(moments) as (keyof typeof moments)[];
    const team = await openTeamNetwork(...names);
    // The tables are made by their owner.
    const ship = ["ship", "--once", "--team", TEAM, "--timeout", "2", "--to"] as const;
    expect(await team.members[0]?.type(...ship, `postgres=${team.keeperUrl}`)).toMatchObject({ code: 0 });
    await Promise.all(
      team.members.map(async (member, index) => {
        const name = names[index] as keyof typeof moments;
        const [way, bytes] = moments[name];
        const stateHome = join(member.home, ".amplihack");
        writeLines(stateHome, LINES);
        member.machine.cutAfter(bytes, way);
        const shipping = member.start(...ship, `postgres=${member.url}`);
        // It notices, and tries again by itself when the network is back.
        await until(
          () => shipping.said().includes("next attempt") || shipping.isOver(),
          hasNoticed => hasNoticed,
        );
        expect(shipping.said()).toContain("next attempt");
        member.machine.heal();
        await shipping.ended;
        await until(
          () => member.type(...ship, `postgres=${member.url}`),
          ({ code }) => code === 0,
        );
        const rows = await team.database.run(
          `SELECT kind, count(*)::int AS lines, count(DISTINCT id)::int AS ids FROM amplihack.records
           WHERE team = $1 AND person = $2 GROUP BY kind ORDER BY kind`,
          [TEAM, name],
        );
        expect(rows).toEqual([
          { kind: "audit", lines: LINES, ids: LINES },
          { kind: "runs", lines: LINES, ids: LINES },
        ]);
        const head = findHead(createNodeSystem(), logsIn(stateHome).audit);
        const heads = await team.database.run(
          "SELECT seq::int AS seq, hash FROM amplihack.audit_heads WHERE team = $1 AND person = $2",
          [TEAM, name],
        );
        expect(heads).toContainEqual(head);
      }),
    );
  });
});
