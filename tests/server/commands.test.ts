import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { MIGRATIONS, makeServerTables } from "../../src/server/tables.ts";
import { AMPLIHACK, newUserInside, type User } from "../commands/run-command.ts";
import { RUN } from "../dashboard/machine.ts";
import { freshDatabase, hasPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { askUrl } from "./scene.ts";

/** A command that goes on: what it said so far, and its end. */
function start(user: User, words: readonly string[], env: Record<string, string> = {}) {
  const [program = "", ...first] = AMPLIHACK;
  const child = spawn(program, [...first, ...words], {
    cwd: user.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: user.home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let said = "";
  child.stdout.on("data", chunk => {
    said += chunk;
  });
  child.stderr.on("data", chunk => {
    said += chunk;
  });
  const ended = new Promise<number | null>(resolve => child.on("close", resolve));
  const until = async (pattern: RegExp): Promise<string> => {
    await expect.poll(() => said, { timeout: 60_000, interval: 50 }).toMatch(pattern);
    return pattern.exec(said)?.[1] ?? "";
  };
  return { child, ended, until, said: () => said };
}

describe("a server whose certificate is not trusted", () => {
  it("is said to be that, and not to be away", async () => {
    const folder = temporaryDirectory();
    const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"];
    execFileSync("openssl", [...request, "-keyout", key, "-out", certificate], { stdio: "pipe" });
    const pair = { cert: readFileSync(certificate), key: readFileSync(key) };
    const server = createServer(pair, (_, response) => void response.end());
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await newUserInside().type(["join", url])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be trusted[\s\S]*NODE_EXTRA_CA_CERTS/),
    });
  });
});

describe.skipIf(!hasPostgres)("a server that is newer than its tables", () => {
  it("refuses to serve until its owner's command has updated them, as often as that is run", async () => {
    const { server, name, url } = await freshDatabase();
    const user = newUserInside();
    const update = ["serve", "update", "--url", url];
    expect(await user.type(update)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("amplihack serve init"),
    });
    const init = ["serve", "init", "--url", url, "--team", "acme", "--person", "olga", "--yes"];
    expect(await user.type(init)).toMatchObject({ code: 0 });
    const owner = await Database.open(readDatabaseUrl(url, "option"));
    onTestFinished(() => owner.close());
    const version = async () =>
      Number(
        (await owner.run(`SELECT version FROM ${SCHEMA}.versions WHERE part = 'server'`))[0]?.["version"],
      );
    const newest = await version();
    // As an older program left them: the last steps are not done yet.
    await owner.run(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await makeServerTables(owner, "acme", MIGRATIONS.slice(0, -2));
    const serve = ["serve", "--url", server.url(name, "amplihack_server"), "--port", "0"];
    expect(await user.type(serve)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("amplihack serve update --url"),
    });
    // The server's own login may not: nobody who has it makes other tables.
    const asServer = ["serve", "update", "--url", server.url(name, "amplihack_server")];
    expect(await user.type(asServer)).toMatchObject({ code: 1, stderr: expect.stringContaining("owner") });
    const updates = await Promise.all([user.type(update), user.type(update)]);
    expect(updates.map(({ code }) => code)).toEqual([0, 0]);
    expect(updates.map(({ stdout }) => stdout).join("")).toContain(
      `The server tables: version ${newest - 2} → ${newest}.\n`,
    );
    expect(await user.type(update)).toMatchObject({ code: 0, stdout: "The tables are of this version.\n" });
    const teams = await owner.run(`SELECT team FROM ${SCHEMA}.teams`);
    expect([await version(), teams]).toEqual([newest, [{ team: "acme" }]]);
    const running = start(user, serve);
    const address = await running.until(/(http:\/\/127\.0\.0\.1:\d+)/);
    expect((await askUrl(address, "/readyz")).status).toBe(200);
  });
});

describe.skipIf(!hasPostgres)("from nothing to a machine that ships", () => {
  it("is serve init, serve, join and ship", async () => {
    const { server, name, url } = await freshDatabase();
    const user = newUserInside();
    const bare = await user.type(["serve", "--url", url]);
    expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining("amplihack serve init") });
    const init = await user.type([
      "serve",
      "init",
      "--url",
      url,
      "--team",
      "acme",
      "--person",
      "olga",
      "--yes",
    ]);
    expect(init).toMatchObject({ code: 0 });
    expect(init.stderr).toContain("make the team acme where it is missing");
    const [, link = ""] = /\/login\?link=([\w-]{43})/.exec(init.stdout) ?? [];
    const open = await user.type(["serve", "--url", url, "--address", "0.0.0.0"]);
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("--cert and --key") });
    const asOwner = start(user, ["serve", "--url", url, "--port", "0"]);
    await asOwner.until(/(http:\/\/127\.0\.0\.1:\d+)/);
    expect(asOwner.said()).toContain("Serve as amplihack_server");
    asOwner.child.kill("SIGTERM");
    const running = start(user, ["serve", "--url", server.url(name, "amplihack_server"), "--port", "0"]);
    const address = await running.until(/(http:\/\/127\.0\.0\.1:\d+)/);
    const form = { "content-type": "application/x-www-form-urlencoded", origin: address };
    const login = await askUrl(address, "/login", { method: "POST", headers: form, body: `link=${link}` });
    const cookie = String(login.headers["set-cookie"]).split(";")[0] ?? "";
    const page = await askUrl(address, "/people", { headers: { cookie } });
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? [];
    expect(await user.type(["ship", "--once", "--to", "server"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("amplihack join"),
    });
    const joining = start(user, ["join", address]);
    const code = await joining.until(/compare the code: (\S+)/);
    const body = new URLSearchParams({ csrf, code, team: "acme", answer: "yes" }).toString();
    await askUrl(address, "/join", { method: "POST", headers: { ...form, cookie }, body });
    expect(running.said()).not.toContain("Warning");
    expect([await joining.ended, joining.said()]).toEqual([0, expect.stringContaining("as one of olga")]);
    const file = join(user.home, ".amplihack", "server.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(joining.said()).not.toContain(JSON.parse(readFileSync(file, "utf8")).key);
    const logs = join(user.home, ".amplihack", "logs");
    mkdirSync(logs, { recursive: true });
    const line = { ...RUN, ts: new Date().toISOString() };
    appendFileSync(
      join(logs, "runs.jsonl"),
      `${JSON.stringify(line)}\n${JSON.stringify({ ...line, session: "two" })}\n`,
    );
    expect(await user.type(["ship", "--once", "--to", "server"])).toMatchObject({
      code: 0,
      stdout: "2 lines sent\n",
    });
    expect(await user.type(["ship", "--once", "--to", "server"])).toMatchObject({
      code: 0,
      stdout: "0 lines sent\n",
    });
    expect((await askUrl(address, "/", { headers: { cookie } })).body).toContain("<b>2 calls</b>");
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
    const away = await user.type(["join", "http://agents.example"]);
    expect(away).toMatchObject({ code: 2, stderr: expect.stringContaining("without encryption") });
  });
});
