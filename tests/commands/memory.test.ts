import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../hooks/executable.ts";
import { AMPLIHACK, newUser, newUserInside, type User } from "./run-command.ts";

/** Runs a command on a terminal of its own, on Linux. */
const TERMINAL = "/usr/bin/script";

interface Shown {
  readonly id: string;
  readonly agent: string;
  readonly session: string | null;
  readonly key: string;
  readonly value: string;
  readonly type: string;
  readonly category: string;
}

const store = (user: User, key: string, value: string, ...more: readonly string[]) =>
  user.type(["memory", "store", "--agent", "builder", key, value, ...more]);

describe("amplihack memory", () => {
  it("stores, gets, lists and deletes", async () => {
    const user = newUser();
    expect(await store(user, "style", "Tests before code")).toMatchObject({
      code: 0,
      stdout: "Stored style.\n",
    });
    expect(await user.type(["memory", "get", "--agent", "builder", "style"])).toMatchObject({
      code: 0,
      stdout: "Tests before code\n",
      stderr: "",
    });
    expect(await user.json<Shown[]>("memory", "list", "--agent", "builder")).toMatchObject([
      {
        agent: "builder",
        session: null,
        key: "style",
        value: "Tests before code",
        type: "text",
        category: "context",
      },
    ]);
    expect(await user.json("memory", "delete", "--agent", "builder", "style")).toMatchObject({
      deleted: true,
    });
    expect(await user.type(["memory", "get", "--agent", "builder", "style"])).toMatchObject({
      code: 1,
      stdout: "",
    });
  });

  it("keeps no secret that an agent notes, in key, value, agent or session", async () => {
    const user = newUser();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const words = [
      "memory",
      "store",
      `k ${secret}`,
      `v ${secret}`,
      "--agent",
      `a-${secret}`,
      "--session",
      secret,
    ];
    const { code } = await user.type(words, { env: { CLAUDECODE: "1" } });
    expect(code).toBe(0);
    const { stdout } = await user.type(["memory", "list", "--format", "json"]);
    expect(stdout).toContain("[redacted]");
    expect(stdout).not.toContain(secret);
  });

  it("keeps the file private, in the state home", async () => {
    const user = newUser();
    await store(user, "a", "b");
    expect(statSync(user.database).mode & 0o777).toBe(0o600);
    expect(statSync(join(user.database, "..")).mode & 0o777).toBe(0o700);
  });

  it("is not moved by AMPLIHACK_HOME, and says so of one that cannot be used", async () => {
    const user = newUserInside();
    const env = (path: string) => ({ env: { AMPLIHACK_HOME: path } });
    const words = ["memory", "store", "--agent", "a", "k", "v"];
    for (const place of [join(user.home, "state"), join(user.project, "state")]) {
      await user.type(words, env(place));
      expect(existsSync(place)).toBe(false);
    }
    expect(existsSync(user.database)).toBe(true);
    const relative = await user.type(words, env("state"));
    expect(relative.code).toBe(1);
    expect(relative.stderr).toContain("AMPLIHACK_HOME");
  });

  it("makes no file by looking", async () => {
    const user = newUserInside();
    expect((await user.type(["memory", "tree"])).stdout).toBe("Nothing is remembered.\n");
    expect(await user.json("memory", "list", "--agent", "x")).toEqual([]);
    expect(await user.json("memory", "search", "x")).toEqual([]);
    expect((await user.type(["memory", "delete", "--agent", "x", "k"])).code).toBe(1);
    expect((await user.type(["memory", "clean", "--no-dry-run", "--confirm"])).code).toBe(0);
    expect(existsSync(join(user.home, ".amplihack"))).toBe(false);
  });

  it("uses the database that --db-path names", async () => {
    const user = newUserInside();
    await store(user, "a", "there", "--db-path", "other.db");
    expect(existsSync(user.database)).toBe(false);
    expect(existsSync(join(user.project, "other.db"))).toBe(true);
    const words = ["memory", "get", "--agent", "builder", "a", `--db-path=${user.project}/other.db`];
    expect((await user.type(words)).stdout).toBe("there\n");
  });

  it("keeps sessions apart", async () => {
    const user = newUserInside();
    await store(user, "k", "one", "--session", "s1");
    const get = (...more: readonly string[]) =>
      user.type(["memory", "get", "--agent", "builder", "k", ...more]);
    expect((await get()).stdout).toBe("one\n");
    expect((await get("--session", "s2")).code).toBe(1);
    await store(user, "k", "two", "--session", "s2");
    expect((await get("--session", "s1")).stdout).toBe("one\n");
    expect(await get()).toMatchObject({ code: 1, stdout: "" });
    expect((await get()).stderr).toContain("--session");
    await store(user, "k", "none");
    expect((await get()).stdout).toBe("none\n");
    expect(await user.json<Shown[]>("memory", "list", "--agent", "builder", "--session", "s2")).toHaveLength(
      1,
    );
    await user.type(["memory", "delete", "--agent", "builder", "k"]);
    expect((await get("--session", "s1")).stdout).toBe("one\n");
  });

  it("gives back any text exactly", async () => {
    const user = newUserInside();
    for (const value of [
      "",
      "a\nb\n",
      "'\"; DROP TABLE memories; --",
      "数据库 😀",
      "\u001b[31mred",
      "%s $HOME `x`",
    ]) {
      await store(user, "k", value);
      const shownText = value.replace("\u001b", "\\u001b");
      expect((await user.type(["memory", "get", "--agent", "builder", "k"])).stdout).toBe(`${shownText}\n`);
      const got = await user.json<Shown>("memory", "get", "--agent", "builder", "k");
      expect(got.value).toBe(value);
      const [shown] = await user.json<Shown[]>("memory", "list", "--agent", "builder");
      expect(shown?.value).toBe(value);
    }
    await user.type(["memory", "store", "--agent", "builder", "k", "--", "--looks-like=an option"]);
    expect((await user.type(["memory", "get", "--agent", "builder", "k"])).stdout).toBe(
      "--looks-like=an option\n",
    );
  });

  it("checks values that claim to be JSON or YAML", async () => {
    const user = newUserInside();
    expect((await store(user, "j", '{"a":1}', "--type", "json")).code).toBe(0);
    expect((await store(user, "y", "a:\n  - 1", "--type=yaml")).code).toBe(0);
    expect(await store(user, "j", "{a", "--type", "json")).toMatchObject({ code: 1 });
    expect(await store(user, "y", "a: [1", "--type", "yaml")).toMatchObject({ code: 1 });
    expect((await user.type(["memory", "get", "--agent", "builder", "j"])).stdout).toBe('{"a":1}\n');
  });

  it("shows a tree to the depth asked for, and one kind only", async () => {
    const user = newUserInside();
    await store(user, "a", "1", "--category", "decision");
    await store(user, "b", "2", "--session", "s1");
    await user.type(["memory", "store", "--agent", "tester", "c", "3", "--session", "s1"]);
    expect((await user.type(["memory", "tree"])).stdout).toBe(
      [
        "3 memories",
        "├── builder (2)",
        "│   ├── no session (1)",
        "│   │   └── a [decision, text]",
        "│   └── s1 (1)",
        "│       └── b [context, text]",
        "└── tester (1)",
        "    └── s1 (1)",
        "        └── c [context, text]",
        "",
      ].join("\n"),
    );
    expect(await user.json("memory", "tree", "--depth", "1", "--session", "s1")).toEqual({
      total: 2,
      agents: [
        { agent: "builder", count: 1 },
        { agent: "tester", count: 1 },
      ],
    });
    expect(await user.json("memory", "tree", "--type", "decision")).toMatchObject({ total: 1 });
  });

  it("searches by words, whatever they are", async () => {
    const user = newUserInside();
    await store(user, "db", "The database needs a longer timeout");
    await store(user, "ui", "Buttons are blue");
    expect(await user.json("memory", "search", "database", "timeouts")).toMatchObject([
      { key: "db", relevance: 1 },
    ]);
    expect(await user.json("memory", "search", "blue", "--agent", "nobody")).toEqual([]);
    expect((await user.type(["memory", "search", "buttons"])).stdout).toMatch(/^1\.00 {2}ui /);
    await store(user, "long", "a sentence that no terminal of eighty columns has room for. ".repeat(3));
    const [, shown = ""] = (await user.type(["memory", "search", "sentence"])).stdout.split("\n");
    expect([shown.length, shown.at(-1)]).toEqual([80, "…"]);
    for (const words of ['"', "NEAR(", "a AND", "*", "key:value", "''", "\\"]) {
      expect(await user.type(["memory", "search", words])).toMatchObject({ code: 0, stderr: "" });
    }
    expect(await user.type(["memory", "search", "--", "--blue"])).toMatchObject({ code: 0 });
  });
});

describe("without --agent", () => {
  it("a memory is stored for the agent general, and found whoever's it is", async () => {
    const user = newUserInside();
    const stored = await user.json("memory", "store", "tests", "They need PAYMENT_SANDBOX=1");
    expect(stored).toMatchObject({ agent: "general" });
    await store(user, "style", "Tests before code");
    expect((await user.type(["memory", "get", "style"])).stdout).toBe("Tests before code\n");
    expect(await user.json("memory", "list")).toMatchObject([{ agent: "builder" }, { agent: "general" }]);
    expect(await user.json("memory", "delete", "style")).toEqual({
      deleted: true,
      agent: "builder",
      session: null,
      key: "style",
    });
    expect((await user.type(["memory", "get", "style"])).stderr).toContain("there is no memory 'style'");
  });

  it("a key that several agents have is an error that names them", async () => {
    const user = newUserInside();
    await store(user, "k", "1");
    await user.json("memory", "store", "k", "2");
    for (const words of [["get"], ["delete"], ["pin"], ["edit"]]) {
      const ran = await user.type(["memory", ...words, "k"]);
      expect([ran.code, ran.stdout]).toEqual([1, ""]);
      expect(ran.stderr).toMatch(/2 agents have a memory 'k'[\s\S]*builder[\s\S]*general[\s\S]*--agent/);
    }
  });

  it("all agents are exported and imported, with their pins", async () => {
    const user = newUserInside();
    await store(user, "k", "1", "--pin");
    await user.json("memory", "store", "k", "2");
    const file = join(user.home, "all.json");
    expect(await user.json("memory", "export", "-o", file)).toEqual({ agent: null, file, count: 2 });
    const other = newUserInside();
    expect(await other.json("memory", "import", "-i", file)).toMatchObject({ agent: null, imported: 2 });
    expect(await other.json("memory", "list")).toEqual(await user.json("memory", "list"));
    expect((await other.type(["memory", "import", "-i", file])).code).toBe(1);
    const owned = join(user.home, "builder.json");
    await user.json("memory", "export", "--agent", "builder", "-o", owned);
    expect(await newUserInside().json("memory", "import", "-i", owned)).toMatchObject({ agent: "builder" });
    const piped = await user.type(["memory", "export", "-o", "-"]);
    expect(JSON.parse(piped.stdout)).toMatchObject({
      ...JSON.parse(readFileSync(file, "utf8")),
      exported_at: expect.any(String),
    });
    const third = newUserInside();
    const taken = await third.type(["memory", "import", "-i", "-"], { input: piped.stdout });
    expect(taken).toMatchObject({ code: 0, stdout: "Imported: 2 new, 0 replaced, 0 kept.\n" });
    expect(await third.json("memory", "list")).toEqual(await user.json("memory", "list"));
    expect([user, third].some(({ project }) => existsSync(join(project, "-")))).toBe(false);
    const clash = await newUserInside().type(["memory", "import", "--agent", "x", "-i", file]);
    expect(clash.stderr).toContain("that come once");
  });
});

describe("pins", () => {
  it("are set, shown, kept when the text is replaced, and taken away", async () => {
    const user = newUserInside();
    await store(user, "k", "1");
    expect(await user.json("memory", "list")).not.toMatchObject([{ pinned: true }]);
    expect((await user.type(["memory", "pin", "k"])).stdout).toBe("Pinned k.\n");
    expect(await store(user, "k", "2", "-f", "json")).toMatchObject({ code: 0 });
    expect(await user.json("memory", "list")).toMatchObject([{ value: "2", pinned: true }]);
    expect((await user.type(["memory", "list"])).stdout).toContain(", pinned)");
    expect(await user.json("memory", "unpin", "k")).toMatchObject({ pinned: false });
    expect((await user.json<object[]>("memory", "list"))[0]).not.toHaveProperty("pinned");
    expect((await user.type(["memory", "pin", "other"])).code).toBe(1);
  });
});

describe("forget", () => {
  async function userWithNotes(): Promise<User> {
    const user = newUserInside();
    await store(user, "tests", "The payment tests need PAYMENT_SANDBOX=1");
    await store(user, "retries", "PaymentClient retries by itself");
    await user.json("memory", "store", "tests", "Of another agent");
    return user;
  }
  const left = async (user: User) => (await user.json<Shown[]>("memory", "list")).length;

  it.each([
    [["payment", "sandbox"], 1],
    [["payments"], 2],
    [["tests"], 2],
    [["payment", "unheard"], 0],
  ])("deletes %j: %i", async (words, count) => {
    const user = await userWithNotes();
    const ran = await user.type(["memory", "forget", ...words, "--yes", "-f", "json"]);
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      count === 0 ? 1 : 0,
      { matched: count, deleted: count },
    ]);
    expect(await left(user)).toBe(3 - count);
  });

  it("finds by id, shows what fits, and deletes nothing without a yes", async () => {
    const user = await userWithNotes();
    const [first] = await user.json<Shown[]>("memory", "list");
    const ran = await user.type(["memory", "forget", first?.id ?? ""]);
    expect([ran.code, ran.stdout]).toEqual([2, expect.stringContaining("PaymentClient retries")]);
    expect(ran.stderr).toContain("--yes");
    expect(await left(user)).toBe(3);
    expect((await user.type(["memory", "forget", first?.id ?? "", "-y"])).stdout).toContain("Deleted 1.");
    expect((await user.type(["memory", "forget", "nothing", "like", "it", "-y"])).stdout).toBe(
      "No memory matches.\n",
    );
  });
});

describe("edit", () => {
  const edit = (user: User, editor: string) =>
    user.type(["memory", "edit", "k"], { env: { EDITOR: editor, VISUAL: "" } });

  it("stores what the editor saved and keeps the rest", async () => {
    const user = newUserInside();
    await store(user, "k", "old text", "--category", "decision", "--pin");
    expect((await edit(user, "sed -i s/old/new/")).stdout).toBe("Replaced k.\n");
    expect(await user.json("memory", "list")).toMatchObject([
      { value: "new text", category: "decision", pinned: true },
    ]);
    expect((await edit(user, "true")).stdout).toBe("Nothing was changed.\n");
    for (const failing of ["false", "printf '\\377' >", "rm"]) {
      expect((await edit(user, failing)).code).toBe(1);
      expect((await user.type(["memory", "get", "k"])).stdout).toBe("new text\n");
    }
    expect(readdirSync(join(user.database, "..")).filter(name => name.includes("edit"))).toEqual([]);
  });
});

describe("export and import", () => {
  it("are exact inverses", async () => {
    const user = newUserInside();
    await store(user, "a", "one\nline", "--type", "markdown", "--category", "pattern");
    await store(user, "b", '{"x":"😀"}', "--type", "json", "--session", "s");
    const exported = async (from: User, name: string) => {
      const file = join(from.home, name);
      await from.json("memory", "export", "--agent", "builder", "-o", file);
      const { exported_at, ...rest } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
      expect(exported_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      return rest;
    };
    const first = await exported(user, "first.json");
    expect(statSync(join(user.home, "first.json")).mode & 0o777).toBe(0o600);
    const other = newUserInside();
    const file = join(user.home, "first.json");
    expect(await other.json("memory", "import", "--agent", "builder", "-i", file)).toMatchObject({
      imported: 2,
    });
    expect(await exported(other, "second.json")).toEqual(first);
    expect((await other.type(["memory", "import", "--agent", "builder", "-i", file])).code).toBe(1);
    const merged = await other.json("memory", "import", "--agent", "builder", "-i", file, "--merge");
    expect(merged).toMatchObject({ imported: 0, kept: 2 });
    expect(await exported(other, "third.json")).toEqual(first);
  });

  it("take in nothing of a file that is not right", async () => {
    const user = newUserInside();
    const file = join(user.home, "bad.json");
    const good = { id: "1", session: null, key: "k", value: "v", type: "text" };
    const times = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
    for (const content of [
      "",
      "{}",
      JSON.stringify({
        version: 1,
        agent: "a",
        memories: [
          { ...good, ...times },
          { ...good, ...times, key: 7 },
        ],
      }),
    ]) {
      writeFileSync(file, content);
      const ran = await user.type(["memory", "import", "--agent", "a", "-i", file, "-f", "json"]);
      expect(ran.code).toBe(1);
      expect(JSON.parse(ran.stdout)).toMatchObject({ success: false, error: { kind: "invalid" } });
    }
    for (const [input, message] of [
      ["missing.json", "missing.json cannot be imported: there is no such file\n  fix: name a file that"],
      [".", "cannot be imported: EISDIR\n  fix: it is a folder: name a file\n"],
      ["n".repeat(300), "cannot be imported: ENAMETOOLONG\n  fix: the name is too long"],
    ]) {
      const ran = await user.type(["memory", "import", "--agent", "a", "-i", String(input)]);
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(String(message))]);
    }
    expect(existsSync(user.database)).toBe(false);
  });
});

describe("clean", () => {
  async function userWithTests(): Promise<User> {
    const user = newUserInside();
    await store(user, "test_a", "1");
    await store(user, "b", "2", "--session", "test_session");
    await store(user, "keep", "3", "--session", "real");
    return user;
  }
  const left = async (user: User) =>
    (await user.json<Shown[]>("memory", "list", "--agent", "builder")).length;

  it("only shows what fits, by key or by session, unless told otherwise", async () => {
    const user = await userWithTests();
    expect(await user.json("memory", "clean")).toMatchObject({
      pattern: "test_*",
      dry_run: true,
      matched: 2,
      deleted: 0,
      memories: [{ key: "test_a" }, { key: "b" }],
    });
    expect((await user.type(["memory", "clean"])).stdout).toContain("2 would be deleted");
    expect(await left(user)).toBe(3);
  });

  it("does not delete without a yes", async () => {
    const user = await userWithTests();
    const ran = await user.type(["memory", "clean", "--no-dry-run", "--format", "json"]);
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      success: false,
      error: { kind: "usage", fix: "add --confirm" },
    });
    expect(await left(user)).toBe(3);
  });

  it("deletes what fits when it is confirmed", async () => {
    const user = await userWithTests();
    const cleaned = await user.json("memory", "clean", "--no-dry-run", "--confirm");
    expect(cleaned).toMatchObject({ dry_run: false, matched: 2, deleted: 2 });
    expect(await left(user)).toBe(1);
    expect(readFileSync(user.database).includes("test_a")).toBe(false);
  });

  it.runIf(existsSync(TERMINAL)).each([
    ["y\n", 1],
    ["yes\n", 1],
    ["\n", 3],
    ["n\n", 3],
    ["yes please\n", 3],
    ["", 3],
  ])("asks at a terminal; %j leaves %i", async (answer, count) => {
    const user = await userWithTests();
    const command = `'${AMPLIHACK.join("' '")}' memory clean --no-dry-run`;
    const ran = await runProgram([TERMINAL], ["-qec", command, "/dev/null"], {
      home: user.home,
      cwd: user.project,
      input: answer,
    });
    expect(ran.stdout).toContain("Delete 2 memories for good? [y/N]");
    expect(await left(user)).toBe(count);
  });

  it("deletes nothing with --confirm alone", async () => {
    const user = await userWithTests();
    expect(await user.json("memory", "clean", "--confirm")).toMatchObject({ dry_run: true, deleted: 0 });
    expect(await left(user)).toBe(3);
  });
});

describe("what is wrong on the command line", () => {
  it.each([
    [["memory"], "needs one of"],
    [["memory", "lst"], "did you mean 'amplihack memory list'"],
    [["memory", "forget"], "missing WORDS"],
    [["memory", "pin"], "missing KEY"],
    [["memory", "list", "--agent", "a", "--backend", "kuzu"], "not 'kuzu'"],
    [["memory", "list", "--agent", "a", "--format", "xml"], "Invalid format: xml"],
    [["memory", "get", "--agent", "a"], "missing KEY"],
    [["memory", "store", "--agent", "a", "k"], "missing VALUE"],
    [["memory", "store", "--agent", "a", "k", "v", "w"], "unexpected argument 'w'"],
    [["memory", "store", "--agent", "a", "", "v"], "KEY is empty: what it is called"],
    [["memory", "store", "--agent", "a", "k", "v", "--type", "xml"], "--type must be one of"],
    [["memory", "store", "--agent", "a", "k".repeat(501), "v"], "may have 500 characters"],
    [["memory", "export", "--agent", "a"], "--output is required"],
    [["memory", "import", "--agent", "a"], "--input is required"],
    [["memory", "tree", "--type", "idea"], "--type must be one of"],
    [["memory", "tree", "--depth", "0"], "--depth must be a number from 1 to 3"],
    [["memory", "tree", "--depth", "9"], "--depth must be a number from 1 to 3"],
    [["memory", "list", "--agnet", "a"], "did you mean --agent?"],
    [["memory", "list", "--agent", "a", "--db-path", ""], "--db-path must name a file"],
    [["memory", "export", "-o", ""], "--output is required"],
    [["memory", "import", "-i", ""], "--input is required"],
    [["memory", "list", "--url", ""], "--url must name a database"],
    [["memory", "list", "--url", "postgres://ann:hunter2@db.example/x"], "it holds a password"],
  ])("is a usage error: %j", async (words, message) => {
    const user = newUserInside();
    const ran = await user.type(words);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain(message);
    expect(existsSync(join(user.home, ".amplihack"))).toBe(false);
  });
});

describe("a database that cannot be used", () => {
  it("is told with a fix, as one JSON document where JSON was asked for, and stays as it is", async () => {
    const user = newUser();
    mkdirSync(join(user.database, ".."));
    writeFileSync(user.database, "I am not a database. ".repeat(100));
    for (const words of [["tree"], ["list", "--agent", "a"], ["store", "--agent", "a", "k", "v"]]) {
      const text = await user.type(["memory", ...words]);
      expect([text.code, text.stdout]).toEqual([1, ""]);
      expect(text.stderr).toMatch(/^Error: the memory database .* is damaged[\s\S]*\n {2}fix: /);
      const json = await user.type(["memory", ...words, "--format=json"]);
      expect([json.code, json.stderr]).toEqual([1, ""]);
      expect(JSON.parse(json.stdout)).toMatchObject({ success: false, error: { kind: "corrupt" } });
    }
    expect(readFileSync(user.database, "utf8")).toBe("I am not a database. ".repeat(100));
  });
});
