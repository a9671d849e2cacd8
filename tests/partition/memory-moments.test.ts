import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/memory/sqlite-store.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { draft } from "../memory/store-scene.ts";
import { TRIES_PARTITION, until } from "./partition-tests.ts";
import { type Member, openTeamNetwork, PROJECT, TEAM } from "./team-network.ts";
import { expectSame, SYNC, sessionsOf, syncWhole } from "./team-sync.ts";

describe.skipIf(!TRIES_PARTITION)("a sync whose network is cut", () => {
  it.each([
    ["to the server", 800],
    ["from the server", 500],
  ] as const)(
    "loses nothing and doubles nothing when what is sent %s is dropped from any moment on",
    async (way, stepBytes) => {
      const team = await openTeamNetwork("ann", "bob");
      const [ann, bob] = team.members as [Member, Member];
      await syncWhole(ann);
      const system = createNodeSystem();
      const path = join(ann.home, ".amplihack", "memory.db");
      const origin = `team ${TEAM} of postgres on ${team.address}`;
      let count = 0;
      for (let bytes = 200, isCut = true; isCut; bytes += stepBytes) {
        count += 1;
        const store = await openStore(system, path, { origin });
        await store.put(draft({ project: PROJECT, key: `new ${count}`, value: `new ${count}` }));
        await store.put(draft({ project: PROJECT, key: "changing", value: `text ${count}` }));
        store.close();
        ann.machine.cutAfter(bytes, way);
        isCut = (await ann.type(...SYNC, "--timeout", "1")).code !== 0;
        ann.machine.heal();
        // Its last session would keep the next one from coming to the moment that is meant.
        await until(
          () => sessionsOf(team, "ann"),
          ({ length }) => length === 0,
        );
      }
      expect(count).toBeGreaterThan(4);
      expect(await bob.type(...SYNC)).toMatchObject({ code: 0 });
      const all = await expectSame(team);
      const news = Array.from({ length: count }, (_, index) => `new ${index + 1}: new ${index + 1}`);
      expect(all).toEqual(expect.arrayContaining([...news, `changing: text ${count}`]));
    },
  );
});
