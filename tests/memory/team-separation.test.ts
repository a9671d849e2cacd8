import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Memory, MemoryFilter } from "../../src/memory/memory.ts";
import { learnedRetention } from "../../src/memory/memory.ts";
import { openPostgresStore } from "../../src/memory/open-postgres-store.ts";
import { PostgresStore } from "../../src/memory/postgres-store.ts";
import { readQuery } from "../../src/memory/search-words.ts";
import { Database, type RunSql } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { administer, hasPostgres, type PostgresServer, sharedServer } from "../postgres-server.ts";
import { draft, NOW_MS, systemAt } from "./store-scene.ts";

const TEAM = "acme";
const DATABASE = "separated";
/** Ann has all projects of the team, Bob one, Eve is in another team and Sid in none. */
const MEMBERS = {
  ann: `amplihack.add_member('${TEAM}', 'ann')`,
  bob: `amplihack.add_member('${TEAM}', 'bob', '{pay}')`,
  eve: "amplihack.make_team('zoo'), amplihack.add_member('zoo', 'eve')",
  sid: "NULL",
} as const;
type Person = keyof typeof MEMBERS;
const PROJECTS = ["", "pay", "ship"];
const REMOVE_ALL = "SELECT amplihack.remove_memories(ARRAY(SELECT generate_series(1::bigint, 1000)))";
const removeUses = (projects: readonly string[]) =>
  `SELECT amplihack.remove_memory_uses('${TEAM}', project, ${NOW_MS + 1}) AS number
   FROM unnest(ARRAY[${projects.map(project => `'${project}'`).join(", ")}]) AS project ORDER BY number`;
/** What counts for all projects belongs to members of all. */
const OWN = `WHERE project <> '' OR EXISTS (SELECT FROM amplihack_views.own WHERE projects IS NULL)`;
const CHANGE_OWN = `UPDATE amplihack.memories SET is_pinned = true
  WHERE number = ANY (ARRAY(SELECT number FROM amplihack_views.memories ${OWN})) RETURNING number`;
const DATE_OWN = `SELECT amplihack.date_removals('${TEAM}', array_agg(name_hash), array_agg(removed_ms))
  FROM amplihack_views.memory_removals ${OWN}`;
const USE_ALL = `SELECT amplihack.add_memory_uses('${TEAM}', array_agg(number), array_agg(project), array_agg(project),
    array_agg('prompt'::text), array_agg(1))
  FROM generate_series(1::bigint, 1000) AS number, unnest(ARRAY['', 'pay', 'ship']) AS project`;
/** What members may do to rows that they see; each gives a row for every one that it changed. */
const CHANGES = {
  memories: [REMOVE_ALL, CHANGE_OWN],
  memory_removals: [DATE_OWN],
  memory_uses: [removeUses(PROJECTS)],
  earlier_values: [],
} as const;
const TABLES = Object.keys(CHANGES) as (keyof typeof CHANGES)[];

const VISIBLE: readonly (readonly [Person, readonly string[]])[] = [
  ["ann", ["", "pay", "ship"]],
  ["bob", ["", "pay"]],
  ["eve", []],
  ["sid", []],
];

/** What counts for all projects is removed by members of all. */
const removable = (person: Person, seen: readonly string[]): number =>
  person === "bob" ? seen.filter(project => project !== "").length : seen.length;

let server: PostgresServer;

describe.skipIf(!hasPostgres)("memories of a team", () => {
  const system = systemAt({ nowMs: NOW_MS });

  async function connect(person?: Person): Promise<Database> {
    const database = await Database.open(readDatabaseUrl(server.url(DATABASE, person), "option"));
    onTestFinished(() => database.close());
    return database;
  }

  /** What it gives, without a trace. */
  async function tryOut<T>(database: Database, work: (run: RunSql) => Promise<T>): Promise<T> {
    const results: T[] = [];
    const trial = database.transaction(async run => {
      results.push(await work(run));
      throw new Error("only tried");
    });
    await expect(trial).rejects.toThrow("only tried");
    return results[0] as T;
  }

  /** Without asking whether the person may: what the tables themselves let through. */
  async function openAs(person: Person, team = TEAM): Promise<PostgresStore> {
    return new PostgresStore(await connect(person), team, system);
  }

  /** One memory of each project, with an earlier text and a use, and one that was removed. */
  beforeAll(async () => {
    server = await sharedServer();
    await administer(server, `CREATE DATABASE ${DATABASE}`);
    const address = readDatabaseUrl(server.url(DATABASE), "option");
    (await openPostgresStore(system, { address, team: TEAM })).close();
    for (const [name, joining] of Object.entries(MEMBERS)) {
      await administer(server, `CREATE ROLE ${name} LOGIN`);
      await administer(server, `SELECT ${joining}`, DATABASE);
    }
    const database = await Database.open(readDatabaseUrl(server.url(DATABASE, "ann"), "option"));
    const store = new PostgresStore(database, TEAM, system);
    for (const project of PROJECTS) {
      const given = draft({ project, key: `key ${project}`, value: `zebra first${project}` });
      await store.put(given);
      const { memory } = await store.put({ ...given, value: `zebra secret${project}`, isPinned: true });
      await store.recordUse([memory], { project, session: "s", occasion: "prompt" });
      const gone = await store.put(draft({ project, key: `gone ${project}` }));
      await store.remove([gone.memory]);
    }
    store.close();
  });

  // Other files of this process use the same server.
  afterAll(async () => {
    await administer(server, `DROP DATABASE ${DATABASE} WITH (FORCE)`);
    await administer(server, `DROP ROLE ${Object.keys(MEMBERS).join(", ")}`);
  });

  const keys = (memories: readonly Memory[]) => memories.map(({ key }) => key);
  const keysOf = (projects: readonly string[]) => projects.map(project => `key ${project}`);
  const hiddenFrom = (seen: readonly string[]) => PROJECTS.filter(project => !seen.includes(project));
  /** As the owner of the tables sees it. */
  const idOf = async (project: string) => {
    const sql = "SELECT id, number FROM amplihack.memories WHERE team = $1 AND project = $2";
    const [row] = await (await connect()).run(sql, [TEAM, project]);
    return { agent: "builder", id: String(row?.["id"]), number: Number(row?.["number"]) };
  };

  it.each(VISIBLE)("are read by %s of the projects %j only, by every method", async (person, seen) => {
    const store = await openAs(person);
    expect(keys(await store.list({}, "name"))).toEqual(keysOf(seen));
    for (const project of PROJECTS) {
      const filter: MemoryFilter = { projects: [project] };
      const expected = seen.includes(project) ? keysOf([project]) : [];
      expect(keys(await store.list(filter, "newest"))).toEqual(expected);
      const found = await store.search(readQuery("zebra"), filter, 10);
      expect(found.map(({ memory, uses }) => [memory.key, uses])).toEqual(expected.map(key => [key, 1]));
      const latest = keys(await store.latest(project, 0, 10));
      expect(latest).toEqual(expect.arrayContaining(expected));
      expect(keysOf(seen)).toEqual(expect.arrayContaining(latest));
      // As it is, by its beginning, with a wrong letter, and by a part.
      for (const word of ["secretship", "secretshi", "secredship", "cretship"])
        expect([word, keys((await store.search(readQuery(word), {}, 10)).map(one => one.memory))]).toEqual([
          word,
          seen.includes("ship") ? ["key ship"] : [],
        ]);
    }
    const { memories, matches } = await store.countWords(["zebra", "secretship"]);
    expect([memories, matches.get("zebra"), matches.get("secretship")]).toEqual([
      seen.length,
      seen.length,
      seen.includes("ship") ? 1 : 0,
    ]);
  });

  it.each(VISIBLE)("are changed by %s in the projects %j only, by every method", async (person, seen) => {
    const store = await openAs(person);
    for (const project of hiddenFrom(seen)) {
      const hidden = await idOf(project);
      expect(await store.remove([hidden])).toBe(0);
      expect(await store.pin([hidden], false)).toBe(0);
      await store.recordUse([hidden], { project: "pay", session: "intruder", occasion: "prompt" });
      const given = draft({ project, key: `new of ${person}`, value: "intruder" });
      const refused = { problem: "refused" };
      await expect(store.put(given)).rejects.toMatchObject(refused);
      await expect(store.remember(given, learnedRetention(NOW_MS))).rejects.toMatchObject(refused);
      const taken = { ...given, id: "x", createdMs: 1, updatedMs: 1 };
      await expect(store.take("builder", [taken], true)).rejects.toMatchObject(refused);
    }
    const rows = await (await connect()).run(
      `SELECT project, value, is_pinned FROM amplihack.memories WHERE team = $1 ORDER BY project`,
      [TEAM],
    );
    expect(rows).toEqual(
      PROJECTS.map(project => ({ project, value: `zebra secret${project}`, is_pinned: true })),
    );
    const uses = "SELECT session FROM amplihack.memory_uses WHERE session <> 's'";
    expect(await (await connect()).run(uses)).toEqual([]);
  });

  it("that count for all projects are not removed by a member of one, nor changed or taken into it", async () => {
    const ofTeam = await idOf("");
    const store = await openAs("bob");
    expect(await store.remove([ofTeam])).toBe(0);
    const refused = { problem: "refused" };
    await expect(store.put(draft({ project: "", key: "key ", value: "mine" }))).rejects.toMatchObject(
      refused,
    );
    await expect(store.pin([ofTeam], false)).rejects.toMatchObject(refused);
    const taken = {
      ...draft({ project: "", key: "key ", value: "mine" }),
      id: "x",
      createdMs: 1,
      updatedMs: NOW_MS * 2,
    };
    await expect(store.take("builder", [taken], true)).rejects.toMatchObject(refused);
    const bob = await connect("bob");
    for (const change of [
      "UPDATE amplihack.memories SET value = 'mine'",
      "UPDATE amplihack.memory_removals SET removed_ms = 1",
    ])
      await expect(bob.run(change)).rejects.toMatchObject({ code: "42501" });
    const move = `UPDATE amplihack.memories SET project = 'pay' WHERE number = ${ofTeam.number} RETURNING number`;
    await expect(bob.run(move)).rejects.toMatchObject({ code: "42501" });
    expect(await bob.run(`SELECT amplihack.remove_memories('{${ofTeam.number}}')`)).toEqual([]);
    const ann = await connect("ann");
    expect((await tryOut(ann, run => run(move))).length).toBe(1);
    const remove = `SELECT amplihack.remove_memories('{${ofTeam.number}}')`;
    expect((await tryOut(ann, run => run(remove))).length).toBe(1);
  });

  it("have names that nobody takes over without seeing them", async () => {
    const store = await openAs("bob");
    await expect(store.put(draft({ project: "pay", key: "key ship", value: "mine" }))).rejects.toMatchObject({
      problem: "occupied",
      message: expect.stringContaining("in a project that you may not see"),
    });
  });

  it.each(["eve", "sid"] as const)(
    "are closed to %s, with what the administrator has to do",
    async person => {
      const address = readDatabaseUrl(server.url(DATABASE, person), "option");
      await expect(openPostgresStore(system, { address, team: TEAM })).rejects.toMatchObject({
        problem: "refused",
        fix: expect.stringContaining(`SELECT amplihack.add_member('${TEAM}', '${person}')`),
      });
    },
  );

  describe.each(TABLES)("with SQL by hand on %s", table => {
    const name = `amplihack.${table}`;
    const view = `amplihack_views.${table}`;

    it.each(VISIBLE)("%s reads the projects %j only", async (person, seen) => {
      const database = await connect(person);
      const rows = await database.run(`SELECT project FROM ${view} ORDER BY project`);
      expect(rows.map(row => row["project"])).toEqual(seen);
      expect((await database.run(`TABLE ${view}`)).length).toBe(seen.length);
      await expect(database.run(`SELECT project FROM ${name}`)).rejects.toMatchObject({ problem: "refused" });
    });

    it.each(VISIBLE)("%s changes the projects %j only", async (person, seen) => {
      const database = await connect(person);
      for (const change of CHANGES[table]) {
        const isOwn = change === REMOVE_ALL || change.includes(OWN);
        const changed = isOwn ? removable(person, seen) : seen.length;
        expect((await tryOut(database, run => run(change))).length).toBe(changed);
      }
      const others = person === "eve" ? TEAM : "zoo";
      if (seen.length > 0)
        await expect(database.run(`UPDATE ${name} SET team = $1`, [others])).rejects.toMatchObject({
          problem: expect.stringMatching("refused|failed"),
        });
    });

    it.each(VISIBLE)("%s adds to the projects %j only", async (person, seen) => {
      const database = await connect(person);
      for (const project of hiddenFrom(seen)) {
        const { number } = await idOf(project);
        const columns = {
          memories: `(team, project, agent, session, key, id, type, category, created_ms, updated_ms, fingerprint,
            term_count, terms, value) VALUES ($1, $2, 'a', '', 'n', 'n', 'text', 'context', 1, 1, '', 0, '', '')`,
          memory_removals: `(team, project, agent, session, key, id, removed_ms, revision)
            VALUES ($1, $2, 'a', '', 'n', 'n', 1, 1)`,
          memory_uses: `(team, number, project, session, occasion, used_ms)
            VALUES ($1, ${number}, $2, 'n', 'prompt', 1)`,
          earlier_values: `(team, project, agent, session, key, id, value, type, category, updated_ms, replaced_ms)
            VALUES ($1, $2, 'a', '', 'n', 'n', '', 'text', 'context', 1, 1)`,
        }[table];
        await expect(database.run(`INSERT INTO ${name} ${columns}`, [TEAM, project])).rejects.toMatchObject({
          problem: "refused",
        });
      }
    });
  });

  it.each(VISIBLE)("are used by %s of the projects %j only", async (person, seen) => {
    // Of each memory that is seen, in each project that is.
    const used = await tryOut(await connect(person), run => run(USE_ALL));
    expect(used.length).toBe(seen.length ** 2);
  });

  it("keep a hidden memory's number from being used", async () => {
    const { number } = await idOf("ship");
    const insert = `INSERT INTO amplihack.memory_uses (team, number, project, session, occasion, used_ms)
      VALUES ('${TEAM}', ${number}, '', 'n', 'prompt', 1)`;
    await expect((await connect("bob")).run(insert)).rejects.toMatchObject({ problem: "refused" });
  });

  describe("through the functions that run with the rights of the owner", () => {
    const all = "null, null, null, null, null, null, null, null, null";
    it.each(VISIBLE)("%s gets the projects %j only", async (person, seen) => {
      const database = await connect(person);
      const isAllowed = seen.includes("ship");
      const count = (sql: string) => database.run(sql).then(rows => rows.length);
      const search = (word: string, weights: string) =>
        count(
          `SELECT * FROM amplihack.search_memories('${TEAM}', '${word}', '{${word}}', ${weights}, ${all}, 10)`,
        );
      expect(await search("zebra", "'{1}'")).toBe(seen.length);
      expect(await search("zebra", "null")).toBe(seen.length);
      expect(await search("!nothing", "null")).toBe(seen.length);
      const similar = (spelling: string, part: string) =>
        count(`SELECT * FROM amplihack.similar_memory_terms('${TEAM}', '{${spelling}}', '${part}', 10)`);
      expect(await similar("secretship", "%%nothing")).toBe(isAllowed ? 1 : 0);
      expect(await similar("x", "retship")).toBe(isAllowed ? 1 : 0);
      const words = `SELECT * FROM amplihack.count_memory_words('${TEAM}', '{zebra,secretship}', '{zebra,secretship}', 10)`;
      const n = String(seen.length);
      expect(await database.run(words)).toEqual(
        seen.length === 0 ? [] : [{ total: n, matches: [n, isAllowed ? "1" : "0"] }],
      );
      const sees = "SELECT amplihack.may_see($1, $2) AS may";
      for (const project of PROJECTS)
        expect(await database.run(sees, [TEAM, project])).toEqual([{ may: seen.includes(project) }]);
      const [revision] = await database.run("SELECT amplihack.take_revision($1) AS taken", [TEAM]);
      expect(revision?.["taken"] === null).toBe(seen.length === 0);
    });

    it.each(VISIBLE)("%s gets no more by tables or functions of the same name", async (person, seen) => {
      const database = await connect(person);
      await database.run("SET search_path = pg_temp, public");
      const rows = await tryOut(database, async run => {
        await run("CREATE TEMP TABLE members (team text, member name, projects text[]) ON COMMIT DROP");
        await run("INSERT INTO members VALUES ($1, session_user, null)", [TEAM]);
        await run("CREATE TEMP TABLE memories (team text) ON COMMIT DROP");
        return [
          await run("SELECT FROM amplihack_views.memories"),
          await run(
            `SELECT FROM amplihack.search_memories('${TEAM}', 'zebra', '{zebra}', '{1}', ${all}, 10)`,
          ),
          await run(removeUses(PROJECTS)),
          await run(REMOVE_ALL),
        ];
      });
      expect(rows.map(found => found.length)).toEqual([
        ...Array(3).fill(seen.length),
        removable(person, seen),
      ]);
    });
  });

  it.each(["ann", "bob", "eve", "sid"] as const)(
    "do not show %s their words, nor let them become others",
    async person => {
      const database = await connect(person);
      for (const statement of [
        "SELECT FROM amplihack.memory_terms",
        "DELETE FROM amplihack.memory_terms",
        "SET SESSION AUTHORIZATION keeper",
        "SET ROLE keeper",
        "ALTER TABLE amplihack.memories DISABLE ROW LEVEL SECURITY",
        "DROP TRIGGER memory_changing ON amplihack.memories",
        "CREATE FUNCTION amplihack.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        `SELECT amplihack.add_member('${TEAM}', '${person}')`,
        "UPDATE amplihack.members SET projects = null",
      ])
        await expect(database.run(statement)).rejects.toMatchObject({ code: "42501" });
    },
  );

  const NEW = `amplihack.memories (team, project, agent, session, key, id, type, category, created_ms, updated_ms,
    fingerprint, term_count, terms, value`;
  const given = (member: string, value: string) =>
    `INSERT INTO ${NEW}) SELECT team, project, agent, session, key, id, type, category, created_ms, updated_ms,
     fingerprint, term_count, terms, value FROM jsonb_populate_record(NULL::amplihack.memories, jsonb_build_object(
       'team', '${TEAM}', 'project', 'pay', 'agent', 'a', 'session', '', 'key', 'n', 'id', 'n', 'type', 'text',
       'category', 'context', 'created_ms', 1, 'updated_ms', 1, 'fingerprint', '', 'term_count', 0, 'terms', '',
       'value', '') || jsonb_build_object('${member}', ${value}))`;

  it.each([
    [
      "take numbers that other teams will get",
      `INSERT INTO ${NEW}, number) OVERRIDING SYSTEM VALUE VALUES
         ('${TEAM}', 'pay', 'a', '', 'n', 'n', 'text', 'context', 1, 1, '', 0, '', '', 1000000)`,
    ],
    ["write in another's name", "UPDATE amplihack.memories SET author = 'ann' WHERE project = 'pay'"],
    [
      "say that another wrote an earlier text",
      `INSERT INTO amplihack.earlier_values
         (team, project, agent, session, key, id, value, type, category, updated_ms, replaced_ms, author)
       VALUES ('${TEAM}', 'pay', 'a', '', 'n', 'n', '', 'text', 'context', 1, 1, 'ann')`,
    ],
    ["delete what a function would not remove", "DELETE FROM amplihack.memories WHERE project = 'pay'"],
    ["delete uses without a function", "DELETE FROM amplihack.memory_uses WHERE project = 'pay'"],
    ["empty the table", "TRUNCATE amplihack.memories"],
    ["change earlier texts", "UPDATE amplihack.earlier_values SET value = 'another'"],
    ["remove earlier texts", "DELETE FROM amplihack.earlier_values"],
    [
      "tell copies to remove what is in another project",
      `INSERT INTO amplihack.memory_removals (team, project, agent, session, key, id, removed_ms, revision)
       VALUES ('${TEAM}', 'pay', 'builder', '', 'key ship', 'n', 1, 1)`,
    ],
    ["rename a removal", "UPDATE amplihack.memory_removals SET key = 'key ship'"],
    ["hide a removal", "DELETE FROM amplihack.memory_removals"],
    ["use up the revisions", "UPDATE amplihack.teams SET revision = 9223372036854775807"],
    ["set revisions back", "UPDATE amplihack.teams SET revision = 0"],
  ])("let no member %s", async (_, statement) => {
    await expect((await connect("bob")).run(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it.each([
    ["category", "'gossip'"],
    ["type", "'program'"],
    ["updated_ms", "9223372036854775807"],
    ["created_ms", "-9223372036854775807"],
    ["term_count", "-1"],
    ["key", "repeat('k', 3000)"],
    ["agent", "repeat('a', 2000)"],
    ["value", "repeat('v', 6000000)"],
  ])("take no %s that copies could not have", async (member, value) => {
    await expect((await connect("bob")).run(given(member, value))).rejects.toMatchObject({ code: "23514" });
  });

  describe("are not held up", () => {
    /** All that hold up somebody who reads and writes; what only reads is refused nobody. */
    const MODES = ["ROW EXCLUSIVE", "SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE"];

    it.each(["ann", "bob", "eve", "sid"] as const)("by locks of %s on tables", async person => {
      const [keeper, database] = [await connect(), await connect(person)];
      const tables = await keeper.run(
        `SELECT format('%I.%I', relnamespace::regnamespace, relname) AS name FROM pg_class
         WHERE relnamespace IN ('amplihack'::regnamespace, 'amplihack_views'::regnamespace) AND relkind IN ('r', 'v')
         ORDER BY 1`,
      );
      expect(tables.map(row => row["name"])).toEqual(
        expect.arrayContaining([
          "amplihack.teams",
          "amplihack.versions",
          ...TABLES.map(t => `amplihack.${t}`),
        ]),
      );
      for (const { name } of tables)
        for (const mode of MODES)
          await expect(
            database.transaction(run => run(`LOCK TABLE ${name} IN ${mode} MODE`)),
            `${name} ${mode}`,
          ).rejects.toMatchObject({ code: "42501" });
    });

    it.each(["eve", "sid"] as const)("by statements of %s that do not end", async person => {
      const [store, stranger] = [await openAs("ann"), await connect(person)];
      await stranger.transaction(async run => {
        for (const table of [...TABLES, "teams", "members"])
          await run(`LOCK TABLE amplihack_views.${table} IN ACCESS SHARE MODE`);
        for (const change of [...Object.values(CHANGES).flat(), USE_ALL]) await run(change);
        await run("SELECT FROM amplihack_views.teams WHERE team = $1 FOR UPDATE", [TEAM]);
        const { memory } = await store.put(draft({ project: "pay", key: "meanwhile" }));
        await store.recordUse([memory], { project: "pay", session: "s", occasion: "prompt" });
        expect(await store.remove([memory])).toBe(1);
      });
      await administer(server, "DELETE FROM amplihack.memory_removals WHERE key = 'meanwhile'", DATABASE);
    });
  });

  it("are removed by the administrator, who need not be in the team", async () => {
    const removed = await tryOut(await connect(), async run => {
      await run("DELETE FROM amplihack.members");
      return [await run(removeUses(PROJECTS)), await run(REMOVE_ALL)];
    });
    expect(removed.map(rows => rows.length)).toEqual([PROJECTS.length, PROJECTS.length]);
  });

  it("keep their uses where they are hidden from whoever clears up a project", async () => {
    const [hidden, visible] = [await idOf("ship"), await idOf("pay")];
    await (await openAs("ann")).recordUse([hidden], { project: "pay", session: "t", occasion: "prompt" });
    const numbers = async (person: Person) =>
      (await tryOut(await connect(person), run => run(removeUses(["pay"])))).map(row =>
        Number(row["number"]),
      );
    expect(await numbers("bob")).toEqual([visible.number]);
    expect(await numbers("ann")).toEqual([visible.number, hidden.number]);
    expect(await numbers("eve")).toEqual([]);
    await administer(server, "DELETE FROM amplihack.memory_uses WHERE session = 't'", DATABASE);
  });

  it("keep the earlier texts of a project, however many somebody adds under the name in another", async () => {
    const [ann, bob, ship] = [await connect("ann"), await connect("bob"), await idOf("ship")];
    const ofShip = "SELECT value FROM amplihack_views.earlier_values WHERE project = 'ship'";
    const before = await ann.run(ofShip);
    expect(before).toHaveLength(1);
    await bob.run(
      `INSERT INTO amplihack.earlier_values
         (team, project, agent, session, key, id, value, type, category, updated_ms, replaced_ms)
       SELECT '${TEAM}', 'pay', 'builder', '', 'key ship', 'n', n, 'text', 'context', 1, 1
       FROM generate_series(1, 30) AS n`,
    );
    const after = await tryOut(ann, async run => {
      await run("UPDATE amplihack.memories SET value = 'another' WHERE number = $1", [ship.number]);
      return run(`${ofShip} ORDER BY number`);
    });
    expect(after).toEqual([...before, { value: "zebra secretship" }]);
    await administer(server, "DELETE FROM amplihack.earlier_values WHERE id = 'n'", DATABASE);
  });

  it("name their author, whatever a writer says", async () => {
    const [ann, bob] = [await connect("ann"), await connect("bob")];
    const { number } = await idOf("pay");
    const authorAfter = async (who: Database, set: string) => {
      await who.run(`UPDATE amplihack.memories SET ${set} WHERE number = ${number}`);
      const [row] = await who.run(`SELECT author FROM amplihack_views.memories WHERE number = ${number}`);
      return row?.["author"];
    };
    expect(await authorAfter(bob, "is_pinned = false")).toBe("ann");
    expect(await authorAfter(bob, "is_pinned = true")).toBe("ann");
    expect(await authorAfter(bob, "key = 'another'")).toBe("bob");
    expect(await authorAfter(ann, "key = 'key pay'")).toBe("ann");
    expect(await authorAfter(bob, "value = 'zebra secretpay!'")).toBe("bob");
    expect(await authorAfter(ann, "value = 'zebra secretpay'")).toBe("ann");
  });
});
