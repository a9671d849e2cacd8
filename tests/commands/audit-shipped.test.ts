import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseJsonObject } from "../../src/protocol/members.ts";
import { appendChainedLine } from "../../src/state/chained-log.ts";
import { listRotations } from "../../src/state/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { administer, freshDatabase, hasPostgres, type PostgresServer } from "../postgres-server.ts";
import { logsIn, writeLines } from "../ship/logs.ts";
import { newUserInside, type User } from "./run-command.ts";

const system = createNodeSystem();

/** A user of a team's database, with an audit log that was shipped to it. */
interface Shipper {
  readonly user: User;
  readonly log: string;
  write(lines: number, limitBytes?: number): void;
  /** Gives what it warned of. */
  ship(): Promise<string>;
  /** `audit verify --url`, with these words behind it */
  verify(...words: readonly string[]): ReturnType<User["type"]>;
}

interface Scene {
  readonly server: PostgresServer;
  readonly sql: (statement: string) => Promise<void>;
  shipper(who?: string): Shipper;
}

async function scene(): Promise<Scene> {
  const { server, name } = await freshDatabase();
  return {
    server,
    sql: statement => administer(server, statement, name),
    shipper(who) {
      const user = newUserInside();
      const stateHome = join(user.home, ".amplihack");
      const env = { AMPLIHACK_DATABASE_URL: server.url(name, who) };
      return {
        user,
        log: logsIn(stateHome).audit,
        write: (lines, limitBytes) => writeLines(stateHome, lines, limitBytes, 5),
        async ship() {
          const { code, stderr } = await user.type(["ship", "--once", "--to", "postgres"], { env });
          expect(code).toBe(0);
          return stderr;
        },
        verify: (...words) => user.type(["audit", "verify", "--url", ...words], { env }),
      };
    },
  };
}

async function shipped(lines: number): Promise<Scene & Shipper> {
  const place = await scene();
  const shipper = place.shipper();
  shipper.write(lines);
  await shipper.ship();
  return { ...place, ...shipper };
}

const linesOf = (log: string): readonly string[] => readFileSync(log, "utf8").trimEnd().split("\n");

/** As somebody would who wants a changed log to look whole: with new numbers and hashes. */
function writeAnew(log: string, lines: readonly string[]): void {
  rmSync(log);
  for (const line of lines) {
    const { seq, prev, ...members } = parseJsonObject(line, 10) ?? {};
    appendChainedLine(system, log, members, { rotation: { limitBytes: 1_000_000, keep: 5 } });
  }
}

describe.skipIf(!hasPostgres)("amplihack audit verify --url", () => {
  it("says that a log is what was shipped, by which head, and what was not shipped yet", async () => {
    const { verify, write, ship, user, log } = await shipped(3);
    const whole = await verify();
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(whole.stdout).toMatch(/3 lines in 1 file: all as they were written/);
    expect(whole.stdout).toMatch(/shipped: 3:[0-9a-f]{64}, received 2\S+Z, by keeper from .*, team everyone/);
    expect(whole.stdout).not.toContain("not known");
    write(2);
    const more = await verify();
    expect(more.code).toBe(0);
    expect(more.stdout).toContain("not known: whether lines after number 3");
    await ship();
    const document = JSON.parse((await verify("--json")).stdout);
    expect(document).toMatchObject({ ok: true, unknown: [], notes: [], shipped: { head: { seq: 5 } } });
    expect(document.shipped.head.hash).toBe(document.head.hash);
    // Another copy of the log is the log of whoever shipped it.
    expect((await verify("--person", "keeper", log)).code).toBe(0);
    const offline = await user.type(["audit", "verify"]);
    expect(offline.stdout).toContain("verify --url");
  });

  it.each([
    {
      what: "its last line was cut off",
      change: (lines: readonly string[]) => lines.slice(0, -1),
      found: /✗ truncated: .*audit\.jsonl, line 3: .* number 3, and number 4 was shipped .*missing: 1 line/,
    },
    {
      what: "a line was changed and all hashes made anew",
      change: (lines: readonly string[]) =>
        lines.map((line, index) => (index === 1 ? line.replace('"ask"', '"allow"') : line)),
      found: /✗ changed: .*audit\.jsonl, line 2: number 2 was another line when it was shipped/,
      told: "is not as it was when it was sent",
    },
    {
      what: "a line was taken out and all hashes made anew",
      change: (lines: readonly string[]) => lines.toSpliced(2, 1),
      found: /✗ changed: .*audit\.jsonl, line 3: number 3 was another line/,
    },
    {
      what: "it was replaced by a new one",
      change: () => ['{"verdict":"allow"}', '{"verdict":"ask"}'],
      found: /✗ changed: .*audit\.jsonl, line 1: number 1 was another line .* rewritten or replaced/,
      told: "may have been rotated away",
    },
  ])("finds that $what, also after more was shipped", async ({ change, found, told = "" }) => {
    const { verify, log, write, ship, user } = await shipped(4);
    writeAnew(log, change(linesOf(log)));
    expect((await user.type(["audit", "verify"])).code).toBe(0);
    const first = await verify();
    expect(first.stdout).toMatch(found);
    expect(first.stdout).toMatch(/shipped: 4:[0-9a-f]{64}, received 2/);
    expect(first.code).toBe(1);
    write(3);
    expect(await ship()).toContain(told);
    expect((await verify()).code).toBe(1);
    const all = await verify("--all");
    expect([all.code, all.stdout]).toEqual([1, expect.stringMatching(/✗ keeper on .*: changed: number/)]);
  });

  it("finds a log that is gone, and a line that was changed without new hashes", async () => {
    const { verify, log } = await shipped(3);
    const text = readFileSync(log, "utf8");
    writeFileSync(log, text.replace('"ask"', '"allow"'));
    expect((await verify()).stdout).toMatch(/✗ changed: .*, line 2: number 2 was another line/);
    rmSync(log);
    const gone = await verify();
    expect(gone.stdout).toContain(`truncated: ${log}: the log has no line, and number 3 was shipped`);
    expect(gone.code).toBe(1);
  });

  it("has nothing against rotation, also where the oldest lines are gone", async () => {
    const place = await scene();
    const { write, ship, verify, log } = place.shipper();
    for (let round = 0; round < 4; round++) {
      write(5, 900);
      await ship();
    }
    expect(listRotations(system, log)).toHaveLength(5);
    const { code, stdout } = await verify();
    expect(stdout).toContain("older lines are no longer kept");
    expect([code, stdout.includes("not known")]).toEqual([0, false]);
    expect((await verify("--all")).code).toBe(0);
    // With nothing left of what was shipped, nothing can be compared.
    write(20, 900);
    const later = await verify();
    expect(later.stdout).toContain("whether it is the log that was shipped: it begins after number 20");
    expect(later.code).toBe(0);
  });

  it("compares nothing as long as nothing was shipped, and says so", async () => {
    const place = await scene();
    const [other, own] = [place.shipper(), place.shipper()];
    own.write(2);
    expect((await own.verify()).stderr).toContain("nothing was shipped to");
    await other.ship();
    const { code, stdout } = await own.verify();
    expect(code).toBe(0);
    expect(stdout).toContain("shipped: nothing yet, by keeper from");
    expect(stdout).toContain("not known: whether lines were cut off");
    expect((await own.verify("--all")).stdout).toMatch(/^No audit log was shipped yet/);
  });

  it("tells a line that was removed in the database from one that was removed here", async () => {
    const { verify, sql } = await shipped(5);
    await sql("DELETE FROM amplihack.records WHERE fields->>'seq' = '3'");
    const own = await verify();
    expect(own.code).toBe(0);
    expect(own.stdout).toContain("note: the database lacks 1 line");
    expect(own.stdout).toContain("the first is number 3: removed there, never sent");
    const all = await verify("--all");
    expect(all.stdout).toMatch(/✗ keeper on .*: removed: missing before it: 1 line \(number 3\)/);
    expect(all.code).toBe(1);
    // What is old is removed by the owner: the rest still follows from line to line.
    await sql("DELETE FROM amplihack.records WHERE (fields->>'seq')::int <= 3");
    const rest = await verify("--all");
    expect([rest.code, rest.stdout]).toEqual([0, expect.stringContaining("begins with number 4")]);
    expect((await verify()).stdout).not.toContain("lacks");
    await sql("DELETE FROM amplihack.records WHERE fields->>'seq' = '5'");
    expect((await verify("--all")).stdout).toMatch(/head with number 5 was sent, and lines up to number 4/);
  });
});

describe.skipIf(!hasPostgres)("amplihack audit verify --url --all", () => {
  it("checks each person's log, needs none here, and shows no member what is not theirs", async () => {
    const { shipper, sql, server } = await scene();
    await shipper().ship();
    for (const who of ["ann", "bob"]) {
      await administer(server, `CREATE ROLE ${who} LOGIN`);
      onTestFinished(() => administer(server, `DROP ROLE ${who}`));
    }
    await sql("SELECT amplihack.add_member('everyone', 'ann')");
    await sql("SELECT amplihack.add_member('everyone', 'bob', '{github.com/acme/pay}')");
    const [ann, bob] = [shipper("ann"), shipper("bob")];
    for (const one of [ann, bob]) {
      one.write(2);
      await one.ship();
    }
    const seen = JSON.parse((await ann.verify("--all", "--json")).stdout);
    expect(seen).toMatchObject({
      ok: true,
      team: "everyone",
      sees_all_projects: true,
      logs: [
        { person: "ann", lines: 2, head: { seq: 2 }, broken: null },
        { person: "bob", lines: 2, head: { seq: 2 }, broken: null },
      ],
    });
    const one = JSON.parse((await ann.verify("--all", "--person", "bob", "--json")).stdout);
    expect(one.logs).toMatchObject([{ person: "bob" }]);
    // A home that two machines share has one log, which each of them sends from where the other ended.
    ann.write(3);
    await ann.ship();
    await sql(
      "UPDATE amplihack.records SET machine = 'other' WHERE person = 'ann' AND fields->>'seq' IN ('3', '4')",
    );
    const shared = await ann.verify("--all", "--person", "ann");
    expect([shared.code, shared.stdout]).toEqual([
      0,
      expect.stringMatching(/on other: 2 lines, each follows/),
    ]);
    expect(shared.stdout).not.toContain("note: begins");
    // Who sees some projects alone cannot miss lines of others, and still knows their own log by its heads.
    const part = await bob.verify("--all");
    expect([part.code, part.stdout]).toEqual([0, expect.stringContaining("only some projects of the team")]);
    expect((await bob.verify()).stdout).toContain("all as they were written");
    writeAnew(bob.log, linesOf(bob.log).slice(0, 1));
    expect((await bob.verify()).stdout).toMatch(/truncated: .* number 2 was shipped/);
    await sql(
      "UPDATE amplihack.records SET hash = repeat('0', 64) WHERE person = 'ann' AND fields->>'seq' = '2'",
    );
    expect((await ann.verify("--all")).stdout).toMatch(
      /✗ ann on .*number 2 is not the line that a head names/,
    );
  });

  it("reads rows that no log holds, and times that no clock shows", async () => {
    const { verify, sql } = await shipped(2);
    const fields = ["1e131000", "9007199254740993", "-1", "1.5", '"7"', "null", "[]"].map(
      (seq, index) =>
        `('everyone', 'x${index}', 'audit', now(), E'm\\x1b[2J', '', '', '', E'\\x1b', '{"seq": ${seq}, "prev": {"a": "${"b".repeat(200)}"}}')`,
    );
    await sql(
      `INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields) VALUES ${fields.join(", ")}`,
    );
    await sql("UPDATE amplihack.records SET received = 'infinity' WHERE machine LIKE 'm%'");
    await sql("INSERT INTO amplihack.audit_heads VALUES ('everyone', 'keeper', 'm', -1, 'x', '-infinity')");
    const all = await verify("--all");
    expect([all.code, all.stderr]).toEqual([0, ""]);
    expect(all.stdout).toContain("without a number: 7 lines");
    expect(all.stdout).not.toContain("\u001b");
    expect((await verify()).code).toBe(0);
  });

  it("refuses what makes no sense, and never shows a password", async () => {
    const user = newUserInside();
    const refused: readonly (readonly [readonly string[], string])[] = [
      [["--all"], "--all is for --url URL"],
      [["--team", "acme"], "--team is for --url URL"],
      [["--url", "--all", "--head", "1:00"], "--all checks the database alone"],
      [["--url"], "no database is named"],
      [["--url", "postgres:///y?host=/nowhere", "--team", ""], "--team must name a team"],
      [["--url", "postgres://me:secret@x/y"], "it holds a password"],
    ];
    for (const [words, message] of refused) {
      const { code, stderr } = await user.type(["audit", "verify", ...words]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(stderr).not.toContain("secret");
    }
  });
});
