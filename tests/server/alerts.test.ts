import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { alertGaps, alertSilence, deliver, isPublicAddress } from "../../src/server/alerts.ts";
import { ROLE } from "../../src/server/tables.ts";
import { hasPostgres } from "../postgres-server.ts";
import { type Browser, row, type Scene, serverScene } from "./scene.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Somebody who is told: it answers with what was put down, else 200. */
async function receiver(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(statuses.shift() ?? 200, { location: "http://127.0.0.1:1/" }).end();
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function addWebhook(olga: Browser, fields: Record<string, string>): Promise<string> {
  const { body } = await olga.send("/webhooks", { team: "acme", do: "add", form: "json", ...fields });
  return /shown once: ([\w-]{43})/.exec(body)?.[1] ?? "";
}

function denial(number: number, rule: string): object {
  const base = row(number) as { fields: object };
  return {
    ...base,
    kind: "audit",
    fields: { ...base.fields, verdict: "deny", rules: [rule], command: "rm <x>" },
  };
}

function send(scene: Scene) {
  return deliver(scene.database.ofTeam(ROLE, "acme"), { allowsPrivate: true });
}

/** As if the time until the next try was over. */
async function later(scene: Scene): Promise<void> {
  await scene.owner.run(`UPDATE ${SCHEMA}.server_deliveries SET next = now() WHERE next IS NOT NULL`);
}

describe.skipIf(!hasPostgres)("webhooks", () => {
  it("tell of chosen rules, signed, once, and again until they are taken", async () => {
    const scene = await serverScene({ allowsPrivate: true, deliverMs: 3_600_000 });
    const olga = await scene.visit("acme", "olga", "owner");
    const { received, url } = await receiver([500, 302]);
    const secret = await addWebhook(olga, { url, event: "denial", rules: "fs" });
    expect(secret).not.toBe("");
    const key = await scene.join(olga, "acme", "laptop");
    const rows = [denial(1, "fs.delete"), denial(2, "git.push"), row(3)];
    await scene.post("/api/v1/records", key, { rows });
    await scene.post("/api/v1/records", key, { rows });
    for (const _ of [1, 2, 3, 4]) {
      await send(scene);
      await later(scene);
    }
    expect(received).toHaveLength(3);
    const { headers, body } = received[2] ?? { headers: {}, body: "" };
    expect(JSON.parse(body)).toMatchObject({ event: "denial", team: "acme", rules: ["fs.delete"] });
    const [, seconds, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-amplihack-signature"])) ?? [];
    expect(signature).toBe(createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex"));
    expect(new Set(received.map(each => each.headers["x-amplihack-delivery"])).size).toBe(1);
    expect((await olga.get("/settings")).body).toContain("0 wait, 0 given up");
  });

  it("speak Slack's form and that of a SIEM, of questions and of silence", async () => {
    const scene = await serverScene({ allowsPrivate: true, deliverMs: 3_600_000 });
    const olga = await scene.visit("acme", "olga", "owner");
    const slack = await receiver();
    const siem = await receiver();
    await addWebhook(olga, { url: slack.url, form: "slack", event: "question" });
    await addWebhook(olga, { url: siem.url, form: "ecs", event: "silence" });
    const key = await scene.join(olga, "acme", "laptop");
    const question = { digest: "a".repeat(64), nonce: "n".repeat(43), command: "rm <b> & c" };
    await scene.post("/api/v1/questions", key, question);
    await scene.owner.run(`UPDATE ${SCHEMA}.server_machines SET seen = now() - interval '2 days'`);
    const acme = scene.database.ofTeam(ROLE, "acme");
    for (const _ of [1, 2]) await alertSilence(acme, "acme");
    await send(scene);
    expect(slack.received.map(({ body }) => JSON.parse(body))).toEqual([
      { text: expect.stringContaining("olga on laptop asks: rm &lt;b&gt; &amp; c") },
    ]);
    expect(siem.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        ecs: { version: "8.11.0" },
        event: { action: "silence" },
        host: { name: "laptop" },
        organization: { name: "acme" },
      },
    ]);
    // It speaks again, and is silent again.
    await scene.post("/api/v1/seen", key, {});
    await scene.owner.run(
      `UPDATE ${SCHEMA}.server_machines SET seen = now() - interval '25 hours', told_silent = now() - interval '30 hours'`,
    );
    await alertSilence(acme, "acme");
    await send(scene);
    expect(siem.received).toHaveLength(2);
  });

  it("tell of a gap in a machine's audit log, once", async () => {
    const scene = await serverScene({ allowsPrivate: true, deliverMs: 3_600_000 });
    const olga = await scene.visit("acme", "olga", "owner");
    const { received, url } = await receiver();
    await addWebhook(olga, { url, event: "audit" });
    const key = await scene.join(olga, "acme", "laptop");
    const hash = (seq: number) => seq.toString(16).padStart(64, "0");
    const line = (seq: number) => ({
      ...denial(seq, "fs.delete"),
      hash: hash(seq),
      fields: { ...(denial(seq, "fs.delete") as { fields: object }).fields, seq, prev: hash(seq - 1) },
    });
    const acme = scene.database.ofTeam(ROLE, "acme");
    await scene.post("/api/v1/records", key, { rows: [line(1), line(2)] });
    await alertGaps(acme, "acme");
    await send(scene);
    expect(received).toEqual([]);
    await scene.post("/api/v1/records", key, { rows: [line(5), line(6)] });
    for (const _ of [1, 2]) await alertGaps(acme, "acme");
    await send(scene);
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: "audit", facts: { machine: "laptop", person: "olga", seq: 5 } },
    ]);
    expect(received[0]?.body).toContain("missing before it: 2 lines (numbers 3 to 4)");
  });

  it("give up in the end, and go to admins alone", async () => {
    const scene = await serverScene({ allowsPrivate: true, deliverMs: 3_600_000 });
    const olga = await scene.visit("acme", "olga", "owner");
    const { received, url } = await receiver(Array.from({ length: 50 }, () => 404));
    await addWebhook(olga, { url, event: "denial" });
    const key = await scene.join(olga, "acme", "laptop");
    await scene.post("/api/v1/records", key, { rows: [denial(1, "fs.delete")] });
    for (let count = 0; count < 15; count += 1) {
      await send(scene);
      await later(scene);
    }
    expect(received).toHaveLength(12);
    expect((await olga.get("/settings")).body).toContain("0 wait, 1 given up: it answered 404");
    const max = await scene.visit("acme", "max", "approver");
    expect((await max.get("/settings")).status).toBe(403);
    expect(
      (await max.send("/webhooks", { team: "acme", do: "add", url, event: "denial", form: "json" })).status,
    ).toBe(403);
    const zoe = await scene.visit("zoo", "zoe", "owner");
    expect((await zoe.get("/settings?team=zoo")).body).not.toContain(new URL(url).host);
  });

  it("never lead into the server's own network", async () => {
    const scene = await serverScene({ deliverMs: 3_600_000 });
    const olga = await scene.visit("acme", "olga", "owner");
    const add = (url: string) =>
      olga.send("/webhooks", { team: "acme", do: "add", form: "json", event: "denial", url });
    for (const url of [
      "http://example.com/",
      "https://127.0.0.1/",
      "https://[::1]/",
      "https://[::ffff:10.0.0.1]/",
      "https://169.254.169.254/latest/meta-data",
      "https://0x7f000001/",
      "https://2130706433/",
      "https://10.1/",
      "https://u:p@example.com/",
      "file:///etc/passwd",
      "javascript:1",
      "",
    ])
      expect([url, (await add(url)).status]).toEqual([url, 400]);
    // A name that leads there is found out when it is resolved.
    const { received, url } = await receiver();
    expect((await add(url.replace("http://127.0.0.1", "https://localhost"))).status).toBe(200);
    const key = await scene.join(olga, "acme", "laptop");
    await scene.post("/api/v1/records", key, { rows: [denial(1, "fs.delete")] });
    await deliver(scene.database.ofTeam(ROLE, "acme"), { allowsPrivate: false });
    expect(received).toEqual([]);
    expect((await olga.get("/settings")).body).toContain("a name of a private network");
    expect(scene.log).toEqual([]);
  });
});

describe("an address", () => {
  it.each([
    ["1.1.1.1", true],
    ["8.8.8.8", true],
    ["2606:4700:4700::1111", true],
    ["127.0.0.1", false],
    ["0.0.0.0", false],
    ["10.0.0.1", false],
    ["172.31.255.255", false],
    ["192.168.1.1", false],
    ["100.64.0.1", false],
    ["169.254.169.254", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::1", false],
    ["::", false],
    ["::ffff:8.8.8.8", false],
    ["64:ff9b::a00:1", false],
    ["fe80::1", false],
    ["fc00::1", false],
    ["2002:7f00:1::", false],
    ["2001:db8::1", false],
    ["nothing", false],
  ])("%s is public: %s", (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });
});
