import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { PostgresError } from "../../src/postgres/postgres-error.ts";
import { joiningStatement, joinTeam } from "../../src/postgres/teams.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { administer, freshDatabase, hasPostgres } from "../postgres-server.ts";

async function makeScene(...members: readonly string[]) {
  const { server, name } = await freshDatabase();
  const open = async (member?: string): Promise<Database> => {
    const database = await Database.open(readDatabaseUrl(server.url(name, member), "option"));
    onTestFinished(() => database.close());
    return database;
  };
  for (const member of members) {
    await administer(server, `CREATE ROLE ${member} LOGIN`);
    onTestFinished(() => administer(server, `DROP ROLE ${member}`));
  }
  return { open, sql: (text: string) => administer(server, text, name) };
}

it("is asked for in a statement that means no more than that, whatever names were chosen", () => {
  expect(joiningStatement("x'); DROP TABLE notes; --", "o'neil")).toBe(
    "let its administrator run: SELECT amplihack.add_member('x''); DROP TABLE notes; --', 'o''neil')",
  );
  const error = new PostgresError("refused", "the user \u001b[2J", { fix: "ask \u0007" });
  expect([error.message, error.fix]).toEqual(["the user \\u001b[2J", "ask \\u0007"]);
});

describe.skipIf(!hasPostgres)("a team", () => {
  it("is made by the administrator; others join when they are told of", async () => {
    const { open, sql } = await makeScene("ann", "bob");
    await joinTeam(await open(), "acme");
    const ann = await open("ann");
    await expect(joinTeam(ann, "acme")).rejects.toMatchObject({
      problem: "refused",
      message: expect.stringContaining("the user ann"),
      fix: expect.stringContaining("SELECT amplihack.add_member('acme', 'ann')"),
    });
    await sql("SELECT amplihack.add_member('acme', 'ann')");
    await joinTeam(ann, "acme");
    await expect(ann.run("SELECT amplihack.add_member('acme', 'bob')")).rejects.toMatchObject({
      code: "42501",
    });
    await expect(joinTeam(await open("bob"), "other")).rejects.toMatchObject({ problem: "refused" });
  });

  it("sees and changes its own rows, of the projects that it has, and nobody else's", async () => {
    const { open, sql } = await makeScene("ann", "bob", "eve");
    const keeper = await open();
    await joinTeam(keeper, "acme");
    await migrate(keeper, "things", [
      [
        "CREATE TABLE amplihack.things (team text, project text, name text)",
        "ALTER TABLE amplihack.things ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY own_team ON amplihack.things USING (amplihack.may_see(team, project))",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON amplihack.things TO PUBLIC",
      ],
    ]);
    await sql("SELECT amplihack.add_member('acme', 'ann'), amplihack.add_member('acme', 'bob', '{pay}')");
    await sql("SELECT amplihack.make_team('zoo'), amplihack.add_member('zoo', 'eve')");
    const [ann, bob, eve] = [await open("ann"), await open("bob"), await open("eve")];
    const add = (who: Database, team: string, project: string) =>
      who.run("INSERT INTO amplihack.things VALUES ($1, $2, $3)", [team, project, `${team} ${project}`]);
    for (const project of ["", "pay", "ship"]) await add(ann, "acme", project);
    await add(eve, "zoo", "pay");
    const seen = async (who: Database) =>
      (await who.run("SELECT name FROM amplihack.things ORDER BY name")).map(row => row["name"]);
    expect(await seen(ann)).toEqual(["acme ", "acme pay", "acme ship"]);
    expect(await seen(bob)).toEqual(["acme ", "acme pay"]);
    expect(await seen(eve)).toEqual(["zoo pay"]);
    await expect(add(bob, "acme", "ship")).rejects.toMatchObject({ problem: "refused" });
    await expect(add(eve, "acme", "pay")).rejects.toMatchObject({ problem: "refused" });
    await bob.run("UPDATE amplihack.things SET name = 'changed'");
    await eve.run("DELETE FROM amplihack.things");
    expect(await seen(ann)).toEqual(["acme ship", "changed", "changed"]);
    await expect(eve.run("UPDATE amplihack.teams SET team = 'acme'")).rejects.toMatchObject({
      problem: "refused",
    });
    await expect(eve.run("INSERT INTO amplihack.members VALUES ('acme', 'eve')")).rejects.toMatchObject({
      problem: "refused",
    });
  });
});

describe.skipIf(!hasPostgres)("a name that is misspelt", () => {
  it("is refused, with the statement that makes what is missing", async () => {
    const { url } = await freshDatabase();
    const database = await Database.open(readDatabaseUrl(url, "option"));
    onTestFinished(() => database.close());
    await joinTeam(database, "acme");
    const add = (team: string, login: string) =>
      database.run("SELECT amplihack.add_member($1, $2)", [team, login]);
    await expect(add("acmee", "keeper")).rejects.toMatchObject({ code: "P0002" });
    await expect(add("acme", "keepr")).rejects.toMatchObject({ code: "P0002" });
    await expect(database.run("SELECT amplihack.make_team('no name')")).rejects.toMatchObject({
      code: "22023",
    });
    await add("acme", "keeper");
    expect(await database.run("SELECT team FROM amplihack.teams")).toEqual([{ team: "acme" }]);
  });
});
