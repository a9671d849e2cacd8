import { describe, expect, it } from "vitest";
import type { Cut } from "./network.ts";
import { TRIES_PARTITION, until } from "./partition-tests.ts";
import { type Member, openTeamNetwork } from "./team-network.ts";
import { expectSame, SYNC, sessionsOf, syncWhole } from "./team-sync.ts";

const NOTE = "Deploys of payments need PAYMENT_SANDBOX";

/** What a member cannot do without the server, and all that works without it. */
async function workAlone(member: Member, name: string): Promise<void> {
  expect(await member.type("memory", "store", name, `${NOTE}, says ${name}`)).toMatchObject({ code: 0 });
  expect(await member.type("memory", "store", "contested", `as ${name} has it`)).toMatchObject({ code: 0 });
  const session_id = `session of ${name}`;
  const begun = await member.hook("session-start", { session_id, hook_event_name: "SessionStart" });
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining(`says ${name}`) });
  const prompt = "Which variable do deploys of payments need, is it PAYMENT_SANDBOX?";
  const input = { session_id: `${session_id}, again`, hook_event_name: "UserPromptSubmit", prompt };
  const asked = await member.hook("user-prompt-submit", input);
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining("says ") });
  const failed = await member.type(...SYNC, "--timeout", "2");
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/does not answer\n.*is kept and sent later|another sync is under way/);
}

describe.skipIf(!TRIES_PARTITION)("a team whose network is cut", () => {
  it("works on everywhere, and has everything once when the network is back", async () => {
    const team = await openTeamNetwork("ann", "bob");
    const [ann, bob] = team.members as [Member, Member];
    const cuts: readonly (readonly [Cut, Cut])[] = [
      ["down", "to the server"],
      ["unplugged", "from the server"],
    ];
    const expected: string[] = [];
    for (const [round, [annsCut, bobsCut]] of cuts.entries()) {
      ann.machine.cut(annsCut);
      bob.machine.cut(bobsCut);
      await Promise.all([workAlone(ann, `ann ${round}`), workAlone(bob, `bob ${round}`)]);
      ann.machine.heal();
      bob.machine.heal();
      for (const name of [`ann ${round}`, `bob ${round}`])
        expected.push(`${name}: ${NOTE}, says ${name}`, `as ${name} has it`);
      const all = await expectSame(team);
      expect(all.map(text => text.replace("contested: ", "")).sort()).toEqual(expected.sort());
    }
  });

  it("is not held up by a member who vanishes inside a transaction", async () => {
    const team = await openTeamNetwork("ann", "bob");
    const [ann, bob] = team.members as [Member, Member];
    for (const member of [ann, bob]) await syncWhole(member);
    let vanished: Promise<unknown> = Promise.resolve();
    await team.database.transaction(async run => {
      await run("LOCK TABLE amplihack.memories IN EXCLUSIVE MODE");
      expect(await ann.type("memory", "store", "ann", NOTE)).toMatchObject({ code: 0 });
      vanished = ann.type(...SYNC, "--timeout", "10");
      await until(
        () =>
          team.database.run(
            "SELECT FROM pg_stat_activity WHERE usename = 'ann' AND wait_event_type = 'Lock'",
          ),
        ({ length }) => length > 0,
      );
      ann.machine.cut("to the server");
    });
    await until(
      () => sessionsOf(team, "ann"),
      states => states.includes("idle in transaction"),
    );
    expect(await bob.type("memory", "store", "bob", NOTE)).toMatchObject({ code: 0 });
    await syncWhole(bob);
    expect((await team.memories()).map(({ key }) => key)).toEqual(["bob"]);
    await vanished;
    ann.machine.heal();
    expect(await expectSame(team)).toEqual([`ann: ${NOTE}`, `bob: ${NOTE}`]);
  });
});
