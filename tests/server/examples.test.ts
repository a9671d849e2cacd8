import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { AMPLIHACK } from "../commands/run-command.ts";
import { freshDatabase, hasPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { askUrl } from "./scene.ts";

const FOLDER = fileURLToPath(new URL("../../examples/server/", import.meta.url));
const SETTINGS: Readonly<Record<string, string>> = {
  OWNER_PASSWORD: "one",
  SERVER_PASSWORD: "two",
  PUBLIC_URL: "https://agents.acme.example",
};

interface Service {
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
}

/** As compose reads it: `${NAME:?}` and `${NAME:-}` are settings. */
function readCompose(): Readonly<Record<string, Service>> {
  const text = readFileSync(join(FOLDER, "compose.yaml"), "utf8");
  const filled = text.replace(/\$\{(\w+)(:[?-])\}/g, (_, name: string) => SETTINGS[name] ?? `no ${name}`);
  return (parse(filled) as { services: Readonly<Record<string, Service>> }).services;
}

/** The words that the image starts with, as the Dockerfile says. */
function entryPoint(): readonly string[] {
  const [, words = "[]"] = /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(FOLDER, "Dockerfile"), "utf8")) ?? [];
  return JSON.parse(words) as readonly string[];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe.skipIf(!hasPostgres)("examples/server", () => {
  it("has commands that prepare a database and serve it", async () => {
    const { init, update, server: serve, database } = readCompose();
    const [own, ...subcommand] = entryPoint();
    expect(own).toBe("amplihack");
    expect(serve?.ports).toEqual(["127.0.0.1:8484:8484"]);
    const addresses = [init, update, serve].map(each =>
      readDatabaseUrl(each?.environment["AMPLIHACK_DATABASE_URL"] ?? "", "environment"),
    );
    const { POSTGRES_USER: owner, POSTGRES_DB: agents } = database?.environment ?? {};
    expect(addresses).toMatchObject([
      { user: owner, database: agents },
      { user: owner, database: agents },
      { user: "amplihack_server", database: agents },
    ]);
    // Whoever gets into the server has its own login and no other one.
    expect(JSON.stringify(serve)).not.toMatch(new RegExp(`\\b(?:${owner}|${SETTINGS["OWNER_PASSWORD"]})\\b`));
    expect(serve?.depends_on).toEqual({ update: { condition: "service_completed_successfully" } });
    const { server, name, url } = await freshDatabase();
    const [program = "", ...first] = AMPLIHACK;
    const home = temporaryDirectory();
    const env = (databaseUrl: string) => ({
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      AMPLIHACK_DATABASE_URL: databaseUrl,
    });
    const runAsOwner = (words: readonly string[] = []) =>
      execFileSync(program, [...first, ...subcommand, ...words], {
        env: env(url),
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
    const prepared = runAsOwner(init?.command);
    expect(runAsOwner(update?.command)).toBe("The tables are of this version.\n");
    expect(prepared).toMatch(/https:\/\/agents\.acme\.example\/login\?link=/);
    const port = await freePort();
    const listening = ["--port", String(port), "--address", "127.0.0.1"];
    const running = spawn(program, [...first, ...subcommand, ...(serve?.command ?? []), ...listening], {
      env: env(server.url(name, "amplihack_server")),
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void running.kill("SIGKILL"));
    const [said] = (await once(running.stdout, "data")) as [Buffer];
    expect(String(said)).toBe("https://agents.acme.example\n");
    const place = `http://127.0.0.1:${port}`;
    expect((await askUrl(place, "/readyz")).status).toBe(200);
  });

  it.skipIf(!existsSync("/usr/bin/systemd-analyze"))(
    "has a unit that systemd takes, and whose user can read its files",
    () => {
      const unit = join(FOLDER, "amplihack-server.service");
      const { stderr, status } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
      expect({
        stderr: stderr.split("\n").filter(line => line.includes("amplihack-server")),
        status,
      }).toEqual({
        stderr: [],
        status: 0,
      });
      const text = readFileSync(unit, "utf8");
      // DynamicUser reads nothing of root's: what the command names is handed over.
      for (const [, file = ""] of text.matchAll(/--(?:cert|key) (\S+)/g)) {
        expect(file).toMatch(/^\$\{CREDENTIALS_DIRECTORY\}\//);
        expect(text).toContain(`LoadCredential=${file.slice(file.lastIndexOf("/") + 1)}:`);
      }
    },
  );
});
