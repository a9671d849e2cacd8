import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Database, type DatabaseOptions } from "../../src/postgres/database.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import type { PostgresError } from "../../src/postgres/postgres-error.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { administer, freshDatabase, hasPostgres, startPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

async function open(url: string, options?: DatabaseOptions): Promise<Database> {
  const database = await Database.open(readDatabaseUrl(url, "option"), options);
  onTestFinished(() => database.close());
  return database;
}

async function problemOf(action: Promise<unknown>): Promise<PostgresError> {
  return action.then(
    () => {
      throw new Error("nothing was wrong");
    },
    (error: unknown) => error as PostgresError,
  );
}

describe("a URL without a host", () => {
  it.each(["", "/run/postgresql", "127.0.0.1"])("means this machine, also with PGHOST=%s", async host => {
    vi.stubEnv("PGHOST", host);
    await open("postgres:///agents");
  });

  it("is refused when PGHOST would lead to another machine, without encryption", async () => {
    vi.stubEnv("PGHOST", "db.example");
    expect(await problemOf(open("postgres:///agents"))).toMatchObject({
      problem: "refused",
      message: expect.stringContaining("db.example"),
    });
    await open("postgres://db.example/agents");
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });
});

describe.skipIf(!hasPostgres)("a PostgreSQL database", () => {
  it("runs statements with values, and transactions whole or not at all", async () => {
    const { url } = await freshDatabase();
    const database = await open(url);
    await database.run("CREATE TABLE notes (text text)");
    await database.transaction(async run => {
      await run("INSERT INTO notes VALUES ($1)", ["it's $1; --"]);
    });
    const failed = database.transaction(async run => {
      await run("INSERT INTO notes VALUES ('second')");
      throw new Error("stop");
    });
    await expect(failed).rejects.toThrow("stop");
    expect(await database.run("SELECT text FROM notes")).toEqual([{ text: "it's $1; --" }]);
  });

  it("tries a transaction again that another one stood in the way of", async () => {
    const { url } = await freshDatabase();
    const database = await open(url);
    await database.run("CREATE TABLE counters AS SELECT 0 AS value");
    const add = () =>
      database.transaction(async run => {
        await run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        const [row] = await run("SELECT value FROM counters");
        await run("UPDATE counters SET value = $1", [Number(row?.["value"]) + 1]);
      });
    await Promise.all([add(), add(), add()]);
    expect(await database.run("SELECT value FROM counters")).toEqual([{ value: 3 }]);
  });

  it("says who refused and why, without a statement or a value", async () => {
    const { server, url } = await freshDatabase();
    await administer(server, "CREATE ROLE guest LOGIN");
    onTestFinished(() => administer(server, "DROP ROLE guest"));
    expect(await problemOf((await open(server.url("nowhere"))).run("SELECT 1"))).toMatchObject({
      problem: "refused",
      message: expect.stringContaining("there is no such database"),
    });
    expect(
      await problemOf((await open(server.url("postgres", "guest"))).run("CREATE ROLE other")),
    ).toMatchObject({
      problem: "refused",
      code: "42501",
    });
    const broken = await problemOf((await open(url)).run("SELECT 'hunter2'::int"));
    expect(broken).toMatchObject({ problem: "failed", code: "22P02" });
    expect(broken.message).not.toContain("hunter2");
    expect(await problemOf((await open("postgres:///x?host=/nowhere")).run("SELECT 1"))).toMatchObject({
      problem: "offline",
    });
  });

  it("ends a statement that takes too long, and survives a server that goes away", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const hurried = await open(server.url(), { statementTimeoutMs: 200 });
    expect(await problemOf(hurried.run("SELECT pg_sleep(600)"))).toMatchObject({ problem: "offline" });
    const database = await open(server.url());
    expect(await database.run("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await server.kill();
    expect(await problemOf(database.run("SELECT 1"))).toMatchObject({ problem: "offline" });
    await server.start();
    expect(await database.run("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("checks over TLS who the server is, which is told to notice when nobody answers any more", async () => {
    const folder = temporaryDirectory();
    const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    const name = ["-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [...request, ...name, "-keyout", key, "-out", certificate], { stdio: "pipe" });
    const server = await startPostgres({ tls: { certificate, key } });
    onTestFinished(() => server.stop());
    const url = (host: string, rest: string) => `postgres://keeper@${host}:${server.port}/postgres?${rest}`;
    const isEncrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    const trusted = `sslrootcert=${certificate}`;
    for (const rest of [`sslmode=verify-full&${trusted}`, "sslmode=require", `sslmode=verify-ca&${trusted}`])
      expect(await (await open(url("localhost", rest))).run(isEncrypted)).toEqual([{ ssl: true }]);
    expect(await (await open(url("localhost", ""))).run(isEncrypted)).toEqual([{ ssl: false }]);
    for (const [host, rest] of [
      ["localhost", "sslmode=verify-full"],
      ["127.0.0.1", `sslmode=verify-full&${trusted}`],
    ])
      expect(await problemOf((await open(url(String(host), String(rest)))).run("SELECT 1"))).toMatchObject({
        problem: "refused",
        fix: expect.stringContaining("sslrootcert"),
      });
    const limits = `SELECT name, setting FROM pg_settings
      WHERE name LIKE 'tcp_keepalives_%' OR name IN ('tcp_user_timeout', 'idle_in_transaction_session_timeout') ORDER BY 1`;
    expect((await (await open(url("localhost", ""))).run(limits)).map(row => Object.values(row))).toEqual([
      ["idle_in_transaction_session_timeout", "30000"],
      ["tcp_keepalives_count", "3"],
      ["tcp_keepalives_idle", "10"],
      ["tcp_keepalives_interval", "5"],
      ["tcp_user_timeout", "25000"],
    ]);
    const patient = await open(url("localhost", ""), { maxIdleInTransactionMs: 3_600_000 });
    expect((await patient.run(limits))[0]).toEqual({
      name: "idle_in_transaction_session_timeout",
      setting: "3600000",
    });
  });

  it("says of a certificate that has expired who renews it, and not to trust another authority", async () => {
    const folder = temporaryDirectory();
    const openssl = (...words: string[]) => execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
    writeFileSync(join(folder, "index.txt"), "");
    writeFileSync(join(folder, "serial"), "01\n");
    writeFileSync(
      join(folder, "ca.cnf"),
      "[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\ncopy_extensions=copy\n[any]\ncommonName=supplied\n",
    );
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    openssl(
      "req",
      "-new",
      "-newkey",
      "rsa:2048",
      "-nodes",
      ...subject,
      "-keyout",
      "key.pem",
      "-out",
      "asked.pem",
    );
    const dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"];
    const files = ["-keyfile", "key.pem", "-in", "asked.pem", "-out", "cert.pem", "-notext"];
    openssl("ca", "-batch", "-config", "ca.cnf", "-selfsign", ...dates, ...files);
    const certificate = join(folder, "cert.pem");
    const server = await startPostgres({ tls: { certificate, key: join(folder, "key.pem") } });
    onTestFinished(() => server.stop());
    const url = `postgres://keeper@localhost:${server.port}/postgres?sslmode=verify-full&sslrootcert=${certificate}`;
    expect(await problemOf((await open(url)).run("SELECT 1"))).toMatchObject({
      problem: "refused",
      message: expect.stringContaining("expired"),
      fix: "let the server's administrator renew its certificate",
    });
  });
});

describe.skipIf(!hasPostgres)("a migration", () => {
  it("is made once by however many try, goes on from what is there, and leaves newer tables alone", async () => {
    const { url } = await freshDatabase();
    const databases = await Promise.all([1, 2, 3, 4].map(() => open(url)));
    const first = [["CREATE TABLE amplihack.things (name text)"]];
    await Promise.all(databases.map(database => migrate(database, "things", first)));
    const [database] = databases as [Database];
    await migrate(database, "things", [...first, ["ALTER TABLE amplihack.things ADD size integer"]]);
    await database.run("INSERT INTO amplihack.things VALUES ('a', 1)");
    expect(await problemOf(migrate(database, "things", first))).toMatchObject({ problem: "newer" });
    const broken = migrate(database, "others", [["CREATE TABLE amplihack.others ()", "SELECT nonsense"]]);
    await expect(broken).rejects.toThrow();
    expect(await database.run("SELECT to_regclass('amplihack.others') AS found")).toEqual([{ found: null }]);
  });

  it("waits for nobody who may only connect", async () => {
    const { server, name, url } = await freshDatabase();
    await administer(server, "CREATE ROLE sid LOGIN");
    onTestFinished(() => administer(server, "DROP ROLE sid"));
    const [owner, stranger] = [await open(url), await open(server.url(name, "sid"))];
    await migrate(owner, "things", [["CREATE TABLE amplihack.things (name text)"]]);
    await stranger.transaction(async run => {
      await run("SELECT pg_advisory_xact_lock($1)", [0x616d_706d]);
      await run("SELECT FROM amplihack.versions");
      await migrate(owner, "others", [["CREATE TABLE amplihack.others (name text)"]]);
    });
    expect(await owner.run("SELECT part FROM amplihack.versions ORDER BY part")).toEqual([
      { part: "others" },
      { part: "things" },
    ]);
    const lock = stranger.transaction(run => run("LOCK TABLE amplihack.versions IN EXCLUSIVE MODE"));
    await expect(lock).rejects.toMatchObject({ problem: "refused" });
  });
});
