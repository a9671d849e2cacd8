import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeLink } from "../../src/server/people.ts";
import { hasPostgres } from "../postgres-server.ts";
import { type Browser, type Scene, serverScene } from "./scene.ts";

const CHROMIUM = "/usr/bin/chromium";
const isLong = process.env["AMPLIHACK_TEST_LONG"] === "1";
const PATIENT_MS = 200_000;
const HEADERS = { origin: "null", "sec-fetch-site": "same-origin" };
const FORM = { ...HEADERS, "content-type": "application/x-www-form-urlencoded" };

interface Changes {
  readonly origin?: string;
  readonly name?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly challenge?: string;
  readonly type?: string;
  readonly id?: string;
  readonly isForged?: boolean;
}

/** A device in software: what a browser would send for it, or something else. */
function device(scene: Scene) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64url");
  const challenge = async () =>
    JSON.parse((await scene.ask("/login/challenge", { method: "POST", headers: HEADERS })).body).challenge;
  const say = async (type: string, changes: Changes, more: Buffer) => {
    const page = {
      type: changes.type ?? type,
      challenge: changes.challenge ?? (await challenge()),
      origin: changes.origin ?? scene.url,
    };
    const client = Buffer.from(JSON.stringify(page));
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(changes.counter ?? 0);
    const name = createHash("sha256")
      .update(changes.name ?? "localhost")
      .digest();
    const data = Buffer.concat([name, Buffer.from([changes.flags ?? 0x45]), counter, more]);
    return { client, data };
  };
  return {
    challenge,
    async make(browser: Browser, changes: Changes = {}) {
      const told = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id]);
      const { client, data } = await say("webauthn.create", changes, told);
      const answer = {
        id: changes.id ?? id.toString("base64url"),
        client: client.toString("base64url"),
        data: data.toString("base64url"),
        key,
      };
      return browser.send("/passkeys", { team: "acme", answer: JSON.stringify(answer) });
    },
    async use(changes: Changes = {}) {
      const { client, data } = await say("webauthn.get", changes, Buffer.alloc(0));
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      const signature = changes.isForged ? randomBytes(70) : sign("sha256", signed, privateKey);
      const answer = {
        id: changes.id ?? id.toString("base64url"),
        client: client.toString("base64url"),
        data: data.toString("base64url"),
        signature: signature.toString("base64url"),
      };
      const body = new URLSearchParams({ answer: JSON.stringify(answer) }).toString();
      return scene.ask("/login/passkey", { method: "POST", headers: FORM, body });
    },
  };
}

describe.skipIf(!hasPostgres)("passkeys", () => {
  it("let in whoever has the key, once for each challenge, on our own page, with a person there", async () => {
    const scene = await serverScene({ address: "localhost" });
    const ann = await scene.visit("acme", "ann", "viewer");
    const key = device(scene);
    expect((await key.use()).status).toBe(403);
    for (const changes of [
      { origin: "https://evil.example" },
      { name: "evil.example" },
      { flags: 0x41 },
      { flags: 0x05 },
      { type: "webauthn.get" },
      { id: randomBytes(32).toString("base64url") },
      { challenge: randomBytes(32).toString("base64url") },
    ])
      expect([changes, (await key.make(ann, changes)).status]).toEqual([changes, 403]);
    expect((await key.make(ann)).status).toBe(303);
    expect((await key.make(ann)).status).toBe(409);
    for (const changes of [
      { origin: "https://evil.example" },
      { origin: `${scene.url}.evil.example` },
      { name: "evil.example" },
      { flags: 0x01 },
      { flags: 0x04 },
      { type: "webauthn.create" },
      { isForged: true },
      { id: randomBytes(32).toString("base64url") },
      { challenge: "" },
    ])
      expect([changes, (await key.use(changes)).status]).toEqual([changes, 403]);
    const challenge = await key.challenge();
    const { status, headers } = await key.use({ challenge, counter: 5 });
    expect(status).toBe(303);
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    expect((await scene.ask("/people", { headers: { cookie } })).body).toContain("Your passkeys");
    // A text that was signed before, and a device that counts backwards.
    expect((await key.use({ challenge, counter: 6 })).status).toBe(403);
    expect((await key.use({ counter: 5 })).status).toBe(403);
    // Nobody takes away what belongs to somebody else.
    const olga = await scene.visit("acme", "olga", "owner");
    const [own] = await scene.owner.run("SELECT id FROM amplihack.server_passkeys");
    await olga.send("/passkeys", { team: "acme", do: "remove", id: String(own?.["id"]) });
    expect((await key.use({ counter: 7 })).status).toBe(303);
    // Nor what somebody of the same name has in another team; and it opens what the login opened that added it.
    const namesake = await scene.visit("zoo", "ann", "owner");
    await namesake.send("/passkeys", { team: "zoo", do: "remove", id: String(own?.["id"]) });
    const again = await key.use({ counter: 8 });
    const opened = { cookie: String(again.headers["set-cookie"]).split(";")[0] ?? "" };
    expect((await scene.ask("/people?team=acme", { headers: opened })).status).toBe(200);
    expect((await scene.ask("/people?team=zoo", { headers: opened })).status).toBe(403);
    const other = device(scene);
    await other.make(ann);
    const [second] = await scene.owner.run("SELECT id FROM amplihack.server_passkeys WHERE id <> $1", [
      String(own?.["id"]),
    ]);
    await ann.send("/passkeys", { team: "acme", do: "remove", id: String(second?.["id"]) });
    expect((await other.use()).status).toBe(403);
    // Somebody who was removed and is let in anew under that name has nothing of the one before.
    await olga.send("/people", { team: "acme", do: "remove", person: "ann" });
    await olga.send("/people", { team: "acme", do: "add", person: "ann", role: "viewer" });
    expect((await scene.ask("/people?team=acme", { headers: opened })).status).toBe(403);
    expect((await key.use({ counter: 9 })).status).toBe(403);
    await expect(scene.database.run("SELECT * FROM amplihack.server_passkeys")).rejects.toMatchObject({
      code: "42501",
    });
    expect(scene.log).toEqual([]);
  });

  it.skipIf(!isLong || !existsSync(CHROMIUM))(
    "work in a browser with a device",
    { timeout: PATIENT_MS },
    async () => {
      const scene = await serverScene({ address: "localhost" });
      const link = await makeLink(scene.database, { team: "acme", person: "olga", role: "owner" });
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
      onTestFinished(() => browser.close());
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENT_MS);
      const complaints: string[] = [];
      page.on("pageerror", error => complaints.push(error.message));
      page.on("console", message => message.type() === "error" && complaints.push(message.text()));
      const devices = await context.newCDPSession(page);
      await devices.send("WebAuthn.enable");
      await devices.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.goto(`${scene.url}/login?link=${link}`);
      await page.getByRole("button", { name: "Come in" }).click();
      await page.waitForURL(`${scene.url}/`);
      await page.goto(`${scene.url}/people`);
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByText("last used: never").waitFor();
      await context.clearCookies();
      await page.goto(`${scene.url}/login`);
      await page.getByRole("button", { name: "Log in with a passkey" }).click();
      await page.waitForURL(`${scene.url}/`);
      await page.goto(`${scene.url}/people`);
      expect(await page.getByText(/last used: \d{4}-/).count()).toBe(1);
      expect(complaints).toEqual([]);
    },
  );
});
