import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { findPassword, passwordIn } from "../../src/postgres/connect.ts";
import { Database } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const NAMES = { host: "db.example", port: 5432, database: "agents", user: "ann" };
const LINE = "db.example:5432:agents:ann:secret";

afterEach(() => vi.unstubAllEnvs());

function passwordFile(text: string, mode: number): string {
  const file = join(temporaryDirectory(), "pgpass");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe("a password file", () => {
  it.each([
    [LINE, "secret"],
    [`# a comment\r\n\n${LINE}\r\n`, "secret"],
    ["*:*:*:*:any", "any"],
    ["db.example:*:*:ann:first\n*:*:*:*:second", "first"],
    ["other:5432:agents:ann:x\ndb.example:5433:agents:ann:x\ndb.example:5432:agents:bob:x", undefined],
    ["db.example:5432:agents:ann:", undefined],
    [String.raw`db.example:5432:agents:ann:with\:colon\\and backslash`, String.raw`with:colon\and backslash`],
  ])("%j gives %j", (text, password) => {
    expect(passwordIn(text, NAMES)).toBe(password);
  });

  it("calls the server of a socket localhost", () => {
    expect(passwordIn("localhost:*:*:*:here", { ...NAMES, host: "/run/postgresql" })).toBe("here");
  });

  it("stands behind PGPASSWORD, and is not read when others may read it", () => {
    vi.stubEnv("PGPASSFILE", passwordFile(LINE, 0o600));
    expect(findPassword(NAMES, "agents")).toBe("secret");
    vi.stubEnv("PGPASSWORD", "given");
    expect(findPassword(NAMES, "agents")).toBe("given");
    vi.stubEnv("PGPASSWORD", "");
    vi.stubEnv("PGPASSFILE", passwordFile(LINE, 0o640));
    expect(() => findPassword(NAMES, "agents")).toThrow("others may read it too");
  });
});

describe("a server that asks for a password nobody gave", () => {
  it("is told about with what to do, and its connection is closed", async () => {
    vi.stubEnv("PGPASSWORD", "");
    vi.stubEnv("PGPASSFILE", join(temporaryDirectory(), "none"));
    // The server's message that asks for a password in clear text.
    const request = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
    const server = createServer(socket => socket.once("data", () => socket.write(request))).listen(
      0,
      "127.0.0.1",
    );
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const accepted = once(server, "connection") as Promise<[Socket]>;
    const { port } = server.address() as AddressInfo;
    const address = readDatabaseUrl(`postgres://ann@127.0.0.1:${port}/agents`, "option");
    const database = await Database.open(address);
    onTestFinished(() => database.close());
    await expect(database.run("SELECT 1")).rejects.toMatchObject({
      problem: "refused",
      message: expect.stringContaining("asks for the password of ann"),
      fix: expect.stringContaining(`127.0.0.1:${port}:agents:ann:PASSWORD`),
    });
    const [socket] = await accepted;
    if (!socket.closed) await once(socket.resume(), "close");
  });
});
