import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newMachine, serve } from "./machine.ts";

describe("who may ask the dashboard", () => {
  it("answers the address that the command prints", async () => {
    const { url, ask } = await serve(newMachine());
    expect(url.hostname).toBe("127.0.0.1");
    expect(url.searchParams.get("token")).toMatch(/^[0-9a-f]{32}$/);
    const { status, headers, body } = await ask("/");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body).toContain("<h1>amplihack</h1>");
  });

  it.each(["/", "/api/overview", "/api/runs", "/api/live", "/nothing"])(
    "refuses %s without the token, and with a wrong one",
    async path => {
      const { ask } = await serve(newMachine());
      for (const token of ["", "0".repeat(32), "é", "x".repeat(10_000)]) {
        const { status, body } = await ask(`${path}?token=${encodeURIComponent(token)}`);
        expect(status).toBe(403);
        expect(body).toContain("token");
      }
    },
  );

  it("gives every server a token of its own", async () => {
    const [one, other] = [await serve(newMachine()), await serve(newMachine())];
    expect(one.url.search).not.toBe(other.url.search);
    expect((await one.ask(`/${other.url.search}`)).status).toBe(403);
  });

  it.each(["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"])(
    "refuses the Host %s, which a rebound name would send",
    async host => {
      const { ask } = await serve(newMachine());
      expect((await ask("/", { headers: { host } })).status).toBe(403);
    },
  );

  it("knows itself as localhost too", async () => {
    const { ask, url } = await serve(newMachine());
    expect((await ask("/", { headers: { host: `localhost:${url.port}` } })).status).toBe(200);
  });

  it.each([{ origin: "http://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }])(
    "refuses requests that come from elsewhere: %o",
    async headers => {
      const { ask } = await serve(newMachine());
      const { status, body } = await ask("/api/overview", { headers });
      expect(status).toBe(403);
      expect(body).not.toContain("calls");
    },
  );

  it("answers its own page", async () => {
    const { ask, url } = await serve(newMachine());
    const headers = { origin: url.origin, "sec-fetch-site": "same-origin" };
    expect((await ask("/api/overview", { headers })).status).toBe(200);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("does not know the method %s", async method => {
    const { ask } = await serve(newMachine());
    expect((await ask("/api/overview", { method })).status).toBe(405);
  });

  it.each(["0.0.0.0", "::", "192.168.1.2", "localhost.evil.example"])(
    "is never served on %s",
    async address => {
      await expect(serve(newMachine(), { address })).rejects.toThrow("this machine alone");
    },
  );

  it("says when its port is taken", async () => {
    const { url } = await serve(newMachine());
    await expect(serve(newMachine(), { port: Number(url.port) })).rejects.toThrow("EADDRINUSE");
  });
});

describe("what the page may do", () => {
  it("runs its own script and style by their hash, and nothing else", async () => {
    const { ask } = await serve(newMachine());
    const { headers, body } = await ask("/");
    const policy = String(headers["content-security-policy"]);
    const hashOf = (element: RegExp) => {
      const text = element.exec(body)?.[1] ?? "";
      expect(text.length).toBeGreaterThan(1000);
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    };
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(/<script type="module">([\s\S]*?)<\/script>/)}`,
      `style-src ${hashOf(/<style>([\s\S]*?)<\/style>/)}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it("keeps nothing in caches, sends no referrer and guesses no types", async () => {
    const { ask } = await serve(newMachine());
    for (const path of ["/", "/api/overview", "/nothing"]) {
      expect((await ask(path)).headers).toMatchObject({
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });
});
